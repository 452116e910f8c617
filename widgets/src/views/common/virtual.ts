/** A long list of rows of one height, of which only those in sight are in the page. */

import { h, KeyedRows, Row, setAttr } from './dom';

/** Rows beyond the edges that are kept, so that scrolling by a little shows no gap. */
const MARGIN = 6;

/** Numbers the lists, so that ids of their rows differ on one page. */
let lists = 0;

/** How a list shows its items. */
export interface VirtualOptions<T> {
  /** The text for screen readers. */
  readonly label: string;
  /** Height of every row in a list of that width, in px. */
  readonly rowHeight: (width: number) => number;
  /** Tells items apart, beyond updates. */
  readonly key: (item: T) => unknown;
  readonly create: (item: T) => Row<T>;
  /** The user chose an item, by click or by keys. */
  readonly choose: (item: T) => void;
}

/** The list: a grid for screen readers, one stop for the Tab key, arrow keys choose. */
export class VirtualList<T> {
  constructor(private readonly _options: VirtualOptions<T>) {
    lists += 1;
    this._prefix = `tracefn-list-${lists}`;
    this._rowHeight = _options.rowHeight(0);
    this._space = h('div', { class: 'tracefn-virtual-space' });
    this.element = h(
      'div',
      {
        class: 'tracefn-virtual',
        attrs: { role: 'grid', tabindex: 0, 'aria-label': _options.label },
        on: { scroll: () => this._measure(), keydown: event => this._keydown(event) }
      },
      this._space
    );
    this._rows = new KeyedRows(this._space, _options.key, item => this._row(item));
    this._resize = new ResizeObserver(() => this._measure());
    this._resize.observe(this.element);
  }

  readonly element: HTMLElement;

  /** Show these items; `chosen` is the key of the one that is marked. Visible items stay there as others come above them. */
  update(items: readonly T[], chosen: unknown): void {
    const { key } = this._options;
    const rowHeight = this._rowHeight;
    const top = this._items[Math.floor(this._top / rowHeight)];
    this._items = items;
    this._chosen = chosen;
    this._space.style.height = `${items.length * rowHeight}px`;
    setAttr(this.element, 'aria-rowcount', items.length);
    if (top !== undefined && this._top > 0) {
      const now = items.findIndex(item => key(item) === key(top));
      if (now >= 0) {
        this._scrollTo(now * rowHeight + (this._top % rowHeight));
      }
    }
    this._draw();
  }

  /** Bring an item into sight. */
  reveal(index: number): void {
    const rowHeight = this._rowHeight;
    const top = index * rowHeight;
    if (top < this._top) {
      this._scrollTo(top);
    } else if (top + rowHeight > this._top + this._height) {
      this._scrollTo(top + rowHeight - this._height);
    }
    this._draw();
  }

  dispose(): void {
    this._resize.disconnect();
    this.element.remove();
  }

  /** The visible range is read when it changes and not at each update, which would lay out the page each time. */
  private _measure(): void {
    this._top = this.element.scrollTop;
    this._height = this.element.clientHeight;
    const rowHeight = this._options.rowHeight(this.element.clientWidth);
    if (rowHeight !== this._rowHeight) {
      this._rowHeight = rowHeight;
      this._space.style.height = `${this._items.length * rowHeight}px`;
    }
    this._draw();
  }

  private _scrollTo(top: number): void {
    this._top = top;
    this.element.scrollTop = top;
  }

  private _draw(): void {
    const { key } = this._options;
    const rowHeight = this._rowHeight;
    const first = Math.max(0, Math.floor(this._top / rowHeight) - MARGIN);
    const seen = this._items.slice(first, Math.ceil((this._top + this._height) / rowHeight) + MARGIN);
    this._first = first;
    this._rows.update(seen);
    const at = this._items.findIndex(item => key(item) === this._chosen);
    const inSight = at >= first && at < first + seen.length;
    setAttr(this.element, 'aria-activedescendant', inSight ? `${this._prefix}-${at}` : null);
  }

  private _row(item: T): Row<T> {
    const row = this._options.create(item);
    row.element.classList.add('tracefn-virtual-row');
    row.element.setAttribute('role', 'row');
    row.element.addEventListener('click', () => this._options.choose(item));
    return {
      element: row.element,
      update: now => {
        const { key } = this._options;
        const rowHeight = this._rowHeight;
        const index = this._items.indexOf(now, this._first);
        row.element.id = `${this._prefix}-${index}`;
        row.element.style.top = `${index * rowHeight}px`;
        row.element.style.height = `${rowHeight}px`;
        setAttr(row.element, 'aria-rowindex', index + 1);
        setAttr(row.element, 'aria-selected', String(key(now) === this._chosen));
        row.update(now);
      }
    };
  }

  private _keydown(event: KeyboardEvent): void {
    if (event.target !== this.element || this._items.length === 0) {
      return;
    }
    const { key, choose } = this._options;
    const rowHeight = this._rowHeight;
    const page = Math.max(1, Math.floor(this._height / rowHeight) - 1);
    const last = this._items.length - 1;
    const at = this._items.findIndex(item => key(item) === this._chosen);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? 0 : at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: last
    }[event.key];
    if (to === undefined) {
      return;
    }
    const index = Math.min(Math.max(to, 0), last);
    const item = this._items[index];
    if (item !== undefined) {
      this.reveal(index);
      choose(item);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private _prefix: string;
  private _space: HTMLElement;
  private _rows: KeyedRows<T>;
  private _resize: ResizeObserver;
  private _items: readonly T[] = [];
  private _chosen: unknown = null;
  private _first = 0;
  private _top = 0;
  private _height = 0;
  private _rowHeight: number;
}
