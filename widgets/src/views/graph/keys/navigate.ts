/** Where the arrow keys lead: along edges in the direction of the drawing, and across it within a row. */

import { PlacedBox, Rect, Scene } from '../../../layout';

/** A direction on the screen. */
export type Direction = 'up' | 'down' | 'left' | 'right';

/** The box to go to from `from`, or null where there is none. Without `from`, the first box; from an open frame, the first in it. */
export function neighbour(scene: Scene, from: string | null, direction: Direction): string | null {
  const start = from === null ? undefined : scene.boxes.get(from);
  if (!start) {
    return first(scene, scene.clusters.find(({ group }) => group.id === from)?.rect);
  }
  const [x, y] = middle(start);
  const ways: readonly Direction[] = scene.direction === 'down' ? ['up', 'down'] : ['left', 'right'];
  const along = ways.includes(direction) ? linked(scene, start, direction === ways[1]) : [];
  const all = [...scene.boxes.values()].filter(placed => placed !== start);
  const candidates = along.length > 0 ? along : all;
  let best: string | null = null;
  let least = Infinity;
  for (const placed of candidates) {
    const [px, py] = middle(placed);
    const forward = { up: y - py, down: py - y, left: x - px, right: px - x }[direction];
    const aside = direction === 'up' || direction === 'down' ? Math.abs(px - x) : Math.abs(py - y);
    // Linked boxes are always fine; others have to lie in that direction, the straighter the better.
    const reached = along.length > 0 || (forward > 1 && aside <= forward * 2);
    const distance = along.length > 0 ? aside : forward + 3 * aside;
    if (reached && distance < least) {
      least = distance;
      best = placed.box.id;
    }
  }
  return best;
}

/** The boxes that use a box, or that it uses. */
function linked(scene: Scene, start: PlacedBox, users: boolean): PlacedBox[] {
  const { id } = start.box;
  return scene.edges.filter(({ edge }) => !edge.back).flatMap(({ edge }) => {
    const other = users && edge.from === id ? edge.to : !users && edge.to === id ? edge.from : null;
    return (other !== null && scene.boxes.get(other)) || [];
  });
}

function middle({ rect: [left, top, width, height] }: PlacedBox): [number, number] {
  return [left + width / 2, top + height / 2];
}

/** The box where the drawing, or a frame of it, begins, at its top or left; null where there is none. */
function first(scene: Scene, frame: Rect = [0, 0, Infinity, Infinity]): string | null {
  let best: PlacedBox | null = null;
  const [left, top, width, height] = frame;
  for (const placed of scene.boxes.values()) {
    const axis = scene.direction === 'down' ? 1 : 0;
    const [x, y] = middle(placed);
    const isInside = x >= left && x <= left + width && y >= top && y <= top + height;
    if (isInside && (!best || placed.rect[axis] < best.rect[axis])) {
      best = placed;
    }
  }
  return best?.box.id ?? null;
}
