/** Which node of the first copy of a repeat, the one that is drawn, stands for which nodes of the others. */

import { GraphNode } from '../protocol';
import { resultId } from './bodies';
import type { Child, Group } from './grouping/groups';
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

/** The representatives of nodes in a group tree. */
export function standInsOf(root: Group): StandIns {
  return known.get(root) ?? finish(findStandIns(root));
}

/** Find the representatives, and remember them for `standInsOf`. */
export function* findStandIns(root: Group): Steps<StandIns> {
  const nodes = new Map<string, string>();
  const copies = new Map<string, readonly number[]>();
  const twins = new Map<string, GraphNode[]>();
  const rests = new Rests();
  let repeats = 0;
  // Most nodes are in one repeat: those of a copy share one entry.
  const mark = (id: string, copy: readonly number[]): void => {
    const marks = copies.get(id);
    copies.set(id, marks ? [...marks, ...copy] : copy);
  };
  const visit = function* (group: Group): Steps<void> {
    const { repeat } = group;
    for (const child of group.children) {
      if (hasGroups(child)) {
        yield* visit(child); // inner repeats first: the representative of a node in them is looked up here
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
    const place = [number, 0];
    first.ids.forEach(id => mark(id, place));
    for (let index = 1; index < repeat.copies.length; index++) {
      const copy = repeat.copies[index] as Group;
      for (const child of copy.children) {
        if (hasGroups(child)) {
          yield* visit(child);
        }
      }
      const own = namesIn(copy);
      const here = [number, index];
      for (let i = 0; i < own.ids.length; i++) {
        const [id, stem] = [own.ids[i] as string, first.ids[i] as string];
        const [node, stemNode] = [own.nodes[i], first.nodes[i]];
        const drawn = nodes.get(stem) ?? stem;
        mark(id, here);
        nodes.set(id, drawn);
        if (node && stemNode) {
          const alike = twins.get(drawn);
          if (alike) {
            alike.push(node);
          } else {
            twins.set(drawn, [stemNode, node]);
          }
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

/** Ids of nodes and of results of bodies, and the nodes: results have none. */
interface Names {
  readonly ids: string[];
  readonly nodes: (GraphNode | null)[];
}

/** The nodes of a group and the results of bodies in it, in one order for all copies of one shape. */
function namesIn(group: Group, names: Names = { ids: [], nodes: [] }): Names {
  for (const copy of group.repeat?.copies ?? [group]) {
    for (const child of copy.children) {
      if ('children' in child) {
        namesIn(child, names);
      } else {
        names.ids.push(child.id);
        names.nodes.push(child);
      }
    }
  }
  (group.graph?.outputs ?? []).forEach((_, index) => {
    names.ids.push(resultId(group.id, index));
    names.nodes.push(null);
  });
  return names;
}
