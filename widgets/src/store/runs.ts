/**
 * Which retraces are of now: those of the latest run of their cell, since the user cleared the list. A cell that has run again and
* traced makes the retraces of its run before history, so that a fixed retrace accuses no longer. A run whose calls all found traces
* tells nothing of a new kernel: it changes nothing.
 */

import { EventOf } from '../protocol';
import { Retrace, State } from './state';

/** Where a cell began to run again. */
export interface CellStart {
  /** `seq` of the event that told of it. */
  readonly seq: number;
  /** Its execution count. */
  readonly number: number;
}

/** The latest run in which a cell traced that had traced before. */
export interface CellRun extends CellStart {
  /** How many retraces the run before made. */
  readonly before: number;
}

/** A cell runs again. */
export function runAgain(state: State, { cell, seq, number, file }: EventOf<'cell.started'>): void {
  state.starts.set(cell, { seq, number });
  if (file !== '') {
    state.numbers.set(file, number);
  }
}

/** A cell traces: with the first trace, its run counts, and with it the retraces of its run before. */
export function tracesIn(state: State, cell: string | null): void {
  const start = state.starts.get(cell ?? '');
  if (cell !== null && start) {
    state.starts.delete(cell);
    state.runs.set(cell, { ...start, before: retracesOf(state, cell) });
  }
}

/** Whether the latest run of a cell has made no trace, so far: the traces for its calls were there. */
export function foundAll({ starts }: State, cell: string): boolean {
  return starts.has(cell);
}

/** How many retraces the latest run of a cell has made so far. */
export function retracesOf(state: State, cell: string): number {
  const since = state.runs.get(cell)?.seq ?? 0;
  return state.retraces.filter(retrace => retrace.cell === cell && retrace.seq > since).length;
}

/** Whether a retrace, or an eager call, is of an earlier run of its cell. */
export function isEarlier({ runs }: State, { cell, seq }: Retrace): boolean {
  return cell !== null && seq < (runs.get(cell)?.seq ?? 0);
}

/** Whether the user has cleared a retrace away. */
export function isCleared({ cleared }: State, { seq }: Retrace): boolean {
  return seq <= cleared;
}

/** How many retraces and eager calls there are now, and how many more were cleared or are of earlier runs. */
export function countRetraces(state: State): { now: number; earlier: number; cleared: number } {
  const counts = { now: 0, earlier: 0, cleared: 0 };
  const tally = (retrace: Retrace): void => {
    counts[isCleared(state, retrace) ? 'cleared' : isEarlier(state, retrace) ? 'earlier' : 'now'] += 1;
  };
  state.retraces.forEach(tally);
  state.eager.forEach(tally);
  return counts;
}

/** How many retraces the latest runs of all cells have made since the list was cleared, without eager calls. */
export function countNow(state: State): number {
  const gone = state.cleared > 0 ? 0 : state.counted - state.retraces.length;
  return gone + state.retraces.filter(retrace => !isCleared(state, retrace) && !isEarlier(state, retrace)).length;
}

/** The outcome of the retraces of a cell's run before. */
export interface Progressed {
  readonly cell: string;
  readonly number: number;
  readonly before: number;
  readonly now: number;
}

/** The cells that ran again after a run that retraced, the latest first, without those that were cleared away. */
export function rerunCells(state: State): Progressed[] {
  const found = [...state.runs]
    .filter(([, { before, seq }]) => before > 0 && seq > state.cleared)
    .sort(([, a], [, b]) => b.seq - a.seq)
    .map(([cell, { number, before }]) => ({ cell, number, before }));
  return found.map(run => ({ ...run, now: retracesOf(state, run.cell) }));
}
