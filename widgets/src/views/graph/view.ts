/** The graph of one signature: drawn, searched, walked through, and explained node by node. */

import { drawnAs, Edge, LegendEntry, nodesAt, Rect } from '../../layout';
import { Graph, Location } from '../../protocol';
import { Signature, State } from '../../store';
import { h } from '../common/dom';
import { messageBox, Message } from '../common/empty';
import { Host } from '../common/host';
import { Compare } from '../compare/bar';
import { Options } from '../look/options';
import { DetailActions } from './detail';
import { DetailPane } from './detail_pane';
import { Drawing } from './drawing';
import { downloadSvg } from './export';
import { Failure } from './failure';
import { Finder } from './finder';
import { Folds } from './folds';
import { Heat } from './heat';
import { KeyHelp } from './help';
import { listenToKeys } from './keyboard';
import { Direction, neighbour } from './navigate';
import { Outline } from './outline';
import { edgeKey } from './renderer';
import { Hit, Stage } from './stage';
import { Step, Steps } from './steps';
import { GraphToolbar } from './toolbar';

/** Shows one graph at a time. */
export class GraphView {
  constructor(host: Host) {
    this._drawing = new Drawing(host.createEngine(), {
      clicked: (hit, twice) => this._clicked(hit, twice),
      placed: legend => this._placed(legend)
    });
    this._stage = this._drawing.stage;
    listenToKeys(this._stage.element, {
      move: direction => this._move(direction),
      open: () => this._open(),
      escape: () => {
        this._finder.find();
        this.select(null);
      },
      zoom: factor => this._stage.viewport.zoom(factor),
      fit: () => this._stage.fit(true),
      search: () => this._toolbar.focusSearch(),
      toggleGroup: () => this._toggleAround(),
      toggleFolding: () => this._options.toggleFolding(),
      toggleDirection: () => this._options.toggleDirection(),
      togglePin: () => this._togglePin(),
      toggleAll: () => (this._drawing.expanded.size > 0 ? this._drawing.collapseAll() : this._drawing.expandAll()),
      help: () => this._help.toggle()
    });
    this._outline = new Outline(id => this.select(id));
    this._outline.element.hidden = true;
    this._steps = new Steps(host, (graph, step) => this._show(graph ?? this._graph, step));
    this._compare = new Compare(host, open => {
      [this._main, this._detail.element, this._options.element].forEach(part => (part.hidden = open));
    });
    this._options = new Options(host, this._drawing, () => this._afterSelect(false));
    this._toolbar = new GraphToolbar(
      {
        search: query => this._search(query),
        step: by => this._step(by),
        zoom: factor => this._stage.viewport.zoom(factor),
        fit: () => this._stage.fit(true),
        expandAll: () => this._drawing.expandAll(),
        collapseAll: () => this._drawing.collapseAll(),
        toggleTable: () => this._toggleTable(),
        download: () => downloadSvg(this._drawing, this.element),
        popOut: host.popOut
      },
      [this._options.toggle, this._steps.toggle, this._heat.toggle, this._compare.toggle]
    );
    this._finder = new Finder(this._drawing, this._toolbar);
    this._failure = new Failure(host, id => this.select(id));
    this._detail = new DetailPane(host, this._drawing, this._actions);
    this._empty = h('div', { class: 'tracefn-stage-empty' });
    const layers = [this._stage.element, this._outline.element, this._drawing.notice, this._help.element, this._empty];
    this._main = h('div', { class: 'tracefn-graph-main' }, ...layers);
    this.element = h(
      'div',
      { class: 'tracefn-graph', attrs: { 'data-tracefn': 'graph' } },
      this._toolbar.element,
      this._options.element,
      this._steps.element,
      this._heat.legend,
      this._failure.element,
      this._main,
      this._compare.element,
      this._detail.element,
      this._detail.live
    );
  }

  readonly element: HTMLElement;

  /**
   * Show a graph, or say why there is none. A graph already shown stays as the user left it. `signature` is the one that runs it,
   * whose steps can be seen instead; the graphs of `state` can be compared with it.
   */
  update(graph: Graph | null, none: Message, signature: Signature | null = null, state: State | null = null): void {
    this._signature = signature;
    if (state) {
      this._compare.offer(state);
    }
    this._steps.offer(signature?.status === 'failed' ? null : signature);
    this._failure.update(signature);
    if (this._heat.offer(signature?.profile ?? null)) {
      this._mark();
    }
    if (graph && this._graph && drawnAs(graph) === drawnAs(this._graph)) {
      return;
    }
    this._graph = graph;
    this._none = none;
    this._steps.close();
    this._show(graph);
  }

  private _show(graph: Graph | null, step: Step | null = null): void {
    const title = `${graph?.name} #${this._signature?.trace ?? ''}`;
    this._compare.show(graph && (step ? { graph, ...step } : { graph, title, ref: graph.hash, before: null }));
    if (graph && this._shown && drawnAs(graph) === drawnAs(this._shown)) {
      return;
    }
    this._shown = graph;
    this._selected = null;
    this._edge = null;
    this._detail.show(null);
    this._empty.hidden = graph !== null;
    this._toolbar.element.hidden = graph === null;
    this._keepFolds();
    this._drawing.show(graph, this._folds.get(graph?.hash ?? ''), graph ? this._options.lookOf(graph) : undefined);
    this._options.offer(graph, this._signature, step);
    this._finder.find();
    const { root, groups } = this._drawing;
    if (!root) {
      this._empty.replaceChildren(messageBox(this._none));
      return;
    }
    this._toolbar.showGroups(groups.size > 0);
    if (!this._outline.element.hidden) {
      this._outline.show(root);
    }
  }

  /** Select a node and bring it into sight, opening the groups around it; `zoom`, so that its text can be read. */
  select(nodeId: string | null, zoom = true): void {
    this._selected = nodeId;
    this._edge = null;
    const { folded } = this._drawing;
    if (nodeId !== null && folded && !folded.boxOf.has(nodeId)) {
      this._detail.show(this._selected);
      return; // A constant written into its consumers: it has a detail, but no box.
    }
    const opened = nodeId === null ? null : this._drawing.open(nodeId);
    if (opened) {
      void opened.then(() => this._afterSelect(zoom));
    } else {
      this._afterSelect(zoom);
    }
  }

  /** Select a node as soon as its graph is drawn. */
  reveal(nodeId: string): void {
    this._steps.close();
    this._wanted = this._drawing.isPlaced ? null : nodeId;
    if (this._wanted === null) {
      this.select(nodeId);
    }
  }

  /** Forget what was searched for: graphs of another kernel are shown from now on. */
  reset(): void {
    this._toolbar.clearSearch();
    this._finder.find('');
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._mark();
    this._stage.restyle();
    this._compare.restyle();
  }

  dispose(): void {
    this._steps.dispose();
    this._compare.dispose();
    this._drawing.dispose();
    this.element.remove();
  }

  /** Which groups of a graph are expanded; undefined where it was not shown. */
  foldsOf(hash: string): ReadonlySet<string> | undefined {
    this._keepFolds();
    return this._folds.get(hash);
  }

  /** Expand these groups of a graph when it is shown. */
  setFolds(hash: string, expanded: ReadonlySet<string>): void {
    this._folds.set(hash, expanded);
  }

  /** Light up what a line made, where the cursor stands, or nothing. */
  light(line: Location | null): void {
    this._line = line;
    this._mark();
  }

  /** Go to the nodes that a line made, as if they were searched for. */
  showLine(line: Location): void {
    this._finder.findLine(line);
    this.select(this._finder.current);
  }

  /** What was opened and closed stays so when another graph has been looked at. */
  private _keepFolds(): void {
    const { graph, expanded } = this._drawing;
    if (graph) {
      this._folds.set(graph.hash, expanded);
    }
  }

  private _placed(legend: readonly LegendEntry[]): void {
    this._options.showLegend(legend);
    this._mark();
    this.element.dataset.hash = this._drawing.graph?.hash ?? '';
    const wanted = this._wanted;
    this._wanted = null;
    if (wanted !== null) {
      this.select(wanted);
    }
  }

  private _toggleGroup(id: string): void {
    void this._drawing.toggle(id).then(() => this._detail.show(this._selected));
  }

  private _afterSelect(zoom: boolean): void {
    this._mark();
    this._detail.show(this._selected);
    const box = this._box;
    const rect = box === null ? null : this._stage.rectOf(box);
    if (rect) {
      this._stage.viewport.reveal(rect, zoom);
    }
    this._detail.announce(this._box);
  }

  private _mark(): void {
    const { ids, current } = this._finder;
    const { graph, folded } = this._drawing;
    const boxes = (nodes: readonly string[]): string[] => nodes.flatMap(id => folded?.boxOf.get(id) ?? []);
    this._stage.mark({
      selected: this._box,
      matches: new Set(boxes(ids)),
      current: boxes(current === null ? [] : [current])[0] ?? null,
      lines: new Set(boxes(this._line && graph ? nodesAt(graph, this._line) : [])),
      changes: new Map(boxes(this._failure.node === null ? [] : [this._failure.node]).map(id => [id, 'failed'])),
      heat: this._isOwn ? this._heat.levels(folded) : undefined,
      edge: this._edge && edgeKey(this._edge.from, this._edge.to)
    });
    this._outline.mark(this._selected);
  }

  /** Whether the graph that runs is shown, and not one of the steps to it: only of that one times are known. */
  private get _isOwn(): boolean {
    return this._shown === this._graph;
  }

  /** The box that stands for what is selected. */
  private get _box(): string | null {
    const selected = this._selected;
    return selected === null ? null : (this._drawing.folded?.boxOf.get(selected) ?? selected);
  }

  private _clicked(hit: Hit, twice: boolean): void {
    if (twice) {
      return;
    }
    if (hit.kind === 'edge') {
      this._chooseEdge(hit.edge);
    } else if (hit.kind === 'cluster' || (hit.kind === 'box' && this._drawing.groups.has(hit.id))) {
      this._selected = this._drawing.groups.get(hit.id)?.node?.id ?? hit.id;
      this._toggleGroup(hit.id);
    } else {
      this.select(hit.kind === 'box' ? hit.id : null, false); // who clicks sees it already
    }
  }

  /** Draw the selected value as chips where it is used, or once, with edges. */
  private _togglePin(): void {
    const value = this._selected;
    if (value !== null && this._drawing.find(value)) {
      this._options.pin(value, !this._drawing.isChip(value));
    }
  }

  /** Open or close the group that is selected, or close the one around the selected node. */
  private _toggleAround(): void {
    const group = this._drawing.groupAround(this._box);
    if (group !== null) {
      if (group !== this._box) {
        this._selected = this._drawing.groups.get(group)?.node?.id ?? group;
      }
      this._toggleGroup(group);
    }
  }

  private _chooseEdge(edge: Edge): void {
    this._selected = null;
    this._edge = edge;
    this._mark();
    this._detail.showEdge(edge);
  }

  private _move(direction: Direction): void {
    const next = this._stage.scene && neighbour(this._stage.scene, this._box, direction);
    if (next !== null) {
      this._selected = next;
      this._edge = null;
      this._mark();
      if (this._detail.isOpen) {
        this._detail.show(this._selected);
      }
      this._stage.viewport.reveal(this._stage.rectOf(next) as Rect, true);
      this._detail.announce(this._box);
    }
  }

  private _open(): void {
    const box = this._box;
    if (box !== null && this._drawing.groups.has(box)) {
      this._toggleGroup(box);
    } else {
      this._detail.show(this._selected);
    }
  }

  private _search(query: string): void {
    this._finder.find(query);
    this._mark();
    this._finder.reveal();
  }

  private _step(by: 1 | -1): void {
    const hit = this._finder.step(by, this._selected);
    if (hit !== null) {
      this.select(hit);
    }
  }

  private _toggleTable(): boolean {
    const { element } = this._outline;
    const { root } = this._drawing;
    element.hidden = !element.hidden;
    this._stage.element.hidden = !element.hidden;
    if (!element.hidden && root) {
      this._outline.show(root);
      this._outline.mark(this._selected);
    }
    return !element.hidden;
  }

  private readonly _actions: DetailActions = {
    show: id => this.select(id),
    close: () => {
      this.select(null);
      this._stage.element.focus();
    },
    toggle: id => this._toggleGroup(id),
    pin: (id, isChip) => this._options.pin(id, isChip),
    timeOf: id => (this._isOwn ? this._heat.timeOf(id) : null)
  };
  private readonly _heat = new Heat(() => this._mark());
  private _wanted: string | null = null;
  private _edge: Edge | null = null;
  private readonly _help = new KeyHelp(() => this._stage.element.focus());
  private _drawing: Drawing;
  private _stage: Stage;
  private _outline: Outline;
  private _toolbar: GraphToolbar;
  private _detail: DetailPane;
  private _empty: HTMLElement;
  private _steps: Steps;
  private _failure: Failure;
  private _options: Options;
  private _compare: Compare;
  private _main: HTMLElement;
  private _signature: Signature | null = null;
  private _line: Location | null = null;
  private _graph: Graph | null = null;
  private _shown: Graph | null = null;
  private _none: Message = { title: '', text: '' };
  private _selected: string | null = null;
  private _finder: Finder;
  private _folds = new Folds();
}
