/** Which edge of a scene lies under a point, and the boxes that are reached from one along its edges. */

import { PlacedEdge, Point, Rect, Scene } from '../../layout';

/** Points on each Bézier curve to which the distance is measured. */
const SAMPLES = 12;

/** The edges of one scene as lines of points, with the rectangles around them. */
const flattened = new WeakMap<Scene, { edge: PlacedEdge; points: Point[]; bounds: Rect }[]>();

/** The edge nearest to a point, no farther from it than `reach`; null where there is none. All are in px of the drawing. */
export function edgeAt(scene: Scene, x: number, y: number, reach: number): PlacedEdge | null {
  let best: PlacedEdge | null = null;
  let least = reach;
  for (const { edge, points, bounds: [left, top, width, height] } of linesOf(scene)) {
    if (x < left - reach || y < top - reach || x > left + width + reach || y > top + height + reach) {
      continue;
    }
    for (let i = 0; i + 1 < points.length; i++) {
      const distance = distanceTo(points[i] as Point, points[i + 1] as Point, x, y);
      if (distance <= least) {
        least = distance;
        best = edge;
      }
    }
  }
  return best;
}

function linesOf(scene: Scene): { edge: PlacedEdge; points: Point[]; bounds: Rect }[] {
  let lines = flattened.get(scene);
  if (!lines) {
    lines = scene.edges.map(edge => {
      const points = flatten(edge.points);
      const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
      const [left, top] = [Math.min(...xs), Math.min(...ys)];
      return { edge, points, bounds: [left, top, Math.max(...xs) - left, Math.max(...ys) - top] as const };
    });
    flattened.set(scene, lines);
  }
  return lines;
}

/** A start and Bézier triples → points on the curve. */
function flatten(points: readonly Point[]): Point[] {
  const [start] = points;
  if (!start) {
    return [];
  }
  const line: Point[] = [start];
  for (let i = 1; i + 2 < points.length; i += 3) {
    const [a, b, c, d] = [points[i - 1], points[i], points[i + 1], points[i + 2]] as [Point, Point, Point, Point];
    for (let k = 1; k <= SAMPLES; k++) {
      const t = k / SAMPLES;
      const at = (axis: 0 | 1): number =>
        (1 - t) ** 3 * a[axis] + 3 * (1 - t) ** 2 * t * b[axis] + 3 * (1 - t) * t ** 2 * c[axis] + t ** 3 * d[axis];
      line.push([at(0), at(1)]);
    }
  }
  return line;
}

/** How far a point is from a stretch of a line. */
function distanceTo([ax, ay]: Point, [bx, by]: Point, x: number, y: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

/** The boxes from which one is reached along the edges, and those that are reached from it. */
export interface Lit {
  readonly ancestors: ReadonlySet<string>;
  readonly descendants: ReadonlySet<string>;
}

/** The lit boxes where nothing is selected. */
export const NOTHING_LIT: Lit = { ancestors: new Set(), descendants: new Set() };

/** The ancestors and descendants of a box. The box itself is in neither. */
export function litFrom(scene: Scene, boxId: string | null): Lit {
  if (boxId === null || !scene.boxes.has(boxId)) {
    return NOTHING_LIT;
  }
  const up = new Map<string, string[]>();
  const down = new Map<string, string[]>();
  for (const { edge: { from, to } } of scene.edges.filter(({ edge }) => !edge.back)) {
    up.set(to, [...(up.get(to) ?? []), from]);
    down.set(from, [...(down.get(from) ?? []), to]);
  }
  return { ancestors: reached(up, boxId), descendants: reached(down, boxId) };
}

function reached(next: ReadonlyMap<string, readonly string[]>, start: string): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const other of next.get(id) ?? []) {
      if (other !== start && !found.has(other)) {
        found.add(other);
        open.push(other);
      }
    }
  }
  return found;
}
