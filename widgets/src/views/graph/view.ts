/** The graph of one signature: drawn, searched, walked through, and explained node by node. */

import { Edge, isDrawnAs, LegendEntry, nodesAt } from '../../layout';
import { Graph, Location } from '../../protocol';
import { Signature, State } from '../../store';
import { h, setText } from '../common/dom';
import { messageBox, Message } from '../common/empty';
import { Host } from '../common/host';
import { Compare, Drawn } from '../compare/bar';
import { boxText, DetailActions, detailOf } from './details/detail';
import { Drawing } from './drawing';
import { edgeDetail, edgeText } from './details/edge_detail';
import { fileName, saveMenuOf } from './export';
import { Failure } from './failure';
import { Finder } from './finder';
import { Folds } from './folds';
import { KeyHelp } from './keys/help';
import { listenToKeys } from './keys/keyboard';
import { Direction, neighbour } from './keys/navigate';
import { Outline } from './outline';
import { Options } from '../look/options';
import { edgeKey, NO_MARKS } from './renderer';
import { Hit, Stage } from './stage';
import { Step, Steps } from './steps';
import { GraphToolbar } from './toolbar';

/** Shows one graph at a time. */
export class GraphView {
  constructor(private readonly _host: Host) {
    this._drawing = new Drawing(_host.createEngine(), {
      clicked: hit => this._clicked(hit),
      grouped: () => this._showGroups(),
      placed: legend => this._placed(legend)
    });
    this._stage = this._drawing.stage;
    this.folds = new Folds(this._drawing);
    listenToKeys(this._stage.element, {
      move: direction => this._move(direction),
      open: () => this._open(),
      escape: () => this._escape(),
      zoom: factor => this._stage.viewport.zoom(factor),
      fit: () => this._stage.fit(0),
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
    this._steps = new Steps(_host, (graph, step) => this._show(graph ?? this._graph, step));
    this._compare = new Compare(_host, open => {
      [this._main, this._detail, this._options.element].forEach(part => (part.hidden = open));
    });
    this._options = new Options(_host, this._drawing, () => this._afterSelect(false));
    this._toolbar = new GraphToolbar(
      {
        search: query => this._search(query),
        step: by => this._step(by),
        zoom: factor => this._stage.viewport.zoom(factor),
        fit: () => this._stage.fit(0),
        expandAll: () => this._drawing.expandAll(),
        collapseAll: () => this._drawing.collapseAll(),
        toggleTable: () => this._toggleTable(),
        save: saveMenuOf(this._drawing, () => this.element, () => fileName(this._graph, this._signature, this._shownStep)),
        popOut: _host.popOut
      },
      [this._options.toggle, this._steps.toggle, this._compare.toggle]
    );
    this._failure = new Failure(_host, id => this.select(id), () => this._mark());
    this._finder = new Finder(this._drawing, this._toolbar);
    this._live = h('div', { class: 'tracefn-offscreen', attrs: { 'aria-live': 'polite' } });
    this._detail = h('div', { class: 'tracefn-detail-place' });
    this._empty = h('div', { class: 'tracefn-stage-empty' });
    this._main = h(
      'div',
      { class: 'tracefn-graph-main' },
      this._stage.element,
      this._outline.element,
      this._drawing.notice,
      this._help.element,
      this._empty
    );
    this.element = h(
      'div',
      { class: 'tracefn-graph', attrs: { 'data-tracefn': 'graph' } },
      this._toolbar.element,
      this._options.element,
      this._steps.element,
      this._failure.element,
      this._main,
      this._compare.element,
      this._detail,
      this._live
    );
  }

  readonly element: HTMLElement;

  /** Which groups are open: they stay so when another graph has been looked at. */
  readonly folds: Folds;

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
    if (graph && this._graph && isDrawnAs(graph, this._graph)) {
      const hasMoved = graph !== this._graph && this._shown === this._graph;
      this._graph = graph;
      if (hasMoved) {
        this._show(graph);
      }
      this._options.follow(signature);
      return;
    }
    this._graph = graph;
    this._none = none;
    this._steps.close();
    this._show(graph);
  }

  private _show(graph: Graph | null, step: Step | null = null): void {
    this._compare.show(graph && this._named(graph, step));
    const shown = this._shown;
    this._shown = graph;
    this._shownStep = step;
    if (graph && shown && isDrawnAs(graph, shown)) {
      void this._drawing.renew(graph).then(() => this._showDetail());
      return;
    }
    this._selected = null;
    this._edge = null;
    this._detail.replaceChildren();
    this._empty.hidden = graph !== null;
    this._toolbar.element.hidden = graph === null;
    this._drawing.show(graph, this.folds.get(graph?.hash ?? ''), graph ? this._options.lookOf(graph) : undefined);
    this._options.offer(graph, this._signature, step);
    this._finder.find();
    if (!graph) {
      this._empty.replaceChildren(messageBox(this._none));
    }
  }

  private _showGroups(): void {
    const { root, groups } = this._drawing;
    this._toolbar.showGroups(groups.size > 0);
    if (root && !this._outline.element.hidden) {
      this._outline.show(root);
      this._outline.mark(this._selected);
    }
  }

  private _named(graph: Graph, step: Step | null): Drawn {
    return step ? { graph, ...step } : { graph, title: `${graph.name} #${this._signature?.trace ?? ''}`, ref: graph.hash, before: null };
  }

  /** Select a node and bring it into sight, opening the groups around it; `zoom`, so that its text can be read. */
  select(nodeId: string | null, zoom = true): void {
    this._selected = nodeId;
    this._edge = null;
    const { folded } = this._drawing;
    if (nodeId !== null && folded && !folded.boxOf.has(nodeId)) {
      this._showDetail();
      return; // A constant written into its consumers: it has a detail, but no box.
    }
    const opened = nodeId === null ? null : this._drawing.open(nodeId);
    if (opened) {
      void opened.then(() => this._afterSelect(zoom));
    } else {
      this._afterSelect(zoom);
    }
  }

  /** Load Graphviz: a graph will come soon. */
  warm(): void {
    this._drawing.warm();
  }

  /** Select a node as soon as its graph is drawn. */
  reveal(nodeId: string): void {
    this._steps.close();
    this._wanted = this._drawing.isPlaced ? null : nodeId;
    if (this._wanted === null) {
      this.select(nodeId);
    }
  }

  /** Forget the search: graphs of another kernel are shown from now on. */
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

  /** Light up the nodes of a line, where the cursor stands, or nothing. */
  light(line: Location | null): void {
    this._line = line;
    this._mark();
  }

  /** Go to the nodes that a line made, as if they were searched for. */
  showLine(line: Location): void {
    this._finder.findLine(line);
    this.select(this._finder.current);
  }

  private _placed(legend: readonly LegendEntry[]): void {
    this._options.showLegend(legend);
    this._mark();
    this.element.dataset.hash = this._drawing.graph?.hash ?? '';
    if (this._wanted !== null) {
      this.reveal(this._wanted);
    }
  }

  private _toggleGroup(id: string, isByKey = false): void {
    void this._drawing.toggle(id).then(() => this._afterSelect(false, isByKey ? undefined : id));
  }

  /** Show the selection; a `frame` that was clicked stays where the pointer is, if it does not fit into what the detail leaves. */
  private _afterSelect(zoom: boolean, frame?: string): void {
    this._mark();
    this._showDetail();
    this._stage.reveal(frame ?? this._box, zoom, frame !== undefined);
    this._announce();
  }

  private _mark(): void {
    const { folded, graph } = this._drawing;
    const { ids, current } = this._finder;
    this._stage.mark({
      ...NO_MARKS,
      selected: this._box,
      matches: new Set(ids.flatMap(id => folded?.boxOf.get(id) ?? [])),
      current: (current !== null && folded?.boxOf.get(current)) || null,
      lines: new Set(this._line && graph ? nodesAt(graph, this._line).flatMap(id => folded?.boxOf.get(id) ?? []) : []),
      changes: this._failure.marks(folded),
      edge: this._edge && edgeKey(this._edge.from, this._edge.to)
    });
    this._outline.mark(this._selected);
  }

  private _showDetail(): void {
    const detail = detailOf(this._host, this._drawing, this._selected ?? '', this._actions);
    this._detail.replaceChildren(...(detail ? [detail] : []));
  }

  /** The box of the selection. */
  private get _box(): string | null {
    return this._selected && (this._drawing.folded?.boxOf.get(this._selected) ?? this._selected);
  }

  private _announce(): void {
    setText(this._live, boxText(this._stage.scene, this._box));
  }

  private _clicked(hit: Hit): void {
    if (hit.kind === 'edge') {
      this._chooseEdge(hit.edge);
    } else if (hit.kind !== 'nothing' && this._drawing.groups.has(hit.id)) {
      this._selected = this._drawing.groups.get(hit.id)?.node?.id ?? hit.id;
      this._toggleGroup(hit.id);
    } else {
      this.select(hit.kind === 'box' ? hit.id : null, false); // who clicks sees it already
    }
  }

  /** Select nothing, forget the hits, and close the list of keys. */
  private _escape(): void {
    this._help.close();
    this._finder.find();
    this.select(null);
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
      this._toggleGroup(group, true);
    }
  }

  private _chooseEdge(edge: Edge): void {
    this._selected = null;
    this._edge = edge;
    this._mark();
    this._detail.replaceChildren(edgeDetail(this._drawing, edge, this._actions));
    setText(this._live, edgeText(this._drawing, edge));
  }

  private _move(direction: Direction): void {
    const next = this._stage.scene && neighbour(this._stage.scene, this._box, direction);
    if (next !== null) {
      this._selected = next;
      this._edge = null;
      this._mark();
      if (this._detail.childElementCount > 0) {
        this._showDetail();
      }
      this._stage.reveal(next, true);
      this._announce();
    }
  }

  private _open(): void {
    const box = this._box;
    if (box !== null && this._drawing.groups.has(box)) {
      this._toggleGroup(box, true);
    } else {
      this._showDetail();
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
    const table = this._outline.element.hidden;
    this._outline.element.hidden = !table;
    this._stage.element.hidden = table;
    this._showGroups();
    return table;
  }

  private readonly _actions: DetailActions = {
    show: id => this.select(id),
    close: () => {
      this.select(null);
      this._stage.element.focus();
    },
    toggle: id => this._toggleGroup(id),
    pin: (id, isChip) => this._options.pin(id, isChip)
  };
  private _wanted: string | null = null;
  private _edge: Edge | null = null;
  private readonly _help = new KeyHelp(() => this._stage.element.focus());
  private _drawing: Drawing;
  private _stage: Stage;
  private _outline: Outline;
  private _toolbar: GraphToolbar;
  private _live: HTMLElement;
  private _detail: HTMLElement;
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
  private _shownStep: Step | null = null;
  private _selected: string | null = null;
  private _finder: Finder;
}
