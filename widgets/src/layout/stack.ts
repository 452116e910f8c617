/** The Python stack of a node: the calls that were under way when it was made, and where each of them stood. */

import { Graph, GraphNode, Location } from '../protocol';
import { everyGraph } from './bodies';

/** One frame: a function, and the line that it was at. */
export interface Frame {
  readonly name: string;
  readonly place: Location;
}

/** A loop that was unrolled, or a round of one: no call. */
const UNROLLED = /^((for|while|comprehension) line \d+|round)(#\d+)?$/;

/** The frames of a node of a graph or body, the innermost first. `part` is the one that it is in; `name` that of the function. */
export function stackOf(name: string, part: Graph, { scope: own, within = own, file, line, cell, cell_number }: GraphNode): Frame[] {
  const bodies = new Set(part.around);
  const frames: Frame[] = [];
  let place: Location | null = line === null ? null : { file: file ?? '', line, cell, cell_number };
  for (let scope = within; scope !== ''; scope = outer(scope)) {
    const segment = scope.slice(outer(scope).length).replace(/^\//, '');
    if (!bodies.has(scope) && !UNROLLED.test(segment)) {
      if (place) {
        frames.push({ name: segment.replace(/#\d+$/, ''), place });
      }
      place = part.sites[scope] ?? null;
    }
  }
  return place ? [...frames, { name, place }] : frames;
}

const lines = new WeakMap<Graph, Map<string, string[]>>();

/** The nodes made by a line, or by calls that were made there, in program order; bodies have ids of their own (`withBodies`). */
export function nodesAt(graph: Graph, line: Location): readonly string[] {
  let known = lines.get(graph);
  if (!known) {
    known = new Map();
    for (const { graph: part } of everyGraph(graph)) {
      const keys = new Map<string, ReadonlySet<string>>(); // by scope and line: most nodes have those of the node before them
      for (const node of part.nodes) {
        const from = `${node.within ?? node.scope}:${node.line}:${node.cell ?? node.file}`;
        const found = keys.get(from) ?? new Set(stackOf('', part, node).map(({ place }) => keyOf(place)));
        keys.set(from, found);
        for (const key of found) {
          const ids = known.get(key);
          if (ids) {
            ids.push(node.id);
          } else {
            known.set(key, [node.id]);
          }
        }
      }
    }
    lines.set(graph, known);
  }
  return known.get(keyOf(line)) ?? [];
}

/** Tells lines apart: those of a cell go by its id, whatever name it was compiled under. */
function keyOf({ file, line, cell }: Location): string {
  return JSON.stringify([cell ?? file, line]);
}

function outer(scope: string): string {
  return scope.slice(0, Math.max(0, scope.lastIndexOf('/')));
}
