/** The marks of one kernel's traces, by the ids of cells. */

import { CellBadge, cellBadges, decodeStaging, definitions, LineMark, lineMarks, stagedTrace, Staging } from '@tracefn/widgets';
import { IKernelModel } from '../tokens';

/** Follows one model. */
export class KernelMarks {
  /** `changed` is called when the marks may be others. */
  constructor(
    private readonly _model: IKernelModel,
    private readonly _changed: () => void
  ) {
    _model.changed.connect(this._touch, this);
  }

  get badges(): ReadonlyMap<string, CellBadge> {
    return (this._badges ??= cellBadges(this._model.store.state));
  }

  get lines(): ReadonlyMap<string, readonly LineMark[]> {
    const staged = new Map([...this._staged].map(([id, { staging }]) => [id, staging]));
    return (this._lines ??= lineMarks(this._model.store.state, staged));
  }

  dispose(): void {
    this._isDisposed = true;
    this._model.changed.disconnect(this._touch, this);
  }

  /** Ask for the treatment of the lines of functions in these cells that have new traces, once no trace is under way; one at a time. */
  async ask(cells: ReadonlySet<string>): Promise<void> {
    if (this._isAsking) {
      return;
    }
    this._isAsking = true;
    try {
      for (const [id, trace] of this._unknown(cells)) {
        const answer = await this._model.ask('staging', { function: id, trace }).catch(() => null);
        if (this._isDisposed || !this._model.store.state.functions.has(id)) {
          return; // the notebook was closed, or its kernel restarted
        }
        this._staged.set(id, { trace, staging: decodeStaging(answer) ?? { lines: [], functions: [] } });
        this._touch();
      }
    } finally {
      this._isAsking = false;
    }
  }

  /** The functions, and their traces, of which that is not known. */
  private _unknown(cells: ReadonlySet<string>): [string, number][] {
    const { state } = this._model.store;
    if (state.tracing.size > 0) {
      return [];
    }
    return definitions(state).flatMap(({ newest }): [string, number][] => {
      const trace = stagedTrace(state, newest);
      const isKnown = trace === null || this._staged.get(newest.id)?.trace === trace;
      return isKnown || !cells.has(newest.defined?.cell ?? '') ? [] : [[newest.id, trace]];
    });
  }

  private _touch(): void {
    if (this._model.store.state.functions.size === 0) {
      this._staged.clear(); // a new process counts its functions anew
    }
    this._badges = null;
    this._lines = null;
    this._changed();
  }

  private _badges: ReadonlyMap<string, CellBadge> | null = null;
  private _lines: ReadonlyMap<string, readonly LineMark[]> | null = null;
  private _isAsking = false;
  private _isDisposed = false;
  private _staged = new Map<string, { trace: number; staging: Staging }>();
}
