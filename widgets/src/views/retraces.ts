/** The retraces, newest first: why each was made, what it cost, and where the call stands. */

import { duration } from '../format';
import { Retrace, State } from '../store';
import { h, KeyedRows, Row, setText } from './dom';
import { messageBox } from './empty';
import { Host } from './host';
import { placeLink } from './place';

/** More than this are not listed; the filter by function reaches the others. */
const MAX_ROWS = 300;

/** What the view shows. `functionKey` is that of the selected function. */
export interface RetracesInput {
  readonly state: State;
  readonly functionKey: string | null;
}

/** The list of retraces. */
export class RetracesView {
  constructor(
    private readonly _host: Host,
    private readonly _select: (signatureId: string) => void
  ) {
    this._only = h('input', {
      attrs: { type: 'checkbox' },
      on: { change: () => this._refresh() }
    });
    this._onlyText = h('span');
    this._filter = h('label', { class: 'tracefn-filter' }, this._only, this._onlyText);
    this._list = h('ol', {
      class: 'tracefn-retraces',
      attrs: { 'data-tracefn': 'retraces', 'aria-label': 'Retraces, newest first' }
    });
    this._empty = messageBox({
      title: 'No retrace so far',
      text: 'Every signature was traced once and is used again. A retrace, and why it was made, shows here at once.'
    });
    this._more = h('p', { class: 'tracefn-more' });
    this.element = h(
      'div',
      { class: 'tracefn-view' },
      this._filter,
      this._list,
      this._more,
      this._empty
    );
    this._rows = new KeyedRows(
      this._list,
      retrace => retrace,
      retrace => this._row(retrace)
    );
  }

  readonly element: HTMLElement;

  update(input: RetracesInput): void {
    this._input = input;
    const { state, functionKey } = input;
    const name = this._nameOf(functionKey);
    const shown = state.retraces.filter(
      retrace => !this._only.checked || this._keyOf(retrace) === functionKey
    );
    this._rows.update(shown.slice(-MAX_ROWS).reverse());
    this._more.hidden = shown.length <= MAX_ROWS;
    setText(this._more, `${shown.length - MAX_ROWS} earlier retraces are not listed`);
    this._empty.hidden = shown.length > 0;
    this._filter.hidden = name === null || state.retraces.length === 0;
    setText(this._onlyText, `only those of ${name ?? ''}`);
  }

  dispose(): void {
    this.element.remove();
  }

  private _row(retrace: Retrace): Row<Retrace> {
    const cost = h('span', { class: 'tracefn-cell-number' });
    const nearest = h('button', {
      class: 'tracefn-link',
      text: `nearest earlier trace #${retrace.nearest}`,
      attrs: { type: 'button' },
      on: {
        click: event => {
          event.stopPropagation();
          this._select(retrace.nearestSignature);
        }
      }
    });
    const texts = retrace.causes.length > 0 ? retrace.causes.map(cause => cause.text) : [retrace.text];
    const causes = texts.map((text, i) =>
      h(
        'p',
        { class: 'tracefn-cause', attrs: { 'data-tracefn': 'cause' } },
        h('span', { class: 'tracefn-cause-text', text }),
        i === texts.length - 1 && retrace.causes.length > 0 && '; ',
        i === texts.length - 1 && retrace.causes.length > 0 && nearest
      )
    );
    const element = h(
      'li',
      {
        class: 'tracefn-retrace',
        attrs: { 'data-tracefn': 'retrace', 'data-signature': retrace.signatureId },
        on: { click: () => this._select(retrace.signatureId) }
      },
      h(
        'div',
        { class: 'tracefn-retrace-head' },
        h('button', {
          class: 'tracefn-retrace-name tracefn-link',
          text: `${this._nameOf(this._keyOf(retrace)) ?? retrace.functionId} #${retrace.trace}`,
          title: 'Select this trace',
          attrs: { type: 'button' }
        }),
        placeLink(this._host, retrace.location),
        cost
      ),
      ...causes
    );
    return {
      element,
      update: () => {
        const signature = this._input?.state.signatures.get(retrace.signatureId);
        setText(
          cost,
          signature && signature.status !== 'tracing' ? duration(signature.totalNs) : '…'
        );
      }
    };
  }

  private _keyOf(retrace: Retrace): string | null {
    return this._input?.state.functions.get(retrace.functionId)?.key ?? null;
  }

  private _nameOf(key: string | null): string | null {
    for (const item of this._input?.state.functions.values() ?? []) {
      if (item.key === key) {
        return item.name;
      }
    }
    return null;
  }

  private _refresh(): void {
    if (this._input) {
      this.update(this._input);
    }
  }

  private _only: HTMLInputElement;
  private _onlyText: HTMLElement;
  private _filter: HTMLElement;
  private _list: HTMLElement;
  private _more: HTMLElement;
  private _empty: HTMLElement;
  private _rows: KeyedRows<Retrace>;
  private _input: RetracesInput | null = null;
}
