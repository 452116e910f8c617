/**
 * Repeats: neighbours that compute the same on values of the same types, such as the rounds of an unrolled loop. Many of them fold
 * into one box with their number.
 */

import type { Child, Group } from './groups';
import { GraphNode } from '../protocol';

/** From this many copies on, they are folded. */
export const MIN_COPIES = 9;

/** Runs of neighbours that are the same, and what stands between them; each run has at least `MIN_COPIES` groups. */
export function runsOf(children: readonly Child[]): (Child | Group[])[] {
  const found: (Child | Group[])[] = [];
  const shapes = children.map(child => ('children' in child && child.kind === 'scope' ? shapeOf(child) : null));
  for (let start = 0; start < children.length; ) {
    let end = start + 1;
    while (end < children.length && shapes[start] !== null && shapes[end] === shapes[start]) {
      end += 1;
    }
    const run = children.slice(start, end);
    if (run.length >= MIN_COPIES) {
      found.push(run as Group[]);
    } else {
      found.push(...run);
    }
    start = end;
  }
  return found;
}

/**
 * A text that is equal for groups that compute the same: ops, attributes, types, how nodes hang together, and the types of what
 * comes from outside.
 */
function shapeOf(group: Group): string {
  const places = new Map<string, number>();
  const lines: string[] = [];
  const walk = (child: Child, depth: number): void => {
    if (!('children' in child)) {
      places.set(child.id, places.size);
      lines.push(nodeText(child, depth, places));
      return;
    }
    lines.push(`${depth} ${child.kind} ${child.kind === 'scope' ? child.label.replace(/^round \d+$/, 'round') : ''}`);
    child.children.forEach(inner => walk(inner, depth + 1));
  };
  walk(group, 0);
  return lines.join('\n');
}

function nodeText(node: GraphNode, depth: number, places: ReadonlyMap<string, number>): string {
  const inputs = node.inputs.map(id => places.get(id) ?? 'outside');
  return JSON.stringify([depth, node.op, node.dtype, node.shape, node.attrs, inputs, Object.keys(node.bodies)]);
}
