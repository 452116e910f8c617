/** The controls above the table of retraces: text, function, needless only, switches for families of causes and for shared ones. */

import { count } from '../../format';
import { countRetraces, State } from '../../store';
import { button, h, KeyedRows, Row, setAttr, setText } from '../common/dom';
import { icon } from '../common/icons';
import { CauseFamily, FAMILIES, familyLabel } from './causes';
import { Filter, TraceRow } from './rows';
import { SharedCauses } from './shared';
import { Bin } from './timeline';
import { t } from '../../words';

/** The controls. */
export class Filters {
  /**
   * `save` saves the rows that are listed. `clear` takes the retraces so far out of the list, or puts all of them back, where that can be had. `popOut` shows the retraces with more room,
   * where that can be had.
   */
  constructor(
    private readonly _changed: () => void,
    save: () => void,
    clear?: (all: boolean) => void,
    popOut?: () => void
  ) {
    this._text = h('input', {
      class: 'tracefn-filter-text',
      attrs: { type: 'search', placeholder: t`Filter`, 'aria-label': t`Filter retraces by text`, 'data-tracefn': 'filter-text' },
      on: { input: _changed }
    });
    this._function = h('select', {
      class: 'tracefn-filter-function',
      attrs: { 'aria-label': t`Function`, 'data-tracefn': 'filter-function' },
      on: {
        change: () => {
          this._wanted = this._function.value;
          _changed();
        }
      }
    });
    this._needless = h('input', { attrs: { type: 'checkbox', 'data-tracefn': 'filter-needless' }, on: { change: _changed } });
    this._bin = h('button', {
      class: 'tracefn-chip',
      title: t`Show those of all bars again`,
      attrs: { type: 'button', 'data-tracefn': 'filter-bar' },
      on: { click: () => this.setBin(null) }
    });
    this._bin.hidden = true;
    this._earlier = chip('earlier-runs', t`Show those that the latest run of their cell did not make, too`, () => {
      this._earlierToo = !this._earlierToo;
      _changed();
    });
    this._cleared = chip('cleared', t`Put back what was cleared`, () => clear?.(false));
    this._clear = button(
      { name: t`Clear: list only what is retraced from now on`, text: t`Clear`, class: 'tracefn-button-text tracefn-clear', hook: 'clear' },
      () => clear?.(true)
    );
    this._shared = new SharedCauses(_changed);
    const legend = h('div', { class: 'tracefn-legend', attrs: { role: 'group', 'aria-label': t`Causes` } });
    this._legend = new KeyedRows(
      legend,
      ([family]) => family,
      ([family]) => this._switch(family)
    );
    this.element = h(
      'div',
      { class: 'tracefn-filters' },
      h(
        'div',
        { class: 'tracefn-filter' },
        this._text,
        this._function,
        h('label', { class: 'tracefn-filter-check' }, this._needless, t`needless only`),
        button({ name: t`Save the table as CSV`, hook: 'export-csv' }, save, icon('download')),
        popOut && button({ name: t`Open in the main area`, hook: 'pop-out-retraces' }, popOut, icon('open'))
      ),
      h('div', { class: 'tracefn-filter' }, legend, this._shared.element, this._bin, this._earlier, this._cleared, clear && this._clear)
    );
  }

  readonly element: HTMLElement;

  /** The key of the bar that is chosen in the timeline. */
  get bin(): string | null {
    return this._chosen?.key ?? null;
  }

  /** The settings of the controls. */
  get filter(): Filter {
    return {
      text: this._text.value,
      functionKey: this._function.value === '' ? null : this._function.value,
      families: this._families,
      needlessOnly: this._needless.checked,
      signatures: this._chosen && new Set(this._chosen.signatures.map(({ id }) => id)),
      cause: this._shared.chosen,
      earlierToo: this._earlierToo
    };
  }

  /** Let only the traces of one bar through, or all again. */
  setBin(bin: Bin | null): void {
    this._chosen = bin;
    this._bin.hidden = bin === null;
    setText(this._bin, bin ? `${bin.name} ✕` : '');
    this._changed();
  }

  /** Let everything through: the choices were meant for another kernel. */
  reset(): void {
    this._text.value = '';
    this._function.value = this._wanted = '';
    this._needless.checked = false;
    this._families = new Set();
    this._earlierToo = false;
    this._shared.chosen = null;
    this.setBin(null);
  }

  /** Bring functions and numbers up to date. To be called before `filter` is read: a function that is gone is no filter. */
  update(state: State, rows: readonly TraceRow[]): void {
    this._updateFunctions(state);
    const { now, earlier, cleared } = countRetraces(state);
    setText(this._earlier, t`${this._earlierToo ? t`with` : t`and`} ${count(earlier)} of earlier runs`);
    setAttr(this._earlier, 'aria-pressed', String(this._earlierToo));
    this._earlier.hidden = earlier === 0;
    setText(this._cleared, t`${count(cleared)} cleared ✕`);
    this._cleared.hidden = cleared === 0;
    this._clear.disabled = now + earlier === 0;
    const times = new Map<CauseFamily, number>();
    const listed = rows.filter(row => !row.earlier || this._earlierToo);
    this._shared.update(listed);
    for (const family of listed.flatMap(({ families }) => families)) {
      times.set(family, (times.get(family) ?? 0) + 1);
    }
    // A cause that is filtered by has its switch also where there is none of it: else it could not be switched off.
    const families = FAMILIES.filter(family => times.has(family) || this._families.has(family));
    this._legend.update(families.map(family => [family, times.get(family) ?? 0]));
  }

  private _updateFunctions(state: State): void {
    const names = new Map([...state.functions.values()].map(({ key, name }) => [key, name]));
    const shown = JSON.stringify([...names]);
    if (shown !== this._functions) {
      this._functions = shown;
      this._function.replaceChildren(
        h('option', { text: t`all functions`, attrs: { value: '' } }),
        ...[...names].map(([key, name]) => h('option', { text: name, title: key, attrs: { value: key } }))
      );
      // The choice comes back with its function, after a restart.
      this._function.value = names.has(this._wanted) ? this._wanted : '';
    }
  }

  private _switch(family: CauseFamily): Row<readonly [CauseFamily, number]> {
    const number = h('span', { class: 'tracefn-legend-number' });
    const element = h(
      'button',
      {
        class: 'tracefn-legend-item',
        attrs: { type: 'button', 'data-tracefn': 'legend', 'data-cause': family },
        on: { click: () => this._toggle(family) }
      },
      h('span', { class: 'tracefn-cause-dot', attrs: { 'data-cause': family } }),
      familyLabel(family),
      number
    );
    return {
      element,
      update: ([, times]) => {
        setText(number, count(times));
        setAttr(element, 'aria-pressed', String(this._families.has(family)));
      }
    };
  }

  private _toggle(family: CauseFamily): void {
    const families = new Set(this._families);
    if (!families.delete(family)) {
      families.add(family);
    }
    this._families = families;
    this._changed();
  }

  private _text: HTMLInputElement;
  private _function: HTMLSelectElement;
  private _needless: HTMLInputElement;
  private _bin: HTMLElement;
  private _earlier: HTMLElement;
  private _cleared: HTMLElement;
  private _clear: HTMLButtonElement;
  private _earlierToo = false;
  private _legend: KeyedRows<readonly [CauseFamily, number]>;
  private _shared: SharedCauses;
  private _families: ReadonlySet<CauseFamily> = new Set();
  private _chosen: Bin | null = null;
  private _functions = '';
  private _wanted = '';
}

/** A small switch that looks like those of the causes. */
function chip(hook: string, title: string, click: () => void): HTMLElement {
  const element = h('button', {
    class: 'tracefn-legend-item',
    title,
    attrs: { type: 'button', 'data-tracefn': hook },
    on: { click }
  });
  element.hidden = true;
  return element;
}
