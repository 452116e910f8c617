/** The tree of traced functions, their signatures and what runs eagerly: how often, at what cost. One signature is selected. */

import { count, counted, duration } from '../../format';
import {
  Definitions,
  definitions,
  distinctParts,
  EagerCalls,
  eagerOf,
  newestOf,
  newestSignature,
  signaturesOf,
  State,
  totals
} from '../../store';
import { h, KeyedRows, Row, setAttr, setText } from '../common/dom';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { jumpKey, placeLink } from '../common/place';
import { scrollIntoSight } from '../common/scroll';
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
    this.element.addEventListener('keydown', event => jumpKey(event, event.target as Element));
    treeKeys(this.element);
  }

  readonly element: HTMLElement;

  get selected(): string | null {
    return this._input?.selected ?? null;
  }

  get newest(): string | null {
    return this._newest;
  }

  update(input: FunctionsInput): void {
    const fresh = input.selected !== this.selected;
    this._input = input;
    this._newest = newestSignature(input.state)?.id ?? null;
    this._rows.update(definitions(input.state));
    const [first] = this.element.querySelectorAll('[role=treeitem]');
    if (first && !this.element.querySelector('[role=treeitem][tabindex="0"]')) {
      first.setAttribute('tabindex', '0');
    }
    if (fresh) {
      this._reveal(2);
    }
  }

  dispose(): void {
    cancelAnimationFrame(this._frame);
    this.element.remove();
  }

  /**
   * Bring the selected row into sight, or its function where it is not listed; and once more in the next frames, as rows
   * out of sight have the heights that they were guessed to have.
   */
  private _reveal(frames: number): void {
    const { selected } = this;
    const owner = this._state.functions.get(this._state.signatures.get(selected ?? '')?.functionId ?? '');
    const row =
      this._find('[role=treeitem]', item => item.dataset.signature === selected && item.closest('[hidden]') === null) ??
      this._find('[data-function]', item => item.dataset.function === owner?.key);
    if (row) {
      scrollIntoSight(row);
    }
    cancelAnimationFrame(this._frame);
    if (frames > 0) {
      this._frame = requestAnimationFrame(() => this._reveal(frames - 1));
    }
  }

  private _find(selector: string, isIt: (item: HTMLElement) => boolean): HTMLElement | undefined {
    return [...this.element.querySelectorAll<HTMLElement>(selector)].find(isIt);
  }

  /** Select the newest trace of a function, or what runs eagerly where it has none. */
  private _choose({ newest }: Definitions): void {
    this._closed.delete(newest.key);
    const signature = newestOf(this._state, newest.key);
    const eager = eagerOf(this._state, newest);
    const id = signature?.id ?? eager[eager.length - 1]?.signatureId;
    if (id !== undefined) {
      this.select(id);
    }
    this._refresh();
  }

  private _functionRow(item: Definitions): Row<Definitions> {
    const { key } = item.newest;
    let current = item;
    const name = h('span', { class: 'tracefn-function-name' });
    const eager = h('span', { class: 'tracefn-badge', text: 'eager', attrs: { 'data-kind': 'new', 'data-tracefn': 'eager' } });
    const numbers = h('span', { class: 'tracefn-numbers' });
    const place = h('span');
    const head = h(
      'div',
      {
        class: 'tracefn-function-head',
        attrs: { role: 'treeitem', 'aria-level': 1, tabindex: -1, 'data-tracefn': 'function', 'data-function': key },
        on: { click: () => this._choose(current) }
      },
      h(
        'span',
        {
          class: 'tracefn-fold-sign',
          title: 'Open or close (arrow keys right and left)',
          attrs: { 'data-toggle': true, 'data-tracefn': 'toggle-function' },
          on: {
            click: event => {
              event.stopPropagation();
              this._toggle(key);
            }
          }
        },
        icon('chevron')
      ),
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
    const earlier = h('div', {
      class: 'tracefn-earlier tracefn-link',
      attrs: { role: 'treeitem', 'aria-level': 2, tabindex: -1, 'data-tracefn': 'earlier-definitions' },
      on: {
        click: () => {
          flip(this._withEarlier, key);
          this._refresh();
        }
      }
    });
    const element = h('div', { class: 'tracefn-function' }, head, list, eagerList, more, earlier);
    let shownPlace = '';
    return {
      element,
      update: now => {
        current = now;
        const { newest, earlier: old } = now;
        const open = !this._closed.has(key);
        const own = signaturesOf(this._state, newest);
        const all = this._withEarlier.has(key)
          ? [...own, ...old.flatMap(item => signaturesOf(this._state, item))]
          : own;
        const runsEagerly = eagerOf(this._state, newest);
        const eagerNow = runsEagerly.filter(({ dropped }) => !dropped);
        const { traces, calls, costNs } = totals(own, runsEagerly, newest.forgotten);
        eager.hidden = eagerNow.length === 0;
        setAttr(eager, 'title', eagerNow.map(reasonOf).join('\n'));
        setText(name, newest.name);
        setAttr(head, 'title', `${newest.key}: select its newest trace`);
        setAttr(head, 'aria-expanded', String(open));
        const holds = this._state.signatures.get(this.selected ?? '')?.functionId ?? '';
        setAttr(head, 'data-holds', this._state.functions.get(holds)?.key === key);
        setText(
          numbers,
          `${counted(traces, 'trace')} · ${counted(calls, 'call')} · ${duration(costNs)}`
        );
        const defined = JSON.stringify(newest.defined);
        if (defined !== shownPlace) {
          shownPlace = defined;
          place.replaceChildren(placeLink(this.host, newest.defined, true));
        }
        list.hidden = !open;
        const shown = open ? all.slice(-MAX_ROWS) : [];
        const parts = distinctParts(shown);
        rows.update(shown.map((signature, i) => ({ signature, parts: parts[i] ?? [] })));
        eagerList.hidden = !open;
        eagerRows.update(open ? runsEagerly.slice(-MAX_ROWS) : []);
        sayOnce(eagerList.querySelectorAll<HTMLElement>('.tracefn-eager-reason'));
        const unlisted = Math.max(0, all.length - MAX_ROWS) + newest.forgotten.traces;
        more.hidden = !open || unlisted === 0;
        setText(more, `${count(unlisted)} earlier signatures are not listed`);
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
  private _newest: string | null = null;
  private _frame = 0;
  private _closed = new Set<string>();
  private _withEarlier = new Set<string>();
}

function flip(set: Set<string>, key: string): void {
  if (!set.delete(key)) {
    set.add(key);
  }
}
