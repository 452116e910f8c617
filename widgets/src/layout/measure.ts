/** The size of a box, from the real width of its text in the fonts it is drawn with. */

import { Box } from './fold';

/** Width and height in px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The fonts that boxes are drawn with, as CSS `font` texts. */
export interface Fonts {
  readonly title: string;
  readonly detail: string;
}

/** Space between the border of a box and its text, in px; `left` leaves room for the family's bar. */
export const PADDING = { left: 12, right: 10, title: 17, detail: 33, chip: 14 };

/** Heights of boxes with one and two lines and of chips, in px. */
const HEIGHT = { single: 26, double: 42, chip: 20 };

/** Widths that are remembered: those of some large graphs. Beyond this many all are measured anew. */
const MOST_WIDTHS = 50_000;

/** Measures text, remembering widths. */
export class TextMeasure {
  constructor(fonts: Fonts) {
    this._fonts = fonts;
    this._context = measuringContext();
  }

  /** The fonts measured with. */
  get fonts(): Fonts {
    return this._fonts;
  }

  /** The width of a text in one of the fonts, in px. */
  width(text: string, font: keyof Fonts): number {
    const key = `${font}:${text}`;
    let width = this._widths.get(key);
    if (width === undefined) {
      if (this._context) {
        this._context.font = this._fonts[font];
        width = this._context.measureText(text).width;
      } else {
        width = text.length * 7;
      }
      if (this._widths.size >= MOST_WIDTHS) {
        this._widths.clear();
      }
      this._widths.set(key, width);
    }
    return width;
  }

  /** The size of a box. */
  box(box: Box): Size {
    const text = Math.max(
      this.width(box.title, 'title') + (box.group ? 18 : 0),
      box.detail === '' ? 0 : this.width(box.detail, 'detail')
    );
    const own = {
      width: Math.ceil(Math.max(44, text + PADDING.left + PADDING.right)),
      height: box.chipOf !== undefined ? HEIGHT.chip : box.detail === '' ? HEIGHT.single : HEIGHT.double
    };
    const before = box.before ? this.box(box.before) : own;
    return { width: Math.max(own.width, before.width), height: Math.max(own.height, before.height) };
  }

  /** The size of an edge's label. */
  label(text: string): Size {
    return { width: Math.ceil(this.width(text, 'detail') + 8), height: 16 };
  }

  private _fonts: Fonts;
  private _context: CanvasRenderingContext2D | null;
  private _widths = new Map<string, number>();
}

function measuringContext(): CanvasRenderingContext2D | null {
  // Without a canvas (in tests) widths are estimated.
  return typeof CanvasRenderingContext2D === 'undefined'
    ? null
    : document.createElement('canvas').getContext('2d');
}
