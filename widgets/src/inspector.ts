/** All views of one kernel's events put together: the functions above, and below what is known of the selected signature. */

import { counted, duration } from './format';
import {
  definitions,
  emptyState,
  findByName,
  isCurrent,
  nameOf,
  newestSignature,
  ProgressClock,
  progressText,
  Signature,
  SignatureName,
  State
} from './store';
import { h, KeyedRows, setAttr, setText } from './views/dom';
import { messageBox, Message, NOTHING_TRACED } from './views/empty';
import { FunctionsView } from './views/functions';
import { GraphView } from './views/graph';
import { Host } from './views/host';
import { NoticesView } from './views/notices';
import { RetracesView } from './views/retraces/view';
import { SizeView } from './views/size';
import { SourceView } from './views/source';
import { splitter } from './views/splitter';
import { TimingView } from './views/timing';

/** The names of the tabs. */
export type TabName = 'graph' | 'retraces' | 'size' | 'timing' | 'source' | 'notices';

const TABS: readonly [TabName, string][] = [
  ['graph', 'Graph'],
  ['retraces', 'Retraces'],
  ['size', 'Size'],
  ['timing', 'Timing'],
  ['source', 'Source'],
  ['notices', 'Notices']
];

/** What the inspector tells its owner. */
export interface InspectorOptions {
  readonly host: Host;
  /** The user chose a signature. */
  readonly onSelect?: (name: SignatureName) => void;
  /** The user chose a tab. */
  readonly onTab?: (tab: TabName) => void;
}

/** Shows a state. */
export class Inspector {
  constructor(private readonly _options: InspectorOptions) {
    const { host } = _options;
    const choose = (id: string): void => this._choose(id);
    this._functions = new FunctionsView(host, choose);
    this._retraces = new RetracesView(host, choose);
    this._size = new SizeView(choose);
    this._graph = new GraphView(host);
    this._timing = new TimingView(host);
    this._source = new SourceView(host);
    this._notices = new NoticesView(host);
    this._summary = h('div', { class: 'tracefn-summary', attrs: { 'data-tracefn': 'summary' } });
    this._message = h('div', { class: 'tracefn-message' });
    this._progress = h('div', { class: 'tracefn-progress', attrs: { role: 'status', 'data-tracefn': 'progress' } });
    this._progress.hidden = true;
    const pages: Record<TabName, HTMLElement> = {
      graph: this._graph.element,
      retraces: this._retraces.element,
      size: this._size.element,
      timing: this._timing.element,
      source: this._source.element,
      notices: this._notices.element
    };
    const tabs = h('div', {
      class: 'tracefn-tabs',
      attrs: { role: 'tablist', 'aria-label': 'Views' },
      on: { keydown: event => this._tabKeys(event) }
    });
    const lower = h('div', { class: 'tracefn-lower' }, tabs);
    this._tabs = new KeyedRows<readonly [TabName, string]>(
      tabs,
      ([name]) => name,
      ([name]) => this._tabButton(name)
    );
    for (const [name] of TABS) {
      const page = h(
        'div',
        { class: 'tracefn-page', attrs: { role: 'tabpanel', 'data-tracefn': `page-${name}` } },
        pages[name]
      );
      this._pages.set(name, page);
      lower.append(page);
    }
    const upper = h('div', { class: 'tracefn-upper' }, this._functions.element);
    this._body = h('div', { class: 'tracefn-body' }, upper, splitter(upper), lower);
    this.element = h(
      'div',
      { class: 'tracefn tracefn-inspector', attrs: { 'data-tracefn': 'inspector' } },
      this._summary,
      this._progress,
      this._message,
      this._body
    );
    this._body.hidden = true;
  }

  readonly element: HTMLElement;

  /** The signature shown. */
  get selected(): string | null {
    return this._selected;
  }

  /** Show a state. A message stands above it, or in its place before the first trace. */
  update(state: State, message: Message | null = null): void {
    this._state = state;
    const any = state.functions.size > 0;
    const shown = message ?? (any ? null : NOTHING_TRACED);
    this._showMessage(shown);
    this._body.hidden = !any;
    this._summary.hidden = !any;
    this._follow(state);
    this._draw();
    this._clock.update(message ? null : state);
  }

  /** Select a signature by its stable name as soon as it is there; null follows the newest trace. */
  restore(name: SignatureName | null): void {
    this._chosen = name;
    this._selected = null;
    this._redraw();
  }

  /** Select a signature by its id, as the user would. */
  select(id: string): void {
    this._choose(id);
  }

  /** Show a tab. */
  showTab(tab: TabName): void {
    this._tab = tab;
    this._redraw();
  }

  /** Draw again what has taken colours from the theme. */
  restyle(): void {
    this._graph.restyle();
    this._retraces.restyle();
    this._timing.restyle();
    this._redraw();
  }

  dispose(): void {
    this._clock.dispose();
    for (const view of [
      this._functions,
      this._retraces,
      this._size,
      this._graph,
      this._timing,
      this._source,
      this._notices
    ]) {
      view.dispose();
    }
    this.element.remove();
  }

  /**
   * Until the user chooses, the newest trace is selected. What was chosen stays so by its name: beyond a restart, and from one
   * definition of the function to the next when its cell runs again, but not away from an old definition that was chosen as such.
   */
  private _follow(state: State): void {
    const now = state.signatures.get(this._selected ?? '');
    if (now && this._chosen && (isCurrent(state, now) || !this._wasCurrent)) {
      return;
    }
    const found = this._chosen && findByName(state, this._chosen);
    if (!found || found.id !== this._selected) {
      this._setSelected(state, found ?? newestSignature(state));
    }
  }

  private _setSelected(state: State, signature: Signature | null): void {
    this._selected = signature?.id ?? null;
    this._wasCurrent = signature === null || isCurrent(state, signature);
  }

  private _draw(): void {
    const state = this._state;
    if (!state || this._body.hidden) {
      return;
    }
    const signature = state.signatures.get(this._selected ?? '') ?? null;
    const owner = (signature && state.functions.get(signature.functionId)) ?? null;
    this._functions.update({ state, selected: this._selected });
    setText(this._summary, summaryText(state));
    this._tabs.update(TABS);
    for (const [name, page] of this._pages) {
      page.hidden = name !== this._tab;
    }
    switch (this._tab) {
      case 'graph':
        this._drawGraph(state, signature);
        break;
      case 'retraces':
        this._retraces.update(state);
        break;
      case 'size':
        this._size.update({ state, owner, selected: signature });
        break;
      case 'timing':
        this._timing.update(signature);
        break;
      case 'source':
        this._source.update(signature, owner?.defined ?? null);
        break;
      case 'notices':
        this._notices.update(state);
        break;
    }
  }

  private _drawGraph(state: State, signature: Signature | null): void {
    const hash = signature?.size?.hash;
    const graph = (hash !== undefined && state.graphs.get(hash)) || null;
    if (hash !== undefined && !graph) {
      this._options.host.requestGraph?.(hash);
    }
    this._graph.update(graph, graphMessage(signature, state), signature);
  }

  private _choose(id: string): void {
    const signature = this._state?.signatures.get(id);
    if (this._state?.eager.has(id)) {
      this.showTab('retraces');
      this._options.onTab?.('retraces');
      this._retraces.open(id);
    } else if (this._state && signature) {
      this._setSelected(this._state, signature);
      this._chosen = nameOf(this._state, signature);
      this._options.onSelect?.(this._chosen);
      this._redraw();
      this._retraces.open(id);
    }
  }

  private _redraw(): void {
    if (this._state) {
      this._follow(this._state);
      this._draw();
    }
  }

  private _showMessage(message: Message | null): void {
    const key = JSON.stringify(message);
    if (key !== this._shownMessage) {
      this._shownMessage = key;
      this._message.replaceChildren(...(message ? [messageBox(message, 'message')] : []));
      this._message.hidden = message === null;
    }
  }

  private _tabButton(name: TabName): { element: HTMLElement; update: (tab: readonly [TabName, string]) => void } {
    const text = h('span');
    const number = h('span', { class: 'tracefn-tab-number' });
    const element = h(
      'button',
      {
        class: 'tracefn-tab',
        attrs: { type: 'button', role: 'tab', 'data-tracefn': `tab-${name}` },
        on: {
          click: () => {
            this.showTab(name);
            this._options.onTab?.(name);
          }
        }
      },
      text,
      number
    );
    return {
      element,
      update: ([, label]) => {
        const active = name === this._tab;
        setText(text, label);
        setAttr(element, 'aria-selected', String(active));
        setAttr(element, 'tabindex', active ? 0 : -1);
        const { retraces, eager, notices } = this._state ?? emptyState();
        const many = { retraces: retraces.length + eager.size, notices: notices.length }[name as string];
        setText(number, many ? String(many) : '');
        number.hidden = !many;
      }
    };
  }

  private _tabKeys(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by !== undefined) {
      const at = TABS.findIndex(([name]) => name === this._tab);
      const [name] = TABS[(at + by + TABS.length) % TABS.length] as [TabName, string];
      this.showTab(name);
      this._options.onTab?.(name);
      this.element.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus();
      event.preventDefault();
    }
  }

  private _functions: FunctionsView;
  private _retraces: RetracesView;
  private _size: SizeView;
  private _graph: GraphView;
  private _timing: TimingView;
  private _source: SourceView;
  private _notices: NoticesView;
  private _clock = new ProgressClock(progress => {
    this._progress.hidden = progress.length === 0;
    setText(this._progress, progress.map(progressText).join(' · '));
  });
  private _summary: HTMLElement;
  private _progress: HTMLElement;
  private _message: HTMLElement;
  private _body: HTMLElement;
  private _tabs: KeyedRows<readonly [TabName, string]>;
  private _pages = new Map<TabName, HTMLElement>();
  private _state: State | null = null;
  private _selected: string | null = null;
  private _wasCurrent = true;
  private _chosen: SignatureName | null = null;
  private _tab: TabName = 'graph';
  private _shownMessage = '';
}

function summaryText(state: State): string {
  let cost = 0;
  for (const signature of state.signatures.values()) {
    cost += signature.totalNs;
  }
  for (const { traceNs } of state.eager.values()) {
    cost += traceNs;
  }
  const parts = [
    counted(definitions(state).length, 'function'),
    counted(state.signatures.size, 'trace'),
    counted(state.retraces.length, 'retrace'),
    `${duration(cost)} tracing`
  ];
  if (state.eager.size > 0) {
    let calls = 0;
    for (const item of state.eager.values()) {
      calls += item.calls.count;
    }
    parts.push(counted(calls, 'eager call'));
  }
  if (state.skipped > 0) {
    parts.push(`${counted(state.skipped, 'event')} of an unknown type`);
  }
  if (state.dropped > 0) {
    parts.push(`${counted(state.dropped, 'older event')} let go`);
  }
  return parts.join(' · ');
}

function graphMessage(signature: Signature | null, { eager }: State): Message {
  const [calls] = eager.values();
  if (!signature && calls) {
    return {
      title: 'No graph: it runs eagerly',
      text: `${calls.text}. ${calls.fix}`,
      tone: 'warning'
    };
  }
  if (signature?.status === 'failed') {
    return {
      title: 'This trace failed',
      text: signature.error
        ? `${signature.error.error}: ${signature.error.message}`
        : 'It raised before a graph was made.',
      tone: 'warning'
    };
  }
  if (signature?.status === 'tracing') {
    return { title: 'Tracing…', text: 'The graph shows here as soon as it is built.', tone: 'busy' };
  }
  if (signature?.size) {
    return {
      title: 'Fetching the graph…',
      text: 'The kernel is asked for it. While a cell runs, the answer may wait for its end.',
      tone: 'busy'
    };
  }
  return { title: 'No graph', text: 'Select a signature to see its graph.' };
}
