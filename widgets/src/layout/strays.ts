/** Boxes that no edge joins with a result: they stand above the others, not beside them, where a narrow panel has no room. */

import type { Folded } from './fold';

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
