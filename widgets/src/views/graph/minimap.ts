/** A small picture of the whole drawing in a corner of the stage, while not all of it is in sight: says where one is, and goes there. */

import { Scene } from '../../layout';
import { h } from '../common/dom';
import { themeColours } from '../common/colour';
import { Transform, Viewport } from './viewport';

/** The most room that it takes, in px. */
const ROOM = { width: 120, height: 110 };

/** A stage narrower or lower than this (px) has no room for it. */
const NARROW = 260;
const LOW = 320;

/** Its corners, the usual one first: whether it stands at the right, and at the bottom. */
const CORNERS: readonly (readonly [right: boolean, bottom: boolean])[] = [
  [true, true],
  [false, true],
  [true, false],
  [false, false]
];

/** On a stage narrower than this (px), it does not show where boxes would be under more than this part of it. */
const ROOMY = 520;
const MAX_COVERED = 0.15;

/** Its size besides its picture, in px. */
const GAP = 22;

/** Below this part of the drawing in sight it shows. */
const IN_SIGHT = 0.98;

/** The map. It is for the pointer alone: the keys have the arrow keys and the search. */
export class Minimap {
  constructor(
    private readonly _stage: HTMLElement,
    private readonly _viewport: () => Viewport
  ) {
    this._canvas = h('canvas', {});
    this._frame = h('div', { class: 'tracefn-minimap-frame' });
    this.element = h(
      'div',
      {
        class: 'tracefn-minimap',
        attrs: { 'aria-hidden': 'true', 'data-tracefn': 'minimap' },
        on: { pointerdown: event => this._drag(event), click: event => event.stopPropagation(), dblclick: event => event.stopPropagation() }
      },
      this._canvas,
      this._frame
    );
    this.element.hidden = true;
    this._resize = new ResizeObserver(() => {
      this._size = null;
      this.move(this._viewport().transform);
    });
    this._resize.observe(_stage);
  }

  readonly element: HTMLElement;

  dispose(): void {
    this._resize.disconnect();
  }

  /** Draw a scene, or nothing. */
  show(scene: Scene | null): void {
    this._scene = scene;
    if (scene) {
      this._scale = Math.min(ROOM.width / Math.max(1, scene.width), ROOM.height / Math.max(1, scene.height));
      this._drawn = false;
    }
    this.move(this._viewport().transform);
  }

  /** The drawing was panned or zoomed. */
  move({ scale, x, y }: Transform): void {
    const { _scene: scene, _stage: stage, _scale: small } = this;
    // Read once: each reading would lay out the page anew.
    const [clientWidth, clientHeight] = (this._size ??= [stage.clientWidth, stage.clientHeight]);
    if (!scene || clientWidth < NARROW || clientHeight < LOW) {
      this.element.hidden = true;
      return;
    }
    const [left, top] = [clamp(-x / scale, scene.width), clamp(-y / scale, scene.height)];
    const [right, bottom] = [clamp((clientWidth - x) / scale, scene.width), clamp((clientHeight - y) / scale, scene.height)];
    const seen = ((right - left) / Math.max(1, scene.width)) * ((bottom - top) / Math.max(1, scene.height));
    this.element.hidden = seen > IN_SIGHT;
    if (this.element.hidden) {
      return;
    }
    if (!this._drawn) {
      this._paint(scene);
    }
    if (!this._dragging) {
      this.element.hidden = !this._stand(scene, { scale, x, y }, clientWidth, clientHeight);
    }
    const { style } = this._frame;
    style.left = `${left * small}px`;
    style.top = `${top * small}px`;
    style.width = `${Math.max(3, (right - left) * small)}px`;
    style.height = `${Math.max(3, (bottom - top) * small)}px`;
  }

  /** Give boxes other colours than those of their families. */
  colour(colours: ReadonlyMap<string, string> | null): void {
    this._colours = colours;
    this.restyle();
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._drawn = false;
    this.move(this._viewport().transform);
  }

  /**
   * Stand in the corner where it covers least of the drawing; it moves there only from where it covers something. False where
   * there is too little room for it.
   */
  private _stand({ boxes, width, height }: Scene, { scale, x, y }: Transform, wide: number, high: number): boolean {
    const small = this._scale;
    const [w, h] = [width * small + GAP, height * small + GAP];
    const covered = CORNERS.map(([right, bottom]) => {
      const [left, top] = [right ? wide - w : 0, bottom ? high - h : 0];
      let area = 0;
      for (const { rect } of boxes.values()) {
        const across = Math.min(left + w, (rect[0] + rect[2]) * scale + x) - Math.max(left, rect[0] * scale + x);
        const along = Math.min(top + h, (rect[1] + rect[3]) * scale + y) - Math.max(top, rect[1] * scale + y);
        area += Math.max(0, across) * Math.max(0, along);
      }
      return area;
    });
    if ((covered[this._corner] as number) > 0) {
      this._corner = covered.indexOf(Math.min(...covered));
      const [right, bottom] = CORNERS[this._corner] as readonly [boolean, boolean];
      this.element.dataset.corner = `${bottom ? 'bottom' : 'top'}-${right ? 'right' : 'left'}`;
    }
    return wide >= ROOMY || (covered[this._corner] as number) < MAX_COVERED * w * h;
  }

  private _paint(scene: Scene): void {
    this._drawn = true;
    const small = this._scale;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.max(8, scene.width * small), Math.max(8, scene.height * small)];
    this._canvas.width = width * ratio;
    this._canvas.height = height * ratio;
    this._canvas.style.width = `${width}px`;
    this._canvas.style.height = `${height}px`;
    const context = this._canvas.getContext('2d');
    if (!context) {
      return;
    }
    context.scale(small * ratio, small * ratio);
    const read = themeColours(this.element);
    context.strokeStyle = read('--tf-edge');
    context.lineWidth = 1 / small;
    for (const { rect } of scene.clusters) {
      context.strokeRect(...rect);
    }
    const colours = new Map<string, string>();
    for (const { box, rect: [left, top, wide, high] } of scene.boxes.values()) {
      const name = this._colours?.get(box.id) ?? `--tf-family-${box.family}`;
      const colour = colours.get(name) ?? read(name);
      colours.set(name, colour);
      context.fillStyle = colour;
      // A box that is too small to be seen is drawn a pixel large.
      context.fillRect(left, top, Math.max(wide, 1 / small), Math.max(high, 1 / small));
    }
  }

  private _drag(event: PointerEvent): void {
    event.stopPropagation();
    event.preventDefault();
    const go = ({ clientX, clientY }: PointerEvent): void => {
      const box = this._canvas.getBoundingClientRect();
      const { scale } = this._viewport().transform;
      const [x, y] = [(clientX - box.left) / this._scale, (clientY - box.top) / this._scale];
      const { clientWidth, clientHeight } = this._stage;
      this._viewport().set({ scale, x: clientWidth / 2 - x * scale, y: clientHeight / 2 - y * scale });
    };
    this._dragging = true;
    const end = (): void => {
      this._dragging = false;
      window.removeEventListener('pointermove', go);
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
    };
    window.addEventListener('pointermove', go);
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
    go(event);
  }

  private _canvas: HTMLCanvasElement;
  private _frame: HTMLElement;
  private _scene: Scene | null = null;
  private _scale = 1;
  private _corner = 0;
  private _dragging = false;
  private _colours: ReadonlyMap<string, string> | null = null;
  private _drawn = false;
  private _size: readonly [number, number] | null = null;
  private readonly _resize: ResizeObserver;
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}
