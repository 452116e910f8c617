/** A sweep: which length is the size, how far the kernel is, and times over sizes with how they grow in words. */

import { count, cut, duration } from '../../format';
import { EventOf } from '../../protocol';
import { Signature } from '../../store/index';
import { button, h } from '../common/dom';
import { Host } from '../common/host';
import { Job, Jobs } from './jobs';
import { Length, lengthsOf } from './lengths';
import { CURVES, sweepPlot } from './sweep_plot';
import { t, translated } from '../../words';

type Sweep = EventOf<'sweep.measured'>;

/** Characters of the names of the lengths. */
const NAMES = 140;

/** The part of the page about sizes. */
export class SweepView {
  constructor(
    private readonly _host: Host,
    private readonly _jobs: Jobs
  ) {
    this._select = h('select', { class: 'tracefn-steps-select', attrs: { 'aria-label': t`The length that is the size`, 'data-tracefn': 'sweep-length' } });
    this._button = button({ name: t`Sweep ×¼ … ×64`, text: t`Sweep ×¼ … ×64`, class: 'tracefn-button-text', hook: 'sweep-button' }, () => this._start());
    this._progress = h('progress', { class: 'tracefn-sweep-progress', attrs: { 'aria-label': t`Sizes measured`, 'data-tracefn': 'sweep-progress' } });
    this._form = h('div', { class: 'tracefn-sweep-form' }, this._select, this._button, this._progress);
    this._result = h('div', { attrs: { 'data-tracefn': 'sweep' } });
    const heading = h('h3', { class: 'tracefn-heading', text: t`Over sizes` });
    this.element = h('section', { class: 'tracefn-sweep', attrs: { 'aria-label': t`Over sizes` } }, heading, this._form, this._result);
    _jobs.changed = () => this._showState();
    this.update(null);
  }

  readonly element: HTMLElement;

  /** Show a signature: its lengths, and its sweep. */
  update(signature: Signature | null): void {
    if (signature?.id !== this._signature?.id) {
      this._lengths = signature ? lengthsOf(signature.arguments) : [];
      this._select.replaceChildren(...this._lengths.map(({ text }) => h('option', { text })));
    }
    this._signature = signature;
    const sweep = signature?.sweep ?? null;
    if (sweep !== this._shown) {
      this._shown = sweep;
      this._result.replaceChildren(...(sweep && sweep.points.length > 0 ? sweepParts(sweep) : []));
    }
    this._showState();
  }

  private _start(): void {
    const length = this._lengths[this._select.selectedIndex];
    const { sweep } = this._host;
    if (length && sweep && this._jobs.running === null) {
      this._before = this._shown?.seq ?? 0;
      this._job = {
        busy: t`Measuring calls of several sizes…`,
        failed: t`Not all sizes were measured`,
        run: (functionId, trace) => sweep(functionId, trace, length.dimensions)
      };
      this._jobs.start(this._job);
    }
  }

  private _showState(): void {
    const { running } = this._jobs;
    const possible = this._host.sweep !== undefined && this._lengths.length > 0;
    this._form.hidden = !possible;
    this.element.hidden = !possible && this._result.childElementCount === 0;
    this._button.disabled = running !== null;
    const isHere = running !== null && running.job === this._job && running.id === this._signature?.id;
    this._progress.hidden = !isHere;
    const sweep = this._shown;
    if (isHere && sweep && sweep.seq > this._before) {
      this._progress.max = sweep.total;
      this._progress.value = sweep.points.length;
    } else {
      this._progress.removeAttribute('value');
    }
  }

  private _select: HTMLSelectElement;
  private _button: HTMLButtonElement;
  private _progress: HTMLProgressElement;
  private _form: HTMLElement;
  private _result: HTMLElement;
  private _signature: Signature | null = null;
  private _lengths: readonly Length[] = [];
  private _shown: Sweep | null = null;
  private _job: Job | null = null;
  private _before = 0;
}

/** All parts of one sweep. */
export function sweepParts(sweep: Sweep): Node[] {
  const notes = [
    sweep.points.length + sweep.left_out.length < sweep.total ? t`${sweep.points.length} of ${sweep.total} sizes.` : '',
    sweep.left_out.length > 0 ? t`Left out, as a call would take too long or too much memory: ${sweep.left_out.map(count).join(', ')}.` : '',
    sweep.made.length > 0 ? t`With made-up values for ${sweep.made.join(', ')}: the arrays of the call are gone.` : ''
  ];
  return [
    h('p', { class: 'tracefn-note', text: t`Time of a call over n, the length of ${cut(sweep.lengths, NAMES)}`, title: sweep.lengths }),
    sweepPlot(sweep),
    words(sweep),
    ...notes.filter(text => text !== '').map(text => h('p', { class: 'tracefn-note', text })),
    numbers(sweep)
  ];
}

/** The key of the plot: each curve with how it grows, and from where on it is faster. */
function words({ growth, crossing }: Sweep): HTMLElement {
  const items = CURVES.filter(({ tier }) => tier === 'copy' || growth[tier] !== undefined).map(({ tier, name }) => {
    const text = [growth[tier], crossing[tier]].filter(part => part !== undefined).join(', ');
    return h(
      'li',
      { attrs: { 'data-curve': tier } },
      h('span', { class: 'tracefn-curve-key', attrs: { 'aria-hidden': 'true' } }),
      h('span', {}, h('strong', { text: translated(name) }), text === '' ? '' : ` ${text}`)
    );
  });
  return h('ul', { class: 'tracefn-curves', attrs: { 'aria-label': t`Curves`, 'data-tracefn': 'sweep-words' } }, ...items);
}

/** The medians as a table, to be opened. */
function numbers({ points }: Sweep): HTMLElement {
  const heads = ['n', ...CURVES.map(({ name }) => translated(name))];
  const rows = points.map(point =>
    h(
      'tr',
      { attrs: { 'data-tracefn': 'sweep-point' } },
      h('th', { text: count(point.size), attrs: { scope: 'row' } }),
      ...CURVES.map(({ median }) => {
        const ns = median(point);
        return h('td', { class: 'tracefn-right', text: ns === null ? '–' : duration(ns) });
      })
    )
  );
  const element = h('details', { class: 'tracefn-sweep-numbers' }, h('summary', { text: t`Numbers` }));
  const head = h('tr', {}, ...heads.map(text => h('th', { text, attrs: { scope: 'col' } })));
  element.append(h('table', { class: 'tracefn-table' }, h('thead', {}, head), h('tbody', {}, ...rows)));
  return element;
}
