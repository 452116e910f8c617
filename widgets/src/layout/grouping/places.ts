/** The nodes of a group tree by their place: those of a group stand next to each other, so that a group is a range of places. */

import { Graph, GraphNode } from '../../protocol';
import type { Child, Group } from './groups';
import { isOfOneType, Names } from './one_type';
import { Rests, Steps } from '../slices';

/** Nodes looked at between two rests. */
const SOME_NODES = 500;

/** Stands for the results of the graph among the users of a node. */
const RESULT = -1;

/** Places and users. Groups may be folded and cut after that: each keeps its range. */
export class Places {
  private constructor(
    readonly nodes: readonly GraphNode[],
    /** Id of a node → its place. */
    readonly at: ReadonlyMap<string, number>,
    /** The places of the operands of nodes, for one node after the other, and where each node's begin; -1 is from elsewhere. */
    readonly sources: Int32Array,
    readonly firstSource: Int32Array,
    /** The places of those that use a node, in the same form. */
    private readonly _users: Int32Array,
    private readonly _firstUser: Int32Array,
    private readonly _ranges: ReadonlyMap<Group, readonly [number, number]>
  ) {}

  /** The places in the tree of `root`, whose groups hold the nodes of `graph`. */
  static *of(root: Group, graph: Graph): Steps<Places> {
    const nodes: GraphNode[] = [];
    const at = new Map<string, number>();
    const ranges = new Map<Group, readonly [number, number]>();
    const rests = new Rests();
    const put = (node: GraphNode): void => {
      at.set(node.id, nodes.length);
      nodes.push(node);
    };
    const visit = function* (group: Group): Steps<void> {
      const start = nodes.length;
      for (const child of group.children) {
        if (!isGroup(child)) {
          put(child);
        } else if (child.children.some(isGroup)) {
          yield* visit(child);
        } else {
          ranges.set(child, [nodes.length, nodes.length + child.children.length]);
          (child.children as GraphNode[]).forEach(put);
        }
        if (rests.due) {
          yield;
        }
      }
      ranges.set(group, [start, nodes.length]);
    };
    yield* visit(root);
    // Ids are looked up once: all that comes after goes by places.
    const firstSource = new Int32Array(nodes.length + 1);
    const sources: number[] = [];
    const results: number[] = [];
    for (let place = 0; place < nodes.length; place++) {
      const { inputs, bodies } = nodes[place] as GraphNode;
      for (const id of inputs) {
        sources.push(at.get(id) ?? -1);
      }
      for (const name in bodies) {
        bodies[name]?.outputs.forEach(id => results.push(at.get(id) ?? -1));
      }
      firstSource[place + 1] = sources.length;
      if (place % SOME_NODES === 0) {
        yield;
      }
    }
    graph.outputs.forEach(id => results.push(at.get(id) ?? -1));
    const found = Int32Array.from(sources);
    yield;
    return new Places(nodes, at, found, firstSource, ...usersOf(found, firstSource, results), ranges);
  }

  /** Whether one of those that use the node at a place is such a one; a result of the graph is used at -1. */
  isUsedBy(place: number, isSuch: (user: number) => boolean): boolean {
    for (let i = this._firstUser[place] ?? 0; i < (this._firstUser[place + 1] ?? 0); i++) {
      if (isSuch(this._users[i] as number)) {
        return true;
      }
    }
    return false;
  }

  /** The first place of a group, and the one after its last. */
  range(group: Group): readonly [number, number] {
    return this._ranges.get(group) ?? [0, 0];
  }

  /** Whether groups have the same nodes, inner edges and types; values of attributes may differ. */
  isSameShape(a: Group, b: Group): boolean {
    return a === b || (a.count === b.count && this._isSame(a, b, this.range(a), this.range(b), new Names()));
  }

  private _isSame(a: Child, b: Child, inA: readonly [number, number], inB: readonly [number, number], names: Names): boolean {
    if (!isGroup(a) || !isGroup(b)) {
      return (
        !isGroup(a) &&
        !isGroup(b) &&
        a.op === b.op &&
        isOfOneType(a, b, names) &&
        haveSameKeys(a.attrs, b.attrs) &&
        haveSameKeys(a.bodies, b.bodies) &&
        this._comeAlike(a.inputs, b.inputs, inA, inB)
      );
    }
    const [one, other] = [partsOf(a), partsOf(b)];
    return (
      a.kind === b.kind &&
      nameOf(a) === nameOf(b) &&
      one.length === other.length &&
      this._comeAlike(a.graph?.outputs ?? [], b.graph?.outputs ?? [], inA, inB) &&
      one.every((part, i) => this._isSame(part, other[i] as Child, inA, inB, names))
    );
  }

  /** Whether values come from the same places in two ranges, or from outside of both. */
  private _comeAlike(one: readonly string[], other: readonly string[], inA: readonly [number, number], inB: readonly [number, number]): boolean {
    for (let i = 0; i < one.length; i++) {
      if (this._placeIn(one[i], inA) !== this._placeIn(other[i], inB)) {
        return false;
      }
    }
    return one.length === other.length;
  }

  /** The place of a node within a range, or -1 where it is outside. */
  private _placeIn(id: string | undefined, [start, end]: readonly [number, number]): number {
    const place = this.at.get(id ?? '') ?? -1;
    return place >= start && place < end ? place - start : -1;
  }
}

/** The places of the users of each node, and where each node's begin. */
function usersOf(sources: Int32Array, firstSource: Int32Array, results: readonly number[]): [Int32Array, Int32Array] {
  const first = new Int32Array(firstSource.length);
  const count = (used: number): void => {
    first[used + 1] = (first[used + 1] as number) + 1;
  };
  const known = results.filter(used => used >= 0);
  for (const used of sources) {
    if (used >= 0) {
      count(used);
    }
  }
  known.forEach(count);
  for (let place = 1; place < first.length; place++) {
    first[place] = (first[place] as number) + (first[place - 1] as number);
  }
  const users = new Int32Array(first[first.length - 1] as number);
  const next = first.slice();
  const use = (used: number, user: number): void => {
    const place = next[used] as number;
    users[place] = user;
    next[used] = place + 1;
  };
  for (let user = 0; user + 1 < firstSource.length; user++) {
    for (let i = firstSource[user] as number; i < (firstSource[user + 1] as number); i++) {
      if ((sources[i] as number) >= 0) {
        use(sources[i] as number, user);
      }
    }
  }
  known.forEach(used => use(used, RESULT));
  return [users, first];
}

/** The nodes of a group, all copies of a repeat included. */
function partsOf(group: Group): readonly Child[] {
  return group.repeat ? group.repeat.copies.flatMap(({ children }) => children) : group.children;
}

/** The key of calls, rounds and repeats. */
function nameOf({ kind, label }: Group): string {
  return kind === 'scope' || kind === 'repeat' ? label.replace(/^round \d+$/, 'round') : '';
}

function haveSameKeys(a: object, b: object): boolean {
  if (a === b) {
    return true; // most nodes share an empty one
  }
  const [one, other] = [Object.keys(a), Object.keys(b)];
  return one.length === other.length && one.every((key, i) => key === other[i]);
}

function isGroup(child: Child): child is Group {
  return 'children' in child;
}
