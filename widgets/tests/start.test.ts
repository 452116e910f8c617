import { expect, it } from 'vitest';
import { Rect, Scene } from '../src/layout';
import { fullestStart } from '../src/views/graph/start';

function scene(direction: Scene['direction'], ...rects: Rect[]): Scene {
  const boxes = new Map(rects.map((rect, i) => [`b${i}`, { box: { id: `b${i}` }, rect } as never]));
  return { width: 1000, height: 1000, direction, boxes, edges: [], clusters: [] };
}

const ROW: Rect[] = [[0, 0, 40, 20], [400, 10, 40, 20], [450, 10, 40, 20], [500, 10, 60, 20], [900, 0, 40, 20]];
const FAR_BELOW: Rect[] = [[800, 600, 40, 20], [840, 600, 40, 20], [880, 600, 40, 20], [920, 600, 40, 20]];

it('begins where most boxes are whole', () => {
  expect(fullestStart(scene('down', ...ROW, ...FAR_BELOW), 300, 500)).toBe(480);
  const turned = [...ROW, ...FAR_BELOW].map(([x, y, w, h]): Rect => [y, x, h, w]);
  expect(fullestStart(scene('right', ...turned), 300, 500)).toBe(480);
});

it('begins at the side where no box is whole', () => {
  expect(fullestStart(scene('down', [0, 0, 500, 20]), 300, 500)).toBe(150);
});
