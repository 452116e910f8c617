/** Marks for the user's code: cells and lines that were traced again, and the treatment of the lines of traced functions. */

import { count, counted, duration } from '../format';
import { Location, StagedLine, Staging } from '../protocol';
import { foundAll, isCleared, isEarlier, rerunCells } from './runs';
import { definitions, eagerOf } from './select';
import { Retrace, State, TracedFunction } from './state';
import { t } from '../words';

/** The subject of a mark. */
export type MarkKind = 'traced' | 'eager' | 'unrolled' | 'staged';

/** A mark beside a line of a cell, counted from 1. */
export interface LineMark {
  readonly line: number;
  readonly kind: MarkKind;
  /** A sign or a number, as there is little room. */
  readonly text: string;
  /** The same in words. */
  readonly title: string;
}

/** The badge in the margin of a cell: its retraces, that they are fixed, or that its latest run found all traces made. */
export interface CellBadge {
  readonly kind: 'retraced' | 'fixed' | 'found';
  readonly text: string;
  readonly title: string;
}

/** The order of the marks of one line. */
const KINDS: readonly MarkKind[] = ['traced', 'eager', 'unrolled', 'staged'];

/** The badges of cells by their ids: those whose latest run made retraces, or none where a run before made some. */
export function cellBadges(state: State): Map<string, CellBadge> {
  const badges = new Map<string, CellBadge>();
  for (const { cell, before, now } of rerunCells(state)) {
    if (now === 0) {
      const title = t`${counted(before, 'retrace')} in the run before, none in the latest: fixed`;
      badges.set(cell, { kind: 'fixed', text: `✓ ${count(before)} → 0`, title });
    }
  }
  for (const [cell, retraces] of groupBy(retracesNow(state), ({ cell }) => cell)) {
    const costNs = retraces.reduce((sum, { signatureId }) => sum + (state.signatures.get(signatureId)?.totalNs ?? 0), 0);
    const made = counted(retraces.length, 'retrace');
    const title = t`${made} in the latest run of this cell, ${duration(costNs)}: show why`;
    const found = t`No trace in the latest run: its calls found those of an earlier run, which made ${made}, ${duration(costNs)}. A new kernel makes them again: show why`;
    badges.set(
      cell,
      foundAll(state, cell)
        ? { kind: 'found', text: `↻ 0 (${count(retraces.length)})`, title: found }
        : { kind: 'retraced', text: `↻ ${count(retraces.length)}`, title }
    );
  }
  return badges;
}

/** The marks of lines by the ids of their cells. `staged` has the treatment of functions' lines by the functions' ids. */
export function lineMarks(state: State, staged: ReadonlyMap<string, Staging>): Map<string, LineMark[]> {
  const marks = new Map<string, LineMark[]>();
  const add = (cell: string, mark: LineMark): void => void marks.set(cell, [...(marks.get(cell) ?? []), mark]);
  const addStaged = (defined: Location | null, lines: readonly StagedLine[]): void => {
    const shift = shiftOf(lines, defined);
    const cell = defined?.cell ?? null;
    for (const { number, mark } of lines) {
      for (const found of cell !== null && number > 0 ? markOf(mark, number + shift) : []) {
        // Several traces come through one helper.
        if (!marks.get(cell ?? '')?.some(({ line, text }) => line === found.line && text === found.text)) {
          add(cell ?? '', found);
        }
      }
    }
  };
  for (const [cell, retraces] of groupBy(retracesNow(state), ({ location }) => location?.cell ?? null)) {
    for (const [line, calls] of groupBy(retraces, ({ location }) => location?.line ?? null)) {
      const made = counted(calls.length, 'retrace');
      const found = calls.every(({ cell }) => cell !== null && foundAll(state, cell));
      const title = found ? t`${made} by calls in this line, none in the latest run` : t`${made} by calls in this line`;
      add(cell, { line, kind: 'traced', text: `↻${count(calls.length)}`, title });
    }
  }
  for (const { newest } of definitions(state)) {
    const { id, defined } = newest;
    for (const { location, text, dropped } of eagerOf(state, newest)) {
      if (location?.cell && !dropped) {
        add(location.cell, { line: location.line, kind: 'eager', text: '!', title: t`${newest.name} runs eagerly: ${text}` });
      }
    }
    const { lines, functions } = staged.get(id) ?? { lines: [], functions: [] };
    addStaged(defined, lines);
    functions.forEach(other => addStaged(other.location, other.lines));
  }
  marks.forEach(list => list.sort((a, b) => a.line - b.line || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)));
  return marks;
}

/** A notebook counts the lines of a cell, the kernel those of the code that IPython made of it: the first less the second. */
export function shiftOf(lines: readonly StagedLine[], defined: Location | null): number {
  return (defined?.line ?? 0) - (lines.find(({ number }) => number > 0)?.number ?? 0);
}

/** The trace that tells the treatment of a function's lines: the newest that is ready; null where there is none. */
export function stagedTrace(state: State, { signatures }: TracedFunction): number | null {
  for (let i = signatures.length - 1; i >= 0; i -= 1) {
    const signature = state.signatures.get(signatures[i] ?? '');
    if (signature?.status === 'ready') {
      return signature.trace;
    }
  }
  return null;
}

/** The marks of a line's staging: `staged, unrolled ×3`. Lines that need no attention have none. */
function markOf(staging: string, line: number): LineMark[] {
  return staging.split(', ').flatMap((mark): LineMark[] => {
    const rounds = /^unrolled ×(\d+)$/.exec(mark)?.[1];
    if (rounds !== undefined) {
      return [{ line, kind: 'unrolled', text: `×${rounds}`, title: t`Unrolled: ${counted(Number(rounds), 'round')} in the graph` }];
    }
    return mark === 'staged' ? [{ line, kind: 'staged', text: '◆', title: t`Staged: it is part of the graph` }] : [];
  });
}

function retracesNow(state: State): Retrace[] {
  return state.retraces.filter(retrace => !isCleared(state, retrace) && !isEarlier(state, retrace));
}

/** Items by key; those whose key is null are left out. */
function groupBy<T, K>(items: readonly T[], key: (item: T) => K | null): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = name === null ? undefined : groups.get(name);
    if (group) {
      group.push(item);
    } else if (name !== null) {
      groups.set(name, [item]);
    }
  }
  return groups;
}
