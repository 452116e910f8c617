/** The line above the functions: a filter, the order, and a button that closes or opens all. */

import { button, h } from '../common/dom';
import { icon } from '../common/icons';
import { Order, ORDER_NAMES, ORDERS } from './listing';
import { t, translated } from '../../words';

/** The line. It is worth its room where there are several functions. */
export class FunctionsBar {
  /** `changed` is called when filter or order are others; `fold` closes all functions, or opens them again. */
  constructor(changed: () => void, fold: () => void) {
    this._text = h('input', {
      class: 'tracefn-filter-text',
      attrs: { type: 'search', placeholder: t`Filter functions`, 'aria-label': t`Filter functions`, 'data-tracefn': 'filter-functions' },
      on: { input: changed }
    });
    this._order = h(
      'select',
      {
        class: 'tracefn-filter-function',
        attrs: { 'aria-label': t`Order of the functions`, 'data-tracefn': 'order-functions' },
        on: { change: changed }
      },
      ...ORDERS.map(order => h('option', { text: translated(ORDER_NAMES[order]), attrs: { value: order } }))
    );
    this.element = h(
      'div',
      { class: 'tracefn-functions-bar' },
      this._text,
      this._order,
      button({ name: t`Close or open all functions`, hook: 'fold-functions' }, fold, icon('collapse'))
    );
  }

  readonly element: HTMLElement;

  /** List all functions again, in the order in which they were traced. */
  reset(): void {
    this._text.value = '';
    this._order.selectedIndex = 0;
  }

  get filter(): string {
    return this.element.hidden ? '' : this._text.value;
  }

  get order(): Order {
    return ORDERS[this._order.selectedIndex] ?? 'traced';
  }

  private _text: HTMLInputElement;
  private _order: HTMLSelectElement;
}
