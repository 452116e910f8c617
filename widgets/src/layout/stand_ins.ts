/** Which node of the first copy of a repeat, the one that is drawn, stands for which nodes of the others. */

import { GraphNode } from '../protocol';
import { resultId } from './bodies';
import type { Child, Group } from './groups';
import { finish, Rests, Steps } from './slices';

/** The nodes of all copies but the first → those of the first that stand for them, and where copies stand. */
export interface StandIns {
  readonly nodes: ReadonlyMap<string, string>;
  /** Node → the repeats that it is in, by their numbers, each followed by which copy it is in. */
  readonly copies: ReadonlyMap<string, readonly number[]>;
  /** Node of a first copy → the nodes that it stands for, itself first. */
  readonly twins: ReadonlyMap<string, readonly GraphNode[]>;
}

const known = new WeakMap<Group, StandIns>();

/** What stands for what in a group tree. */
export function standInsOf(root: Group): StandIns {
  return known.get(root) ?? finish(findStandIns(root));
}

/** A node, or the result of a body. */
interface Named {
  readonly id: string;
  readonly node: GraphNode | null;
}

/** Find what stands for what, and remember it for `standInsOf`. */
export function* findStandIns(root: Group): Steps<StandIns> {
  const nodes = new Map<string, string>();
  const copies = new Map<string, number[]>();
  const twins = new Map<string, GraphNode[]>();
  const rests = new Rests();
  let repeats = 0;
  const mark = (id: string, repeat: number, index: number): void => {
    const marks = copies.get(id);
    if (marks) {
      marks.push(repeat, index);
    } else {
      copies.set(id, [repeat, index]);
    }
  };
  const visit = function* (group: Group): Steps<void> {
    const { repeat } = group;
    for (const child of group.children) {
      if (hasGroups(child)) {
        yield* visit(child); // inner repeats first: what stands for a node in them is looked up here
      }
      if (rests.due) {
        yield;
      }
    }
    if (!repeat) {
      return;
    }
    const number = (repeats += 1);
    const first = namesIn(repeat.copies[0] as Group);
    first.forEach(({ id }) => mark(id, number, 0));
    for (let index = 1; index < repeat.copies.length; index++) {
      const copy = repeat.copies[index] as Group;
      for (const child of copy.children) {
        if (hasGroups(child)) {
          yield* visit(child);
        }
      }
      for (const [place, { id, node }] of namesIn(copy).entries()) {
        const stem = first[place] as Named;
        const drawn = nodes.get(stem.id) ?? stem.id;
        mark(id, number, index);
        nodes.set(id, drawn);
        if (node && stem.node) {
          const alike = twins.get(drawn) ?? [stem.node];
          alike.push(node);
          twins.set(drawn, alike);
        }
      }
      if (rests.due) {
        yield;
      }
    }
  };
  yield* visit(root);
  const found = { nodes, copies, twins };
  known.set(root, found);
  return found;
}

/** Whether there may be repeats in it. */
function hasGroups(child: Child): child is Group {
  return 'children' in child && (child.repeat !== null || child.children.some(inner => 'children' in inner));
}

/** The nodes of a group and the results of bodies in it, in one order for all copies of one shape. */
function namesIn(group: Group, names: Named[] = []): Named[] {
  for (const copy of group.repeat?.copies ?? [group]) {
    for (const child of copy.children) {
      if ('children' in child) {
        namesIn(child, names);
      } else {
        names.push({ id: child.id, node: child });
      }
    }
  }
  (group.graph?.outputs ?? []).forEach((_, index) => names.push({ id: resultId(group.id, index), node: null }));
  return names;
}
