/** Times over sizes on two logarithmic axes, as SVG that takes its colours from the page. */

import { count } from '../../format';
import { EventOf, Quartiles, SweepPoint } from '../../protocol';
import { svg } from '../common/dom';
import { later, t } from '../../words';

/** One curve of the plot. */
interface Curve {
  readonly tier: string;
  readonly name: string;
  /** The time at a point, in ns; null where there is none. */
  readonly median: (point: SweepPoint) => number | null;
  readonly range: (point: SweepPoint) => Quartiles | null;
}

/** The curves, those that matter most first: they are drawn last, above the others. */
export const CURVES: readonly Curve[] = [
  { tier: 'eager', name: later`eager Python`, median: point => point.eager_ns[1], range: point => point.eager_ns },
  { tier: 'numpy', name: later`NumPy program`, median: point => point.numpy_ns[1], range: point => point.numpy_ns },
  { tier: 'native', name: later`native program`, median: point => point.native_ns?.[1] ?? null, range: point => point.native_ns },
  { tier: 'copy', name: later`copying the arguments`, median: point => point.copy_ns, range: () => null }
];

const [WIDTH, HEIGHT] = [380, 240];
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 14, 8, 32];

/** A logarithmic axis: where a value is, and the values that have a tick. */
export interface Axis {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** An axis from `start` to `end` px for values from the least to the largest. Few decades have ticks at 2 and 5, too. */
export function logAxis(values: readonly number[], start: number, end: number): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [low, high] = least < most ? [least, most] : [least / 2, most * 2];
  const scale = (end - start) / Math.log(high / low);
  const decades = Math.log10(high / low);
  const steps = decades < 2.5 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    ticks.push(...steps.map(step => step * 10 ** power).filter(tick => tick >= low * 0.999 && tick <= high * 1.001));
  }
  const every = Math.ceil(ticks.length / 7);
  return { at: value => start + Math.log(value / low) * scale, ticks: ticks.filter((_, i) => i % every === 0) };
}

/** A time at a tick: `10 µs`. */
export function tickText(ns: number): string {
  const [scale, unit] = ns >= 1e9 ? [1e9, 's'] : ns >= 1e6 ? [1e6, 'ms'] : ns >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  return `${Number((ns / scale).toPrecision(2))} ${unit}`;
}

/** The plot. Its content stands beside it in words and in a table. */
export function sweepPlot(sweep: EventOf<'sweep.measured'>): SVGSVGElement {
  const { points } = sweep;
  const times = points.flatMap(point => CURVES.flatMap(({ range, median }) => [...(range(point) ?? []), median(point) ?? []].flat()));
  const x = logAxis(points.map(({ size }) => size), LEFT + 6, WIDTH - RIGHT);
  const y = logAxis(times, HEIGHT - BOTTOM - 4, TOP + 4);
  return svg(
    'svg',
    {
      class: 'tracefn-sweep-plot',
      attrs: { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': t`Time of a call over its size`, 'data-tracefn': 'sweep-plot' }
    },
    ...x.ticks.map(tick => vertical(x.at(tick), count(tick))),
    ...y.ticks.map(tick => horizontal(y.at(tick), tickText(tick))),
    svg('text', { class: 'tracefn-axis-name', text: 'n', attrs: { x: WIDTH - RIGHT, y: HEIGHT - 4, 'text-anchor': 'end' } }),
    ...Object.entries(sweep.crosses)
      .filter(([, size]) => size > (points[0]?.size ?? 0))
      .map(([tier, size]) => svg('path', { class: 'tracefn-crossing', attrs: { d: `M${x.at(size)} ${TOP}V${HEIGHT - BOTTOM}`, 'data-curve': tier } })),
    ...[...CURVES].reverse().map(curve => drawn(curve, points, x, y))
  );
}

function vertical(at: number, text: string): SVGElement {
  return svg(
    'g',
    {},
    svg('path', { class: 'tracefn-grid', attrs: { d: `M${at} ${TOP}V${HEIGHT - BOTTOM}` } }),
    svg('text', { class: 'tracefn-tick', text, attrs: { x: at, y: HEIGHT - BOTTOM + 13, 'text-anchor': 'middle' } })
  );
}

function horizontal(at: number, text: string): SVGElement {
  return svg(
    'g',
    {},
    svg('path', { class: 'tracefn-grid', attrs: { d: `M${LEFT} ${at}H${WIDTH - RIGHT}` } }),
    svg('text', { class: 'tracefn-tick', text, attrs: { x: LEFT - 5, y: at + 3.5, 'text-anchor': 'end' } })
  );
}

/** A line through the medians, with a dot at each and a stroke from quartile to quartile. */
function drawn({ tier, median, range }: Curve, points: readonly SweepPoint[], x: Axis, y: Axis): SVGElement {
  const known = points.flatMap(point => {
    const ns = median(point);
    return ns === null ? [] : [{ at: [x.at(point.size), y.at(ns)] as const, range: range(point) }];
  });
  const line = known.map(({ at: [px, py] }, i) => `${i === 0 ? 'M' : 'L'}${px.toFixed(1)} ${py.toFixed(1)}`).join('');
  return svg(
    'g',
    { class: 'tracefn-curve', attrs: { 'data-curve': tier } },
    line !== '' && svg('path', { class: 'tracefn-curve-line', attrs: { d: line } }),
    ...(tier === 'copy'
      ? []
      : known.flatMap(({ at: [px, py], range: quartiles }) => [
          quartiles && svg('path', { class: 'tracefn-curve-range', attrs: { d: `M${px} ${y.at(quartiles[0])}V${y.at(quartiles[2])}` } }),
          svg('circle', { class: 'tracefn-curve-dot', attrs: { cx: px, cy: py, r: 2.6 } })
        ]))
  );
}
