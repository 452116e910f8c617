/** Where a drawing that is too large for the stage begins: where most of its boxes are seen at once. */

import { Scene } from '../../layout';

/** The middle, across the direction of a drawing, of the part of this size at its beginning in which most boxes lie whole. */
export function fullestStart({ boxes, direction }: Scene, across: number, along: number): number {
  const spans = [...boxes.values()]
    .map(({ rect: [left, top, width, height] }): readonly [number, number, number] =>
      direction === 'down' ? [left, left + width, top + height] : [top, top + height, left + width]
    )
    .filter(([, , end]) => end <= along)
    .sort((p, q) => p[0] - q[0]);
  let [most, start] = [0, across / 2];
  for (const [i, [from]] of spans.entries()) {
    const seen = spans.slice(i).filter(([, to]) => to <= from + across);
    if (seen.length > most) {
      [most, start] = [seen.length, (from + Math.max(...seen.map(([, to]) => to))) / 2];
    }
  }
  return start;
}
