/** The retraces, and eager calls: when, why, which were needless, their cost, and the change to make. */

import { counted } from '../../format';
import { isCleared, isEarlier, rerunCells, Retrace, State } from '../../store';
import { h, setAttr, setText } from '../common/dom';
import { download } from '../common/download';
import { messageBox } from '../common/empty';
import { Host } from '../common/host';
import { RetraceDetail } from './detail';
import { Filters } from './filters';
import { Order, rowOf, rowsCsv, rowsOf, selectRows, TraceRow } from './rows';
import { RetraceTable } from './table';
import { Timeline } from './timeline';
import { t } from '../../words';

/** Cells that ran again are told of one by one up to this many. */
const MAX_RERUNS = 3;

/** The view: timeline, filters and table above, the explanation of the chosen retrace below or beside. */
export class RetracesView {
  constructor(
    host: Host,
    private readonly _select: (signatureId: string) => void
  ) {
    const { clearRetraces } = host;
    this._filters = new Filters(() => this._refresh(), () => this._save(), clearRetraces, host.popOutRetraces);
    this._timeline = new Timeline(bin => this._filters.setBin(bin));
    this._table = new RetraceTable(host, retrace => this._choose(retrace), order => {
      this._order = order;
      this._refresh();
    });
    this._detail = new RetraceDetail(host, _select, () => this._close());
    this._reruns = h('p', { class: 'tracefn-reruns', attrs: { role: 'status', 'data-tracefn': 'reruns' } });
    this._unlisted = h('p', { class: 'tracefn-more', attrs: { 'data-tracefn': 'unlisted' } });
    this._none = messageBox({ title: t`No retrace like that`, text: t`Other filters show the others.` }, 'none-found');
    this._empty = messageBox({
      title: t`No retrace so far`,
      text: t`Every signature was traced once and is used again. A retrace, and why it was made, shows here at once; so do calls that run eagerly.`
    });
    this._list = h(
      'div',
      { class: 'tracefn-retraces-list' },
      this._timeline.element,
      this._filters.element,
      this._reruns,
      this._table.element,
      this._unlisted,
      this._none
    );
    this.element = h(
      'div',
      { class: 'tracefn-retraces-view', on: { keydown: event => this._keydown(event) } },
      this._list,
      this._detail.element,
      this._empty
    );
  }

  readonly element: HTMLElement;

  update(state: State): void {
    if (state !== this._state) {
      this._state = state;
      this._filters.setBin(null); // its traces are those of another kernel
      return;
    }
    const any = state.retraces.length > 0 || state.eager.size > 0;
    this._empty.hidden = any;
    this._list.hidden = !any;
    const chosen = this._chosen;
    const known = chosen && (state.retraces.includes(chosen) || state.eager.get(chosen.signatureId) === chosen);
    if (chosen && (!known || isCleared(state, chosen))) {
      this._chosen = null; // cleared away, or of a kernel that has restarted
    }
    const rows = any ? rowsOf(state) : [];
    this._filters.update(state, rows);
    const { filter, bin } = this._filters;
    const shown = (this._shown = selectRows(rows, filter, this._order));
    const unlisted = state.counted - state.retraces.length;
    setText(this._unlisted, t`${counted(unlisted, 'older retrace')} not listed`);
    this._unlisted.hidden = unlisted === 0;
    this._none.hidden = shown.length > 0;
    setText(this._none.firstElementChild as HTMLElement, rows.some(({ earlier }) => !earlier) ? t`No retrace like that` : t`No retrace now`);
    setText(this._none.lastElementChild as HTMLElement, noneText(rows));
    this._showReruns(state);
    this._timeline.update(state, filter.functionKey, bin);
    this._table.update(shown, this._chosen, this._order);
    this._table.element.hidden = shown.length === 0;
    this._detail.update(state, this._chosen && rowOf(state, this._chosen));
    this.element.dataset.open = String(this._chosen !== null);
  }

  /** Forget filters and choices: another kernel is shown from now on. */
  reset(): void {
    this._chosen = null;
    this._filters.reset();
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._detail.restyle();
  }

  /** Show the explanation of a signature's retrace, if it is one, or of calls that run eagerly. */
  open(signatureId: string): void {
    const retrace = this._state?.signatures.get(signatureId)?.retrace ?? this._state?.eager.get(signatureId);
    if (retrace && retrace !== this._chosen) {
      this._chosen = retrace;
      this._refresh();
    }
  }

  /** List the retraces of the latest run of a cell, by its id. */
  showCell(cell: string): void {
    const state = this._state;
    const retraces = state?.retraces.filter(retrace => retrace.cell === cell && !isEarlier(state, retrace)) ?? [];
    const signatures = retraces.flatMap(({ signatureId }) => state?.signatures.get(signatureId) ?? []);
    const number = state?.runs.get(cell)?.number ?? retraces[0]?.location?.cell_number;
    const label = number === undefined || number === null ? t`one cell` : t`cell [${number}]`;
    this._filters.setBin({ key: `runs of ${cell}`, label, name: label, signatures });
  }

  dispose(): void {
    this._table.dispose();
    this._timeline.dispose();
    this._detail.dispose();
    this.element.remove();
  }

  /** The outcome of retraces in cells that ran again. */
  private _showReruns(state: State): void {
    const reruns = rerunCells(state);
    const told = reruns.slice(0, MAX_RERUNS).map(({ number, before, now }) => {
      const text = t`cell [${number}]: ${counted(before, 'retrace')} → ${now}`;
      return now === 0 ? `${text}, fixed` : text;
    });
    const rest = reruns.length - told.length;
    setText(this._reruns, told.length === 0 ? '' : t`Run again, ${told.join('; ')}${rest > 0 ? t`; and ${rest} more` : ''}`);
    setAttr(this._reruns, 'data-fixed', reruns.length > 0 && reruns.every(({ now }) => now === 0));
    this._reruns.hidden = told.length === 0;
  }

  private _save(): void {
    download('retraces.csv', rowsCsv(this._shown), 'text/csv');
  }

  private _choose(retrace: Retrace): void {
    this._chosen = retrace;
    this._select(retrace.signatureId);
    this._refresh();
  }

  private _keydown(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === 'Escape' && this._chosen && !typing) {
      this._close();
      event.stopPropagation();
    }
  }

  private _close(): void {
    this._chosen = null;
    this._refresh();
    this._table.focus();
  }

  private _refresh(): void {
    if (this._state) {
      this.update(this._state);
    }
  }

  private _filters: Filters;
  private _timeline: Timeline;
  private _table: RetraceTable;
  private _detail: RetraceDetail;
  private _none: HTMLElement;
  private _reruns: HTMLElement;
  private _unlisted: HTMLElement;
  private _empty: HTMLElement;
  private _list: HTMLElement;
  private _state: State | null = null;
  private _chosen: Retrace | null = null;
  private _shown: readonly TraceRow[] = [];
  private _order: Order = 'newest';
}

/** Why no row is listed. */
function noneText(rows: readonly TraceRow[]): string {
  if (rows.length === 0) {
    return t`All were cleared away. What is retraced from now on shows here.`;
  }
  const now = rows.some(({ earlier }) => !earlier);
  return now ? t`Other filters show the others.` : t`All are of earlier runs: the latest run of their cells did not make them again.`;
}
