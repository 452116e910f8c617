/** The session in time: cells, calls, traces by phase and native code as bands, summed up where they are selected. */

import { count, counted, duration } from '../../format';
import { decodeTimeline, Span } from '../../protocol';
import { State } from '../../store';
import { button, h, setText } from '../common/dom';
import { messageBox } from '../common/empty';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { rovingButtons } from '../common/roving';
import { download } from '../common/download';
import { Bands } from './bands';
import { inRange, kindText, matches, nameOf, Range, totalsOf, Track, tracksOf, wholeRange, zoomed } from './spans';
import { later, t, translated } from '../../words';

/** Spans in the list. */
const LISTED = 12;

/** The kernel is asked no more often than this, in ms. */
const PAUSE = 1000;

/** The field that tells spans of one name apart. */
const ALIKE: Readonly<Record<string, string>> = { trace: later`trace`, compile: later`native code` };

/** The timeline of one kernel. */
export class SessionView {
  /** `choose` selects a trace. */
  constructor(
    private readonly _host: Host,
    private readonly _choose: (signatureId: string) => void
  ) {
    this._bands = new Bands({ see: range => this._see(range), select: range => this._select(range) });
    this._search = h('input', {
      class: 'tracefn-search-input',
      attrs: { type: 'search', placeholder: t`Search spans`, 'aria-label': t`Search spans by name, kind or cause`, 'data-tracefn': 'session-search' },
      on: { input: () => this._draw(), keydown: event => event.stopPropagation() }
    });
    this._toolbar = h(
      'div',
      { class: 'tracefn-toolbar', attrs: { role: 'toolbar', 'aria-label': t`Session` } },
      h('span', { class: 'tracefn-search' }, icon('search'), this._search),
      h(
        'span',
        { class: 'tracefn-button-group' },
        button({ name: t`Zoom out (−)`, hook: 'session-out' }, () => this._zoom(1 / 1.5), icon('minus')),
        button({ name: t`Zoom in (+)`, hook: 'session-in' }, () => this._zoom(1.5), icon('plus')),
        button({ name: t`Show all (0)`, hook: 'session-all' }, () => this._see(this._whole), icon('fit')),
        button({ name: t`Save for Perfetto`, hook: 'perfetto' }, () => void this._export(), icon('download'))
      )
    );
    this._note = h('p', { class: 'tracefn-note', attrs: { role: 'status' } });
    this._sums = h('div', { class: 'tracefn-session-sums', attrs: { 'data-tracefn': 'session-sums', 'aria-live': 'polite' } });
    this._list = h('div', { attrs: { 'data-tracefn': 'session-list' } });
    this._body = h('div', { class: 'tracefn-view tracefn-session-body' }, this._bands.element, this._note, this._sums, this._list);
    this._empty = h('div', {});
    this.element = h('div', { class: 'tracefn-session', attrs: { 'data-tracefn': 'session' } }, this._toolbar, this._body, this._empty);
    rovingButtons(this._toolbar);
    this._draw();
  }

  readonly element: HTMLElement;

  /** Show the session so far. */
  update({ last }: State): void {
    if (last !== this._last) {
      this._last = last;
      this._ask();
    }
  }

  /** Forget the spans: another kernel is shown from now on. */
  reset(): void {
    this._last = -1;
    this._asked += 1;
    this._take([]);
  }

  dispose(): void {
    this._asked += 1;
    clearTimeout(this._timer);
    this._bands.dispose();
    this.element.remove();
  }

  /** Ask the kernel now, or when the pause since the last time is over. */
  private _ask(): void {
    const { ask } = this._host;
    const wait = this._time + PAUSE - Date.now();
    clearTimeout(this._timer);
    if (!ask) {
      return;
    }
    if (wait > 0) {
      this._timer = setTimeout(() => this._ask(), wait);
      return;
    }
    this._time = Date.now();
    const asked = (this._asked += 1);
    ask('timeline', {}).then(
      answer => {
        if (asked === this._asked) {
          this._take(decodeTimeline(answer) ?? []);
        }
      },
      (error: unknown) => setText(this._note, (error as Error).message)
    );
  }

  /** Take in all spans; who sees all of them goes on to do so. */
  private _take(spans: readonly Span[]): void {
    const all = this._range.from <= this._whole.from && this._range.to >= this._whole.to;
    this._spans = spans;
    this._tracks = tracksOf(spans);
    this._whole = wholeRange(spans);
    if (all || this._spans.length === 0) {
      this._range = this._whole;
      this._selection = null;
    }
    setText(this._note, '');
    this._draw();
  }

  private _see(range: Range): void {
    this._range = range;
    this._draw();
  }

  private _select(range: Range | null): void {
    this._selection = range;
    this._draw();
  }

  private _zoom(factor: number): void {
    this._see(zoomed(this._range, factor, (this._range.from + this._range.to) / 2, this._whole));
  }

  private async _export(): Promise<void> {
    try {
      const trace = await this._host.ask?.('chrome_trace', {});
      download('tracefn.json', JSON.stringify(trace), 'application/json');
      setText(this._note, t`Saved as tracefn.json, which ui.perfetto.dev opens.`);
    } catch (error) {
      setText(this._note, t`It was not saved: ${(error as Error).message}`);
    }
  }

  private _draw(): void {
    const any = this._spans.length > 0;
    this._body.hidden = !any;
    this._toolbar.hidden = !any;
    this._empty.hidden = any;
    if (!any) {
      this._empty.replaceChildren(
        messageBox({ title: t`No timeline yet`, text: t`Cells, traces and what becomes native code show here in time.`, code: 'tracefn.ledger().timeline()' })
      );
      return;
    }
    const query = this._search.value;
    const { _tracks: tracks, _whole: whole, _range: range, _selection: selection } = this;
    this._bands.show({ tracks, whole, range, selection, query });
    const active = selection ?? range;
    const found = inRange(this._spans, active).filter(span => matches(span, query));
    this._sums.replaceChildren(...sums(found, active, selection !== null));
    this._show(this._table(found));
  }

  /** List other spans. Who is at one with the keys stays at it. */
  private _show(table: HTMLElement): void {
    const { activeElement: focused } = document;
    const key = this._list.contains(focused) ? focused?.getAttribute('data-key') : null;
    this._list.replaceChildren(table);
    if (key) {
      const same = [...table.querySelectorAll<HTMLElement>('[data-key]')].find(button => button.dataset.key === key);
      (same ?? this._bands.element).focus({ preventScroll: true });
    }
  }

  /** The longest spans, each with a link to it. */
  private _table(found: readonly Span[]): HTMLElement {
    const longest = [...found].sort((a, b) => b.ns - a.ns).slice(0, LISTED);
    const rows = longest.map(span =>
      h(
        'tr',
        { attrs: { 'data-tracefn': 'session-span', 'data-span': span.kind } },
        h('td', { class: 'tracefn-right', text: duration(span.ns) }),
        h(
          'td',
          { class: 'tracefn-session-name' },
          h('span', { class: 'tracefn-span-dot', attrs: { 'aria-hidden': 'true' } }),
          h('button', {
            class: 'tracefn-link',
            text: nameOf(span),
            title: t`Show it in the timeline`,
            attrs: { type: 'button', 'data-key': `${span.kind} ${span.start}` },
            on: { click: () => this._reveal(span) }
          }),
          span.kind in ALIKE && h('span', { class: 'tracefn-note', text: ` ${translated(ALIKE[span.kind] ?? '')}` }),
          span.details.cause ? h('div', { class: 'tracefn-note', text: span.details.cause }) : ''
        ),
        h(
          'td',
          { class: 'tracefn-right' },
          span.signature !== '' &&
            h('button', {
              class: 'tracefn-link tracefn-note',
              text: span.signature.replace(/#\d+\//, ' #'),
              title: t`Select this trace`,
              attrs: { type: 'button', 'data-key': `${span.kind} ${span.start} trace` },
              on: { click: () => this._choose(span.signature) }
            })
        )
      )
    );
    const heads = [t`time`, t`longest of ${counted(found.length, 'span')}`, t`trace`].map(text => h('th', { text, attrs: { scope: 'col' } }));
    return h('table', { class: 'tracefn-table tracefn-session-list' }, h('thead', {}, h('tr', {}, ...heads)), h('tbody', {}, ...rows));
  }

  /** Zoom to a span, with some room around it, and select it. */
  private _reveal({ start, end }: Span): void {
    const room = Math.max(50, (end - start) * 0.5);
    this._selection = { from: start, to: end };
    this._see({ from: Math.max(this._whole.from, start - room), to: Math.min(this._whole.to, end + room) });
  }

  private _bands: Bands;
  private _search: HTMLInputElement;
  private _toolbar: HTMLElement;
  private _note: HTMLElement;
  private _sums: HTMLElement;
  private _list: HTMLElement;
  private _body: HTMLElement;
  private _empty: HTMLElement;
  private _spans: readonly Span[] = [];
  private _tracks: readonly Track[] = [];
  private _whole: Range = wholeRange([]);
  private _range: Range = wholeRange([]);
  private _selection: Range | null = null;
  private _last = -1;
  private _asked = 0;
  private _time = 0;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/** The sums of the spans, kind by kind. */
function sums(found: readonly Span[], range: Range, selected: boolean): Node[] {
  const items = totalsOf(found, range).map(([kind, ns, number]) =>
    h(
      'li',
      { attrs: { 'data-span': kind } },
      h('span', { class: 'tracefn-span-dot', attrs: { 'aria-hidden': 'true' } }),
      [kindText(kind), ns > 0 ? duration(ns) : '', number > 1 ? `(${count(number)})` : ''].filter(part => part !== '').join(' ')
    )
  );
  return [
    h('strong', { text: `${selected ? t`Selected` : t`In sight`}: ${duration(range.to - range.from)}` }),
    h('ul', { attrs: { 'aria-label': t`Time by kind` } }, ...items)
  ];
}
