/** A row of tabs above their pages, one page shown; the arrow keys go from tab to tab. */

import { h, KeyedRows, Row, setAttr, setText } from './dom';
import { t } from '../../words';

/** One tab. `page` is shown while the tab is chosen; a `count` above 0 stands beside the label. */
export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly page: HTMLElement;
  readonly count: number;
}

/** The row. */
export class TabStrip<Name extends string> {
  constructor(private readonly _choose: (name: Name) => void) {
    this.element = h('div', {
      class: 'tracefn-tabs',
      attrs: { role: 'tablist', 'aria-label': t`Views` },
      on: { keydown: event => this._keys(event) }
    });
    this._rows = new KeyedRows<Tab<Name>>(
      this.element,
      ({ name }) => name,
      ({ name }) => this._button(name)
    );
  }

  readonly element: HTMLElement;

  /** Show these tabs, and the page of one. */
  update(tabs: readonly Tab<Name>[], chosen: Name): void {
    const fresh = chosen !== this._chosen;
    this._tabs = tabs;
    this._chosen = chosen;
    this._rows.update(tabs);
    if (fresh) {
      this._reveal();
    }
    for (const { name, page } of tabs) {
      page.hidden = name !== chosen;
    }
  }

  /** Move the focus to the chosen tab. */
  focus(): void {
    this.element.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus();
  }

  /** Bring the chosen tab into sight where the row is too narrow for all. */
  private _reveal(): void {
    const tab = this.element.querySelector<HTMLElement>('[aria-selected=true]');
    if (tab) {
      const { offsetLeft: left, offsetWidth: width } = tab;
      const { scrollLeft, clientWidth } = this.element;
      if (left < scrollLeft || left + width > scrollLeft + clientWidth) {
        this.element.scrollLeft = left + width / 2 - clientWidth / 2;
      }
    }
  }

  private _button(name: Name): Row<Tab<Name>> {
    const text = h('span');
    const number = h('span', { class: 'tracefn-tab-number' });
    const element = h(
      'button',
      {
        class: 'tracefn-tab',
        attrs: { type: 'button', role: 'tab', 'data-tracefn': `tab-${name}` },
        on: { click: () => this._choose(name) }
      },
      text,
      number
    );
    return {
      element,
      update: ({ label, count }) => {
        const active = name === this._chosen;
        setText(text, label);
        setAttr(element, 'aria-selected', String(active));
        setAttr(element, 'tabindex', active ? 0 : -1);
        setText(number, count > 0 ? String(count) : '');
        number.hidden = count === 0;
      }
    };
  }

  private _keys(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const { length } = this._tabs;
    const at = this._tabs.findIndex(({ name }) => name === this._chosen);
    const next = by === undefined ? undefined : this._tabs[(at + by + length) % length];
    if (next) {
      this._choose(next.name);
      this.focus();
      event.preventDefault();
    }
  }

  private _rows: KeyedRows<Tab<Name>>;
  private _tabs: readonly Tab<Name>[] = [];
  private _chosen: Name | null = null;
}
