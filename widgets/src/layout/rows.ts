/** Rounds that take nothing from each other, as those of a comprehension: they stand in one row, in their order. */

import { isSource } from './families';
import type { Cluster, Folded } from './fold';
import { isUnrolled } from './grouping/unrolled';

/** More rounds than this have no row for themselves. */
const MAX_ROUNDS = 12;

/** The pairs of boxes of which the first is to stand left of the second, in one row: neighbouring rounds of one box each. */
export function inRows({ boxes, edges, root }: Folded): (readonly [string, string])[] {
  const computed = new Set(boxes.filter(({ node, chipOf }) => chipOf === undefined && !(node && isSource(node))).map(({ id }) => id));
  const pairs: [string, string][] = [];
  const walk = ({ group, boxes: inside, clusters }: Cluster): void => {
    clusters.forEach(walk);
    const rounds = new Set(inside.filter(id => computed.has(id)));
    if (!isUnrolled(group) || clusters.length > 0 || rounds.size > MAX_ROUNDS || edges.some(({ from, to }) => rounds.has(from) && rounds.has(to))) {
      return;
    }
    const row = [...rounds];
    row.slice(1).forEach((box, i) => pairs.push([row[i] as string, box]));
  };
  walk(root);
  return pairs;
}
