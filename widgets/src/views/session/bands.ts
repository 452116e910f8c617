/** The drawing of a session: a row of bands for each track, below a scale of time. It is zoomed, panned, and selected in. */

import { cut, duration } from '../../format';
import { Span } from '../../protocol';
import { h, setAttr, svg } from '../common/dom';
import { roundTimes } from '../retraces/timeline';
import { inRange, matches, nameOf, panned, Range, titleOf, Track, zoomed } from './spans';
import { t } from '../../words';

/** Heights, in px. */
const SCALE = 18;
const TITLE = 15;
const BAND = 17;
const GAP = 5;

/** Narrower bands are drawn this wide. */
const MIN_BAND_PX = 2;

/** Wider bands show their names. A letter takes LETTER_PX. */
const MIN_NAMED_PX = 34;
const LETTER_PX = 6.2;

/** A drag of fewer px is a click. */
const CLICK = 4;

/** The visible range and its spans. */
export interface Shown {
  readonly tracks: readonly Track[];
  readonly whole: Range;
  readonly range: Range;
  readonly selection: Range | null;
  readonly query: string;
}

/** The actions of the user. */
export interface BandActions {
  see(range: Range): void;
  select(range: Range | null): void;
}

/** The drawing. */
export class Bands {
  constructor(private readonly _actions: BandActions) {
    this._drawing = svg('svg', { class: 'tracefn-bands-drawing', attrs: { 'aria-hidden': 'true' } });
    this.element = h(
      'div',
      {
        class: 'tracefn-bands',
        attrs: {
          role: 'application',
          tabindex: 0,
          'aria-label': t`Timeline. Left and right move, plus and minus zoom, 0 shows all, Escape selects nothing. The list below has the spans.`,
          'data-tracefn': 'bands'
        },
        on: {
          keydown: event => this._keydown(event),
          pointerdown: event => this._down(event),
          pointermove: event => this._move(event),
          pointerup: event => this._up(event)
        }
      },
      this._drawing
    );
    this.element.addEventListener('wheel', event => this._wheel(event), { passive: false });
    this._resize = new ResizeObserver(() => this._draw());
    this._resize.observe(this.element);
  }

  readonly element: HTMLElement;

  show(shown: Shown): void {
    this._shown = shown;
    this._draw();
  }

  dispose(): void {
    this._resize.disconnect();
  }

  private _draw(): void {
    const { _shown: shown } = this;
    const width = this.element.clientWidth;
    if (!shown || width === 0) {
      return;
    }
    const parts: SVGElement[] = [...this._scale(shown, width)];
    let top = SCALE;
    for (const track of shown.tracks) {
      parts.push(svg('text', { class: 'tracefn-band-track', text: cut(titleOf(track), Math.floor(width / LETTER_PX)), attrs: { x: 0, y: top + 11 } }));
      parts.push(...this._bands(shown, track, top + TITLE, width));
      top += TITLE + track.levels * BAND + GAP;
    }
    if (shown.selection) {
      const [x1, x2] = [this._x(shown.selection.from), this._x(shown.selection.to)];
      parts.push(svg('rect', { class: 'tracefn-band-selection', attrs: { x: x1, y: SCALE - 4, width: Math.max(1, x2 - x1), height: top - SCALE + 4 } }));
    }
    setAttr(this._drawing, 'width', width);
    setAttr(this._drawing, 'height', top);
    this._drawing.replaceChildren(...parts);
  }

  private _scale({ range, whole }: Shown, width: number): SVGElement[] {
    const span = range.to - range.from;
    const [step = span] = roundTimes(span, width / 80).slice(1);
    const first = Math.ceil((range.from - whole.from) / step);
    const last = Math.floor((range.to - whole.from) / step);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
      const time = (first + i) * step;
      const x = this._x(whole.from + time);
      const text = time === 0 ? '0' : duration(time);
      const isCut = x + 3 + text.length * LETTER_PX > width;
      return svg(
        'g',
        {},
        svg('path', { class: 'tracefn-grid', attrs: { d: `M${x} ${SCALE - 4}V4000` } }),
        svg('text', { class: 'tracefn-tick', text: isCut ? '' : text, attrs: { x: x + 3, y: 10 } })
      );
    });
  }

  /** The bands of a track. Of those that would lie on each other, the first is drawn. */
  private _bands({ range, query }: Shown, track: Track, top: number, width: number): SVGElement[] {
    const free = new Map<number, number>();
    return inRange(track.spans, range).flatMap(span => {
      const left = Math.max(-4, this._x(span.start));
      const right = Math.min(width + 4, this._x(span.end));
      const size = Math.max(MIN_BAND_PX, right - left);
      if (left + size <= (free.get(span.level) ?? -Infinity) + 0.5) {
        return [];
      }
      free.set(span.level, left + size);
      const letters = Math.floor((Math.min(right, width) - Math.max(left, 0) - 8) / LETTER_PX);
      return [
        svg(
          'g',
          { class: 'tracefn-band', attrs: { 'data-span': span.kind, 'data-tracefn': 'band', 'data-dim': !matches(span, query) } },
          svg('rect', { attrs: { x: left, y: top + span.level * BAND, width: size, height: BAND - 2, rx: 2 } }),
          svg('title', { text: `${nameOf(span)} · ${duration(span.ns)}` }),
          size > MIN_NAMED_PX && svg('text', { text: cut(nameOf(span), letters), attrs: { x: Math.max(left, 0) + 4, y: top + span.level * BAND + 11 } })
        )
      ];
    });
  }

  private _x(time: number): number {
    const { from, to } = this._shown?.range ?? { from: 0, to: 1 };
    return ((time - from) / (to - from)) * this.element.clientWidth;
  }

  private _time(event: PointerEvent | WheelEvent): number {
    const { from, to } = this._shown?.range ?? { from: 0, to: 1 };
    const { left, width } = this.element.getBoundingClientRect();
    return from + ((event.clientX - left) / Math.max(1, width)) * (to - from);
  }

  private _keydown(event: KeyboardEvent): void {
    const { _shown: shown } = this;
    if (!shown || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const { range, whole } = shown;
    const middle = (range.from + range.to) / 2;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => this._actions.see(panned(range, -0.2, whole)),
      ArrowRight: () => this._actions.see(panned(range, 0.2, whole)),
      '+': () => this._actions.see(zoomed(range, 1.5, middle, whole)),
      '=': () => this._actions.see(zoomed(range, 1.5, middle, whole)),
      '-': () => this._actions.see(zoomed(range, 1 / 1.5, middle, whole)),
      '0': () => this._actions.see(whole),
      Escape: () => this._actions.select(null)
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      event.stopPropagation();
      move();
    }
  }

  /** With Ctrl the wheel zooms, with Shift, or sideways, it pans; else it scrolls the page. */
  private _wheel(event: WheelEvent): void {
    const { _shown: shown } = this;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (shown && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this._actions.see(zoomed(shown.range, 1.0015 ** -event.deltaY, this._time(event), shown.whole));
    } else if (shown && Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      event.preventDefault();
      this._actions.see(panned(shown.range, sideways / Math.max(1, this.element.clientWidth), shown.whole));
    }
  }

  private _down(event: PointerEvent): void {
    if (event.button === 0) {
      this._start = { x: event.clientX, time: this._time(event) };
      this.element.setPointerCapture(event.pointerId);
    }
  }

  private _move(event: PointerEvent): void {
    if (this._start && Math.abs(event.clientX - this._start.x) >= CLICK) {
      const now = this._time(event);
      this._actions.select({ from: Math.min(now, this._start.time), to: Math.max(now, this._start.time) });
    }
  }

  private _up(event: PointerEvent): void {
    if (this._start && Math.abs(event.clientX - this._start.x) < CLICK) {
      const span = this._at(event);
      this._actions.select(span ? { from: span.start, to: span.end } : null);
    }
    this._start = null;
  }

  /** The band under the pointer. */
  private _at(event: PointerEvent): Span | null {
    const y = event.clientY - this._drawing.getBoundingClientRect().top;
    const time = this._time(event);
    const px = ((this._shown?.range.to ?? 1) - (this._shown?.range.from ?? 0)) / Math.max(1, this.element.clientWidth);
    let top = SCALE;
    for (const track of this._shown?.tracks ?? []) {
      const level = Math.floor((y - top - TITLE) / BAND);
      const found = track.spans.find(span => span.level === level && span.start <= time + px && Math.max(span.end, span.start + MIN_BAND_PX * px) >= time - px);
      if (found && level >= 0) {
        return found;
      }
      top += TITLE + track.levels * BAND + GAP;
    }
    return null;
  }

  private _drawing: SVGSVGElement;
  private _resize: ResizeObserver;
  private _shown: Shown | null = null;
  private _start: { readonly x: number; readonly time: number } | null = null;
}
