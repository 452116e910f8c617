/** Which part of a drawing is seen: scale and shift, changed by wheel, drag and calls. Knows nothing of the drawing. */

import { Look, Rect } from '../../layout';

/** Screen = scale × drawing + shift. */
export interface Transform {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** The scales between which one can zoom. */
const SCALES = { least: 0.02, most: 4 };

/** Down to these scales all of a drawing, or all of its width, is shown, where nothing else makes room; down to `easy`, texts are read easily. */
const LEAST = { whole: 0.5, across: 0.45, easy: 0.55 };

/** The scale of a drawing of which not even the width can be seen. */
const LEGIBLE = 0.85;

/** The scale to which a search or a step with the keys zooms from one at which text cannot be read. */
const COMFORTABLE = 0.8;

/** The part to show of a drawing that is too large. */
export interface Fit {
  /**
   * What of it is to be in the middle, across its direction: an x of the drawing, or a y where it goes to the right. It is told how much
   * is seen across the direction and along it.
   */
  readonly start: (across: number, along: number) => number;
  readonly direction: Look['direction'];
  /** Down to which scale all of it is shown. */
  readonly least?: number;
}

/** Empty space around a drawing that fits, in px. */
const MARGIN = 16;

/** Pans and zooms one element. */
export class Viewport {
  constructor(
    private readonly _element: HTMLElement,
    private readonly _changed: (transform: Transform) => void
  ) {
    _element.addEventListener('wheel', this._onWheel, { passive: false });
    _element.addEventListener('pointerdown', this._onPointerDown);
  }

  /** The transform now. */
  get transform(): Transform {
    return this._transform;
  }

  /** Whether the pointer has just dragged: a click that ends a drag is none. */
  get dragged(): boolean {
    return this._dragged;
  }

  /** The point of the drawing under a point of the screen (client coordinates). */
  toDrawing(clientX: number, clientY: number): [number, number] {
    const box = this._element.getBoundingClientRect();
    const { scale, x, y } = this._transform;
    return [(clientX - box.left - x) / scale, (clientY - box.top - y) / scale];
  }

  /** The point of the drawing in the middle of the screen. */
  get middle(): [number, number] {
    const { scale, x, y } = this._transform;
    return [(this._element.clientWidth / 2 - x) / scale, (this._element.clientHeight / 2 - y) / scale];
  }

  /** How large a drawing of this size can be seen: by its width, and by its height. */
  scalesOf(width: number, height: number): readonly [number, number] {
    const { clientWidth, clientHeight } = this._element;
    return [(clientWidth - 2 * MARGIN) / Math.max(1, width), (clientHeight - 2 * MARGIN) / Math.max(1, height)];
  }

  /** Whether not even the width of a drawing of this size can be seen and read, or read `easily`. */
  isCut(width: number, height: number, direction: Look['direction'], easily: boolean): boolean {
    return this.scalesOf(width, height)[direction === 'down' ? 0 : 1] < (easily ? LEAST.easy : LEAST.across);
  }

  /** Show a drawing of this size: whole where that is large enough, else from its beginning. */
  fit(width: number, height: number, { start, direction, least = LEAST.whole }: Fit): void {
    const { clientWidth, clientHeight } = this._element;
    const fits = this.scalesOf(width, height);
    const scale = Math.min(1.25, ...fits);
    if (scale >= least) {
      this.set({
        scale: Math.max(SCALES.least, scale),
        x: (clientWidth - width * scale) / 2,
        y: (clientHeight - height * scale) / 2
      });
      return;
    }
    const across = fits[direction === 'down' ? 0 : 1];
    // Where all of its width can be read, all of it is seen; else more of it is larger.
    const readable = Math.min(1, across >= LEAST.across ? across : LEGIBLE);
    const [seen, size, long] = direction === 'down' ? [clientWidth, width, clientHeight] : [clientHeight, height, clientWidth];
    const middle = start((seen - 2 * MARGIN) / readable, (long - 2 * MARGIN) / readable);
    const shift = shiftOf(seen, size * readable, middle * readable);
    this.set(direction === 'down' ? { scale: readable, x: shift, y: MARGIN } : { scale: readable, x: MARGIN, y: shift });
  }

  /** Zoom by a factor about a point of the screen, by default the middle. */
  zoom(factor: number, clientX?: number, clientY?: number): void {
    const box = this._element.getBoundingClientRect();
    const x = clientX === undefined ? box.width / 2 : clientX - box.left;
    const y = clientY === undefined ? box.height / 2 : clientY - box.top;
    const before = this._transform;
    const scale = Math.min(SCALES.most, Math.max(SCALES.least, before.scale * factor));
    const ratio = scale / before.scale;
    this.set({ scale, x: x - (x - before.x) * ratio, y: y - (y - before.y) * ratio });
  }

  /** Shift by px of the screen. */
  pan(dx: number, dy: number): void {
    const { scale, x, y } = this._transform;
    this.set({ scale, x: x + dx, y: y + dy });
  }

  /**
   * Bring a rectangle of the drawing into sight, moving as little as that needs. `readable` zooms to where its text can be read,
   * with the rectangle in the middle, if it cannot.
   */
  reveal(rect: Rect, readable = false): void {
    const { scale, x, y } = this._transform;
    if (readable && scale < this._readable(rect)) {
      this.center(rect);
      return;
    }
    const [left, top, width, height] = rect;
    const { clientWidth, clientHeight } = this._element;
    this.set({
      scale,
      x: x + inward(left * scale + x, width * scale, clientWidth),
      y: y + inward(top * scale + y, height * scale, clientHeight)
    });
  }

  /** Whether a rectangle of the drawing can be seen whole at the present scale. */
  hasRoomFor([, , width, height]: Rect): boolean {
    const { clientWidth, clientHeight } = this._element;
    const { scale } = this._transform;
    return width * scale <= clientWidth - 2 * MARGIN && height * scale <= clientHeight - 2 * MARGIN;
  }

  /** Put the middle of a rectangle of the drawing in the middle of the screen, at a readable scale. */
  center(rect: Rect): void {
    const [left, top, width, height] = rect;
    const scale = Math.max(this._readable(rect), this._transform.scale);
    const { clientWidth, clientHeight } = this._element;
    this.set({
      scale,
      x: clientWidth / 2 - (left + width / 2) * scale,
      y: clientHeight / 2 - (top + height / 2) * scale
    });
  }

  /** The least scale at which a rectangle can be read, or is seen whole where it is a large frame. */
  private _readable([, , width, height]: Rect): number {
    const { clientWidth, clientHeight } = this._element;
    const whole = Math.min((clientWidth - 2 * MARGIN) / Math.max(1, width), (clientHeight - 2 * MARGIN) / Math.max(1, height));
    return Math.max(SCALES.least, Math.min(COMFORTABLE, whole));
  }

  /** Set the transform. */
  set(transform: Transform): void {
    this._transform = transform;
    this._changed(transform);
  }

  /** Stop listening. */
  dispose(): void {
    this._element.removeEventListener('wheel', this._onWheel);
    this._element.removeEventListener('pointerdown', this._onPointerDown);
  }

  private _onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.ctrlKey || event.metaKey) {
      this.zoom(Math.exp(-event.deltaY * unit * 0.004), event.clientX, event.clientY);
    } else if (event.shiftKey) {
      this.pan(-event.deltaY * unit, 0);
    } else {
      this.pan(-event.deltaX * unit, -event.deltaY * unit);
    }
  };

  private _onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0 && event.button !== 1) {
      return;
    }
    this._dragged = false;
    let { clientX, clientY } = event;
    const start = [clientX, clientY] as const;
    const move = (next: PointerEvent): void => {
      if (Math.hypot(next.clientX - start[0], next.clientY - start[1]) > 4) {
        this._dragged = true;
      }
      if (this._dragged) {
        this.pan(next.clientX - clientX, next.clientY - clientY);
      }
      ({ clientX, clientY } = next);
    };
    const end = (): void => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
  };

  private _transform: Transform = { scale: 1, x: 0, y: 0 };
  private _dragged = false;
}

/** Where a drawing of this size begins on the screen: `start` is in the middle, but for emptiness at its sides. */
function shiftOf(room: number, size: number, start: number): number {
  const most = room - 2 * MARGIN;
  return size <= most ? (room - size) / 2 : Math.min(MARGIN, Math.max(room - MARGIN - size, room / 2 - start));
}

/** How far to move a stretch so that it lies within `length`, with a margin. */
function inward(start: number, size: number, length: number): number {
  if (start < MARGIN || size > length - 2 * MARGIN) {
    return MARGIN - start;
  }
  const over = start + size - (length - MARGIN);
  return over > 0 ? -over : 0;
}
