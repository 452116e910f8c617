/** The table of retraces: a row each, as many as there are; only those in sight are in the page. */

import { duration } from '../../format';
import { Retrace } from '../../store';
import { h, Row, setAttr, setText } from '../common/dom';
import { Host } from '../common/host';
import { jumpKey, placeLink } from '../common/place';
import { VirtualList } from '../common/virtual';
import { familyLabel } from './causes';
import { Order, TraceRow } from './rows';
import { t } from '../../words';

/** Rows are as high as the style sheet makes them, in px: two lines in a table that is narrower than this, else one. */
const NARROW = 720;
const HEIGHTS = { narrow: 44, wide: 28 };

/** Room beside a name in its column, in characters: ` #`, and letters that are wider than others. */
const NAME_ROOM = 4;

/** The table. */
export class RetraceTable {
  constructor(
    private readonly _host: Host,
    choose: (retrace: Retrace) => void,
    private readonly _sort: (order: Order) => void
  ) {
    this._heads = { newest: this._head('newest', t`trace`), cost: this._head('cost', t`cost`) };
    this._list = new VirtualList<TraceRow>({
      label: t`Retraces. Arrow keys choose one; its explanation shows below.`,
      rowHeight: width => (width < NARROW ? HEIGHTS.narrow : HEIGHTS.wide),
      key: ({ retrace }) => retrace,
      create: row => this._row(row),
      choose: ({ retrace }) => choose(retrace)
    });
    this._list.element.dataset.tracefn = 'retraces';
    this._list.element.addEventListener('keydown', event =>
      jumpKey(event, this._list.element.querySelector('[role=row][aria-selected=true]'))
    );
    this.element = h(
      'div',
      { class: 'tracefn-retrace-table' },
      h(
        'div',
        { class: 'tracefn-retrace-heads tracefn-retrace-row' },
        this._heads.newest,
        h('span', { class: 'tracefn-retrace-why', text: t`why` }),
        h('span', { class: 'tracefn-retrace-place', text: t`call` }),
        this._heads.cost,
        h('span', { class: 'tracefn-retrace-verdict' })
      ),
      this._list.element
    );
  }

  readonly element: HTMLElement;

  update(rows: readonly TraceRow[], chosen: Retrace | null, order: Order): void {
    for (const [name, head] of Object.entries(this._heads)) {
      setAttr(head, 'aria-pressed', String(name === order));
    }
    // Rows are grids of their own: the longest name, in characters, makes their first columns equal.
    const longest = rows.reduce((most, { name, retrace }) => Math.max(most, name.length + String(retrace.trace).length), 0);
    this.element.style.setProperty('--tf-name-width', `${longest + NAME_ROOM}ch`);
    this._list.update(rows, chosen);
  }

  /** Bring a row into sight. */
  reveal(index: number): void {
    this._list.reveal(index);
  }

  /** Give the table the focus. */
  focus(): void {
    this._list.element.focus();
  }

  dispose(): void {
    this._list.dispose();
  }

  private _head(order: Order, text: string): HTMLElement {
    return h('button', {
      class: `tracefn-retrace-sort ${order === 'cost' ? 'tracefn-cell-number' : 'tracefn-retrace-name'}`,
      text,
      title: order === 'cost' ? t`The most costly first` : t`The newest first`,
      attrs: { type: 'button', 'aria-pressed': 'false', 'data-tracefn': `sort-${order}` },
      on: { click: () => this._sort(order) }
    });
  }

  private _row({ retrace, name, families, eager }: TraceRow): Row<TraceRow> {
    const cost = h('span', { class: 'tracefn-cell-number', attrs: { role: 'gridcell' } });
    const verdict = h('span', {
      class: `tracefn-badge ${eager ? 'tracefn-runs-eagerly' : 'tracefn-needless'}`,
      text: eager ? t`eager` : t`needless`,
      title: eager ? t`eager: the Python function runs` : t`needless: one graph could have served`,
      attrs: { 'data-kind': 'new' }
    });
    const why = families.map(familyLabel).join(', ');
    const element = h(
      'div',
      {
        class: 'tracefn-retrace-row',
        attrs: { 'data-tracefn': 'retrace', 'data-signature': retrace.signatureId, 'data-eager': eager ? 'true' : null }
      },
      h(
        'span',
        { class: 'tracefn-retrace-name', attrs: { role: 'gridcell' } },
        h('span', { text: name, title: name }),
        !eager && h('span', { text: ` #${retrace.trace}` })
      ),
      h(
        'span',
        { class: 'tracefn-retrace-why', title: retrace.text, attrs: { role: 'gridcell' } },
        ...families.map(family => h('span', { class: 'tracefn-cause-dot', title: why, attrs: { 'data-cause': family } })),
        h('span', { class: 'tracefn-cause', text: retrace.text, attrs: { 'data-tracefn': 'cause' } })
      ),
      h('span', { class: 'tracefn-retrace-place', attrs: { role: 'gridcell' } }, placeLink(this._host, retrace.location, true)),
      cost,
      h('span', { class: 'tracefn-retrace-verdict', attrs: { role: 'gridcell' } }, verdict)
    );
    return {
      element,
      update: ({ costNs, needless, earlier }) => {
        setAttr(element, 'data-earlier', earlier);
        setText(cost, costNs === null ? '…' : eager && costNs === 0 ? '' : duration(costNs));
        verdict.hidden = !needless && !eager;
      }
    };
  }

  private _heads: Readonly<Record<Order, HTMLElement>>;
  private _list: VirtualList<TraceRow>;
}
