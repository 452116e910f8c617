import { describe, expect, it } from 'vitest';
import { Location, StagedLine } from '../src/protocol';
import { cellBadges, lineMarks, reduce, emptyState, State } from '../src/store';
import { event, started } from './samples';

const AT: Location = { file: 'c.py', line: 4, cell: 'calls', cell_number: 2 };
const DEFINED: Location = { file: 'd.py', line: 3, cell: 'functions', cell_number: 1 };

/** Retraces `from`…`to` of `f`, called in line 4 of a cell. */
function retrace(state: State, from: number, to: number): void {
  for (let trace = from; trace <= to; trace += 1) {
    const about = { signature: `f#1/${trace}` };
    reduce(state, { ...started(state.last + 1, trace), location: AT, cell: 'calls', defined: DEFINED });
    const text = 'x: shape';
    const why = { trace, nearest: 1, nearest_signature: '', causes: [], text };
    if (trace > 1) {
      reduce(state, { ...event('retrace.explained', state.last + 1, why, about), location: AT });
    }
    reduce(state, event('trace.finished', state.last + 1, { ok: true, total_ns: 2e6, phases: {} }, about));
  }
}

describe('marks of cells and lines', () => {
  it('count the retraces of the latest run, and say when they are fixed', () => {
    const state = emptyState();
    retrace(state, 1, 3);
    expect(cellBadges(state).get('calls')).toMatchObject({ kind: 'retraced', text: '↻ 2' });
    expect(cellBadges(state).get('calls')?.title).toBe('2 retraces in the latest run of this cell, 4.00 ms: show why');
    expect(lineMarks(state, new Map()).get('calls')).toEqual([
      { line: 4, kind: 'traced', text: '↻2', title: '2 retraces by calls in this line' }
    ]);
    reduce(state, event('cell.started', state.last + 1, { cell: 'calls', number: 3 }));
    expect(cellBadges(state).get('calls')).toMatchObject({ kind: 'found', text: '↻ 0 (2)' });
    expect(lineMarks(state, new Map()).get('calls')?.[0]?.title).toBe('2 retraces by calls in this line, none in the latest run');
    reduce(state, { ...started(state.last + 1, 1, 'g'), location: AT, cell: 'calls' });
    expect(cellBadges(state).get('calls')).toMatchObject({ kind: 'fixed', text: '✓ 2 → 0' });
    expect(lineMarks(state, new Map()).get('calls')).toBeUndefined();
  });

  it('tell what became of lines, which count from the first of the cell', () => {
    const state = emptyState();
    retrace(state, 1, 1);
    const line = (number: number, mark: string): StagedLine => ({ number, mark, nodes: 1, source: '', ns: 0 });
    const lines = [line(7, ''), line(8, 'ran once'), line(9, 'staged, unrolled ×8'), line(0, 'staged')];
    const other = { name: 'Net.forward', location: { ...AT, cell: 'model', line: 2 }, lines: [line(12, ''), line(13, 'unrolled ×3')] };
    const marks = lineMarks(state, new Map([['f#1', { lines, functions: [other, other] }]]));
    expect(marks.get('functions')?.map(({ line, kind, text }) => [line, kind, text])).toEqual([
      [5, 'unrolled', '×8'],
      [5, 'staged', '◆']
    ]);
    expect(marks.get('model')?.map(({ line, kind, text }) => [line, kind, text])).toEqual([[3, 'unrolled', '×3']]);
  });
});
