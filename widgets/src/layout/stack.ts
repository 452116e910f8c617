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
export function stackOf(name: string, part: Graph, { within = '', file, line, cell, cell_number }: GraphNode): Frame[] {
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

/** The nodes made by a line, or by calls that were made there; `graph` has its bodies' nodes under ids of their own. */
export function nodesAt(graph: Graph, line: Location): string[] {
  return everyGraph(graph).flatMap(({ graph: part }) =>
    part.nodes.filter(node => stackOf('', part, node).some(({ place }) => isSameLine(place, line))).map(({ id }) => id)
  );
}

/** Whether two places are one line. */
export function isSameLine(a: Location, b: Location): boolean {
  return a.line === b.line && (a.cell !== null || b.cell !== null ? a.cell === b.cell : a.file === b.file);
}

function outer(scope: string): string {
  return scope.slice(0, Math.max(0, scope.lastIndexOf('/')));
}
