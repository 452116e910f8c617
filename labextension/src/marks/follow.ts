/** Brings the marks in notebooks up to date with the kernel's traces, a moment after they change. */

import { INotebookTracker } from '@jupyterlab/notebook';
import { cellBadges, decodeStaging, definitions, lineMarks, Pace, stagedTrace, Staging, State } from '@tracefn/widgets';
import { findCell } from '../jump';
import { IKernelModel, ITracefnPanel } from '../tokens';
import { CellBadges } from './badges';
import { MarkedEditors } from './editors';

/** How long (ms) a change waits for others, at least, and when changes keep coming: the kernel is asked, and editors are drawn. */
const PAUSES = [250, 4000] as const;

/** The marks that the settings ask for. */
export interface Wanted {
  lines: boolean;
  cells: boolean;
}

/** Follows the model that the panel shows. */
export class Marks {
  constructor(
    private readonly _panel: ITracefnPanel,
    private readonly _notebooks: INotebookTracker,
    private readonly _editors: MarkedEditors,
    private readonly _badges: CellBadges,
    private readonly _wanted: Wanted
  ) {
    _panel.modelChanged.connect(this._follow, this);
    this._follow();
  }

  /** The settings have changed. */
  refresh(): void {
    this._draw();
  }

  private _follow(): void {
    this._model?.changed.disconnect(this._schedule, this);
    this._model = this._panel.model;
    this._staged = new Map();
    this._model?.changed.connect(this._schedule, this);
    this._schedule();
  }

  private _schedule(): void {
    const wait = Math.max(PAUSES[0], this._pace.wait(performance.now()));
    this._timer ??= setTimeout(() => {
      this._timer = null;
      const begin = performance.now();
      this._draw();
      this._pace.done(begin, performance.now());
      void this._ask();
    }, wait);
  }

  private _draw(): void {
    const state = this._model?.store.state;
    this._badges.show(state && this._wanted.cells ? cellBadges(state) : new Map());
    const staged = new Map([...this._staged].map(([id, { staging }]) => [id, staging]));
    this._editors.show(state && this._wanted.lines ? lineMarks(state, staged) : new Map());
  }

  /** Ask for the treatment of the lines of functions that have new traces, once no trace is under way; one at a time. */
  private async _ask(): Promise<void> {
    const model = this._model;
    if (!model || this._isAsking || !this._wanted.lines) {
      return;
    }
    this._isAsking = true;
    try {
      for (const [id, trace] of this._unknown(model.store.state)) {
        const answer = await model.ask('staging', { function: id, trace }).catch(() => null);
        if (model !== this._model || !model.store.state.functions.has(id)) {
          return; // another kernel is shown, or this one was restarted
        }
        this._staged.set(id, { trace, staging: decodeStaging(answer) ?? { lines: [], functions: [] } });
        this._draw();
      }
    } finally {
      this._isAsking = false;
    }
  }

  /** The functions, and their traces, of which that is not known. */
  private _unknown(state: State): [string, number][] {
    if (state.tracing.size > 0) {
      return [];
    }
    return definitions(state).flatMap(({ newest }): [string, number][] => {
      const trace = stagedTrace(state, newest);
      const cell = newest.defined?.cell ?? null;
      const isKnown = trace === null || this._staged.get(newest.id)?.trace === trace;
      return isKnown || cell === null || !findCell(this._notebooks, cell) ? [] : [[newest.id, trace]];
    });
  }

  private _model: IKernelModel | null = null;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _isAsking = false;
  private readonly _pace = new Pace(...PAUSES);
  private _staged = new Map<string, { trace: number; staging: Staging }>();
}
