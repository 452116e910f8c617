/** The function's own source, each line with what became of it while tracing, the nodes it made, and the time that took. */

import { decodeStaging, StagedLine } from '../protocol';
import { count, counted, duration } from '../format';
import { nodesAt, withBodies } from '../layout';
import { Graph, Location } from '../protocol';
import { Signature } from '../store';
import { h } from './common/dom';
import { Host, reachable } from './common/host';
import { highlight } from './common/python';

/** The overlay of one signature, fetched from the kernel. */
export class StagingView {
  /** `show` goes to the nodes that a line made. */
  constructor(
    private readonly _host: Host,
    private readonly _show: (line: Location) => void
  ) {
    this.element = h('section', { class: 'tracefn-staging', attrs: { 'aria-label': 'The function, line by line' } });
  }

  readonly element: HTMLElement;

  /** Show a signature and its graph; `defined` is where its function stands. */
  update(signature: Signature | null, defined: Location | null, graph: Graph | null): void {
    const key = signature?.status === 'ready' ? `${signature.id} ${graph !== null}` : null;
    if (key === this._shown) {
      return;
    }
    this._shown = key;
    this.element.replaceChildren();
    const { ask } = this._host;
    if (!signature || key === null || !ask) {
      return;
    }
    ask('staging', { function: signature.functionId, trace: signature.trace }).then(
      answer => {
        const lines = decodeStaging(answer) ?? [];
        if (key === this._shown && lines.length > 0) {
          this.element.replaceChildren(...this._parts(lines, defined, graph && withBodies(graph)));
        }
      },
      () => undefined // The function or the trace is gone: its program below is what is left of it.
    );
  }

  private _parts(lines: readonly StagedLine[], defined: Location | null, graph: Graph | null): Node[] {
    // A notebook counts the lines of a cell, the kernel those of the code that IPython made of it.
    const shift = (defined?.line ?? 0) - (lines.find(({ number }) => number > 0)?.number ?? 0);
    const most = Math.max(1, ...lines.map(({ ns }) => ns));
    const heads = ['line', 'became', 'nodes', 'tracing', 'source'].map(text => h('th', { text, attrs: { scope: 'col' } }));
    const rows = lines.map(line => this._row(line, most, defined && { ...defined, line: line.number + shift }, graph));
    return [
      h('h3', { class: 'tracefn-heading', text: 'What became of each line' }),
      h(
        'div',
        { class: 'tracefn-pre tracefn-staging-lines', attrs: { tabindex: 0 } },
        h('table', {}, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows))
      ),
      h('p', {
        class: 'tracefn-note',
        text: 'Tracing: the time from the node before to those of the line. A line without nodes counts for the next one.'
      })
    ];
  }

  private _row({ number, mark, nodes, source, ns }: StagedLine, most: number, place: Location | null, graph: Graph | null): HTMLElement {
    const made = number > 0 && place && graph ? nodesAt(graph, place).length : 0;
    const jumps = number > 0 && place && reachable(this._host, place);
    const bar = h('span', { class: 'tracefn-staging-bar', attrs: { 'aria-hidden': 'true' } });
    bar.style.width = `${nodes > 0 ? (ns / most) * 100 : 0}%`;
    return h(
      'tr',
      { attrs: { 'data-tracefn': 'staged-line', 'data-mark': kindOf(mark) } },
      h(
        'td',
        { class: 'tracefn-right tracefn-staging-number' },
        jumps
          ? h('button', {
              class: 'tracefn-link',
              text: String(place.line),
              title: `Jump to line ${place.line}`,
              attrs: { type: 'button' },
              on: { click: () => this._host.jump?.(place) }
            })
          : String(number || '')
      ),
      h('td', {}, mark !== '' && h('span', { class: 'tracefn-badge', text: mark })),
      h(
        'td',
        { class: 'tracefn-right' },
        made > 0 && place
          ? h('button', {
              class: 'tracefn-link',
              text: nodes > 0 ? count(nodes) : 'calls',
              title: `Show ${counted(made, 'node')} of this line in the graph`,
              attrs: { type: 'button', 'data-tracefn': 'show-nodes' },
              on: { click: () => this._show(place) }
            })
          : nodes > 0 && count(nodes)
      ),
      h('td', { class: 'tracefn-right tracefn-staging-time' }, bar, h('span', { text: nodes > 0 ? duration(ns) : '' })),
      h('td', {}, h('code', { class: 'tracefn-staging-source' }, ...(number > 0 ? highlight(source) : [source])))
    );
  }

  private _shown: string | null = null;
}

/** The kind of the first mark of a line, for its colour: staged, ran, unrolled, not, python, effect. */
function kindOf(mark: string): string {
  return /^\w*/.exec(mark)?.[0] ?? '';
}
