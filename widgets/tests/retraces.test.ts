import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LayoutEngine, LayoutWorker } from '../src/layout';
import { Location, TraceEvent } from '../src/protocol';
import { Store } from '../src/store';
import { Cells, Host } from '../src/views/common/host';
import { colourOf } from '../src/views/retraces/causes';
import { binsOf, roundTimes } from '../src/views/retraces/timeline';
import { RetracesView } from '../src/views/retraces/view';
import { event, started } from './samples';

const silent: LayoutWorker = { onmessage: null, onerror: null, postMessage: () => undefined, terminate: () => undefined };

const FIX = {
  kind: 'input_signature',
  code: 'input_signature=[tracefn.TensorSpec((None, 64), np.float32)]',
  text: 'declare input_signature=[tracefn.TensorSpec((None, 64), np.float32)] and pass n as np.float32(n)',
  short: 'x: (None, 64)',
  casts: { n: 'np.float32(n)' },
  before: 12,
  after: 2
};

/** An answer to `explain`. */
function explanation(fix: object | null): object {
  const cause = { path: 'n', kind: 'value', old: '1', new: '2', text: 'n: 1 → 2 (Python int)', dimension: null };
  const earlier = [2, 1].map(trace => ({ trace, signature: 'x', state: trace === 1 ? 'evicted' : 'kept', causes: [cause] }));
  return {
    headline: 'f retraced (#3, 4.2 ms) in cell [7] line 5: n changed 1 → 2 (Python int). Same graph as #2: do this.',
    verdict: { kind: 'nothing', same_as: 2, text: 'Same graph as #2' },
    signature: 'x: float32[2]',
    phases: { bind: 1000, trace: 2000 },
    earlier,
    fix,
    hint: fix ? '' : 'Pass one array.',
    relaxed: [],
    reads: [{ path: 'global scale', how: 'guard', value: '2' }],
    frozen: ['model.py line 3: print']
  };
}

const WHAT_IF = {
  traces: 12,
  calls: 40,
  cost_ns: 5e6,
  outcomes: [{ policy: 'relaxed dims', arguments: ['x'], traces: 2, saved_ns: 4e6, changes: ['it was not tried'], unverified: '' }]
};

describe('RetracesView', () => {
  let store: Store;
  let view: RetracesView;
  let asked: [string, object][];
  let fix: object | null;
  let selected: string[];
  let written: Record<string, string>[];
  let refusal: string | null;
  let sent: TraceEvent[];
  const all = (hook: string): HTMLElement[] => [...view.element.querySelectorAll<HTMLElement>(`[data-tracefn="${hook}"]`)];
  const text = (hook: string): string | null | undefined => all(hook)[0]?.textContent;
  const settle = () => vi.advanceTimersByTimeAsync(500);

  function make(host: Partial<Host> = {}): void {
    view = new RetracesView({ createEngine: () => new LayoutEngine(() => silent), ...host }, id => selected.push(id));
    document.body.append(view.element);
    store.subscribe(state => view.update(state));
  }

  const answer: Host['ask'] = (query, fields) => {
    asked.push([query, fields]);
    if (query === 'write_fix') {
      return refusal === null ? Promise.resolve({ cells: { a: 'new' } }) : Promise.reject(new Error(refusal));
    }
    return Promise.resolve(query === 'explain' ? explanation(fix) : WHAT_IF);
  };
  const cells = (place: Location): Cells | null =>
    place.cell === null ? null : { sources: { a: 'old' }, write: sources => (written.push({ ...sources }), 'cell [1]') };

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('ResizeObserver', class {
      constructor(private readonly _measured: () => void) {}
      observe(): void {
        this._measured();
      }
      disconnect(): void {}
    });
    // jsdom lays nothing out: the table would have no row in sight.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(280);
    store = new Store();
    sent = [];
    asked = [];
    selected = [];
    written = [];
    fix = null;
    refusal = null;
  });

  afterEach(() => {
    view.dispose();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  function retrace(trace: number, kind = 'value', options: { name?: string; verdict?: string; cell?: number; id?: string } = {}): void {
    const { name = 'f', verdict = 'nothing', cell = 7, id = 'cell-id' } = options;
    const seq = store.state.last + 1;
    const about = { function: `${name}#1`, signature: `${name}#1/${trace}` };
    const cause = { path: 'n', kind, old: '1', new: '2', text: `n: ${kind} changed`, dimension: null };
    const location = { file: 'c', line: 5, cell: id, cell_number: cell };
    const explained = {
      trace,
      nearest: trace - 1,
      nearest_signature: `${name}#1/${trace - 1}`,
      causes: [cause],
      text: `${cause.text}; nearest earlier trace #${trace - 1}`
    };
    const built = { graph_hash: `h${trace}`, nodes_before: 3, nodes_after: 2, passes: [], memory: 1 };
    apply([
      { ...started(seq, trace, name), location, defined: { ...location, line: 1 } },
      {
        ...event('retrace.explained', seq + 1, explained, about),
        location
      },
      event('graph.built', seq + 2, { ...built, verdict, same_as: verdict === 'different' ? null : 1 }, about),
      event('trace.finished', seq + 3, { ok: true, total_ns: trace * 1e6, phases: { trace: 1e6 } }, about)
    ]);
  }

  function apply(events: TraceEvent[]): void {
    sent.push(...events);
    store.apply(events);
  }

  it('says so where nothing was traced again', () => {
    make();
    view.update(store.state);
    expect(text('empty')).toContain('No retrace so far');
    expect(all('empty')[0]?.hidden).toBe(false);
  });

  it('keeps only the rows in sight in the page, also of a thousand', () => {
    for (let trace = 2; trace < 1002; trace++) {
      retrace(trace);
    }
    make();
    view.update(store.state);
    expect(all('retrace').length).toBeLessThan(30);
    expect(all('retraces')[0]?.getAttribute('aria-rowcount')).toBe('1000');
    expect(all('retrace')[0]?.textContent).toContain('f #1001');
    all('retraces')[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
    expect(selected).toEqual(['f#1/2']);
    expect(all('retrace').length).toBeLessThan(30);
    expect(view.element.querySelector('[aria-selected=true]')?.textContent).toContain('f #2');
  });

  it('filters by text, function, cause, verdict and bar, and sorts by cost', () => {
    make();
    retrace(2, 'value');
    retrace(3, 'dimension', { verdict: 'different', cell: 8 });
    retrace(2, 'dtype', { name: 'g', verdict: 'different', cell: 9 });
    const names = (): string[] => all('retrace').map(row => row.querySelector('.tracefn-retrace-name')?.textContent ?? '');
    const type = (hook: string, value: string): void => {
      const input = all(hook)[0] as HTMLInputElement;
      input.value = value;
      input.dispatchEvent(new Event(input instanceof HTMLSelectElement ? 'change' : 'input'));
    };
    expect(names()).toEqual(['g #2', 'f #3', 'f #2']);
    type('filter-text', 'cell [8]');
    expect(names()).toEqual(['f #3']);
    type('filter-text', 'nothing like that');
    expect(all('none-found')[0]?.hidden).toBe(false);
    type('filter-text', '');
    type('filter-function', 'm.g');
    expect(names()).toEqual(['g #2']);
    type('filter-function', '');
    all('filter-needless')[0]?.click();
    expect(names()).toEqual(['f #2']);
    all('filter-needless')[0]?.click();
    all('legend').find(item => item.dataset.cause === 'shape')?.click();
    expect(names()).toEqual(['f #3']);
    all('legend').find(item => item.dataset.cause === 'shape')?.click();
    all('sort-cost')[0]?.click();
    expect(names()).toEqual(['f #3', 'g #2', 'f #2']);
    all('timeline-cell')[0]?.click();
    all('timeline-bar')[2]?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    expect(names()).toEqual(['g #2']);
    all('filter-bar')[0]?.click();
    expect(names()).toHaveLength(3);
  });

  it('chooses with the arrow keys, and asks only about the row on which the choice rests', async () => {
    make({ ask: answer });
    [2, 3, 4].forEach(trace => retrace(trace));
    const [table] = all('retraces');
    const press = (key: string): void => void table?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    press('ArrowDown');
    press('ArrowDown');
    press('End');
    press('ArrowUp');
    expect(selected).toEqual(['f#1/4', 'f#1/3', 'f#1/2', 'f#1/3']);
    await settle();
    expect(asked).toEqual([
      ['explain', { function: 'f#1', trace: 3 }],
      ['what_if', { function: 'f#1' }]
    ]);
    expect(table?.getAttribute('aria-activedescendant')).toBe(
      view.element.querySelector('[role=row][aria-selected=true]')?.id
    );
    all('retrace-detail')[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    expect(all('retrace-detail')[0]?.hidden).toBe(true);
    expect(document.activeElement).toBe(table);
  });

  it('explains the chosen retrace', async () => {
    fix = FIX;
    make({ ask: answer, cells });
    retrace(2);
    retrace(3);
    all('retrace')[0]?.click();
    expect(text('headline')).toBe('f retraced (#3): n: value changed; nearest earlier trace #2');
    expect(text('explain-note')).toContain('Asking the kernel');
    await settle();
    expect(text('headline')).toBe('f retraced (#3, 4.2 ms) in cell [7] line 5: n changed 1 → 2 (Python int).');
    expect(text('retrace-verdict')).toBe('Needless: the same graph as #1');
    expect(text('difference')).toBe('nvalue1 → 2');
    expect(all('compared').map(item => item.textContent)).toEqual([
      '#2 n: 1 → 2 (Python int)',
      '#1 n: 1 → 2 (Python int) (evicted)'
    ]);
    expect(text('what-if-row')).toBe('relaxed dimsx12 → 24.00 msnot tried yet');
    expect(text('read')).toBe('global scale2another value retraces');
    expect(text('retrace-detail')).toContain('model.py line 3: print');
    expect(text('fix-title')).toBe('12 traces → 2 with x: (None, 64)');
    all('nearest')[0]?.click();
    expect(selected).toEqual(['f#1/3', 'f#1/2']);
  });

  it('writes the fix, and says in words why it cannot', async () => {
    fix = FIX;
    make({ ask: answer, cells });
    retrace(2);
    all('retrace')[0]?.click();
    await settle();
    all('write-fix')[0]?.click();
    await settle();
    expect(asked[asked.length - 1]).toEqual(['write_fix', { function: 'f#1', cells: { a: 'old' } }]);
    expect(written).toEqual([{ a: 'new' }]);
    expect(text('fix-said')).toContain('Written into cell [1]');
    refusal = '`f` is defined in model.py, not in a cell of this notebook: copy the change.';
    all('write-fix')[0]?.click();
    await settle();
    expect(text('fix-said')).toBe(refusal);
  });

  it('looks for a fix only when asked to', async () => {
    const findFix = vi.fn(() => {
      fix = FIX;
      return Promise.resolve();
    });
    make({ ask: answer, cells, findFix });
    retrace(2);
    all('retrace')[0]?.click();
    await settle();
    expect(findFix).not.toHaveBeenCalled();
    expect(text('hint')).toBe('What usually helps: Pass one array.');
    all('find-fix')[0]?.click();
    await settle();
    expect([text('fix-title'), text('hint')]).toEqual([expect.stringContaining('12 traces → 2'), undefined]);
  });

  it('shows what the event has where the kernel cannot be asked, and its words where it refuses', async () => {
    make({ ask: () => Promise.reject(new Error("The function 'f#1' no longer exists.")) });
    retrace(2);
    all('retrace')[0]?.click();
    await settle();
    expect(text('explain-note')).toBe("The kernel could not explain more: The function 'f#1' no longer exists.");
    expect(text('difference')).toBe('nvalue1 → 2');
  });

  it('says how to look for a fix where it cannot have the kernel do it', async () => {
    make({ ask: answer });
    retrace(2);
    all('retrace')[0]?.click();
    await settle();
    expect(text('fix')).toContain('No change was tried yet: f.explain() in a cell does');
  });

  it('lets an explanation go with the kernel', async () => {
    make({ ask: answer });
    retrace(2);
    all('retrace')[0]?.click();
    store.reset();
    await settle();
    expect(asked).toEqual([]);
    expect(all('retrace-detail')[0]?.hidden).toBe(true);
  });

  it('filters by no function or cause that is gone without a way back', () => {
    make();
    retrace(2, 'value');
    retrace(2, 'dtype', { name: 'g' });
    const functions = all('filter-function')[0] as HTMLSelectElement;
    functions.value = 'm.g';
    functions.dispatchEvent(new Event('change'));
    const events = [...sent];
    store.reset();
    store.apply(events.filter(({ function: owner }) => owner === 'f#1'));
    expect(functions.value).toBe('');
    expect(all('retrace').map(row => row.dataset.signature)).toEqual(['f#1/2']);
    store.replace(events, 100);
    expect(functions.value).toBe('m.g');
    expect(all('retrace').map(row => row.dataset.signature)).toEqual(['g#1/2']);
    all('legend').find(item => item.dataset.cause === 'dtype')?.click();
    functions.value = '';
    functions.dispatchEvent(new Event('change'));
    store.replace(events.filter(({ function: owner }) => owner === 'f#1'), 100);
    expect(all('retrace')).toHaveLength(0);
    expect(all('legend').find(item => item.dataset.cause === 'dtype')?.getAttribute('aria-pressed')).toBe('true');
    view.reset();
    expect(all('retrace')).toHaveLength(1);
  });

  it('lists the latest run of each cell, tells what was fixed, and clears', async () => {
    make({ ask: answer, clearRetraces: all => store.clear(all) });
    [2, 3, 4].forEach(trace => retrace(trace));
    retrace(2, 'dtype', { name: 'g', id: 'other' });
    const names = (): string[] => all('retrace').map(row => row.querySelector('.tracefn-retrace-name')?.textContent ?? '');
    expect(names()).toHaveLength(4);
    expect(all('reruns')[0]?.hidden).toBe(true);
    const runs = (number: number) =>
      apply([event('cell.started', store.state.last + 1, { cell: 'cell-id', number }, { function: null, signature: null })]);
    runs(8);
    expect(names()).toHaveLength(4); // its calls found traces: a new kernel would retrace as before
    runs(9);
    apply([{ ...started(store.state.last + 1, 1, 'f'), function: 'f#2', signature: 'f#2/1', cell: 'cell-id' }]);
    expect(names()).toEqual(['g #2']);
    expect(text('reruns')).toBe('Run again, cell [9]: 3 retraces → 0, fixed');
    expect(text('earlier-runs')).toBe('and 3 of earlier runs');
    retrace(5);
    expect(names()).toEqual(['f #5', 'g #2']);
    expect(text('reruns')).toBe('Run again, cell [9]: 3 retraces → 1');
    all('earlier-runs')[0]?.click();
    expect(names()).toEqual(['f #5', 'g #2', 'f #4', 'f #3', 'f #2']);
    all('retrace')[3]?.click();
    await settle();
    expect(text('history')).toBe('Of an earlier run: cell [9] has run again since, and made 1 retrace.');
    retrace(6);
    expect(text('history')).toMatch(/and made 2 retraces.$/);
    expect(text('fix')).not.toContain('No change');
    all('clear')[0]?.click();
    expect(names()).toEqual([]);
    expect(all('retrace-detail')[0]?.hidden).toBe(true);
    expect(text('none-found')).toContain('All were cleared away.');
    expect(all('reruns')[0]?.hidden).toBe(true);
    retrace(7);
    expect(names()).toEqual(['f #7']);
    expect(text('cleared')).toBe('6 cleared ✕');
    all('cleared')[0]?.click();
    all('earlier-runs')[0]?.click();
    expect(names()).toEqual(['f #7', 'f #6', 'f #5', 'g #2']);
    runs(10);
    store.replace(sent, 1000);
    expect(names()).toEqual(['f #7', 'f #6', 'f #5', 'g #2']);
  });

  it('filters no other kernel by a bar of this one', () => {
    make();
    retrace(2);
    all('timeline-bar')[0]?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    expect(all('filter-bar')[0]?.hidden).toBe(false);
    store.reset();
    retrace(3);
    expect(all('retrace')).toHaveLength(1);
    expect(all('filter-bar')[0]?.hidden).toBe(true);
  });
});

describe('timeline', () => {
  it('has round times, as many as there is room for', () => {
    expect(roundTimes(64.8e9 * 8, 6)).toEqual([0, 1e11, 2e11, 3e11, 4e11, 5e11]);
    expect(roundTimes(258e6, 7)).toEqual([0, 5e7, 1e8, 1.5e8, 2e8, 2.5e8]);
    expect(roundTimes(0, 7)).toEqual([0]);
  });

  it('puts each trace into one bar, over time and cell by cell', () => {
    const store = new Store();
    const place = { file: 'c', line: 1, cell: 'c' };
    store.apply(
      [1, 2, 3].map(seq => ({
        ...started(seq * 1000, seq),
        location: { ...place, cell_number: 4 - Math.min(seq, 2) }
      }))
    );
    const signatures = [...store.state.signatures.values()];
    const cells = binsOf(signatures, 'cell').map(({ name, signatures: members }) => `${name}: ${members.length}`);
    expect(cells).toEqual(['cell [2]: 2', 'cell [3]: 1']);
    const sizes = binsOf(signatures, 'time').map(({ signatures: members }) => members.length);
    expect(sizes.filter(size => size > 0)).toEqual([1, 1, 1]);
    expect([sizes[0], sizes[sizes.length - 1]]).toEqual([1, 1]);
    expect(colourOf(null)).toBe('first');
  });
});
