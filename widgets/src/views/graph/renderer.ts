/** What the two ways of drawing a scene have in common. */

import { Point, Rect, Scene } from '../../layout';
import { Transform } from './viewport';

/** How a box or an edge differs from the graph beside it. */
export type Change = 'added' | 'removed' | 'changed';

/** What is marked in a drawing. All are ids of boxes. */
export interface Marks {
  readonly selected: string | null;
  readonly matches: ReadonlySet<string>;
  /** Search hit under the cursor. */
  readonly current: string | null;
  /** What differs from another graph: boxes by their ids, edges as `from → to`. */
  readonly changes: ReadonlyMap<string, Change>;
}

/** The changes of a drawing that is compared with no other. */
export const NO_CHANGES: ReadonlyMap<string, Change> = new Map();

/** How `Marks.changes` names an edge. */
export function edgeKey(from: string, to: string): string {
  return `${from} → ${to}`;
}

/** Draws scenes. Hit testing is the graph view's: it knows all rectangles. */
export interface Renderer {
  readonly element: Element;
  draw(scene: Scene): void;
  mark(marks: Marks): void;
  move(transform: Transform): void;
  dispose(): void;
}

/** The size of the triangle at an edge's end, in px. */
export const TIP = 6;

/** The end of an edge and its direction there, from its Bézier points. */
export function tipOf(points: readonly Point[]): { at: Point; angle: number } | null {
  const at = points[points.length - 1];
  if (!at) {
    return null;
  }
  const before = [...points].reverse().find(([x, y]) => Math.hypot(x - at[0], y - at[1]) > 0.5);
  return before ? { at, angle: Math.atan2(at[1] - before[1], at[0] - before[0]) } : null;
}

/** Whether a point lies in a rectangle. */
export function inside([left, top, width, height]: Rect, x: number, y: number): boolean {
  return x >= left && y >= top && x <= left + width && y <= top + height;
}
