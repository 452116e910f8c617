/**
 * Values with many users as chips: a small box at each use in the place of a long edge. The parts of folded containers are chips
 * at every use.
 */

import { counted, cut } from '../format';
import { valueName } from './bodies';
import { GraphNode } from '../protocol';
import type { Drawn, Edge } from './edges';
import { familyOf, isSource } from './families';
import type { Box } from './fold';
import { Group, groupsById, isGroup } from './grouping/groups';
import { groupName } from './grouping/names';
import type { Look } from './look';
import type { ReadersIn } from './readers';
import { pathOf, spanOfPaths, stepsOf } from './grouping/trees';

/** A value with at least this many users is a chip at each of them. */
export const MANY_USERS = 8;

/**
 * A value from outside, which is there from the beginning, with at least this many users is, and one that this many rounds or calls
 * of one frame elsewhere read: its edges cross all that is between.
 */
export const MANY_USERS_OF_SOURCE = 4;

/** The number of boxes and chips up to which a value with many users becomes chips; past it, values keep their edges. */
const MAX_DRAWN = 1000;

/** Chips, and the box that each of them stands at. */
export interface Chips {
  readonly boxes: readonly { readonly box: Box; readonly at: string }[];
  /** Of a box, the values that stand at it as chips, and the ids of these. */
  readonly chipsAt: (to: string) => ReadonlyMap<string, string> | undefined;
}

/** The chips of a drawing, whose `edges` are those without chips, and whose frames tell how many `readers` a value has in one. */
export function chipsOf(
  { graph, nodes, boxOf, standIns }: Drawn,
  root: Group,
  pins: Look['pins'],
  edges: readonly Edge[],
  readers: ReadersIn
): Chips {
  const top = new Map(graph.nodes.filter(isSource).map(node => [node.id, node]));
  const groups = groupsById(root);
  const trees = new Map(
    root.children.filter(child => isGroup(child) && child.kind === 'tree').map(({ id }) => [stepsOf(id.slice(5))[0], id])
  );
  const users = new Map<string, string[]>();
  const together = new Map<string, string[]>();
  for (const { to, values } of edges.filter(({ back }) => !back)) {
    for (const value of values) {
      if (!top.has(value) && boxOf.get(value) !== value && !groups.has(boxOf.get(value) ?? '')) {
        continue; // another node stands for it
      }
      push(users, value, to);
      const place = placeAt(value, to);
      if (place !== null) {
        push(together, place, value);
      }
    }
  }
  const chips = new Map<string, { box: Box; at: string }>();
  const found = new Map<string, Map<string, string>>();
  const drawn = new Set(boxOf.values()).size;
  for (const [value, boxes] of [...users].sort((a, b) => b[1].length - a[1].length)) {
    const node = nodes.get(value);
    const early = (node && isSource(node)) || (boxes.length < MANY_USERS && readers(boxOf.get(value) ?? value, boxes) >= MANY_USERS_OF_SOURCE);
    const many = boxes.length >= (early ? MANY_USERS_OF_SOURCE : MANY_USERS) && drawn + chips.size + boxes.length <= MAX_DRAWN;
    if (!node || !(pins[value] ?? (isPart(value) || many))) {
      continue;
    }
    for (const to of boxes) {
      const parts = together.get(placeAt(value, to) ?? '') ?? [];
      const id = `chip:${parts[0] ?? value}>${to}`;
      found.set(to, (found.get(to) ?? new Map<string, string>()).set(value, id));
      const box = { id, detail: '', family: familyOf(node), node, group: null };
      if (parts.length > 1) {
        const chipOf = trees.get(stepsOf(pathOf(node))[0]) ?? value;
        chips.set(id, { at: to, box: { ...box, title: titleOf(parts.map(part => pathOf(top.get(part) as GraphNode)), groups.has(to)), chipOf } });
      } else {
        chips.set(id, { at: to, box: { ...box, title: cut(titleAt(node), 28), chipOf: value } });
      }
    }
  }
  return { boxes: [...chips.values()], chipsAt: to => found.get(to) };

  /** The path of a value from outside; the name of another one, after the closed group that it comes from. */
  function titleAt(node: GraphNode): string {
    const home = groups.get(boxOf.get(node.id) ?? '');
    return short(pathOf(node)) || (home ? `${groupName(home)}: ${valueName(node)}` : valueName(node));
  }

  function isPart(value: string): boolean {
    const node = top.get(value);
    return node !== undefined && trees.has(stepsOf(pathOf(node))[0]);
  }

  /**
   * Parts of a container with one place at a box are one chip: all of them at a closed group; at a node that stands for several,
   * what these take in one place, such as `layers[0].w` and `layers[1].w`.
   */
  function placeAt(value: string, to: string): string | null {
    if (!isPart(value) || pins[value] === false) {
      return null;
    }
    const steps = stepsOf(pathOf(top.get(value) as GraphNode));
    if (groups.has(to) && steps.length > 1) {
      return `${steps[0]}>${to}`;
    }
    return standIns.twins.has(to) ? `${steps.map(step => step.replace(/^\[.*\]$/, '[]')).join('')}>${to}` : null;
  }
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) {
    list.push(value);
  } else {
    lists.set(key, [value]);
  }
}

/** The name of several parts: `layers[0…5].w`, or into a group `layers[0] · 4 arrays`. */
function titleOf(paths: readonly string[], into: boolean): string {
  return into ? `${cut(short(common(paths)), 24)} · ${counted(paths.length, 'array')}` : cut(short(spanOfPaths(paths)), 28);
}

/** The common part of several paths: `net.layers[0]` of `net.layers[0].w` and `net.layers[0].b`. */
function common(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map(stepsOf);
  const length = first.findIndex((step, i) => i === first.length - 1 || others.some(other => other[i] !== step));
  return first.slice(0, Math.max(1, length)).join('');
}

/** A path without the words that say where it begins. */
function short(path: string): string {
  return path.replace(/^(global|closure) /, '');
}
