/**
 * Values with many users as chips: a small box at each use in the place of a long edge. The parts of folded containers are chips
 * at every use.
 */

import { counted, cut } from '../format';
import { Graph, GraphNode } from '../protocol';
import { everyNode } from './bodies';
import { Edge } from './edges';
import { familyOf } from './families';
import type { Box } from './fold';
import { Group, groupsById, isGroup, isSource } from './groups';
import { pathOf, stepsOf } from './trees';

/** A value with at least this many users is a chip at each of them. */
export const MANY_USERS = 8;

/** The number of boxes and chips up to which a value with many users becomes chips; past it, values keep their edges. */
const MAX_DRAWN = 1000;

/** Chips, and the box that each of them stands at. */
export interface Chips {
  readonly boxes: readonly { readonly box: Box; readonly at: string }[];
  /** The chip of a value at a box that uses it, or null where an edge shows that. */
  readonly chipOf: (value: string, to: string) => string | null;
}

/** The chips of a drawing, whose `edges` are those without chips. */
export function chipsOf(graph: Graph, root: Group, boxOf: ReadonlyMap<string, string>, edges: readonly Edge[]): Chips {
  const nodes = new Map(everyNode(graph).map(node => [node.id, node]));
  const top = new Map(graph.nodes.filter(isSource).map(node => [node.id, node]));
  const groups = groupsById(root);
  const treeIds = new Map(root.children.filter(child => isGroup(child) && child.kind === 'tree').map(({ id }) => [stepsOf(id.slice(5))[0], id]));
  const used = new Map<string, string[]>();
  const users = new Map<string, string[]>();
  for (const { to, values } of edges) {
    values.forEach(value => users.set(value, [...(users.get(value) ?? []), to]));
  }
  const chips = new Map<string, { box: Box; at: string }>();
  const found = new Map<string, string>();
  const drawn = new Set(boxOf.values()).size;
  for (const [value, boxes] of [...users].sort((a, b) => b[1].length - a[1].length)) {
    const node = nodes.get(value);
    const home = boxOf.get(value);
    const isPart = top.has(value) && treeIds.has(stepsOf(pathOf(top.get(value) as GraphNode))[0]);
    const isDrawn = top.has(value) || home === value;
    if (!node || !isDrawn || (!isPart && boxes.length < MANY_USERS) || drawn + chips.size + boxes.length > MAX_DRAWN) {
      continue;
    }
    for (const to of boxes) {
      // Into a closed group go all parts of one container together.
      const stem = isPart && groups.has(to) ? (stepsOf(pathOf(node))[0] as string) : null;
      const parts = stem === null ? [] : partsAt(to, stem);
      const id = parts.length > 1 ? `chip:${stem}>${to}` : `chip:${value}>${to}`;
      found.set(`${value}>${to}`, id);
      const title = parts.length > 1 ? `${cut(short(common(parts)), 24)} · ${counted(parts.length, 'array')}` : cut(short(pathOf(node) || node.op), 28);
      const chipOf = parts.length > 1 ? (treeIds.get(stem as string) ?? value) : value;
      chips.set(id, { at: to, box: { id, title, detail: '', family: familyOf(node), node, group: null, chipOf } });
    }
  }
  return { boxes: [...chips.values()], chipOf: (value, to) => found.get(`${value}>${to}`) ?? null };

  /** The parts of a container that a box uses. */
  function partsAt(to: string, stem: string): string[] {
    const key = `${stem}>${to}`;
    let parts = used.get(key);
    if (!parts) {
      const values = edges.filter(edge => edge.to === to).flatMap(edge => edge.values);
      const paths = values.flatMap(each => (top.has(each) ? [pathOf(top.get(each) as GraphNode)] : []));
      parts = paths.filter(path => stepsOf(path).length > 1 && stepsOf(path)[0] === stem);
      used.set(key, parts);
    }
    return parts;
  }
}

/** What several paths have in common: `net.layers[0]` of `net.layers[0].w` and `net.layers[0].b`. */
function common(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map(stepsOf);
  const length = first.findIndex((step, i) => i === first.length - 1 || others.some(other => other[i] !== step));
  return first.slice(0, Math.max(1, length)).join('');
}

/** A path without the words that say where it begins. */
function short(path: string): string {
  return path.replace(/^(global|closure) /, '');
}
