/** The tree of traced functions, their signatures and what runs eagerly: how often, at what cost. One signature is selected. */

import { count, counted, duration, placeText } from '../format';
import {
  calledWith,
  Definitions,
  definitions,
  distinctParts,
  EagerCalls,
  eagerNs,
  eagerOf,
  Part,
  Signature,
  signaturesOf,
  State,
  totals
} from '../store';
import { button, h, KeyedRows, Row, setAttr, setText } from './dom';
import { Host } from './host';
import { icon } from './icons';
import { placeLink } from './place';
import { signatureLine, wholeText } from './signature';
import { treeKeys } from './tree_keys';

/** More signatures of a function than this are not listed, the oldest are left out. */
const MAX_ROWS = 200;

/** What the view shows. */
export interface FunctionsInput {
  readonly state: State;
  readonly selected: string | null;
}

/** One signature and what of it is shown. */
interface Listed {
  readonly signature: Signature;
  readonly parts: readonly Part[];
}

/** The tree of functions. */
export class FunctionsView {
  constructor(
    private readonly _host: Host,
    private readonly _select: (signatureId: string) => void
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

  update(input: FunctionsInput): void {
    this._input = input;
    const { retraces } = input.state;
    this._newest = retraces[retraces.length - 1]?.signatureId ?? null;
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
      ({ signature }) => this._signatureRow(signature)
    );
    const eagerList = h('div', { class: 'tracefn-signatures', attrs: { role: 'group' } });
    const eagerRows = new KeyedRows<EagerCalls>(
      eagerList,
      calls => calls,
      calls => this._eagerRow(calls)
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
          place.replaceChildren(placeLink(this._host, newest.defined));
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

  private _signatureRow(signature: Signature): Row<Listed> {
    const { id } = signature;
    const whole = wholeText(signature);
    const text = signatureLine(whole);
    const badge = h('span', { class: 'tracefn-badge' });
    const calls = h('span', { class: 'tracefn-cell-number tracefn-calls' });
    const cost = h('span', { class: 'tracefn-cell-number tracefn-cost' });
    const element = h(
      'div',
      {
        class: 'tracefn-signature',
        attrs: {
          role: 'treeitem',
          'aria-level': 2,
          tabindex: -1,
          'data-tracefn': 'signature',
          'data-signature': id
        },
        on: { click: () => this._select(id) }
      },
      h('span', { class: 'tracefn-trace-number', text: `#${signature.trace}` }),
      text.element,
      calls,
      cost,
      badge
    );
    return {
      element,
      update: ({ signature: item, parts }) => {
        text.update(parts);
        setAttr(element, 'aria-selected', String(item.id === this._input?.selected));
        setAttr(element, 'data-status', item.status);
        const [said, kind] = this._badge(item);
        setText(badge, said);
        setAttr(badge, 'data-kind', kind);
        setAttr(badge, 'title', kind === 'new' ? 'the newest retrace' : null);
        badge.hidden = said === '';
        setText(calls, item.calls.count === 0 ? '' : `${count(item.calls.count)}×`);
        setAttr(calls, 'title', counted(item.calls.count, 'call'));
        setText(cost, item.status === 'tracing' ? '…' : duration(item.totalNs));
        setAttr(
          element,
          'aria-label',
          [`#${item.trace} ${whole.replaceAll('\n', ', ')}`, said, calls.title, cost.textContent].filter(Boolean).join('; ')
        );
        setAttr(cost, 'title', 'what the first call cost: trace, passes, program and first run');
      }
    };
  }

  private _eagerRow(item: EagerCalls): Row<EagerCalls> {
    const badge = h('span', { class: 'tracefn-badge' });
    const calls = h('span', { class: 'tracefn-cell-number tracefn-calls' });
    const cost = h('span', {
      class: 'tracefn-cell-number tracefn-cost',
      title: 'what one call takes, as far as some that were timed tell'
    });
    const which = calledWith(item);
    const element = h(
      'div',
      {
        class: 'tracefn-signature tracefn-eager',
        attrs: { role: 'treeitem', 'aria-level': 2, tabindex: -1, 'data-tracefn': 'eager-calls', 'data-signature': item.signatureId },
        on: { click: () => this._select(item.signatureId) }
      },
      h('span', { class: 'tracefn-trace-number', text: '–' }),
      h(
        'span',
        { class: 'tracefn-signature-text', title: `${which}\n${reasonOf(item)}` },
        h('span', { text: which }),
        h('span', {
          class: 'tracefn-eager-reason',
          text: reasonOf(item),
          attrs: { 'data-reason': `${item.error} ${item.location ? placeText(item.location) : item.text}` }
        })
      ),
      calls,
      cost,
      badge
    );
    return {
      element,
      update: ({ calls: totals, dropped }) => {
        const ns = eagerNs(item);
        setText(calls, totals.count === 0 ? '' : `${count(totals.count)}×`);
        setAttr(calls, 'title', counted(totals.count, 'call'));
        setText(cost, ns === null ? '' : duration(ns));
        setText(badge, dropped ? 'dropped' : 'eager');
        setAttr(badge, 'data-kind', dropped ? 'quiet' : 'new');
        setAttr(element, 'data-status', dropped ? 'dropped' : 'eager');
        const told = [which, badge.textContent, calls.title, cost.textContent, reasonOf(item)];
        setAttr(element, 'aria-label', told.filter(Boolean).join('; '));
      }
    };
  }

  private _badge(signature: Signature): [string, string] {
    if (signature.status === 'failed') {
      return ['failed', 'error'];
    }
    if (signature.status === 'dropped') {
      return ['dropped', 'quiet'];
    }
    if (signature.status === 'tracing') {
      return ['tracing', 'busy'];
    }
    return signature.id === this._newest ? ['newest', 'new'] : ['', ''];
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
  private _closed = new Set<string>();
  private _withEarlier = new Set<string>();
}

/** Hides the reasons of rows that are those of the row above. */
function sayOnce(reasons: Iterable<HTMLElement>): void {
  let above: string | null = '';
  for (const reason of reasons) {
    const key = reason.dataset.reason ?? '';
    reason.hidden = key === above;
    above = key;
  }
}

/** Why calls run eagerly, with the line. */
function reasonOf({ location, text }: EagerCalls): string {
  return location ? `${placeText(location)}: ${text}` : text;
}

function flip(set: Set<string>, key: string): void {
  if (!set.delete(key)) {
    set.add(key);
  }
}
