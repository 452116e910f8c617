/** The tree of traced functions, their signatures and what runs eagerly: how often, at what cost. One signature is selected. */

import { count, counted, duration } from '../../format';
import { Definitions, definitions, distinctParts, EagerCalls, eagerOf, signaturesOf, State, totals } from '../../store';
import { button, h, KeyedRows, Row, setAttr, setText } from '../common/dom';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { placeLink } from '../common/place';
import { treeKeys } from '../common/tree_keys';
import { eagerRow, reasonOf, sayOnce } from './eager_row';
import { Listed, signatureRow } from './signature_row';
import { Table } from './table';

/** More signatures of a function than this are not listed, the oldest are left out. */
const MAX_ROWS = 200;

/** What the view shows. */
export interface FunctionsInput {
  readonly state: State;
  readonly selected: string | null;
}

/** The tree of functions. */
export class FunctionsView implements Table {
  constructor(
    readonly host: Host,
    readonly select: (signatureId: string) => void
  ) {
    this.element = h('div', {
      class: 'tracefn-functions',
      attrs: { role: 'tree', 'aria-label': 'Traced functions', 'data-tracefn': 'functions' }
    });
    this._rows = new KeyedRows(
      this.element,
      ({ newest }) => newest.key,
      item => this._functionRow(item)
    );
    treeKeys(this.element);
  }

  readonly element: HTMLElement;

  get selected(): string | null {
    return this._input?.selected ?? null;
  }

  get newest(): string | null {
    const { retraces } = this._state;
    return retraces[retraces.length - 1]?.signatureId ?? null;
  }

  update(input: FunctionsInput): void {
    this._input = input;
    this._rows.update(definitions(input.state));
    const [first] = this.element.querySelectorAll('[role=treeitem]');
    if (first && !this.element.querySelector('[role=treeitem][tabindex="0"]')) {
      first.setAttribute('tabindex', '0');
    }
  }

  dispose(): void {
    this.element.remove();
  }

  private _functionRow(item: Definitions): Row<Definitions> {
    const { key } = item.newest;
    const name = h('span', { class: 'tracefn-function-name' });
    const eager = h('span', { class: 'tracefn-badge', text: 'eager', attrs: { 'data-kind': 'new', 'data-tracefn': 'eager' } });
    const numbers = h('span', { class: 'tracefn-numbers' });
    const place = h('span');
    const head = h(
      'div',
      {
        class: 'tracefn-function-head',
        attrs: { role: 'treeitem', 'aria-level': 1, tabindex: -1, 'data-tracefn': 'function' },
        on: { click: () => this._toggle(key) }
      },
      icon('chevron'),
      name,
      eager,
      place,
      numbers
    );
    const list = h('div', { class: 'tracefn-signatures', attrs: { role: 'group' } });
    const rows = new KeyedRows<Listed>(
      list,
      ({ signature }) => signature,
      ({ signature }) => signatureRow(signature, this)
    );
    const eagerList = h('div', { class: 'tracefn-signatures', attrs: { role: 'group' } });
    const eagerRows = new KeyedRows<EagerCalls>(
      eagerList,
      calls => calls,
      calls => eagerRow(calls, this)
    );
    const more = h('div', { class: 'tracefn-more' });
    const earlier = button({ name: 'Earlier definitions', class: 'tracefn-link' }, () => {
      flip(this._withEarlier, key);
      this._refresh();
    });
    const element = h('div', { class: 'tracefn-function' }, head, list, eagerList, more, earlier);
    let shownPlace = '';
    return {
      element,
      update: ({ newest, earlier: old }) => {
        const open = !this._closed.has(key);
        const own = signaturesOf(this._state, newest);
        const all = this._withEarlier.has(key)
          ? [...own, ...old.flatMap(item => signaturesOf(this._state, item))]
          : own;
        const runsEagerly = eagerOf(this._state, newest);
        const now = runsEagerly.filter(({ dropped }) => !dropped);
        const { traces, calls, costNs } = totals(own, runsEagerly);
        eager.hidden = now.length === 0;
        setAttr(eager, 'title', now.map(reasonOf).join('\n'));
        setText(name, newest.name);
        setAttr(head, 'title', newest.key);
        setAttr(head, 'aria-expanded', String(open));
        setText(
          numbers,
          `${counted(traces, 'trace')} · ${counted(calls, 'call')} · ${duration(costNs)}`
        );
        const defined = JSON.stringify(newest.defined);
        if (defined !== shownPlace) {
          shownPlace = defined;
          place.replaceChildren(placeLink(this.host, newest.defined));
        }
        list.hidden = !open;
        const shown = open ? all.slice(-MAX_ROWS) : [];
        const parts = distinctParts(shown);
        rows.update(shown.map((signature, i) => ({ signature, parts: parts[i] ?? [] })));
        eagerList.hidden = !open;
        eagerRows.update(open ? runsEagerly.slice(-MAX_ROWS) : []);
        sayOnce(eagerList.querySelectorAll<HTMLElement>('.tracefn-eager-reason'));
        more.hidden = !open || all.length <= MAX_ROWS;
        setText(more, `${count(all.length - MAX_ROWS)} earlier signatures are not listed`);
        earlier.hidden = !open || old.length === 0;
        const verb = this._withEarlier.has(key) ? 'Hide' : 'Show';
        setText(earlier, `${verb} ${counted(old.length, 'earlier definition')}`);
      }
    };
  }

  private _toggle(key: string): void {
    flip(this._closed, key);
    this._refresh();
  }

  private _refresh(): void {
    if (this._input) {
      this.update(this._input);
    }
  }

  private get _state(): State {
    return (this._input as FunctionsInput).state;
  }

  private _rows: KeyedRows<Definitions>;
  private _input: FunctionsInput | null = null;
  private _closed = new Set<string>();
  private _withEarlier = new Set<string>();
}

function flip(set: Set<string>, key: string): void {
  if (!set.delete(key)) {
    set.add(key);
  }
}
