/** When a function was traced again, as small bars from its first trace to its newest. */

import { counted, duration } from '../../format';
import { Signature } from '../../store';
import { setAttr, svg } from '../common/dom';
import { t } from '../../words';

/** The bars, and their size in px. */
const BARS = 12;
const BAR = { width: 3, height: 12 };

/** Fewer retraces than this are no course. */
const LEAST = 3;

/** Retraces in each of BARS equal parts of the time from the first trace to the newest. */
export function retracesOverTime(own: readonly Signature[]): number[] {
  const bins = Array.from({ length: BARS }, () => 0);
  const [from, to] = [own[0]?.startedNs ?? 0, own[own.length - 1]?.startedNs ?? 0];
  for (const { startedNs, retrace } of own) {
    if (retrace !== null) {
      const bin = Math.min(BARS - 1, Math.floor(((startedNs - from) / Math.max(1, to - from)) * BARS));
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
  }
  return bins;
}

/** A drawing that shows the traces of a function, oldest first. */
export function sparkline(): { readonly element: SVGSVGElement; update(own: readonly Signature[]): void } {
  const element = svg('svg', {
    class: 'tracefn-sparkline',
    attrs: { viewBox: `0 0 ${BARS * BAR.width} ${BAR.height}`, preserveAspectRatio: 'xMaxYMid slice', role: 'img', 'data-tracefn': 'sparkline' }
  });
  setAttr(element, 'data-empty', true);
  let shown = '';
  return {
    element,
    update: own => {
      const bins = retracesOverTime(own);
      const all = bins.reduce((sum, bin) => sum + bin, 0);
      const text = all < LEAST ? '' : bins.join();
      if (text === shown) {
        return;
      }
      shown = text;
      setAttr(element, 'data-empty', text === '');
      const most = Math.max(...bins);
      const span = (own[own.length - 1]?.startedNs ?? 0) - (own[0]?.startedNs ?? 0);
      const told = t`${counted(all, 'retrace')} in ${duration(span)}, from the first trace to the newest`;
      setAttr(element, 'aria-label', told);
      const bars = bins.map((bin, i) => {
        const height = bin === 0 ? 0 : Math.max(2, (bin / most) * BAR.height);
        return svg('rect', { attrs: { x: i * BAR.width, y: BAR.height - height, width: BAR.width - 1, height } });
      });
      element.replaceChildren(...(text === '' ? [] : [svg('title', { text: told }), ...bars]));
    }
  };
}
