/** The graph of one signature: drawn, searched, walked through, and explained node by node. */

import { ancestors, drawnAs, Edge, everyNode, Rect } from '../../layout';
import { counted, typeText } from '../../format';
import { Graph } from '../../protocol';
import { Signature } from '../../store';
import { h, setText } from '../common/dom';
import { messageBox, Message } from '../common/empty';
import { Host } from '../common/host';
import { DetailActions, detailOf } from './detail';
import { Drawing } from './drawing';
import { edgeDetail, edgeText } from './edge_detail';
import { Failure } from './failure';
import { Heat } from './heat';
import { KeyHelp } from './help';
import { listenToKeys } from './keyboard';
import { Direction, neighbour } from './navigate';
import { saveGraph } from './node_table';
import { Outline } from './outline';
import { edgeKey } from './renderer';
import { Hits } from './search';
import { Hit, Stage } from './stage';
import { Steps } from './steps';
import { GraphToolbar } from './toolbar';

/** Graphs whose folding is remembered. */
const MAX_FOLDS = 200;

/** Shows one graph at a time. */
export class GraphView {
  constructor(private readonly _host: Host) {
    this._drawing = new Drawing(_host.createEngine(), {
      clicked: (hit, twice) => this._clicked(hit, twice),
      placed: () => this._placed()
    });
    this._stage = this._drawing.stage;
    listenToKeys(this._stage.element, {
      move: direction => this._move(direction),
      open: () => this._open(),
      escape: () => this.select(null),
      zoom: factor => this._stage.viewport.zoom(factor),
      fit: () => this._stage.fit(true),
      search: () => this._toolbar.focusSearch(),
      toggleGroup: () => this._toggleAround(),
      toggleAll: () => (this._drawing.expanded.size > 0 ? this._drawing.collapseAll() : this._drawing.expandAll()),
      help: () => this._help.toggle()
    });
    this._outline = new Outline(id => this.select(id));
    this._outline.element.hidden = true;
    this._steps = new Steps(_host, graph => this._show(graph ?? this._graph));
    this._toolbar = new GraphToolbar(
      {
        search: query => this._search(query),
        step: by => this._step(by),
        zoom: factor => this._stage.viewport.zoom(factor),
        fit: () => this._stage.fit(true),
        expandAll: () => this._drawing.expandAll(),
        collapseAll: () => this._drawing.collapseAll(),
        toggleTable: () => this._toggleTable(),
        download: () => this._download(),
        popOut: _host.popOut
      },
      [this._steps.toggle, this._heat.toggle]
    );
    this._failure = new Failure(_host, id => this.select(id));
    this._live = h('div', { class: 'tracefn-offscreen', attrs: { 'aria-live': 'polite' } });
    this._detail = h('div', { class: 'tracefn-detail-place' });
    this._empty = h('div', { class: 'tracefn-stage-empty' });
    this.element = h(
      'div',
      { class: 'tracefn-graph', attrs: { 'data-tracefn': 'graph' } },
      this._toolbar.element,
      this._steps.element,
      this._heat.legend,
      this._failure.element,
      h(
        'div',
        { class: 'tracefn-graph-main' },
        this._stage.element,
        this._outline.element,
        this._drawing.notice,
        this._help.element,
        this._empty
      ),
      this._detail,
      this._live
    );
  }

  readonly element: HTMLElement;

  /**
   * Show a graph, or say why there is none. A graph already shown stays as the user left it. `signature` is the one that runs it,
   * whose steps can be seen instead.
   */
  update(graph: Graph | null, none: Message, signature: Signature | null = null): void {
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

  private _show(graph: Graph | null): void {
    if (graph && this._shown && drawnAs(graph) === drawnAs(this._shown)) {
      return;
    }
    this._shown = graph;
    this._selected = null;
    this._edge = null;
    this._detail.replaceChildren();
    this._empty.hidden = graph !== null;
    this._toolbar.element.hidden = graph === null;
    this._keepFolds();
    this._drawing.show(graph, this._folds.get(graph?.hash ?? ''));
    this._find(this._toolbar.query);
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
    this._find('');
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._mark();
    this._stage.restyle();
  }

  dispose(): void {
    this._steps.dispose();
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

  /** What was opened and closed stays so when another graph has been looked at. */
  private _keepFolds(): void {
    const { graph, expanded } = this._drawing;
    if (graph) {
      this._folds.delete(graph.hash);
      this._folds.set(graph.hash, expanded);
      const [oldest] = this._folds.keys();
      if (this._folds.size > MAX_FOLDS && oldest !== undefined) {
        this._folds.delete(oldest);
      }
    }
  }

  private _placed(): void {
    this._mark();
    this.element.dataset.hash = this._drawing.graph?.hash ?? '';
    const wanted = this._wanted;
    this._wanted = null;
    if (wanted !== null) {
      this.select(wanted);
    }
  }

  private _toggleGroup(id: string): void {
    void this._drawing.toggle(id).then(() => this._showDetail());
  }

  private _afterSelect(zoom: boolean): void {
    this._mark();
    this._showDetail();
    const box = this._box;
    const rect = box === null ? null : this._stage.rectOf(box);
    if (rect) {
      this._stage.viewport.reveal(rect, zoom);
    }
    this._announce();
  }

  private _mark(): void {
    const boxOf = this._drawing.folded?.boxOf;
    const { ids, current } = this._hits;
    this._stage.mark({
      selected: this._box,
      matches: new Set(ids.flatMap(id => boxOf?.get(id) ?? [])),
      current: (current !== null && boxOf?.get(current)) || null,
      changes: this._failure.marked(boxOf),
      heat: this._isOwn ? this._heat.levels(this._drawing.folded) : undefined,
      edge: this._edge && edgeKey(this._edge.from, this._edge.to)
    });
    this._outline.mark(this._selected);
  }

  /** Whether the graph that runs is shown, and not one of the steps to it: only of that one times are known. */
  private get _isOwn(): boolean {
    return this._shown === this._graph;
  }

  private _showDetail(): void {
    const detail = detailOf(this._host, this._drawing, this._selected ?? '', this._actions);
    this._detail.replaceChildren(...(detail ? [detail] : []));
  }

  /** The box that stands for what is selected. */
  private get _box(): string | null {
    const selected = this._selected;
    return selected === null ? null : (this._drawing.folded?.boxOf.get(selected) ?? selected);
  }

  private _find(query: string): void {
    const { graph } = this._drawing;
    this._hits.find(graph ? everyNode(graph) : [], query);
    this._toolbar.showHits(this._hits.at, this._hits.ids.length);
  }

  private _announce(): void {
    const box = this._stage.scene?.boxes.get(this._box ?? '')?.box;
    const parts = box?.node
      ? [box.title, typeText(box.node.dtype, box.node.shape), counted(box.node.inputs.length, 'input')]
      : [box?.title, box?.detail];
    setText(this._live, parts.filter(part => part !== undefined && part !== '').join(', '));
  }

  private _clicked(hit: Hit, twice: boolean): void {
    if (hit.kind === 'edge') {
      if (!twice) {
        this._chooseEdge(hit.edge);
      }
      return;
    }
    const group = hit.kind !== 'nothing' && this._drawing.groups.has(hit.id);
    if (hit.kind === 'cluster' || (group && !twice)) {
      if (!twice) {
        this._selected = this._drawing.groups.get(hit.id)?.node?.id ?? hit.id;
        this._toggleGroup(hit.id);
      }
    } else if (!twice) {
      this.select(hit.kind === 'box' ? hit.id : null, false); // who clicks sees it already
    }
  }

  /** Open or close the group that is selected, or close the one around the selected node. */
  private _toggleAround(): void {
    const box = this._box;
    const { groups, root } = this._drawing;
    if (box !== null && groups.has(box)) {
      this._toggleGroup(box);
    } else if (box !== null && root) {
      const around = ancestors(root, box);
      const inner = around[around.length - 1];
      if (inner !== undefined) {
        this._selected = groups.get(inner)?.node?.id ?? inner;
        this._toggleGroup(inner);
      }
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
      this._stage.viewport.reveal(this._stage.rectOf(next) as Rect, true);
      this._announce();
    }
  }

  private _open(): void {
    const box = this._box;
    if (box !== null && this._drawing.groups.has(box)) {
      this._toggleGroup(box);
    } else {
      this._showDetail();
    }
  }

  private _search(query: string): void {
    this._find(query);
    this._mark();
    const rect = this._stage.rectOf(this._drawing.folded?.boxOf.get(this._hits.current ?? '') ?? '');
    if (rect) {
      this._stage.viewport.reveal(rect, true);
    }
  }

  private _step(by: 1 | -1): void {
    const hit = this._hits.step(by, this._selected);
    if (hit !== null) {
      this._toolbar.showHits(this._hits.at, this._hits.ids.length);
      this.select(hit);
    }
  }

  private _toggleTable(): boolean {
    const table = this._outline.element.hidden;
    this._outline.element.hidden = !table;
    this._stage.element.hidden = table;
    const { root } = this._drawing;
    if (table && root) {
      this._outline.show(root);
      this._outline.mark(this._selected);
    }
    return table;
  }

  private _download(): void {
    saveGraph(this._drawing.graph, this._outline.element.hidden ? this._stage.scene : null, this.element);
  }

  private readonly _actions: DetailActions = {
    show: id => this.select(id),
    close: () => {
      this.select(null);
      this._stage.element.focus();
    },
    toggle: id => this._toggleGroup(id),
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
  private _live: HTMLElement;
  private _detail: HTMLElement;
  private _empty: HTMLElement;
  private _steps: Steps;
  private _failure: Failure;
  private _graph: Graph | null = null;
  private _shown: Graph | null = null;
  private _none: Message = { title: '', text: '' };
  private _selected: string | null = null;
  private _hits = new Hits();
  private _folds = new Map<string, ReadonlySet<string>>();
}
