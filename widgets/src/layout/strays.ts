/** Boxes that no edge joins with a result: they stand above the others and in columns, not all side by side, for which no panel has room. */

import type { Cluster, Folded } from './fold';

/** The pairs of boxes of which the first is to stand above the second: the last ones of what is stray, and where the others begin. */
export function straysAbove({ boxes, edges, root }: Folded): (readonly [string, string])[] {
  const home = new Map(boxes.map(({ id }) => [id, id]));
  const find = (id: string): string => {
    let at = id;
    for (let up = home.get(at) as string; up !== at; up = home.get(at) as string) {
      at = up;
    }
    return at;
  };
  edges.forEach(({ from, to }) => home.set(find(from), find(to)));
  const joined = new Set(boxes.filter(({ family }) => family === 'output').map(({ id }) => find(id)));
  const reached = new Set(edges.filter(({ back }) => !back).map(({ to }) => to));
  const used = new Set(edges.filter(({ back }) => !back).map(({ from }) => from));
  const begins = boxes.filter(({ id }) => !reached.has(id) && joined.has(find(id)));
  const first = begins.find(({ chipOf }) => chipOf === undefined) ?? begins[0];
  if (!first) {
    return [];
  }
  const apart = new Set(boxes.filter(({ id }) => !root.boxes.includes(id)).map(({ id }) => find(id)));
  const strays = root.boxes.filter(id => !used.has(id) && !joined.has(find(id)) && !apart.has(find(id)));
  return strays.map(id => [id, first.id]);
}

/** The number of columns for the parts of an open container. */
const COLUMNS = 3;

/** The pairs of boxes of which the first is to stand above the second, so that the parts of open containers make columns. */
export function inColumns({ edges, root }: Folded): (readonly [string, string])[] {
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const pairs: [string, string][] = [];
  const walk = (cluster: Cluster, above: string | undefined): string | undefined => {
    const parts = cluster.boxes.filter(id => !joined.has(id));
    parts.forEach((id, i) => {
      const before = i < COLUMNS ? above : parts[i - COLUMNS];
      if (before !== undefined) {
        pairs.push([before, id]);
      }
    });
    return cluster.clusters.reduce((last, inner) => walk(inner, last), parts[parts.length - 1] ?? above);
  };
  root.clusters.filter(({ group }) => group.kind === 'tree').forEach(tree => walk(tree, undefined));
  return pairs;
}
