/** Causes that several functions have in common: one argument that changes can retrace all to which it is passed. */

import { count, counted } from '../../format';
import { Cause } from '../../protocol';
import { h, KeyedRows, Row, setAttr, setText } from '../common/dom';
import { CauseFamily, causeKey, familyOf } from './causes';
import { TraceRow } from './rows';
import { t } from '../../words';

/** The most that are listed. */
const MAX_LISTED = 4;

/** One of them. */
export interface SharedCause {
  readonly key: string;
  /** The changing part: `batch dimension 0`. */
  readonly what: string;
  readonly family: CauseFamily;
  readonly functions: number;
  readonly retraces: number;
}

/** The causes that two functions or more have, those with the most retraces first. */
export function sharedCauses(rows: readonly TraceRow[]): SharedCause[] {
  const found = new Map<string, { cause: Cause; functions: Set<string>; retraces: number }>();
  for (const { retrace, functionKey } of rows) {
    for (const cause of retrace.causes) {
      const key = causeKey(cause);
      const known = found.get(key) ?? { cause, functions: new Set(), retraces: 0 };
      known.functions.add(functionKey);
      known.retraces += 1;
      found.set(key, known);
    }
  }
  return [...found]
    .filter(([, { cause, functions }]) => functions.size > 1 && cause.path !== '')
    .map(([key, { cause, functions, retraces }]) => {
      const what = `${cause.path} ${cause.dimension === null ? cause.kind : t`dimension ${cause.dimension}`}`;
      return { key, what, family: familyOf(cause.kind), functions: functions.size, retraces };
    })
    .sort((a, b) => b.retraces - a.retraces)
    .slice(0, MAX_LISTED);
}

/** A switch for each of them: it lists the retraces that have the cause. */
export class SharedCauses {
  constructor(private readonly _changed: () => void) {
    this.element = h('div', { class: 'tracefn-legend', attrs: { role: 'group', 'aria-label': t`Causes of several functions` } });
    this._rows = new KeyedRows(this.element, ({ key }) => key, cause => this._switch(cause));
  }

  readonly element: HTMLElement;

  /** The key of the cause that is chosen, or null. */
  chosen: string | null = null;

  update(rows: readonly TraceRow[]): void {
    const causes = sharedCauses(rows);
    if (!causes.some(({ key }) => key === this.chosen)) {
      this.chosen = null; // it has no switch with which it could be put back
    }
    this._rows.update(causes);
    this.element.hidden = causes.length === 0;
  }

  private _switch({ key, family }: SharedCause): Row<SharedCause> {
    const text = h('span');
    const element = h(
      'button',
      {
        class: 'tracefn-legend-item',
        attrs: { type: 'button', 'data-tracefn': 'shared-cause', 'data-cause': family },
        on: {
          click: () => {
            this.chosen = this.chosen === key ? null : key;
            this._changed();
          }
        }
      },
      h('span', { class: 'tracefn-cause-dot', attrs: { 'data-cause': family } }),
      text
    );
    return {
      element,
      update: ({ what, functions, retraces }) => {
        setText(text, t`${what}, in ${count(functions)} functions`);
        setAttr(element, 'title', t`${counted(retraces, 'retrace')} in ${count(functions)} functions have this cause`);
        setAttr(element, 'aria-pressed', String(this.chosen === key));
      }
    };
  }

  private _rows: KeyedRows<SharedCause>;
}
