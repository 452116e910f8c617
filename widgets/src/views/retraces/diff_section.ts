/** The new graph beside that of an earlier trace: opened on demand, fetched by query, with a list of what differs. */

import { decodeGraphDiff, GraphDiff } from '../../protocol';
import { counted } from '../../format';
import { everyNode } from '../../layout';
import { Graph } from '../../protocol';
import { Signature, State } from '../../store';
import { h } from '../common/dom';
import { DiffView } from '../graph/diff';
import { Host } from '../common/host';
import { TraceRow } from './rows';

/** Differences that are listed as text. */
const MAX_LINES = 40;

/** The section. */
export class DiffSection {
  constructor(private readonly _host: Host) {
    this._against = h('select', {
      class: 'tracefn-filter-function',
      attrs: { 'aria-label': 'Compare with', 'data-tracefn': 'diff-against' },
      on: { change: () => this._draw() }
    });
    this._note = h('p', { class: 'tracefn-note', attrs: { role: 'status', 'data-tracefn': 'diff-note' } });
    this._lines = h('ul', { class: 'tracefn-diff-lines', attrs: { 'aria-label': 'Differences', 'data-tracefn': 'diff-lines' } });
    this._place = h('div');
    this.element = h(
      'details',
      { class: 'tracefn-fold', attrs: { 'data-tracefn': 'graphs' }, on: { toggle: () => this._draw() } },
      h('summary', { class: 'tracefn-heading', text: 'Graphs side by side' }),
      h('div', { class: 'tracefn-filter' }, h('label', {}, 'beside ', this._against), this._note),
      this._place,
      this._lines
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
    this._view?.restyle();
  }

  dispose(): void {
    this._view?.dispose();
  }

  private _draw(): void {
    const { _state: state, _signature: b, _host: host } = this;
    const a = state?.signatures.get(this._against.value);
    if (!this.element.open || !state || !a || !b || this.element.hidden) {
      return;
    }
    const [left, right] = [this._graphOf(state, a), this._graphOf(state, b)];
    const key = `${a.size?.hash} ${b.size?.hash} ${left !== null} ${right !== null}`;
    if (key === this._drawn) {
      return;
    }
    this._drawn = key;
    this._lines.replaceChildren();
    if (a.size?.hash === b.size?.hash) {
      this._say('The same graph, node for node.');
      this._place.hidden = true;
      return;
    }
    const gone = !left && a.status === 'dropped' ? a : !right && b.status === 'dropped' ? b : null;
    if (!left || !right) {
      this._place.hidden = true;
      this._say(gone ? `Trace #${gone.trace} was dropped, and its graph with it.` : 'Fetching the graphs…');
      return;
    }
    this._say('Comparing…');
    host.ask?.('graph_diff', { a: left.hash, b: right.hash }).then(
      answer => {
        const diff = decodeGraphDiff(answer);
        if (diff && key === this._drawn) {
          this._show(left, right, [`#${a.trace}`, `#${b.trace}`], diff);
        }
      },
      error => this._say(`They could not be compared: ${(error as Error).message}`)
    );
  }

  private _show(a: Graph, b: Graph, titles: [string, string], diff: GraphDiff): void {
    if (!this._view) {
      this._view = new DiffView(() => this._host.createEngine());
      this._place.append(this._view.element);
    }
    this._place.hidden = false;
    this._view.show(a, b, titles, diff);
    const lines = linesOf(a, b, diff);
    const { added, removed, changed } = diff;
    this._say(`${counted(added.length, 'node')} added, ${removed.length} removed, ${changed.length} changed`);
    const left = lines.length - MAX_LINES;
    this._lines.replaceChildren(
      ...lines
        .slice(0, MAX_LINES)
        .map(([change, text]) => h('li', { class: 'tracefn-mono', text, attrs: { 'data-change': change } })),
      ...(left > 0 ? [h('li', { class: 'tracefn-note', text: `${left} more` })] : [])
    );
  }

  private _graphOf({ graphs }: State, { size, status }: Signature): Graph | null {
    const graph = graphs.get(size?.hash ?? '') ?? null;
    if (!graph && size && status !== 'dropped') {
      this._host.requestGraph?.(size.hash);
    }
    return graph;
  }

  private _say(text: string): void {
    this._note.textContent = text;
  }

  private _against: HTMLSelectElement;
  private _note: HTMLElement;
  private _lines: HTMLElement;
  private _place: HTMLElement;
  private _view: DiffView | null = null;
  private _state: State | null = null;
  private _signature: Signature | null = null;
  private _shown = '';
  private _drawn = '';
}

/** The differences as text: the drawing's twin. */
function linesOf(a: Graph, b: Graph, diff: GraphDiff): [string, string][] {
  const calls = (graph: Graph): Map<string, string> => new Map(everyNode(graph).map(({ id, call }) => [id, call]));
  const [before, now] = [calls(a), calls(b)];
  return [
    ...diff.changed.map(({ a: old, b: id, what }): [string, string] => {
      return ['changed', `~ ${old === id ? id : `${old} → ${id}`}: ${what}`];
    }),
    ...diff.removed.map((id): [string, string] => ['removed', `− ${id} = ${before.get(id) ?? ''}`]),
    ...diff.added.map((id): [string, string] => ['added', `+ ${id} = ${now.get(id) ?? ''}`])
  ];
}
