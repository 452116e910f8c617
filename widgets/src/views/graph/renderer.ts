/** The common part of the two ways of drawing a scene. */

import { Point, Rect, Scene } from '../../layout';
import { Lit } from './edge_hits';
import { Transform } from './viewport';

/** How a box or an edge differs from the graph beside it. */
export type Difference = 'added' | 'removed' | 'changed' | 'reshaped';

/** A difference, or that the node raised. */
export type Change = Difference | 'failed';

/** The marks in a drawing. All are ids of boxes, unless it says otherwise. */
export interface Marks {
  readonly selected: string | null;
  readonly matches: ReadonlySet<string>;
  /** Search hit under the cursor. */
  readonly current: string | null;
  /** The differences from another graph: boxes by their ids, edges as `from → to`. */
  readonly changes: ReadonlyMap<string, Change>;
  /** The nodes of the line at which the cursor or the Source tab stands. */
  readonly lines: ReadonlySet<string>;
  /** The edge that is chosen, as `from → to`. */
  readonly edge?: string | null;
}

/** The marks, with those that follow from them and from the pointer. */
export interface Shown extends Marks {
  /** The edge under the pointer, as `from → to`. */
  readonly hovered: string | null;
  /** The ancestors and descendants of the selected box. */
  readonly lit: Lit;
  /** The other half, forward or backward, of the box under the pointer or of the selected one. */
  readonly paired: ReadonlySet<string>;
}

/** How an edge is shown: chosen or under the pointer, next to the selected box, or on a way to or from it. */
export function edgeLook({ selected, edge, hovered, lit }: Shown, from: string, to: string): 'chosen' | 'near' | 'lit' | null {
  const key = edgeKey(from, to);
  if (key === edge || key === hovered) {
    return 'chosen';
  }
  if (selected !== null && (from === selected || to === selected)) {
    return 'near';
  }
  const { ancestors, descendants } = lit;
  return (ancestors.has(from) && ancestors.has(to)) || (descendants.has(from) && descendants.has(to)) ? 'lit' : null;
}

/** The marks of a drawing in which nothing is marked. */
export const NO_MARKS: Marks = { selected: null, matches: new Set(), current: null, changes: new Map(), lines: new Set() };

/** How `Marks.changes` names an edge. */
export function edgeKey(from: string, to: string): string {
  return `${from} → ${to}`;
}

/** Draws scenes. Hit testing is the graph view's: it knows all rectangles. */
export interface Renderer {
  readonly element: Element;
  draw(scene: Scene): void;
  mark(marks: Shown): void;
  /** Give boxes other colours than those of their families: CSS variables by their ids. */
  colour(colours: ReadonlyMap<string, string> | null): void;
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
