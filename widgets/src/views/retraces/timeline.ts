/** When traces were made: stacked bars, over time or cell by cell, coloured by cause. A bar that is chosen filters the table. */

import { counted, duration } from '../../format';
import { Signature, State } from '../../store';
import { h, setAttr, svg } from '../common/dom';
import { CauseFamily, colourOf, FAMILIES, familyLabel } from './causes';
import { t } from '../../words';

/** Bars over time, and cells, at most. */
const MAX_BARS = 40;

/** Size of the chart, in px; it is as wide as there is room, and `width` before that is known. */
const CHART = { width: 400, height: 52, left: 4, right: 4, top: 4, bottom: 14 };

/** Height of bars that would be too low to be seen. */
const LEAST = 2;

/** Room that the label of a bar, or of a time, takes. */
const LABEL_WIDTH = 30;
const TIME_WIDTH = 64;

/** The quantity of the bars. */
export type Axis = 'time' | 'cell';

/** One bar. */
export interface Bin {
  readonly key: string;
  /** Below the bar. */
  readonly label: string;
  /** The name for screen readers and the filter: `cell [7]`. */
  readonly name: string;
  readonly signatures: readonly Signature[];
}

/** The traces in bars, in the order of the axis. */
export function binsOf(signatures: readonly Signature[], axis: Axis): Bin[] {
  return axis === 'cell' ? cellBins(signatures) : timeBins(signatures);
}

function cellBins(signatures: readonly Signature[]): Bin[] {
  const cells = new Map<string, Signature[]>();
  for (const signature of signatures) {
    const label = labelOf(signature);
    const members = cells.get(label) ?? [];
    members.push(signature);
    cells.set(label, members);
  }
  const bins = [...cells].map(([label, members]) => ({
    key: `cell ${label}`,
    label,
    name: label.startsWith('[') ? t`cell ${label}` : label,
    signatures: members
  }));
  const number = ({ signatures: [first] }: Bin): number => first?.location?.cell_number ?? Infinity;
  return bins.sort((a, b) => number(a) - number(b)).slice(-MAX_BARS);
}

/** Where the call stands, shortly: `[7]`, `train.py`. */
function labelOf({ location }: Signature): string {
  const number = location?.cell_number ?? null;
  return number === null ? (location?.file.split(/[/\\]/).pop() ?? '?') : `[${number}]`;
}

function timeBins(signatures: readonly Signature[]): Bin[] {
  const times = signatures.map(({ startedNs }) => startedNs);
  const start = Math.min(...times);
  const width = Math.max(1, (Math.max(...times) - start) / MAX_BARS);
  const bins: Signature[][] = Array.from({ length: MAX_BARS }, () => []);
  for (const signature of signatures) {
    bins[Math.min(MAX_BARS - 1, Math.floor((signature.startedNs - start) / width))]?.push(signature);
  }
  return bins.map((members, i) => {
    const label = i === 0 ? '0' : duration(i * width);
    return { key: `time ${i}`, label, name: i === 0 ? t`the beginning` : t`${label} after the first`, signatures: members };
  });
}

/** Round times, in ns, that divide a span into `most` parts or fewer: 1, 2 or 5 times a power of ten. */
export function roundTimes(spanNs: number, most: number): number[] {
  const least = spanNs / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = ([1, 2, 5, 10].find(times => times * power >= least) ?? 10) * power;
  return Array.from({ length: Math.floor(spanNs / step) + 1 }, (_, i) => i * step);
}

/** The chart. */
export class Timeline {
  constructor(private readonly _choose: (bin: Bin | null) => void) {
    this._resize = new ResizeObserver(() => this._measure());
    this._chart = h('div', { class: 'tracefn-timeline-chart', on: { keydown: event => this._keydown(event) } });
    this._switch = h(
      'div',
      { class: 'tracefn-button-group', attrs: { role: 'radiogroup', 'aria-label': t`Timeline` } },
      this._axisButton('time', t`by time`),
      this._axisButton('cell', t`by cell`)
    );
    this.element = h('div', { class: 'tracefn-timeline', attrs: { 'data-tracefn': 'timeline' } }, this._chart, this._switch);
    this._resize.observe(this._chart);
  }

  readonly element: HTMLElement;

  /** Show the traces of a state, of one function or of all. `chosen` is the key of a bar. */
  update(state: State, functionKey: string | null, chosen: string | null): void {
    const shown = [...state.signatures.values()].filter(
      ({ functionId }) => functionKey === null || state.functions.get(functionId)?.key === functionKey
    );
    const key = JSON.stringify([this._axis, functionKey, chosen, shown.length, shown[0]?.id, shown[shown.length - 1]?.startedNs]);
    if (key === this._shown) {
      return;
    }
    this._shown = key;
    this._bins = shown.length > 0 ? binsOf(shown, this._axis) : [];
    const times = shown.map(({ startedNs }) => startedNs);
    this._spanNs = times.length > 0 ? Math.max(...times) - Math.min(...times) : 0;
    this._chosen = chosen;
    this._show();
  }

  dispose(): void {
    this._resize.disconnect();
  }

  /** Texts keep their size in a wide view: the chart is drawn anew instead of enlarged. */
  private _measure(): void {
    const { clientWidth } = this._chart;
    if (clientWidth > 0 && clientWidth !== this._width) {
      this._width = clientWidth;
      this._show();
    }
  }

  private _show(): void {
    const focused = this._chart.contains(document.activeElement);
    this._chart.replaceChildren(this._draw(this._chosen));
    if (focused) {
      this._chart.querySelector<SVGElement>('[tabindex="0"]')?.focus();
    }
  }

  private _draw(chosen: string | null): SVGElement {
    const { height, left, right, top, bottom } = CHART;
    const width = this._width;
    const most = Math.max(1, ...this._bins.map(({ signatures }) => signatures.length));
    const step = (width - left - right) / Math.max(1, this._bins.length);
    const bar = Math.max(3, Math.min(18, step - 2));
    const every = Math.ceil(LABEL_WIDTH / step);
    const focusable = Math.max(0, this._bins.findIndex(({ key }) => key === chosen));
    const bars = this._bins.map((bin, i) => {
      const x = left + step * (i + 0.5);
      let y = height - bottom;
      const segments = countFamilies(bin.signatures).map(([family, times]) => {
        const size = Math.max(LEAST, ((height - top - bottom) * times) / most);
        y -= size;
        return svg('rect', {
          class: 'tracefn-timeline-segment',
          attrs: { x: x - bar / 2, y, width: bar, height: size, 'data-cause': family }
        });
      });
      const told = t`${counted(bin.signatures.length, 'trace')} at ${bin.name}: ${inWords(bin.signatures)}`;
      return svg(
        'g',
        {
          class: 'tracefn-timeline-bar',
          attrs: {
            role: 'button',
            tabindex: i === focusable ? 0 : -1,
            'aria-label': told,
            'aria-pressed': String(bin.key === chosen),
            'data-tracefn': 'timeline-bar',
            'data-empty': bin.signatures.length === 0 || null
          },
          on: { click: () => this._toggle(bin, chosen) }
        },
        svg('title', { text: told }),
        svg('rect', { class: 'tracefn-timeline-back', attrs: { x: x - step / 2, y: 0, width: step, height: height - bottom } }),
        ...segments,
        this._axis === 'cell' &&
          i % every === 0 &&
          svg('text', {
            class: 'tracefn-axis',
            text: bin.label,
            attrs: { x: Math.max(x, left + LABEL_WIDTH / 2), y: height - 3, 'text-anchor': 'middle' }
          })
      );
    });
    const room = width - left - right;
    const ticks = this._axis === 'cell' ? [] : roundTimes(this._spanNs, Math.floor(room / TIME_WIDTH));
    const times = ticks.map(ns => {
      const x = left + (this._spanNs === 0 ? 0 : (room * ns) / this._spanNs);
      const end = x > width - TIME_WIDTH / 2;
      const anchor = ns === 0 ? 'start' : end ? 'end' : 'middle';
      return svg('text', {
        class: 'tracefn-axis',
        text: ns === 0 ? '0' : roundText(ns),
        attrs: { x: Math.min(x, width - right), y: height - 3, 'text-anchor': anchor }
      });
    });
    const base = svg('path', { class: 'tracefn-grid', attrs: { d: `M${left} ${height - bottom}H${width - right}` } });
    return svg(
      'svg',
      {
        class: 'tracefn-chart',
        attrs: { viewBox: `0 0 ${width} ${height}`, height, role: 'group', 'aria-label': this._axis === 'time' ? t`Traces by time, coloured by cause` : t`Traces by cell, coloured by cause` }
      },
      base,
      ...times,
      ...bars
    );
  }

  private _toggle(bin: Bin, chosen: string | null): void {
    if (bin.signatures.length > 0) {
      this._choose(bin.key === chosen ? null : bin);
    }
  }

  private _keydown(event: KeyboardEvent): void {
    const bars = [...this._chart.querySelectorAll<SVGElement>('[role=button]')];
    const at = bars.indexOf(event.target as SVGElement);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (at >= 0 && by !== undefined) {
      const next = bars[Math.min(Math.max(at + by, 0), bars.length - 1)];
      bars.forEach(bar => setAttr(bar, 'tabindex', bar === next ? 0 : -1));
      next?.focus();
    } else if (at >= 0 && (event.key === 'Enter' || event.key === ' ')) {
      bars[at]?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private _axisButton(axis: Axis, text: string): HTMLButtonElement {
    return h('button', {
      class: 'tracefn-button tracefn-button-text',
      text,
      attrs: { type: 'button', role: 'radio', 'aria-checked': String(axis === this._axis), 'data-tracefn': `timeline-${axis}` },
      on: {
        click: event => {
          this._axis = axis;
          [...this._switch.children].forEach(other => setAttr(other, 'aria-checked', String(other === event.currentTarget)));
          this._choose(null);
        }
      }
    });
  }

  private _chart: HTMLElement;
  private _switch: HTMLElement;
  private _axis: Axis = 'time';
  private _bins: readonly Bin[] = [];
  private _shown = '';
  private _resize: ResizeObserver;
  private _width: number = CHART.width;
  private _spanNs = 0;
  private _chosen: string | null = null;
}

/** A round time without digits that say nothing: `50 ms`. */
function roundText(ns: number): string {
  return duration(ns).replace(/\.0+ /, ' ');
}

/** How many of the traces are of each family, in the order of the legend. */
export function countFamilies(signatures: readonly Signature[]): [CauseFamily, number][] {
  const times = new Map<CauseFamily, number>();
  for (const { retrace } of signatures) {
    const family = colourOf(retrace);
    times.set(family, (times.get(family) ?? 0) + 1);
  }
  return FAMILIES.flatMap(family => (times.has(family) ? [[family, times.get(family) ?? 0]] : []));
}

function inWords(signatures: readonly Signature[]): string {
  return countFamilies(signatures)
    .map(([family, times]) => `${times} ${familyLabel(family)}`)
    .join(', ');
}
