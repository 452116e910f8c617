/** The source of the function, and of others that the trace came through, each line with its treatment while tracing, its nodes, and the time that it takes. */

import { count, counted, duration } from '../format';
import { nodesAt, withBodies } from '../layout';
import { decodeStaging, StagedLine, Staging } from '../protocol';
import { EventOf, Graph, Location, ProfileLine } from '../protocol';
import { shiftOf, Signature } from '../store';
import { h } from './common/dom';
import { Host, reachable } from './common/host';
import { placeLink } from './common/place';
import { highlight } from './common/python';
import { t } from '../words';

type Profile = EventOf<'profile.measured'>;

const NOTHING: Staging = { lines: [], functions: [] };

/** A function in the overlay: its lines, where it begins, and the times of its lines in a call, if they are known. */
interface Part {
  readonly lines: readonly StagedLine[];
  readonly defined: Location | null;
  readonly times: ReadonlyMap<number, ProfileLine> | null;
}

/** The overlay of one signature, fetched from the kernel. */
export class StagingView {
  /** `show` goes to the nodes that a line made. */
  constructor(
    private readonly _host: Host,
    private readonly _show: (line: Location) => void
  ) {
    this.element = h('section', { class: 'tracefn-staging', attrs: { 'aria-label': t`The function, line by line` } });
  }

  readonly element: HTMLElement;

  /** Show a signature and its graph; `defined` is where its function stands. Its profile has the times of lines. */
  update(signature: Signature | null, defined: Location | null, graph: Graph | null): void {
    const key = signature?.status === 'ready' ? signature.id : null;
    const profile = signature?.profile ?? null;
    if (profile !== this._profile || graph !== this._graph) {
      this._profile = profile;
      this._graph = graph;
      if (key === this._shown) {
        this._draw(defined);
      }
    }
    if (key === this._shown) {
      return;
    }
    this._shown = key;
    this._staging = NOTHING;
    this.element.replaceChildren();
    const { ask } = this._host;
    if (!signature || key === null || !ask) {
      return;
    }
    ask('staging', { function: signature.functionId, trace: signature.trace }).then(
      answer => {
        if (key === this._shown) {
          this._staging = decodeStaging(answer) ?? NOTHING;
          this._draw(defined);
        }
      },
      () => undefined // The function or the trace is gone: only its program below is left.
    );
  }

  private _draw(defined: Location | null): void {
    this.element.replaceChildren(...(this._staging.lines.length > 0 ? this._parts(defined) : []));
  }

  private _parts(defined: Location | null): Node[] {
    const { lines, functions } = this._staging;
    const graph = this._graph && withBodies(this._graph);
    const part = (lines: readonly StagedLine[], defined: Location | null): Part => ({
      lines,
      defined,
      times: defined && this._profile && lineTimes(this._profile, defined)
    });
    const own = part(lines, defined);
    const others = functions.map(({ lines, location }) => part(lines, location));
    const all = [own, ...others];
    const longest = {
      tracing: Math.max(1, ...all.flatMap(({ lines }) => lines.map(({ ns }) => ns))),
      run: Math.max(1, ...all.flatMap(({ times }) => [...(times?.values() ?? [])].flatMap(line => [line.graph_ns, line.eager_ns])))
    };
    return [
      h('h3', { class: 'tracefn-heading', text: t`What became of each line` }),
      this._table(own, longest, graph),
      ...others.flatMap((other, i) => [
        h(
          'h4',
          { class: 'tracefn-staging-function', attrs: { 'data-tracefn': 'staged-function' } },
          h('span', { text: functions[i]?.name ?? '' }),
          placeLink(this._host, other.defined)
        ),
        this._table(other, longest, graph)
      ]),
      h('p', {
        class: 'tracefn-note',
        text: t`Tracing: the time from the node before to those of the line. A line without nodes counts for the next one.`
      }),
      ...(own.times
        ? [
            h('p', {
              class: 'tracefn-note',
              text: t`Graph and eager: the time of the line in a call. That of a kernel is shared evenly among its operations.`
            })
          ]
        : [])
    ];
  }

  private _table({ lines, defined, times }: Part, longest: { tracing: number; run: number }, graph: Graph | null): HTMLElement {
    const shift = shiftOf(lines, defined);
    const indent = indentOf(lines);
    const names = [t`line`, t`became`, t`nodes`, t`tracing`, ...(times ? [t`graph`, t`eager`] : []), t`source`];
    const rows = lines.map(line => {
      const place = defined && { ...defined, line: line.number + shift };
      const time = line.number > 0 ? times?.get(line.number + shift) : undefined;
      const runs = times ? [timeCell(time?.graph_ns, longest.run), timeCell(time?.eager_ns, longest.run)] : [];
      const shown = line.number > 0 ? { ...line, source: line.source.slice(indent) } : line;
      return this._row(shown, [timeCell(line.nodes > 0 ? line.ns : undefined, longest.tracing), ...runs], place, graph);
    });
    return h(
      'div',
      { class: 'tracefn-pre tracefn-staging-lines', attrs: { tabindex: 0, 'data-timed': times !== null } },
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...names.map(text => h('th', { text, attrs: { scope: 'col' } })))),
        h('tbody', {}, ...rows)
      )
    );
  }

  private _row(line: StagedLine, times: readonly HTMLElement[], place: Location | null, graph: Graph | null): HTMLElement {
    const { number, mark, nodes, source } = line;
    const made = number > 0 && place && graph ? nodesAt(graph, place).length : 0;
    const jumps = number > 0 && place && reachable(this._host, place);
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
              title: t`Jump to line ${place.line}`,
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
              text: nodes > 0 ? count(nodes) : t`calls`,
              title: t`Show ${counted(made, 'node')} of this line in the graph`,
              attrs: { type: 'button', 'data-tracefn': 'show-nodes' },
              on: { click: () => this._show(place) }
            })
          : nodes > 0 && count(nodes)
      ),
      ...times,
      h('td', {}, h('code', { class: 'tracefn-staging-source' }, ...(number > 0 ? highlight(source) : [source])))
    );
  }

  private _shown: string | null = null;
  private _staging = NOTHING;
  private _profile: Profile | null = null;
  private _graph: Graph | null = null;
}

/** How far all lines of a function are indented: methods stand in their class. */
function indentOf(lines: readonly StagedLine[]): number {
  const written = lines.filter(({ number, source }) => number > 0 && source.trim() !== '');
  return Math.min(...written.map(({ source }) => source.search(/\S/)));
}

/** The lines of a profile around a place, by their numbers. */
function lineTimes(profile: Profile, { file, cell }: Location): ReadonlyMap<number, ProfileLine> {
  const here = profile.lines.filter(({ location }) => location.file === file && location.cell === cell);
  return new Map(here.map(line => [line.location.line, line]));
}

/** A time with a bar behind it; empty where there is none. */
function timeCell(ns: number | undefined, most: number): HTMLElement {
  const known = ns !== undefined && ns > 0;
  const bar = h('span', { class: 'tracefn-staging-bar', attrs: { 'aria-hidden': 'true' } });
  bar.style.width = `${known ? (ns / most) * 100 : 0}%`;
  return h('td', { class: 'tracefn-right tracefn-staging-time' }, bar, h('span', { text: known ? duration(ns) : '' }));
}

/** The kind of the first mark of a line, for its colour: staged, ran, unrolled, not, python, effect. */
function kindOf(mark: string): string {
  return /^\w*/.exec(mark)?.[0] ?? '';
}
