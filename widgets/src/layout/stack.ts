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

/** The frame around a backward pass, and a function of tracefn's own, whose line is that of its call: no lines of the user's. */
const NOT_THE_USERS = /^(backward pass|(nn|optimize)\.[\w.]+)(#\d+)?$/;

/** The frames of a node of a graph or body, the innermost first. `part` is the one that it is in; `name` that of the function. */
export function stackOf(name: string, part: Graph, { scope: own, within = own, file, line, cell, cell_number }: GraphNode): Frame[] {
  const bodies = new Set(part.around);
  const frames: Frame[] = [];
  let place: Location | null = line === null ? null : { file: file ?? '', line, cell, cell_number };
  for (let scope = within; scope !== ''; scope = outer(scope)) {
    const segment = lastOf(scope);
    if (!bodies.has(scope) && !UNROLLED.test(segment) && !NOT_THE_USERS.test(segment)) {
      if (place) {
        frames.push({ name: segment.replace(/#\d+$/, ''), place });
      }
      place = part.sites[scope] ?? null;
    }
  }
  return place ? [...frames, { name, place }] : frames;
}

/** The nodes made by a line, or by calls that were made there, in program order; bodies have ids of their own (`withBodies`). */
export function nodesAt(graph: Graph, line: Location): readonly string[] {
  return everyGraph(graph).flatMap(({ graph: part }) => {
    const bodies = new Set(part.around);
    const known = new Map<string, boolean>([['', false]]);
    const isCalledThere = (scope: string): boolean => {
      let is = known.get(scope);
      if (is === undefined) {
        const site = bodies.has(scope) || UNROLLED.test(lastOf(scope)) ? undefined : part.sites[scope];
        is = (site !== undefined && isOneLine(site, line)) || isCalledThere(outer(scope));
        known.set(scope, is);
      }
      return is;
    };
    const isThere = (node: GraphNode): boolean =>
      (node.line === line.line && isOneLine({ ...node, file: node.file ?? '', line: node.line }, line)) || isCalledThere(node.within ?? node.scope);
    return part.nodes.filter(isThere).map(({ id }) => id);
  });
}

/** Lines of a cell go by its id, whatever name it was compiled under. */
function isOneLine(a: Location, b: Location): boolean {
  return a.line === b.line && (a.cell ?? a.file) === (b.cell ?? b.file);
}

function outer(scope: string): string {
  return scope.slice(0, Math.max(0, scope.lastIndexOf('/')));
}

function lastOf(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1);
}
