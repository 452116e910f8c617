/** All views of one kernel's events put together: the functions above, and below the selected signature. */

import { Graph, Location } from './protocol';
import { Paced } from './pace';
import { countRetraces, TracedFunction, ProgressClock, Selection, Signature, SignatureName, State } from './store';
import { h } from './views/common/dom';
import { messageBox, Message, nothingTraced } from './views/common/empty';
import { Host } from './views/common/host';
import { renumber } from './views/common/place';
import { splitter } from './views/common/splitter';
import { TabStrip } from './views/common/tab_strip';
import { FunctionsView } from './views/functions/view';
import { graphMessage } from './views/graph/message';
import { GraphView } from './views/graph/view';
import { NoticesView } from './views/notices';
import { ProgressLine } from './views/progress_line';
import { RetracesView } from './views/retraces/view';
import { SessionView } from './views/session/view';
import { SizeView } from './views/size';
import { SourceView } from './views/source';
import { SummaryLine } from './views/summary_line';
import { TimingView } from './views/timing/view';
import { Title } from './views/title';
import { t } from './words';

/** The pause between graphs that are drawn because they are the newest, in ms: the shortest, and the longest while more come. */
const GRAPH_PAUSES = [16, 3200] as const;

/** The names of the tabs. */
export type TabName = 'graph' | 'retraces' | 'size' | 'timing' | 'session' | 'source' | 'notices';

/** The shown part: a state, the signature selected in it, and the function that has it. */
interface Shown {
  readonly state: State;
  readonly signature: Signature | null;
  readonly owner: TracedFunction | null;
}

/** One view, and its tab. It is updated while its tab is chosen; its count stands beside the label. */
interface ViewTab {
  readonly name: TabName;
  readonly label: string;
  readonly view: { readonly element: HTMLElement; restyle?(): void; dispose(): void };
  readonly update: (shown: Shown) => void;
  /** Whether it shows all functions, whichever signature is selected. */
  readonly all?: boolean;
  /** Whether the page scrolls, and thus has to be reached with the keys. */
  readonly scrolls?: boolean;
  readonly count?: (state: State) => number;
}

/** The messages of the inspector to its owner. */
export interface InspectorOptions {
  readonly host: Host;
  /** The user chose a signature; null: to follow the newest trace. */
  readonly onSelect?: (name: SignatureName | null) => void;
  /** The user chose a tab. */
  readonly onTab?: (tab: TabName) => void;
}

/** Shows a state. */
export class Inspector {
  constructor(private readonly _options: InspectorOptions) {
    const { host } = _options;
    const choose = (id: string): void => this._choose(id);
    const graph = new GraphView(host);
    const retraces = new RetracesView(host, choose);
    const size = new SizeView(choose);
    const timing = new TimingView(host, nodeId => {
      this._chooseTab('graph');
      graph.reveal(nodeId);
    });
    const session = new SessionView(host, choose);
    const source = new SourceView(host, line => this._showLine(line));
    const notices = new NoticesView(host, choose);
    this._functions = new FunctionsView(host, choose);
    this._session = session;
    this._retraces = retraces;
    this._graph = graph;
    this._views = [
      { name: 'graph', label: t`Graph`, view: graph, update: shown => this._updateGraph(graph, shown) },
      {
        name: 'retraces',
        label: t`Retraces`,
        view: retraces,
        update: ({ state }) => retraces.update(state),
        all: true,
        count: state => countRetraces(state).now
      },
      {
        name: 'size',
        label: t`Size`,
        view: size,
        update: ({ state, owner, signature }) => size.update({ state, owner, selected: signature }),
        scrolls: true
      },
      {
        name: 'timing',
        label: t`Timing`,
        view: timing,
        update: shown => timing.update(shown.signature, shown.signature?.profile ? this._graphOf(shown) : null),
        scrolls: true
      },
      {
        name: 'session',
        label: t`Session`,
        view: session,
        update: ({ state }) => session.update(state),
        scrolls: true,
        all: true
      },
      {
        name: 'source',
        label: t`Source`,
        view: source,
        update: shown => source.update(shown.signature, shown.owner?.defined ?? null, this._graphOf(shown)),
        scrolls: true
      },
      {
        name: 'notices',
        label: t`Notices`,
        view: notices,
        update: ({ state }) => notices.update(state),
        scrolls: true,
        all: true,
        count: state => state.notices.length
      }
    ];
    this._pages = this._views.map(({ name, label, view, scrolls }) => {
      const attrs = { role: 'tabpanel', 'aria-label': label, 'data-tracefn': `page-${name}`, tabindex: scrolls ? 0 : null };
      return h('div', { class: 'tracefn-page', attrs }, view.element);
    });
    this._strip = new TabStrip<TabName>(name => this._chooseTab(name));
    this._title = new Title(newest => this._followNewest(newest));
    this._summary = new SummaryLine(host);
    this._message = h('div', { class: 'tracefn-message' });
    this._progress = new ProgressLine(host.stopBuild && (id => void host.stopBuild?.(id).catch(() => undefined)));
    const lower = h('div', { class: 'tracefn-lower' }, this._strip.element, this._title.element, ...this._pages);
    const upper = h('div', { class: 'tracefn-upper' }, this._functions.element);
    this._functions.scrolledBy(upper);
    this._body = h('div', { class: 'tracefn-body' }, upper, splitter(upper), lower);
    this.element = h(
      'div',
      { class: 'tracefn tracefn-inspector', attrs: { 'data-tracefn': 'inspector', tabindex: -1 } },
      this._summary.element,
      this._progress.element,
      this._message,
      this._body
    );
    this._body.hidden = true;
  }

  readonly element: HTMLElement;

  /** The signature shown. */
  get selected(): string | null {
    return this._selection.shown;
  }

  /** Move the focus to the functions, or to the message that stands in their place. */
  focus(): void {
    const [item] = this._functions.element.querySelectorAll<HTMLElement>('[role=treeitem][tabindex="0"]');
    (this._body.hidden || !item ? this.element : item).focus();
  }

  /** List the retraces of the latest run of a cell, by its id. */
  showRetracesOf(cell: string): void {
    this._chooseTab('retraces');
    this._retraces.showCell(cell);
  }

  /** Light up in the graph the nodes of the line at which the cursor stands. */
  light(line: Location | null): void {
    this._graph.light(line);
  }

  /** Which groups of a graph are expanded; undefined where it was not shown. */
  foldsOf(hash: string): ReadonlySet<string> | undefined {
    return this._graph.folds.get(hash);
  }

  /** Show a state. A message stands above it, or in its place before the first trace. */
  update(state: State, message: Message | null = null): void {
    this._state = state;
    const any = state.functions.size > 0;
    const shown = message ?? (any ? null : nothingTraced());
    this._showMessage(shown);
    this._body.hidden = !any;
    this._summary.element.hidden = !any;
    this._selection.follow(state);
    this._draw();
    const newest = Math.max(0, ...state.numbers.values());
    if (newest !== this._numbered) {
      this._numbered = newest;
      renumber(this.element);
    }
    this._clock.update(message ? null : state);
  }

  /** Load the code that draws graphs, before the first one comes. */
  warm(): void {
    this._graph.warm();
  }

  /** Select a signature by its stable name as soon as it is there; null follows the newest trace. */
  restore(name: SignatureName | null): void {
    this._selection.restore(name);
    this._redraw();
  }

  /** Forget choices and filters: another kernel is shown from now on. */
  reset(): void {
    this._graphPace.reset();
    this._retraces.reset();
    this._session.reset();
    this._functions.reset();
    this._graph.reset();
    this.restore(null);
  }

  /** Select a signature by its id, as the user would. */
  select(id: string): void {
    this._choose(id);
  }

  /** Show a tab. */
  showTab(tab: TabName): void {
    this._graphPace.reset();
    this._tab = tab;
    this._redraw();
  }

  /** Draw again the parts that have taken colours from the theme. */
  restyle(): void {
    for (const { view } of this._views) {
      view.restyle?.();
    }
    this._redraw();
  }

  dispose(): void {
    this._graphPace.cancel();
    this._clock.dispose();
    this._functions.dispose();
    for (const { view } of this._views) {
      view.dispose();
    }
    this.element.remove();
  }

  private _draw(): void {
    const state = this._state;
    if (!state || this._body.hidden) {
      return;
    }
    const { shown } = this._selection;
    const signature = state.signatures.get(shown ?? '') ?? null;
    const owner = (signature && state.functions.get(signature.functionId)) ?? null;
    this._functions.update({ state, selected: shown });
    this._summary.update(state);
    this._strip.update(
      this._views.map(({ name, label, count }, i) => ({
        name,
        label,
        page: this._pages[i] as HTMLElement,
        count: count?.(state) ?? 0
      })),
      this._tab
    );
    const view = this._views.find(({ name }) => name === this._tab);
    view?.update({ state, signature, owner });
    const page = view && view.name !== 'graph' ? this._pages[this._views.indexOf(view)] : null; // the graph's toolbar saves more
    this._title.update({ builds: state.builds, signature, owner, selection: this._selection, page: page ?? null }, view?.all === true);
  }

  /** Draw the graph. While new traces keep coming, the newest graph is drawn at a limited rate: it would be replaced before it is read. */
  private _updateGraph(view: GraphView, shown: Shown): void {
    const hash = shown.signature?.size?.hash;
    const draw = (): void => {
      this._drawnHash = hash;
      view.update(this._graphOf(shown), graphMessage(shown.signature, shown.state), shown.signature, shown.state);
    };
    if (hash === this._drawnHash || this._selection.chosen !== null) {
      this._graphPace.cancel();
      draw();
    } else {
      this._graphPace.run(draw);
    }
  }

  /** The graph of the signature shown; it is asked for where it is not there. */
  private _graphOf({ state, signature }: Shown): Graph | null {
    const hash = signature?.size?.hash;
    const graph = (hash !== undefined && state.graphs.get(hash)) || null;
    if (hash !== undefined && !graph) {
      this._options.host.requestGraph?.(hash);
    }
    return graph;
  }

  /** Go to the nodes that a line of the source made. */
  private _showLine(line: Location): void {
    this._chooseTab('graph');
    this._graph.showLine(line);
  }

  /** Show a tab that the user chose, or a link in the page of another: the focus, which would be lost with that page, goes to the tab. */
  private _chooseTab(name: TabName): void {
    const isLost = name !== this._tab && this._pages.some(page => page.contains(document.activeElement));
    this.showTab(name);
    if (isLost) {
      this._strip.focus();
    }
    this._options.onTab?.(name);
  }

  private _choose(id: string): void {
    const signature = this._state?.signatures.get(id);
    if (this._state?.eager.has(id)) {
      this._chooseTab('retraces');
      this._retraces.open(id);
    } else if (this._state && signature) {
      const name = this._selection.choose(this._state, signature);
      this._options.onSelect?.(name);
      this._redraw();
      this._retraces.open(id);
    }
  }

  private _followNewest(newest: boolean): void {
    const { _selection: selection, _state: state } = this;
    const signature = state?.signatures.get(selection.shown ?? '');
    if (!newest && state && signature) {
      const name = selection.choose(state, signature);
      this._options.onSelect?.(name);
    } else if (newest) {
      selection.restore(null);
      this._options.onSelect?.(null);
    }
    this._redraw();
  }

  private _redraw(): void {
    if (this._state) {
      this._selection.follow(this._state);
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

  private _functions: FunctionsView;
  private _retraces: RetracesView;
  private _session: SessionView;
  private _graph: GraphView;
  private _clock = new ProgressClock(progress => this._progress.show(progress));
  private _summary: SummaryLine;
  private _progress: ProgressLine;
  private _message: HTMLElement;
  private _body: HTMLElement;
  private readonly _views: readonly ViewTab[];
  private readonly _pages: readonly HTMLElement[];
  private readonly _strip: TabStrip<TabName>;
  private readonly _title: Title;
  private readonly _selection = new Selection();
  private _state: State | null = null;
  private _tab: TabName = 'graph';
  private _shownMessage = '';
  private readonly _graphPace = new Paced(...GRAPH_PAUSES);
  private _drawnHash: string | undefined;
  private _numbered = 0;
}
