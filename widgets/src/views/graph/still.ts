/** What stays where it is on the screen while a drawing becomes another one of the same graph. */

import { Rect, Scene } from '../../layout';
import type { Viewport } from './viewport';

/** A box or frame that stays where it is on the screen, and where it was in the drawing before. */
export interface Anchor {
  readonly id: string;
  readonly rect: Rect;
}

/** Of the boxes shown that the next scene has, too, the one nearest to the middle of the screen. */
export function stillBox({ scene, viewport }: { scene: Scene | null; viewport: Viewport }, next: Scene): Anchor | null {
  const [x, y] = viewport.middle;
  let found: Anchor | null = null;
  let least = Infinity;
  for (const [id, { rect }] of scene?.boxes ?? []) {
    const distance = Math.hypot(rect[0] + rect[2] / 2 - x, rect[1] + rect[3] / 2 - y);
    if (distance < least && next.boxes.has(id)) {
      least = distance;
      found = { id, rect };
    }
  }
  return found;
}
