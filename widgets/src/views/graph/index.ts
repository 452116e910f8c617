/** The graph of one signature: laid out in a worker, drawn, searched, walked through, and explained node by node. */

import {
  ancestors,
  DotText,
  expandAll,
  firstExpanded,
  fold,
  Folded,
  Fonts,
  Group,
  groupsById,
  groupTree,
  LayoutEngine,
  Placement,
  Rect,
  Superseded,
  TextMeasure,
  toDot,
  toggle,
  toScene
} from '../../layout';
import { cut, counted, typeText } from '../../format';
import { Graph } from '../../protocol';
import { h, setText } from '../dom';
import { messageBox, Message } from '../empty';
import { Host } from '../host';
import { DetailActions, groupDetail, nodeDetail } from './detail';
import { download, toSvgText } from './export';
import { Direction, neighbour } from './navigate';
import { Outline } from './outline';
import { searchNodes } from './search';
import { Hit, Stage } from './stage';
import { GraphToolbar } from './toolbar';

const FONTS: Fonts = {
  title: '600 12px system-ui, -apple-system, "Segoe UI", sans-serif',
  detail: '11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'
};

/** A layout that takes longer than this (ms) says so. */
const SLOW = 400;

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right'
};

/** Shows one graph at a time. */
export class GraphView {
  constructor(private readonly _host: Host) {
    this._engine = _host.createEngine();
    this._measure = new TextMeasure(FONTS);
    this._stage = new Stage(FONTS, (hit, twice) => this._clicked(hit, twice));
    this._stage.element.addEventListener('keydown', event => this._keydown(event));
    this._outline = new Outline(id => this.select(id));
    this._outline.element.hidden = true;
    this._toolbar = new GraphToolbar({
      search: query => this._search(query),
      step: by => this._step(by),
      zoom: factor => this._stage.viewport.zoom(factor),
      fit: () => this._stage.fit(true),
      expandAll: () => this._expandAll(),
      collapseAll: () => this._expand(new Set()),
      toggleTable: () => this._toggleTable(),
      download: () => this._download(),
      popOut: _host.popOut
    });
    this._notice = h('div', { class: 'tracefn-stage-notice', attrs: { role: 'status' } });
    this._live = h('div', { class: 'tracefn-offscreen', attrs: { 'aria-live': 'polite' } });
    this._detail = h('div', { class: 'tracefn-detail-place' });
    this._empty = h('div', { class: 'tracefn-stage-empty' });
    this.element = h(
      'div',
      { class: 'tracefn-graph', attrs: { 'data-tracefn': 'graph' } },
      this._toolbar.element,
      h(
        'div',
        { class: 'tracefn-graph-main' },
        this._stage.element,
        this._outline.element,
        this._notice,
        this._empty
      ),
      this._detail,
      this._live
    );
    this._notice.hidden = true;
    this._resize = new ResizeObserver(() => this._fitWhenSeen());
    this._resize.observe(this._stage.element);
    this._engine.warm();
  }

  readonly element: HTMLElement;

  /** Show a graph, or say why there is none. A graph already shown stays as the user left it. */
  update(graph: Graph | null, none: Message): void {
    if (graph && graph.hash === this._graph?.hash) {
      return;
    }
    this._graph = graph;
    this._selected = null;
    this._hits = [];
    this._at = 0;
    this._detail.replaceChildren();
    this._empty.hidden = graph !== null;
    this._toolbar.element.hidden = graph === null;
    if (!graph) {
      this._engine.cancel();
      this._root = null;
      this._stage.show(null);
      this._empty.replaceChildren(messageBox(none));
      this._say(null);
      return;
    }
    this._root = groupTree(graph);
    this._groups = groupsById(this._root);
    this._toolbar.showGroups(this._groups.size > 0);
    this._expanded = firstExpanded(this._root);
    this._hits = searchNodes(graph, this._toolbar.query);
    this._toolbar.showHits(0, this._hits.length);
    this._fitted = false;
    if (!this._outline.element.hidden) {
      this._outline.show(this._root);
    }
    void this._lay(null);
  }

  /** Select a node and bring it into sight, opening the groups around it. */
  select(nodeId: string | null): void {
    this._selected = nodeId;
    if (nodeId !== null && this._root && this._folded && !this._folded.boxOf.has(nodeId)) {
      this._showDetail();
      return; // A constant written into its consumers: it has a detail, but no box.
    }
    const closed = nodeId === null || !this._root ? [] : this._closedAround(nodeId);
    if (closed.length > 0) {
      this._expanded = new Set([...this._expanded, ...closed]);
      void this._lay(null).then(() => this._afterSelect());
    } else {
      this._afterSelect();
    }
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._mark();
  }

  dispose(): void {
    clearTimeout(this._timer);
    this._resize.disconnect();
    this._engine.dispose();
    this._stage.dispose();
    this.element.remove();
  }

  private async _lay(anchor: { id: string; rect: Rect } | null): Promise<void> {
    const { _graph: graph, _root: root } = this;
    if (!graph || !root) {
      return;
    }
    const folded = fold(graph, root, this._expanded);
    const text = toDot(folded, this._measure);
    const key = `${graph.hash} ${[...this._expanded].sort().join(' ')}`;
    let said = false;
    const slow = setTimeout(() => {
      said = true;
      this._say('Laying out the graph…');
    }, SLOW);
    try {
      this._place(folded, text, await this._engine.layout(key, text.dot), anchor);
      if (said) {
        this._say(null);
      }
    } catch (error) {
      if (!(error instanceof Superseded)) {
        this._say(`The graph could not be laid out (${cut(String(error), 200)}). The table shows all of it.`);
      }
    } finally {
      clearTimeout(slow);
    }
  }

  private _place(
    folded: Folded,
    text: DotText,
    placement: Placement,
    anchor: { id: string; rect: Rect } | null
  ): void {
    this._folded = folded;
    this._stage.show(toScene(folded, text, placement));
    const now = anchor && this._stage.rectOf(anchor.id);
    if (anchor && now) {
      // What was clicked stays where it was on the screen.
      const { scale } = this._stage.viewport.transform;
      const dx = (anchor.rect[0] + anchor.rect[2] / 2 - now[0] - now[2] / 2) * scale;
      const dy = (anchor.rect[1] - now[1]) * scale;
      this._stage.viewport.pan(dx, dy);
    } else if (!this._fitted) {
      this._fitWhenSeen();
    }
    this._mark();
    this.element.dataset.hash = this._graph?.hash ?? '';
  }

  /** Fit once the stage has a size: a panel may be filled while it is hidden. */
  private _fitWhenSeen(): void {
    if (!this._fitted && this._stage.scene && this._stage.element.clientWidth > 0) {
      this._fitted = true;
      this._stage.fit();
    }
  }

  private _expand(expanded: ReadonlySet<string>): void {
    this._expanded = expanded;
    this._fitted = false;
    void this._lay(null);
  }

  private _expandAll(): void {
    if (!this._root) {
      return;
    }
    const { expanded, left } = expandAll(this._root);
    this._expand(expanded);
    if (left > 0) {
      this._say(`Too large to show at once: ${counted(left, 'group')} closed. Open them one by one.`, 6000);
    }
  }

  private _toggleGroup(id: string): void {
    if (this._root) {
      const rect = this._stage.rectOf(id);
      this._expanded = toggle(this._root, this._expanded, id);
      void this._lay(rect && { id, rect }).then(() => this._showDetail());
    }
  }

  private _closedAround(nodeId: string): string[] {
    return ancestors(this._root as Group, nodeId).filter(id => !this._expanded.has(id));
  }

  private _afterSelect(): void {
    this._mark();
    this._showDetail();
    const rect = this._selected === null ? null : this._stage.rectOf(this._selected);
    if (rect) {
      this._stage.viewport.reveal(rect);
    }
    this._announce();
  }

  private _mark(): void {
    const boxOf = this._folded?.boxOf;
    const current = this._hits[this._at];
    this._stage.mark({
      selected: this._selected,
      matches: new Set(this._hits.flatMap(id => boxOf?.get(id) ?? [])),
      current: (current !== undefined && boxOf?.get(current)) || null
    });
    this._outline.mark(this._selected);
  }

  private _showDetail(): void {
    const graph = this._graph;
    const node = graph?.nodes.find(({ id }) => id === this._resultValue(this._selected));
    const group = this._groups.get(this._selected ?? '');
    const actions: DetailActions = {
      show: id => this.select(id),
      close: () => {
        this.select(null);
        this._stage.element.focus();
      },
      toggle: id => this._toggleGroup(id)
    };
    if (graph && node) {
      this._detail.replaceChildren(nodeDetail(this._host, graph, node, actions));
    } else if (group) {
      this._detail.replaceChildren(groupDetail(group, this._expanded.has(group.id), actions));
    } else {
      this._detail.replaceChildren();
    }
  }

  /** A result's box stands for the value it returns. */
  private _resultValue(id: string | null): string | null {
    const [, index] = /^output:(\d+)$/.exec(id ?? '') ?? [];
    return index === undefined ? id : (this._graph?.outputs[Number(index)] ?? null);
  }

  private _announce(): void {
    const box = this._stage.scene?.boxes.get(this._selected ?? '')?.box;
    const parts = box?.node
      ? [box.title, typeText(box.node.dtype, box.node.shape), counted(box.node.inputs.length, 'input')]
      : [box?.title, box?.detail];
    setText(this._live, parts.filter(part => part !== undefined && part !== '').join(', '));
  }

  private _clicked(hit: Hit, twice: boolean): void {
    const group = hit.kind !== 'nothing' && this._groups.has(hit.id);
    if (hit.kind === 'cluster' || (group && !twice)) {
      if (!twice) {
        this._selected = hit.id;
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
      const next = this._stage.scene && neighbour(this._stage.scene, this._selected, direction);
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
        if (this._groups.has(this._selected ?? '')) {
          this._toggleGroup(this._selected as string);
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
    this._hits = this._graph ? searchNodes(this._graph, query) : [];
    this._at = 0;
    this._toolbar.showHits(this._at, this._hits.length);
    this._mark();
    const rect = this._stage.rectOf(this._folded?.boxOf.get(this._hits[0] ?? '') ?? '');
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
    if (table && this._root) {
      this._outline.show(this._root);
      this._outline.mark(this._selected);
    }
    return table;
  }

  private _download(): void {
    const { scene } = this._stage;
    if (scene && this._graph) {
      const text = toSvgText(scene, this.element);
      download(`${this._graph.name.replace(/\W+/g, '_')}.svg`, text, 'image/svg+xml');
    }
  }

  /** Show a line above the drawing, for some ms or until the next one. */
  private _say(text: string | null, ms?: number): void {
    clearTimeout(this._timer);
    this._notice.hidden = text === null;
    setText(this._notice, text ?? '');
    if (ms !== undefined) {
      this._timer = setTimeout(() => this._say(null), ms);
    }
  }

  private _engine: LayoutEngine;
  private _measure: TextMeasure;
  private _stage: Stage;
  private _outline: Outline;
  private _toolbar: GraphToolbar;
  private _notice: HTMLElement;
  private _live: HTMLElement;
  private _detail: HTMLElement;
  private _empty: HTMLElement;
  private _resize: ResizeObserver;
  private _graph: Graph | null = null;
  private _root: Group | null = null;
  private _groups = new Map<string, Group>();
  private _expanded: ReadonlySet<string> = new Set();
  private _folded: Folded | null = null;
  private _selected: string | null = null;
  private _hits: string[] = [];
  private _at = 0;
  private _fitted = false;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
