import { describe, expect, it, vi } from 'vitest';
import { LayoutEngine } from '../src/layout';
import { Location } from '../src/protocol';
import { Store } from '../src/store';
import { StagingView } from '../src/views/staging';
import { event, graphOf, node, profiled, started } from './samples';

const LINES = [
  { number: 11, mark: '', nodes: 0, source: 'def f(x):', ns: 0 },
  { number: 12, mark: 'unrolled ×3', nodes: 6, source: '    for _ in "<b>": x = x * 2 + 1', ns: 3000 },
  { number: 0, mark: 'not converted', nodes: 0, source: 'helper.py line 4', ns: 0 }
];

const HELPER = {
  name: 'Net.helper',
  location: { file: 'c', line: 2, cell: 'helpers', cell_number: 6 },
  lines: [
    { number: 8, mark: '', nodes: 0, source: '    def helper(self, x):', ns: 0 },
    { number: 9, mark: 'staged', nodes: 2, source: '        for _ in range(x): pass', ns: 6000 }
  ]
};

const ANSWER = { lines: LINES, functions: [HELPER] };

describe('StagingView', () => {
  it('marks each line with what became of it, its nodes and its time', async () => {
    const store = new Store();
    store.apply([started(1), event('trace.finished', 2, { ok: true, total_ns: 1, phases: {} })]);
    const ask = vi.fn(() => Promise.resolve(ANSWER));
    const jump = vi.fn<(place: Location) => void>();
    const show = vi.fn<(line: Location) => void>();
    const view = new StagingView({ createEngine: () => ({}) as LayoutEngine, ask, jump }, show);
    const signature = store.state.signatures.get('f#1/1') ?? null;
    const defined = { file: 'c', line: 2, cell: 'cell-id', cell_number: 7 };
    const at = { file: 'other', cell: 'cell-id' };
    const graph = {
      ...graphOf([node('a', [], { ...at, line: 3 }), node('b', ['a'], { ...at, line: 40, scope: 'helper' }), node('c', ['b'], at)]),
      sites: { helper: { ...at, line: 2, cell_number: null } }
    };
    view.update(signature, defined, graph);
    view.update(signature, defined, graph);
    await vi.waitFor(() => expect(view.element.childElementCount).toBeGreaterThan(0));
    expect(ask.mock.calls).toEqual([['staging', { function: 'f#1', trace: 1 }]]);
    const rows = [...view.element.querySelectorAll<HTMLElement>('[data-tracefn=staged-line]')];
    expect(rows.map(row => [...row.children].map(cell => cell.textContent))).toEqual([
      ['2', '', 'calls', '', 'def f(x):'],
      ['3', 'unrolled ×3', '6', '3.00 µs', '    for _ in "<b>": x = x * 2 + 1'],
      ['', 'not converted', '', '', 'helper.py line 4'],
      ['2', '', '', '', 'def helper(self, x):'],
      ['3', 'staged', '2', '6.00 µs', '    for _ in range(x): pass']
    ]);
    expect(view.element.querySelector('[data-tracefn=staged-function]')?.textContent).toBe('Net.helpercell [6] line 2');
    expect(rows.map(row => row.dataset.mark)).toEqual(['', 'unrolled', 'not', '', 'staged']);
    rows[1]?.querySelector('button')?.click();
    expect(jump).toHaveBeenCalledWith({ ...defined, line: 3 });
    view.element.querySelectorAll<HTMLElement>('[data-tracefn=show-nodes]').forEach(button => button.click());
    expect(show.mock.calls.map(([{ line }]) => line)).toEqual([2, 3]);
  });

  it('shows what the lines take once the call was profiled', async () => {
    const store = new Store();
    store.apply([started(1), event('trace.finished', 2, { ok: true, total_ns: 1, phases: {} })]);
    const view = new StagingView({ createEngine: () => ({}) as LayoutEngine, ask: () => Promise.resolve(ANSWER) }, () => undefined);
    const signature = store.state.signatures.get('f#1/1') ?? null;
    const defined = { file: 'c', line: 2, cell: 'cell-id', cell_number: 7 };
    view.update(signature, defined, null);
    await vi.waitFor(() => expect(view.element.querySelectorAll('th')).toHaveLength(10));
    const lines = [
      { location: { ...defined, line: 3 }, graph_ns: 1500, eager_ns: 3000 },
      { location: { ...HELPER.location, line: 3 }, graph_ns: 700, eager_ns: 0 },
      { location: { ...defined, cell: 'other', line: 2 }, graph_ns: 1, eager_ns: 1 }
    ];
    view.update(signature && { ...signature, profile: profiled(3, { lines }) }, defined, null);
    const cells = [...view.element.querySelectorAll('tbody tr')].map(row => [...row.children].slice(4, 6).map(cell => cell.textContent));
    expect(cells).toEqual([['', ''], ['1.50 µs', '3.00 µs'], ['', ''], ['', ''], ['700 ns', '']]);
  });

  it('asks nothing of a trace that is not there', () => {
    const ask = vi.fn(() => Promise.resolve(null));
    const view = new StagingView({ createEngine: () => ({}) as LayoutEngine, ask }, () => undefined);
    const store = new Store();
    store.apply([started(1)]);
    view.update(null, null, null);
    view.update(store.state.signatures.get('f#1/1') ?? null, null, null);
    expect(ask).not.toHaveBeenCalled();
  });
});
