/** Repeated patterns in flat code: sequences of nodes that recur, each recurrence a round. */

import type { GraphNode } from '../../protocol';
import { Rests, Steps } from '../slices';

/** The most nodes of a pattern. */
const MAX_LENGTH = 64;

/** Operands that are further back come from outside, wherever that is. */
const MAX_DISTANCE = 2 * MAX_LENGTH;

/** From this many rounds on it is a pattern. */
export const MIN_ROUNDS = 8;

/** A number of rounds of a pattern of `length` nodes, from node `start` on. */
export interface Pattern {
  readonly start: number;
  readonly length: number;
  readonly rounds: number;
}

/** The patterns among nodes in their order: of those that begin at one node the longest run, of equal ones the shortest pattern. */
export function* patternsOf(nodes: readonly GraphNode[]): Steps<Pattern[]> {
  const { kinds, wired } = yield* keysOf(nodes);
  const found: Pattern[] = [];
  const rests = new Rests();
  for (let at = 0, free = 0; at < nodes.length; ) {
    if (rests.due) {
      yield;
    }
    let best: Pattern | null = null;
    for (let length = 1; length <= MAX_LENGTH; length++) {
      let end = at;
      while (end + length < nodes.length && wired[end] === wired[end + length]) {
        end += 1;
      }
      // The first round may take its values from elsewhere.
      let start = at;
      while (start > free && start > at - length && kinds[start - 1] === kinds[start - 1 + length]) {
        start -= 1;
      }
      const rounds = Math.floor((end + length - start) / length);
      if (rounds >= MIN_ROUNDS && rounds * length > (best ? best.rounds * best.length : 0)) {
        best = { start, length, rounds };
      }
    }
    if (best) {
      found.push(best);
      free = best.start + best.rounds * best.length;
    }
    at = best ? free : at + 1;
  }
  return found;
}

/** For each node a number for its kind, and one for that with the distances of its operands. */
function* keysOf(nodes: readonly GraphNode[]): Steps<{ readonly kinds: Int32Array; readonly wired: Int32Array }> {
  const at = new Map(nodes.map(({ id }, i) => [id, i]));
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const kinds = new Int32Array(nodes.length);
  const wired = new Int32Array(nodes.length);
  const rests = new Rests();
  for (const [i, { op, dtype, shape, kind, attrs, inputs }] of nodes.entries()) {
    if (rests.due) {
      yield;
    }
    kinds[i] = numberOf([op, dtype, shape, kind, ...Object.keys(attrs)].join());
    const distances = inputs.map(id => i - (at.get(id) ?? -Infinity)).map(distance => (distance <= MAX_DISTANCE ? distance : 'far'));
    wired[i] = numberOf(`${kinds[i]}:${distances.join()}`);
  }
  return { kinds, wired };
}
