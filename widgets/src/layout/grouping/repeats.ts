/**
 * Repeats: neighbours that compute the same on values of the same types, such as the rounds of an unrolled loop. They fold into one
 * group that shows the first of them and the differences in the others.
 *
 * Neighbours are the same if their nodes, their inner edges and the types of all values are, and if each value from outside comes
 * to all of them in one way: from outside of all, or from the same node of the copy before.
 */

import { Graph, GraphNode } from '../../protocol';
import type { Child, Group } from './groups';
import type { Folding } from '../look';
import { isOfOneType } from './one_type';
import { Places } from './places';
import { Rests, Steps } from '../slices';
import { pathOf } from './trees';

/** From this many copies on, they are folded where nothing else was chosen. */
export const MIN_COPIES = 8;

/** A difference between copies: an input or an attribute of a node of the first one, and its value in each copy. */
export interface Difference {
  readonly node: GraphNode;
  readonly what: string;
  readonly values: readonly string[];
}

/** The copies that a group stands for, the one that is drawn first, and their differences. */
export interface Repeat {
  readonly copies: readonly Group[];
  readonly differences: readonly Difference[];
}

/** Finds repeats in the groups of one graph. */
export class RepeatFinder {
  private constructor(
    private readonly _places: Places,
    private readonly _least: number
  ) {
    this._runOf = new Int32Array(_places.nodes.length);
  }

  /** The finder for the groups of `root`, as they are before anything is folded. */
  static *of(root: Group, graph: Graph, folding: Folding): Steps<RepeatFinder> {
    const least = folding === 'fold' ? 2 : folding === 'auto' ? MIN_COPIES : Infinity;
    return new RepeatFinder(yield* Places.of(root, graph), least);
  }

  /** The children in runs: those that repeat each other in a list of their own; values from outside between them go before it. */
  *runs(children: readonly Child[]): Steps<(Child | Repeat)[]> {
    if (this._least > children.length || !children.some(isCall)) {
      return [...children];
    }
    const found: (Child | Repeat)[] = [];
    for (let start = 0; start < children.length; ) {
      const first = children[start] as Child;
      if (this.rests.due) {
        yield;
      }
      if (isCall(first) && this._goesOn(children, start, first)) {
        const run = yield* this._runFrom(children, start, first);
        const length = this._sameUses(run);
        if (length >= this._least) {
          const stop = children.indexOf(run[length - 1] as Group, start) + 1;
          const copies = run.slice(0, length);
          const passed = new Set<Child>(copies);
          found.push(...children.slice(start, stop).filter(child => !passed.has(child)));
          found.push({ copies, differences: yield* this._differences(copies) });
          start = stop;
          continue;
        }
      }
      found.push(first);
      start += 1;
    }
    return found;
  }

  /** Whether the next neighbour can be the same: most are not, and nothing more is made for these. */
  private _goesOn(children: readonly Child[], start: number, first: Group): boolean {
    let next = children[start + 1];
    for (let at = start + 2; next && !isGroup(next) && next.inputs.length === 0; at += 1) {
      next = children[at];
    }
    return next !== undefined && isCall(next) && this._places.isSameShape(first, next);
  }

  /** The neighbours from `first` on that are the same, with nothing but values from outside between them. */
  private *_runFrom(children: readonly Child[], start: number, first: Group): Steps<Group[]> {
    const run: Group[] = [];
    const alike = new Alike(this._places, this._runOf, (this._runs += 1));
    for (let at = start; at < children.length; at++) {
      const next = children[at] as Child;
      if (!isGroup(next)) {
        if (next.inputs.length > 0) {
          break;
        }
      } else if (isCall(next) && this._places.isSameShape(first, next) && alike.add(next)) {
        run.push(next);
      } else {
        break;
      }
      if (this.rests.due) {
        yield;
      }
    }
    return run;
  }

  /** How many of the copies, from the first on, hand on the same values; the last may hand on others. */
  private _sameUses(run: readonly Group[]): number {
    if (run.length < this._least) {
      return 0;
    }
    const isOutside = (user: number): boolean => user < 0 || this._runOf[user] !== this._runs;
    const used = (copy: Group): string => {
      const [start, end] = this._places.range(copy);
      const found: number[] = [];
      for (let place = start; place < end; place++) {
        if (this._places.isUsedBy(place, isOutside)) {
          found.push(place - start);
        }
      }
      return found.join();
    };
    const first = used(run[0] as Group);
    const other = run.slice(0, -1).findIndex(copy => used(copy) !== first);
    return other < 0 ? run.length : other + 1;
  }

  /** The differences between copies of one shape. */
  private *_differences(copies: readonly Group[]): Steps<Difference[]> {
    const { nodes, at } = this._places;
    const starts = copies.map(copy => this._places.range(copy)[0]);
    const [start, end] = this._places.range(copies[0] as Group);
    const found: Difference[] = [];
    for (let place = start; place < end; place++) {
      yield;
      const twins = starts.map(each => nodes[each + place - start] as GraphNode);
      const [node] = twins as [GraphNode];
      const add = (what: string, values: readonly string[]): void => {
        if (values.some(value => value !== values[0])) {
          found.push({ node, what, values });
        }
      };
      Object.keys(node.attrs).forEach(name => add(name, twins.map(({ attrs }) => attrs[name] ?? '')));
      for (const slot of node.inputs.keys()) {
        const ids = twins.map(({ inputs }) => inputs[slot] as string);
        const isOutside = (id: string): boolean => this._runOf[at.get(id) ?? -1] !== this._runs;
        if (ids.some(id => id !== ids[0]) && ids.every(isOutside)) {
          add(`input ${slot}`, ids.map(id => textOf(nodes[at.get(id) ?? -1], id)));
        }
      }
    }
    return found;
  }

  /** When to rest: the tree is gone through with it. */
  readonly rests = new Rests();
  private _runs = 0;
  /** Place of a node → the newest run that it is in. */
  private readonly _runOf: Int32Array;
}

/** How a value from outside comes to a copy, where it is no place in the copy before. */
const WAYS = { inner: -1, outside: -2 };

/** Takes in copies of one shape as long as values from outside come to them in one way. */
class Alike {
  constructor(
    private readonly _places: Places,
    private readonly _runOf: Int32Array,
    private readonly _run: number
  ) {}

  /** Take in another copy; false where it is not like those before. */
  add(group: Group): boolean {
    const { sources, firstSource } = this._places;
    const [start, end] = this._places.range(group);
    const [from, to] = this._before ?? [0, 0];
    const isFirst = this._before === null;
    const ways: number[] = [];
    const last = firstSource[end] ?? 0;
    for (let i = firstSource[start] ?? 0; i < last; i++) {
      const source = sources[i] as number;
      const way = source >= start && source < end ? WAYS.inner : source >= from && source < to ? source - from : WAYS.outside;
      const slot = ways.push(way) - 1;
      if (isFirst) {
        this._first.push(source);
      } else if (
        (this._ways !== null && this._ways[slot] !== way) ||
        (way === WAYS.outside && (this._runOf[source] === this._run || !this._isOfOneType(this._first[slot] as number, source)))
      ) {
        return false;
      }
    }
    if (!isFirst) {
      this._ways ??= ways;
    }
    this._before = [start, end];
    this._runOf.fill(this._run, start, end);
    return true;
  }

  private _isOfOneType(a: number, b: number): boolean {
    const { nodes } = this._places;
    const [first, second] = [nodes[a], nodes[b]];
    return a === b || (first !== undefined && second !== undefined && isOfOneType(first, second));
  }

  private readonly _first: number[] = [];
  private _before: readonly [number, number] | null = null;
  private _ways: readonly number[] | null = null;
}

function textOf(node: GraphNode | undefined, id: string): string {
  return node?.op === 'constant' ? (node.attrs.value ?? node.call) : node && pathOf(node) !== '' ? pathOf(node) : id;
}

/** A call or a round: a group that can repeat. */
function isCall(child: Child): child is Group {
  return isGroup(child) && child.kind === 'scope';
}

function isGroup(child: Child): child is Group {
  return 'children' in child;
}
