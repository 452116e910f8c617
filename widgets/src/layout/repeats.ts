/**
 * Repeats: neighbours that compute the same on values of the same types, such as the rounds of an unrolled loop. They fold into one
 * group that shows the first of them and says what differs in the others.
 *
 * Neighbours are the same if their nodes, their inner edges and the types of all values are, and if each value from outside comes
 * to all of them in one way: from outside of all, or from the same node of the copy before.
 */

import { Graph, GraphNode } from '../protocol';
import { resultId } from './bodies';
import type { Child, Group } from './groups';
import type { Folding } from './look';
import { pathOf } from './trees';

/** From this many copies on, they are folded where nothing else was chosen. */
export const MIN_COPIES = 8;

/** What is not the same in all copies: an input or an attribute of a node of the first one, and what each copy has there. */
export interface Difference {
  readonly node: GraphNode;
  readonly what: string;
  readonly values: readonly string[];
}

/** The copies that a group stands for, the one that is drawn first, and what differs in them. */
export interface Repeat {
  readonly copies: readonly Group[];
  readonly differences: readonly Difference[];
}

/** Finds repeats in the groups of one graph. */
export class RepeatFinder {
  constructor(graph: Graph, folding: Folding) {
    this._least = folding === 'fold' ? 2 : folding === 'auto' ? MIN_COPIES : Infinity;
    const add = ({ nodes, outputs }: Graph): void => {
      for (const node of nodes) {
        this._nodes.set(node.id, node);
        node.inputs.forEach(id => this._use(id, node.id));
        Object.values(node.bodies).forEach(add);
      }
      outputs.forEach(id => this._use(id, ''));
    };
    if (this._least < Infinity) {
      add(graph);
    }
  }

  /** The children in runs: those that repeat each other in a list of their own; values from outside between them go before it. */
  runs(children: readonly Child[]): (Child | Repeat)[] {
    if (this._least === Infinity) {
      return [...children];
    }
    const found: (Child | Repeat)[] = [];
    const shapes = new Map<Child, string | null>();
    const shape = (child: Child): string | null => {
      let text = shapes.get(child);
      if (text === undefined) {
        text = isGroup(child) && child.kind === 'scope' ? shapeOf(child) : null;
        shapes.set(child, text);
      }
      return text;
    };
    for (let start = 0; start < children.length; ) {
      const first = children[start] as Child;
      const run: Group[] = [];
      const between: Child[] = [];
      let end = start;
      if (shape(first) !== null) {
        const alike = new Alike(this._nodes);
        for (let at = start, apart: Child[] = []; at < children.length; at++) {
          const next = children[at] as Child;
          if (!isGroup(next) && next.inputs.length === 0) {
            apart.push(next);
          } else if (shape(next) === shape(first) && alike.add(next as Group)) {
            run.push(next as Group);
            between.push(...apart);
            apart = [];
            end = at + 1;
          } else {
            break;
          }
        }
        const length = this._sameUses(run);
        if (length >= this._least) {
          const all = run.length === length;
          const stop = all ? end : children.indexOf(run[length] as Group);
          const passed = new Set<Child>(run.slice(0, length));
          found.push(...children.slice(start, stop).filter(child => !passed.has(child)));
          found.push({ copies: run.slice(0, length), differences: differencesOf(run.slice(0, length), this._nodes) });
          start = stop;
          continue;
        }
      }
      found.push(first);
      start += 1;
    }
    return found;
  }

  /** How many of the copies, from the first on, hand on the same values; the last may hand on others. */
  private _sameUses(run: readonly Group[]): number {
    if (run.length < this._least) {
      return 0;
    }
    const nodes = run.map(nodesOf);
    const inRun = new Set(nodes.flat().map(({ id }) => id));
    const used = nodes.map(copy =>
      copy.flatMap(({ id }, place) => (this._users.get(id)?.some(user => !inRun.has(user)) ? [place] : [])).join()
    );
    const other = used.findIndex((places, i) => i < run.length - 1 && places !== used[0]);
    return other < 0 ? run.length : other + 1;
  }

  private _use(id: string, user: string): void {
    const users = this._users.get(id);
    if (users) {
      users.push(user);
    } else {
      this._users.set(id, [user]);
    }
  }

  private _least: number;
  private _nodes = new Map<string, GraphNode>();
  private _users = new Map<string, string[]>();
}

/** Takes in copies of one shape as long as values from outside come to them in one way. */
class Alike {
  constructor(private readonly _all: ReadonlyMap<string, GraphNode>) {}

  /** Take in another copy; false where it is not like those before. */
  add(group: Group): boolean {
    const nodes = nodesOf(group);
    const inputs = nodes.flatMap(node => node.inputs);
    const own = new Map(nodes.map(({ id }, place) => [id, place]));
    const before = this._places[this._places.length - 1];
    const ways = before && inputs.map(id => (own.has(id) ? 'inner' : (before.get(id) ?? 'outside')));
    const fits =
      ways === undefined ||
      ways.every((way, slot) => {
        const id = inputs[slot] as string;
        const first = this._first[slot] as string;
        const last = this._ways?.[slot] ?? way;
        const farther = way === 'outside' && this._places.some(places => places.has(id));
        return last === way && !farther && (way === 'inner' || this._type(first) === this._type(id));
      });
    if (!fits) {
      return false;
    }
    if (this._first.length === 0) {
      this._first = inputs;
    }
    this._ways ??= ways ?? null;
    this._places.push(own);
    return true;
  }

  private _type(id: string): string {
    const { dtype = null, shape = null, kind = '' } = this._all.get(id) ?? {};
    return JSON.stringify([dtype, shape, kind]);
  }

  private _places: ReadonlyMap<string, number>[] = [];
  private _first: readonly string[] = [];
  private _ways: readonly (number | string)[] | null = null;
}

/** What is not the same in copies of one shape. */
function differencesOf(copies: readonly Group[], all: ReadonlyMap<string, GraphNode>): Difference[] {
  const nodes = copies.map(nodesOf);
  const found: Difference[] = [];
  const places = new Map(nodes.flatMap(copy => copy.map(({ id }, place) => [id, place] as const)));
  for (const [place, node] of (nodes[0] ?? []).entries()) {
    const twins = nodes.map(copy => copy[place] as GraphNode);
    const add = (what: string, values: readonly string[]): void => {
      if (values.some(value => value !== values[0])) {
        found.push({ node, what, values });
      }
    };
    Object.keys(node.attrs).forEach(name => add(name, twins.map(({ attrs }) => attrs[name] ?? '')));
    for (const slot of node.inputs.keys()) {
      const ids = twins.map(({ inputs }) => inputs[slot] as string);
      if (ids.every(id => !places.has(id))) {
        add(`input ${slot}`, ids.map(id => textOf(all.get(id), id)));
      }
    }
  }
  return found;
}

function textOf(node: GraphNode | undefined, id: string): string {
  return node?.op === 'constant' ? (node.attrs.value ?? node.call) : node && pathOf(node) !== '' ? pathOf(node) : id;
}

/** The nodes of all copies but the first → those of the first that stand for them, and where copies stand. */
export interface StandIns {
  readonly nodes: ReadonlyMap<string, string>;
  /** Node → repeat → which copy it is in. */
  readonly copies: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Node of a first copy → the nodes that it stands for, itself first. */
  readonly twins: ReadonlyMap<string, readonly GraphNode[]>;
}

const known = new WeakMap<Group, StandIns>();

/** What stands for what in a group tree. */
export function standInsOf(root: Group): StandIns {
  const found = known.get(root) ?? findStandIns(root);
  known.set(root, found);
  return found;
}

function findStandIns(root: Group): StandIns {
  const nodes = new Map<string, string>();
  const copies = new Map<string, Map<string, number>>();
  const twins = new Map<string, GraphNode[]>();
  const mark = (id: string, repeat: string, index: number): void => {
    copies.set(id, (copies.get(id) ?? new Map<string, number>()).set(repeat, index));
  };
  const visit = (group: Group): void => {
    const { repeat } = group;
    for (const child of group.children) {
      if (isGroup(child)) {
        visit(child); // inner repeats first: what stands for a node in them is looked up here
      }
    }
    if (!repeat) {
      return;
    }
    repeat.copies.slice(1).forEach(copy => copy.children.filter(isGroup).forEach(visit));
    const [first = [], ...others] = repeat.copies.map(namesOf);
    first.forEach(({ id }) => mark(id, group.id, 0));
    for (const [index, names] of others.entries()) {
      names.forEach(({ id, node }, place) => {
        const stem = first[place] as { id: string; node: GraphNode | null };
        mark(id, group.id, index + 1);
        nodes.set(id, nodes.get(stem.id) ?? stem.id);
        if (node && stem.node) {
          const drawn = nodes.get(stem.id) ?? stem.id;
          twins.set(drawn, [...(twins.get(drawn) ?? [stem.node]), node]);
        }
      });
    }
  };
  visit(root);
  return { nodes, copies, twins };
}

/** The nodes of a group and the results of bodies in it, in one order for all copies of one shape. */
function namesOf(group: Group): { id: string; node: GraphNode | null }[] {
  const results = (group.graph?.outputs ?? []).map((_, index) => ({ id: resultId(group.id, index), node: null }));
  const inner = group.repeat ? group.repeat.copies.flatMap(namesOf) : group.children.flatMap(child =>
    isGroup(child) ? namesOf(child) : [{ id: child.id, node: child }]
  );
  return [...inner, ...results];
}

function nodesOf(group: Group): GraphNode[] {
  return namesOf(group).flatMap(({ node }) => node ?? []);
}

/** A text that is equal for groups whose nodes, inner edges and types are; values of attributes are left out. */
function shapeOf(group: Group): string {
  const places = new Map(nodesOf(group).map(({ id }, place) => [id, place]));
  const lines: string[] = [];
  const walk = (child: Child, depth: number): void => {
    if (!isGroup(child)) {
      lines.push(nodeText(child, depth, places));
      return;
    }
    const name = child.kind === 'scope' || child.kind === 'repeat' ? child.label.replace(/^round \d+$/, 'round') : '';
    lines.push(`${depth} ${child.kind} ${name}`);
    (child.repeat?.copies ?? [child]).forEach(copy => copy.children.forEach(inner => walk(inner, depth + 1)));
    lines.push(`${depth} ${(child.graph?.outputs ?? []).map(id => places.get(id) ?? 'outside').join()}`);
  };
  walk(group, 0);
  return lines.join('\n');
}

function nodeText(node: GraphNode, depth: number, places: ReadonlyMap<string, number>): string {
  const inputs = node.inputs.map(id => places.get(id) ?? 'outside');
  const attrs = Object.keys(node.attrs);
  return JSON.stringify([depth, node.op, node.kind, node.dtype, node.shape, attrs, inputs, Object.keys(node.bodies)]);
}

function isGroup(child: Child): child is Group {
  return 'children' in child;
}
