/** The new graph beside that of an earlier trace: opened on demand, fetched by query, with a list of the differences. */

import { Graph } from '../../protocol';
import { Signature, State } from '../../store';
import { h } from '../common/dom';
import { Comparison, Side } from '../compare/comparison';
import { Host } from '../common/host';
import { TraceRow } from './rows';
import { t } from '../../words';

/** The section. */
export class DiffSection {
  constructor(private readonly _host: Host) {
    this._against = h('select', {
      class: 'tracefn-filter-function',
      attrs: { 'aria-label': t`Compare with`, 'data-tracefn': 'diff-against' },
      on: { change: () => this._draw() }
    });
    this._comparison = new Comparison(_host);
    this.element = h(
      'details',
      { class: 'tracefn-fold', attrs: { 'data-tracefn': 'graphs' }, on: { toggle: () => this._draw() } },
      h('summary', { class: 'tracefn-heading', text: t`Graphs side by side` }),
      h('div', { class: 'tracefn-filter' }, h('label', {}, t`beside `, this._against)),
      this._comparison.element
    );
  }

  readonly element: HTMLDetailsElement;

  update(state: State, row: TraceRow): void {
    this._state = state;
    const { signature } = row;
    const owner = state.functions.get(row.retrace.functionId);
    const earlier = (owner?.signatures ?? [])
      .flatMap(id => state.signatures.get(id) ?? [])
      .filter(({ trace, size }) => size && trace < row.retrace.trace);
    this.element.hidden = !this._host.ask || !signature?.size || earlier.length === 0;
    const key = JSON.stringify([row.retrace.seq, earlier.length]);
    if (key !== this._shown) {
      const kept = this._signature === signature ? this._against.value : '';
      this._shown = key;
      this._against.replaceChildren(
        ...[...earlier].reverse().map(({ id, trace }) => h('option', { text: `#${trace}`, attrs: { value: id } }))
      );
      const best = earlier.find(({ trace }) => trace === (signature?.verdict?.sameAs ?? row.retrace.nearest));
      this._against.value = kept || best?.id || earlier[earlier.length - 1]?.id || '';
    }
    this._signature = signature;
    this._draw();
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._comparison.restyle();
  }

  dispose(): void {
    this._comparison.dispose();
  }

  private _draw(): void {
    const { _state: state, _signature: b } = this;
    const a = state?.signatures.get(this._against.value);
    if (!this.element.open || !state || !a || !b || this.element.hidden) {
      return;
    }
    const sides = [a, b].map(each => ({ title: `#${each.trace}`, ref: each.size?.hash ?? '', graph: this._graphOf(state, each) }));
    const [left, right] = sides as [Side, Side];
    const gone = !left.graph && a.status === 'dropped' ? a : !right.graph && b.status === 'dropped' ? b : null;
    if (left.ref !== right.ref && (!left.graph || !right.graph)) {
      this._comparison.clear();
      this._comparison.say(gone ? t`Trace #${gone.trace} was dropped, and its graph with it.` : t`Fetching the graphs…`);
    } else {
      void this._comparison.show(left, right);
    }
  }

  private _graphOf({ graphs }: State, { size, status }: Signature): Graph | null {
    const graph = graphs.get(size?.hash ?? '') ?? null;
    if (!graph && size && status !== 'dropped') {
      this._host.requestGraph?.(size.hash);
    }
    return graph;
  }

  private _against: HTMLSelectElement;
  private _comparison: Comparison;
  private _state: State | null = null;
  private _signature: Signature | null = null;
  private _shown = '';
}
