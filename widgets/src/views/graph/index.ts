/** The graph of one signature: drawn, searched, walked through, and explained node by node. */

import { controlId, everyNode, Rect } from '../../layout';
import { counted, typeText } from '../../format';
import { Graph } from '../../protocol';
import { Signature } from '../../store';
import { h, setText } from '../dom';
import { messageBox, Message } from '../empty';
import { Host } from '../host';
import { DetailActions, groupDetail, nodeDetail } from './detail';
import { Drawing } from './drawing';
import { download, toSvgText } from './export';
import { Direction, neighbour } from './navigate';
import { Outline } from './outline';
import { NO_CHANGES } from './renderer';
import { searchNodes } from './search';
import { Hit, Stage } from './stage';
import { Steps } from './steps';
import { GraphToolbar } from './toolbar';

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right'
};

/** Shows one graph at a time. */
export class GraphView {
  constructor(private readonly _host: Host) {
    this._drawing = new Drawing(_host.createEngine(), {
      clicked: (hit, twice) => this._clicked(hit, twice),
      placed: () => this._placed()
    });
    this._stage = this._drawing.stage;
    this._stage.element.addEventListener('keydown', event => this._keydown(event));
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
      this._steps.toggle
    );
    this._live = h('div', { class: 'tracefn-offscreen', attrs: { 'aria-live': 'polite' } });
    this._detail = h('div', { class: 'tracefn-detail-place' });
    this._empty = h('div', { class: 'tracefn-stage-empty' });
    this.element = h(
      'div',
      { class: 'tracefn-graph', attrs: { 'data-tracefn': 'graph' } },
      this._toolbar.element,
      this._steps.element,
      h(
        'div',
        { class: 'tracefn-graph-main' },
        this._stage.element,
        this._outline.element,
        this._drawing.notice,
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
    this._steps.offer(signature);
    if (graph && graph.hash === this._graph?.hash) {
      return;
    }
    this._graph = graph;
    this._none = none;
    this._steps.close();
    this._show(graph);
  }

  private _show(graph: Graph | null): void {
    if (graph && graph.hash === this._drawing.graph?.hash) {
      return;
    }
    this._selected = null;
    this._at = 0;
    this._detail.replaceChildren();
    this._empty.hidden = graph !== null;
    this._toolbar.element.hidden = graph === null;
    this._drawing.show(graph);
    this._hits = this._find(this._toolbar.query);
    const { root, groups } = this._drawing;
    if (!root) {
      this._empty.replaceChildren(messageBox(this._none));
      return;
    }
    this._toolbar.showGroups(groups.size > 0);
    this._toolbar.showHits(0, this._hits.length);
    if (!this._outline.element.hidden) {
      this._outline.show(root);
    }
  }

  /** Select a node and bring it into sight, opening the groups around it. */
  select(nodeId: string | null): void {
    this._selected = nodeId;
    const { folded } = this._drawing;
    if (nodeId !== null && folded && !folded.boxOf.has(nodeId)) {
      this._showDetail();
      return; // A constant written into its consumers: it has a detail, but no box.
    }
    const opened = nodeId === null ? null : this._drawing.open(nodeId);
    if (opened) {
      void opened.then(() => this._afterSelect());
    } else {
      this._afterSelect();
    }
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._mark();
  }

  dispose(): void {
    this._steps.dispose();
    this._drawing.dispose();
    this.element.remove();
  }

  private _placed(): void {
    this._mark();
    this.element.dataset.hash = this._drawing.graph?.hash ?? '';
  }

  private _toggleGroup(id: string): void {
    void this._drawing.toggle(id).then(() => this._showDetail());
  }

  private _afterSelect(): void {
    this._mark();
    this._showDetail();
    const box = this._box;
    const rect = box === null ? null : this._stage.rectOf(box);
    if (rect) {
      this._stage.viewport.reveal(rect);
    }
    this._announce();
  }

  private _mark(): void {
    const boxOf = this._drawing.folded?.boxOf;
    const current = this._hits[this._at];
    this._stage.mark({
      selected: this._box,
      matches: new Set(this._hits.flatMap(id => boxOf?.get(id) ?? [])),
      current: (current !== undefined && boxOf?.get(current)) || null,
      changes: NO_CHANGES
    });
    this._outline.mark(this._selected);
  }

  private _showDetail(): void {
    const { folded, groups } = this._drawing;
    const selected = this._selected ?? '';
    const group = groups.get(selected);
    // A result's box stands for the value it returns.
    const found = this._drawing.find(group?.node?.id ?? folded?.values.get(selected) ?? selected);
    const actions: DetailActions = {
      show: id => this.select(id),
      close: () => {
        this.select(null);
        this._stage.element.focus();
      },
      toggle: id => this._toggleGroup(id)
    };
    if (found) {
      const control = groups.get(controlId(found.node)) ?? null;
      const holds = control && { group: control, expanded: this._drawing.isExpanded(control.id) };
      this._detail.replaceChildren(nodeDetail(this._host, found.graph, found.node, holds, actions));
    } else if (group) {
      this._detail.replaceChildren(groupDetail(group, this._drawing.isExpanded(group.id), actions));
    } else {
      this._detail.replaceChildren();
    }
  }

  /** The box that stands for what is selected. */
  private get _box(): string | null {
    const selected = this._selected;
    return selected === null ? null : (this._drawing.folded?.boxOf.get(selected) ?? selected);
  }

  private _find(query: string): string[] {
    const { graph } = this._drawing;
    return graph ? searchNodes(everyNode(graph), query) : [];
  }

  private _announce(): void {
    const box = this._stage.scene?.boxes.get(this._box ?? '')?.box;
    const parts = box?.node
      ? [box.title, typeText(box.node.dtype, box.node.shape), counted(box.node.inputs.length, 'input')]
      : [box?.title, box?.detail];
    setText(this._live, parts.filter(part => part !== undefined && part !== '').join(', '));
  }

  private _clicked(hit: Hit, twice: boolean): void {
    const group = hit.kind !== 'nothing' && this._drawing.groups.has(hit.id);
    if (hit.kind === 'cluster' || (group && !twice)) {
      if (!twice) {
        this._selected = this._drawing.groups.get(hit.id)?.node?.id ?? hit.id;
        this._toggleGroup(hit.id);
      }
    } else if (!twice) {
      this.select(hit.kind === 'box' ? hit.id : null);
    }
  }

  private _keydown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const direction = ARROWS[event.key];
    if (direction) {
      const next = this._stage.scene && neighbour(this._stage.scene, this._box, direction);
      if (next !== null) {
        this._selected = next;
        const open = this._detail.childElementCount > 0;
        this._mark();
        if (open) {
          this._showDetail();
        }
        this._stage.viewport.reveal(this._stage.rectOf(next) as Rect);
        this._announce();
      }
    } else if (!this._act(event.key)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private _act(key: string): boolean {
    switch (key) {
      case 'Enter':
      case ' ':
        if (this._drawing.groups.has(this._box ?? '')) {
          this._toggleGroup(this._box as string);
        } else {
          this._showDetail();
        }
        return true;
      case 'Escape':
        this.select(null);
        return true;
      case '+':
      case '=':
        this._stage.viewport.zoom(1.25);
        return true;
      case '-':
        this._stage.viewport.zoom(0.8);
        return true;
      case '0':
        this._stage.fit(true);
        return true;
      case '/':
        this._toolbar.focusSearch();
        return true;
      default:
        return false;
    }
  }

  private _search(query: string): void {
    this._hits = this._find(query);
    this._at = 0;
    this._toolbar.showHits(this._at, this._hits.length);
    this._mark();
    const rect = this._stage.rectOf(this._drawing.folded?.boxOf.get(this._hits[0] ?? '') ?? '');
    if (rect) {
      this._stage.viewport.reveal(rect);
    }
  }

  private _step(by: 1 | -1): void {
    const { length } = this._hits;
    if (length > 0) {
      // The first Enter goes to the first hit, which is not selected yet.
      const first = this._selected !== this._hits[this._at];
      this._at = first ? this._at : (this._at + by + length) % length;
      this._toolbar.showHits(this._at, length);
      this.select(this._hits[this._at] ?? null);
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
    const { scene } = this._stage;
    const { graph } = this._drawing;
    if (scene && graph) {
      const text = toSvgText(scene, this.element);
      download(`${graph.name.replace(/\W+/g, '_')}.svg`, text, 'image/svg+xml');
    }
  }

  private _drawing: Drawing;
  private _stage: Stage;
  private _outline: Outline;
  private _toolbar: GraphToolbar;
  private _live: HTMLElement;
  private _detail: HTMLElement;
  private _empty: HTMLElement;
  private _steps: Steps;
  private _graph: Graph | null = null;
  private _none: Message = { title: '', text: '' };
  private _selected: string | null = null;
  private _hits: string[] = [];
  private _at = 0;
}
