/** Facts about a graph besides its nodes. */

import { Graph } from '../../protocol';
import { flopsOf } from './flops';
import { Pairs, pairsOf } from '../pairs';
import type { Facts } from './colourings';

const NO_PAIRS: Pairs = { backward: new Map(), forward: new Map(), kept: new Map() };

/** The facts without a graph. */
export const NO_FACTS: Facts = { flops: () => new Map(), pairs: () => NO_PAIRS, kernels: new Map(), times: new Map(), changes: null };

/** The facts that follow from a graph itself. Its operations are counted, and its pairs found, when they are first asked for. */
export function factsOf(graph: Graph): Facts {
  let flops: ReadonlyMap<string, number> | null = null;
  let pairs: Pairs | null = null;
  return { ...NO_FACTS, flops: () => (flops ??= flopsOf(graph)), pairs: () => (pairs ??= pairsOf(graph)) };
}
