/** The nodes of a group tree by their place: those of a group stand next to each other, so that a group is a range of places. */

import { Graph, GraphNode } from '../protocol';
import type { Child, Group } from './groups';
import type { Steps } from './slices';

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
    /** Place of a node → the places of those that use it. */
    readonly users: readonly (readonly number[])[],
    private readonly _ranges: ReadonlyMap<Group, readonly [number, number]>
  ) {}

  /** The places in the tree of `root`, whose groups hold the nodes of `graph`. */
  static *of(root: Group, graph: Graph): Steps<Places> {
    const nodes: GraphNode[] = [];
    const at = new Map<string, number>();
    const ranges = new Map<Group, readonly [number, number]>();
    const visit = function* (group: Group): Steps<void> {
      const start = nodes.length;
      for (const child of group.children) {
        if (isGroup(child)) {
          yield* visit(child);
        } else {
          at.set(child.id, nodes.length);
          nodes.push(child);
        }
      }
      ranges.set(group, [start, nodes.length]);
      yield;
    };
    yield* visit(root);
    const users = nodes.map((): number[] => []);
    const use = (id: string, user: number): void => {
      users[at.get(id) ?? RESULT]?.push(user);
    };
    for (const [place, { inputs, bodies }] of nodes.entries()) {
      inputs.forEach(id => use(id, place));
      Object.values(bodies).forEach(({ outputs }) => outputs.forEach(id => use(id, RESULT)));
      if (place % SOME_NODES === 0) {
        yield;
      }
    }
    graph.outputs.forEach(id => use(id, RESULT));
    return new Places(nodes, at, users, ranges);
  }

  /** The first place of a group, and the one after its last. */
  range(group: Group): readonly [number, number] {
    return this._ranges.get(group) ?? [0, 0];
  }

  /** Whether groups have the same nodes, inner edges and types; values of attributes may differ. */
  isSameShape(a: Group, b: Group): boolean {
    return a === b || (a.count === b.count && this._isSame(a, b, this.range(a), this.range(b)));
  }

  private _isSame(a: Child, b: Child, inA: readonly [number, number], inB: readonly [number, number]): boolean {
    const comeAlike = (one: readonly string[], other: readonly string[]): boolean =>
      one.length === other.length && one.every((id, i) => this._placeIn(id, inA) === this._placeIn(other[i] as string, inB));
    if (!isGroup(a) || !isGroup(b)) {
      return (
        !isGroup(a) &&
        !isGroup(b) &&
        a.op === b.op &&
        isOfOneType(a, b) &&
        haveSameKeys(a.attrs, b.attrs) &&
        haveSameKeys(a.bodies, b.bodies) &&
        comeAlike(a.inputs, b.inputs)
      );
    }
    const [one, other] = [partsOf(a), partsOf(b)];
    return (
      a.kind === b.kind &&
      nameOf(a) === nameOf(b) &&
      one.length === other.length &&
      comeAlike(a.graph?.outputs ?? [], b.graph?.outputs ?? []) &&
      one.every((part, i) => this._isSame(part, other[i] as Child, inA, inB))
    );
  }

  /** The place of a node within a range, or -1 where it is outside. */
  private _placeIn(id: string, [start, end]: readonly [number, number]): number {
    const place = this.at.get(id) ?? -1;
    return place >= start && place < end ? place - start : -1;
  }
}

/** Whether two values have one type. */
export function isOfOneType(a: GraphNode, b: GraphNode): boolean {
  const [one, other] = [a.shape, b.shape];
  const sameShape = one === other || (one?.length === other?.length && (one?.every((dim, i) => dim === other?.[i]) ?? false));
  return a.dtype === b.dtype && a.kind === b.kind && sameShape;
}

/** What is in a group, all copies of a repeat included. */
function partsOf(group: Group): readonly Child[] {
  return group.repeat ? group.repeat.copies.flatMap(({ children }) => children) : group.children;
}

/** What calls, rounds and repeats are told apart by. */
function nameOf({ kind, label }: Group): string {
  return kind === 'scope' || kind === 'repeat' ? label.replace(/^round \d+$/, 'round') : '';
}

function haveSameKeys(a: object, b: object): boolean {
  const [one, other] = [Object.keys(a), Object.keys(b)];
  return one.length === other.length && one.every((key, i) => key === other[i]);
}

function isGroup(child: Child): child is Group {
  return 'children' in child;
}
