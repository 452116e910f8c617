/** Draws a scene on a canvas: for scenes with too many elements for SVG. Only the visible part is drawn. */

import { PADDING, PlacedBox, Rect, Scene } from '../../layout';
import { themeColours } from '../common/colour';
import { h } from '../common/dom';
import { NOTHING_LIT } from './edge_hits';
import { Change, edgeKey, edgeLook, NO_MARKS, Renderer, Shown, TIP, tipOf } from './renderer';
import { Transform } from './viewport';

/** Below this scale texts are left out: they could not be read. */
const TEXT_SCALE = 0.3;

/** The colours and fonts of a drawing, read from the page's style. */
interface Style {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly back: string;
  readonly accent: string;
  readonly match: string;
  readonly lit: string;
  readonly paired: string;
  readonly cluster: string;
  readonly changes: Readonly<Record<Change, string>>;
  /** The colour of a CSS variable. */
  readonly read: (variable: string) => string;
  readonly fonts: { readonly title: string; readonly detail: string };
}

/** The canvas renderer. */
export class CanvasRenderer implements Renderer {
  constructor(private readonly _fonts: { readonly title: string; readonly detail: string }) {
    this._canvas = h('canvas', { attrs: { 'data-tracefn': 'drawing', 'aria-hidden': 'true' } });
    this.element = h('div', { class: 'tracefn-canvas' }, this._canvas);
    this._resize = new ResizeObserver(() => this._schedule());
    this._resize.observe(this.element);
  }

  readonly element: HTMLElement;

  draw(scene: Scene): void {
    this._scene = scene;
    this._canvas.dataset.boxes = String(scene.boxes.size);
    this._schedule();
  }

  mark(marks: Shown): void {
    this._marks = marks;
    this._schedule();
  }

  colour(colours: ReadonlyMap<string, string> | null): void {
    this._colours = colours;
    this._schedule();
  }

  move(transform: Transform): void {
    this._transform = transform;
    this._schedule();
  }

  dispose(): void {
    cancelAnimationFrame(this._frame);
    this._resize.disconnect();
    this.element.remove();
  }

  private _schedule(): void {
    cancelAnimationFrame(this._frame);
    this._frame = requestAnimationFrame(() => this._paint());
  }

  private _paint(): void {
    const context = this._canvas.getContext('2d');
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!context || !this._scene || width === 0) {
      return;
    }
    const ratio = window.devicePixelRatio || 1;
    this._canvas.width = width * ratio;
    this._canvas.height = height * ratio;
    const { scale, x, y } = this._transform;
    context.setTransform(scale * ratio, 0, 0, scale * ratio, x * ratio, y * ratio);
    const seen: Rect = [-x / scale, -y / scale, width / scale, height / scale];
    const style = this._style();
    this._paintClusters(context, style, seen);
    this._paintEdges(context, style, seen);
    for (const placed of this._scene.boxes.values()) {
      if (overlaps(placed.rect, seen)) {
        this._paintBox(context, style, placed);
      }
    }
  }

  private _paintClusters(context: CanvasRenderingContext2D, style: Style, seen: Rect): void {
    for (const { group, title, rect } of this._scene?.clusters ?? []) {
      if (!overlaps(rect, seen)) {
        continue;
      }
      context.fillStyle = style.cluster;
      context.strokeStyle = group.id === this._marks.selected ? style.accent : style.line;
      roundRect(context, rect, 8);
      context.fill();
      context.stroke();
      if (this._transform.scale >= TEXT_SCALE) {
        context.fillStyle = style.muted;
        context.font = style.fonts.title;
        context.fillText(`− ${title}`, rect[0] + 10, rect[1] + 17);
      }
    }
  }

  private _paintEdges(context: CanvasRenderingContext2D, style: Style, seen: Rect): void {
    const { changes } = this._marks;
    for (const { edge, points } of this._scene?.edges ?? []) {
      const [start, ...rest] = points;
      if (!start || !overlaps(boundsOf(points), seen)) {
        continue;
      }
      const look = edgeLook(this._marks, edge.from, edge.to);
      const near = look === 'near' || look === 'chosen';
      const change = changes.get(edgeKey(edge.from, edge.to));
      context.strokeStyle = near ? style.accent : look === 'lit' ? style.lit : change ? style.changes[change] : style.line;
      context.fillStyle = context.strokeStyle;
      context.lineWidth = look === 'chosen' ? 3 : near || change ? 2 : look === 'lit' ? 1.6 : 1.2;
      context.beginPath();
      context.moveTo(start[0], start[1]);
      for (let i = 0; i + 2 < rest.length; i += 3) {
        const [a, b, c] = [rest[i], rest[i + 1], rest[i + 2]];
        if (a && b && c) {
          context.bezierCurveTo(a[0], a[1], b[0], b[1], c[0], c[1]);
        }
      }
      context.setLineDash(edge.back ? [5, 4] : []);
      context.stroke();
      context.setLineDash([]);
      const tip = tipOf(points);
      if (tip && this._transform.scale >= TEXT_SCALE) {
        context.save();
        context.translate(tip.at[0], tip.at[1]);
        context.rotate(tip.angle);
        context.beginPath();
        context.moveTo(0, 0);
        context.lineTo(-TIP, -TIP / 2);
        context.lineTo(-TIP, TIP / 2);
        context.fill();
        context.restore();
      }
    }
  }

  private _paintBox(context: CanvasRenderingContext2D, style: Style, { box, rect }: PlacedBox): void {
    const [left, top, , height] = rect;
    const { selected, matches, current, changes, lines, paired } = this._marks;
    const change = changes.get(box.id);
    const given = this._colours?.get(box.id);
    const colour = style.read(given ?? `--tf-family-${box.family}`);
    context.fillStyle = style.back;
    const chip = box.chipOf !== undefined;
    roundRect(context, rect, chip ? height / 2 : 5);
    context.fill();
    context.globalAlpha = given === undefined ? 0.14 : 0.35;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
    const marked = box.id === selected || box.id === current || lines.has(box.id) || paired.has(box.id) || change !== undefined;
    const other = change ? style.changes[change] : paired.has(box.id) ? style.paired : lines.has(box.id) ? style.lit : colour;
    context.strokeStyle = box.id === selected ? style.accent : matches.has(box.id) ? style.match : other;
    context.lineWidth = marked ? 2.5 : matches.has(box.id) ? 2 : 0.8;
    context.stroke();
    context.fillStyle = colour;
    if (!chip) {
      context.fillRect(left + 4, top + 5, 3, height - 10);
    }
    if (this._transform.scale < TEXT_SCALE) {
      return;
    }
    context.fillStyle = style.text;
    context.font = style.fonts.title;
    context.fillText(box.title, left + PADDING.left, top + (chip ? PADDING.chip : PADDING.title));
    if (box.detail !== '') {
      context.fillStyle = style.muted;
      context.font = style.fonts.detail;
      context.fillText(box.detail, left + PADDING.left, top + PADDING.detail);
    }
  }

  /** Colours as the theme gives them now. */
  private _style(): Style {
    const read = themeColours(this.element);
    const known = new Map<string, string>();
    return {
      text: read('--tf-text'),
      muted: read('--tf-text-muted'),
      line: read('--tf-edge'),
      back: read('--tf-back'),
      accent: read('--tf-accent'),
      match: read('--tf-match'),
      lit: read('--tf-lit'),
      paired: read('--tf-paired'),
      cluster: read('--tf-cluster'),
      changes: {
        added: read('--tf-added'),
        removed: read('--tf-removed'),
        changed: read('--tf-changed'),
        reshaped: read('--tf-reshaped'),
        failed: read('--tf-bad')
      },
      read: variable => {
        const colour = known.get(variable) ?? read(variable);
        known.set(variable, colour);
        return colour;
      },
      fonts: this._fonts
    };
  }

  private _canvas: HTMLCanvasElement;
  private _resize: ResizeObserver;
  private _scene: Scene | null = null;
  private _marks: Shown = { ...NO_MARKS, hovered: null, lit: NOTHING_LIT, paired: new Set() };
  private _colours: ReadonlyMap<string, string> | null = null;
  private _transform: Transform = { scale: 1, x: 0, y: 0 };
  private _frame = 0;
}

function overlaps([left, top, width, height]: Rect, [l, t, w, s]: Rect): boolean {
  return left < l + w && left + width > l && top < t + s && top + height > t;
}

function boundsOf(points: readonly (readonly [number, number])[]): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return [left - 1, top - 1, right - left + 2, bottom - top + 2];
}

function roundRect(context: CanvasRenderingContext2D, [x, y, width, height]: Rect, r: number): void {
  context.beginPath();
  context.roundRect(x, y, width, height, r);
}
