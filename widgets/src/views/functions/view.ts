/** The tree of traced functions, their signatures and eager calls: how often, at which cost. One signature is selected. */

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
  State
} from '../../store';
import { afterFrame, h, KeyedRows, Row, setAttr, setText } from '../common/dom';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { jumpKey, placeLink } from '../common/place';
import { scrollIntoSight } from '../common/scroll';
import { treeKeys } from '../common/tree_keys';
import { FunctionsBar } from './bar';
import { eagerRow, reasonOf, sayOnce } from './eager_row';
import { Entry, isNeedless, listed } from './listing';
import { Listed, signatureRow } from './signature_row';
import { sparkline } from './sparkline';
import { Table } from './table';
import { t } from '../../words';

/** More signatures of a function than this are not listed, the oldest are left out. */
const MAX_ROWS = 200;

/** The number of rows of a function that are made at once. */
const ROWS_AT_ONCE = 24;
/** The others are made after a pause of this length (ms) without a change: in a storm none are, whose changes come more often. */
const FILL_PAUSE = 1000;
/** The time (ms) between one part of them and the next. */
const FILL_STEP = 50;

/** The state of the view. */
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
    this._tree = h('div', {
      class: 'tracefn-functions',
      attrs: { role: 'tree', 'aria-label': t`Traced functions`, 'data-tracefn': 'functions' }
    });
    this._rows = new KeyedRows(
      this._tree,
      ({ definitions: { newest } }) => newest.key,
      item => this._functionRow(item)
    );
    this._tree.addEventListener('keydown', event => jumpKey(event, event.target as Element));
    treeKeys(this._tree);
    this._bar = new FunctionsBar(
      () => this._refresh(),
      () => this._foldAll()
    );
    this._none = h('p', { class: 'tracefn-more', text: t`No function has that in its name or place.` });
    this.element = h('div', { class: 'tracefn-functions-view' }, this._bar.element, this._tree, this._none);
    // Rows that come and grow move the selected one: it is brought back until the user goes elsewhere in the list. Rows out of sight
    // have a guessed height, which scrolling corrects.
    this._resize = new ResizeObserver(() => {
      if (this._keepsInSight) {
        this._reveal();
      }
    });
    this._resize.observe(this._tree);
    for (const moves of ['wheel', 'pointerdown', 'keydown']) {
      this.element.addEventListener(moves, () => (this._keepsInSight = false), { passive: true });
    }
  }

  readonly element: HTMLElement;

  get selected(): string | null {
    return this._input?.selected ?? null;
  }

  get newest(): string | null {
    return this._newest;
  }

  /** Show a state. Rows that are left are made after `pause` ms. */
  update(input: FunctionsInput, pause = FILL_PAUSE): void {
    const fresh = input.selected !== this.selected;
    this._input = input;
    this._newest = newestSignature(input.state)?.id ?? null;
    this._bar.element.hidden = input.state.functions.size < 2;
    const entries = listed(input.state, this._bar.filter, this._bar.order);
    const rows = entries.map(({ own, eager }) => own.length + eager.length).join();
    const moved = rows !== this._shownRows;
    this._shownRows = rows;
    this._rowsLeft = 0;
    this._rows.update(entries);
    clearTimeout(this._fill);
    if (this._rowsLeft > 0) {
      this._fill = setTimeout(() => this._refresh(FILL_STEP), pause);
    }
    this._none.hidden = entries.length > 0;
    const [first] = this.element.querySelectorAll('[role=treeitem]');
    if (first && !this.element.querySelector('[role=treeitem][tabindex="0"]')) {
      first.setAttribute('tabindex', '0');
    }
    this._keepsInSight = fresh || this._keepsInSight;
    if (this._keepsInSight && (fresh || moved)) {
      this._stop ??= afterFrame(() => this._reveal());
    }
  }

  /** The element that scrolls the list: the selected row stays in its sight when its size changes. */
  scrolledBy(element: HTMLElement): void {
    this._resize.observe(element);
  }

  /** Forget the filter and closed rows: another kernel is shown from now on. */
  reset(): void {
    this._bar.reset();
    this._closed.clear();
    this._withEarlier.clear();
  }

  dispose(): void {
    this._stop?.();
    this._resize.disconnect();
    clearTimeout(this._fill);
    this.element.remove();
  }

  /** Bring the selected row into sight, or its function where it is not listed. */
  private _reveal(): void {
    this._stop = null;
    const { selected } = this;
    const owner = this._state.functions.get(this._state.signatures.get(selected ?? '')?.functionId ?? '');
    const row =
      this._find('[role=treeitem]', item => item.dataset.signature === selected && item.closest('[hidden]') === null) ??
      this._find('[data-function]', item => item.dataset.function === owner?.key);
    if (row) {
      scrollIntoSight(row, this._bar.element.offsetHeight);
    }
  }

  private _find(selector: string, isIt: (item: HTMLElement) => boolean): HTMLElement | undefined {
    return [...this.element.querySelectorAll<HTMLElement>(selector)].find(isIt);
  }

  /** Select the newest trace of a function, or its eager calls where it has none. */
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

  /** Close all functions, or open them where all are closed. */
  private _foldAll(): void {
    const keys = definitions(this._state).map(({ newest }) => newest.key);
    const open = keys.some(key => !this._closed.has(key));
    this._closed = new Set(open ? keys : []);
    this._refresh();
  }

  private _functionRow(item: Entry): Row<Entry> {
    const { key } = item.definitions.newest;
    let current = item.definitions;
    const name = h('span', { class: 'tracefn-function-name' });
    const eager = h('span', { class: 'tracefn-badge', text: t`eager`, attrs: { 'data-kind': 'new', 'data-tracefn': 'eager' } });
    const needlessBadge = h('span', { class: 'tracefn-badge', attrs: { 'data-kind': 'new', 'data-tracefn': 'needless' } });
    const numbers = h('span', { class: 'tracefn-numbers' });
    const place = h('span');
    const course = sparkline();
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
          title: t`Open or close (arrow keys right and left)`,
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
      needlessBadge,
      place,
      course.element,
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
        current = now.definitions;
        const { own, eager: runsEagerly, traces, calls, costNs, needless, needlessNs } = now;
        const { newest, earlier: old } = current;
        const open = !this._closed.has(key);
        const all = this._withEarlier.has(key)
          ? [...own, ...old.flatMap(item => signaturesOf(this._state, item))]
          : own;
        const eagerNow = runsEagerly.filter(({ dropped }) => !dropped);
        eager.hidden = eagerNow.length === 0;
        setAttr(eager, 'title', eagerNow.map(reasonOf).join('\n'));
        needlessBadge.hidden = needless === 0;
        setText(needlessBadge, t`${count(needless)} needless`);
        setAttr(needlessBadge, 'title', t`${counted(needless, 'trace')} that one graph could have served: ${duration(needlessNs)}`);
        setText(name, newest.name);
        course.update(own);
        setAttr(head, 'title', t`${newest.key}: select its newest trace`);
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
        this._rowsLeft += rows.update(
          shown.map((signature, i) => ({ signature, parts: parts[i] ?? [], needless: isNeedless(this._state, signature) })),
          ROWS_AT_ONCE
        );
        eagerList.hidden = !open;
        eagerRows.update(open ? runsEagerly.slice(-MAX_ROWS) : []);
        sayOnce(eagerList.querySelectorAll<HTMLElement>('.tracefn-eager-reason'));
        const unlisted = Math.max(0, all.length - MAX_ROWS) + newest.forgotten.traces;
        more.hidden = !open || unlisted === 0;
        setText(more, t`${count(unlisted)} earlier signatures are not listed`);
        earlier.hidden = !open || old.length === 0;
        const many = counted(old.length, 'earlier definition');
        setText(earlier, this._withEarlier.has(key) ? t`Hide ${many}` : t`Show ${many}`);
      }
    };
  }

  private _toggle(key: string): void {
    flip(this._closed, key);
    this._refresh();
  }

  private _refresh(pause = FILL_PAUSE): void {
    if (this._input) {
      this.update(this._input, pause);
    }
  }

  private get _state(): State {
    return (this._input as FunctionsInput).state;
  }

  private _tree: HTMLElement;
  private _resize: ResizeObserver;
  private _bar: FunctionsBar;
  private _none: HTMLElement;
  private _rows: KeyedRows<Entry>;
  private _input: FunctionsInput | null = null;
  private _newest: string | null = null;
  private _keepsInSight = false;
  private _stop: (() => void) | null = null;
  private _rowsLeft = 0;
  private _fill: ReturnType<typeof setTimeout> | undefined;
  private _shownRows = '';
  private _closed = new Set<string>();
  private _withEarlier = new Set<string>();
}

function flip(set: Set<string>, key: string): void {
  if (!set.delete(key)) {
    set.add(key);
  }
}
