import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeEvent } from '../src/protocol';
import { Inspector } from '../src/inspector';
import { LayoutEngine, LayoutWorker } from '../src/layout';
import { EventOf, Location } from '../src/protocol';
import { eagerNs, eagerOf, Store } from '../src/store';
import { layOut } from './laid_out';
import { event, started } from './samples';

const silent: LayoutWorker = { onmessage: null, onerror: null, postMessage: () => undefined, terminate: () => undefined };

const PLACE: Location = { file: 'c', line: 5, cell: 'cell-id', cell_number: 7 };

const HOSTILE = '<img src=x onerror="window.stolen = true">';

/** Calls that run eagerly; `attempt` is the number of the trace that failed, 0 for none. */
function fallback(seq: number, number = 1, attempt = 1, reason = 'argument `x` was read with .tobytes()'): EventOf<'fallback'> {
  const fields = {
    attempt: attempt > 0 ? `f#1/${attempt}` : null,
    error: 'TensorConversionError',
    reason,
    fix: 'Return it.',
    signature_text: attempt > 0 ? 'x: int64[3]' : 'any',
    trace_ns: attempt > 0 ? 2e6 : 0,
    eager_ns: attempt > 0 ? 5000 : 0
  };
  return { ...event('fallback', seq, fields, { signature: `f#1/eager${number}` }), location: PLACE };
}

/** A trace that fails. */
function failed(seq: number, trace = 1): EventOf<'trace.started' | 'error' | 'trace.finished'>[] {
  const about = { signature: `f#1/${trace}` };
  return [
    started(seq, trace),
    event('error', seq + 1, { error: 'TensorConversionError', message: 'no', phase: 'trace' }, about),
    event('trace.finished', seq + 2, { ok: false, total_ns: 10, phases: {} }, about)
  ];
}

describe('fallback events', () => {
  it('are decoded', () => {
    const sent: unknown = JSON.parse(JSON.stringify(fallback(1)));
    expect(decodeEvent(sent)).toEqual(fallback(1));
    expect(decodeEvent({ ...(sent as object), reason: 3 })).toBeNull();
  });

  it('take the place of the trace that failed, its error and its retrace', () => {
    const store = new Store();
    const causes = [{ path: 'x', kind: 'dtype', old: 'a', new: 'b', text: 'x: a → b', dimension: null }];
    const explained = { trace: 2, nearest: 1, nearest_signature: 'f#1/1', causes, text: 'x: a → b' };
    const [start, ...end] = failed(2, 2);
    store.apply([started(1), start as EventOf<'trace.started'>]);
    store.apply([event('retrace.explained', 3, explained, { signature: 'f#1/2' })]);
    store.apply(end.map((item, i) => ({ ...item, seq: 4 + i })));
    expect(store.state.retraces).toHaveLength(1);
    store.apply([fallback(7, 1, 2)]);
    const { state } = store;
    expect([...state.signatures.keys()]).toEqual(['f#1/1']);
    expect(state.retraces).toEqual([]);
    expect(state.notices.map(({ type }) => type)).toEqual(['fallback']);
    expect(state.functions.get('f#1')).toMatchObject({ signatures: ['f#1/1'], eager: ['f#1/eager1'] });
    expect(state.eager.get('f#1/eager1')).toMatchObject({ calledWith: 'x: int64[3]', traceNs: 2e6, calls: { count: 1 } });
  });

  it('leave the next trace alone that gets the number of the one that failed', () => {
    const store = new Store();
    store.apply([...failed(1), fallback(4), started(5), event('trace.finished', 6, { ok: true, total_ns: 8, phases: {} })]);
    expect(store.state.signatures.get('f#1/1')?.status).toBe('ready');
    expect(store.state.eager.size).toBe(1);
  });

  it('are counted by calls and totals, and dropped with the cache', () => {
    const store = new Store();
    store.apply([...failed(1), fallback(4)]);
    store.apply([event('calls', 5, { count: 9, timed: 2, timed_ns: 6000 }, { signature: 'f#1/eager1' })]);
    const [item] = eagerOf(store.state, store.state.functions.get('f#1')!);
    expect(item?.calls.count).toBe(9);
    expect(item && eagerNs(item)).toBe(3000);
    store.setTotals(new Map([['f#1/eager1', { count: 12, timed: 0, timed_ns: 0 }]]));
    expect(item?.calls.count).toBe(12);
    expect(item && eagerNs(item)).toBe(5000);
    store.apply([event('cache.cleared', 6, { count: 0 })]);
    expect(item?.dropped).toBe(true);
  });

  it('are shown for a function of which no trace was seen', () => {
    const store = new Store();
    store.apply([fallback(1, 1, 0)]);
    expect(store.state.functions.get('f#1')).toMatchObject({ name: 'f', eager: ['f#1/eager1'] });
  });
});

describe('What runs eagerly in the inspector', () => {
  let inspector: Inspector;
  let store: Store;
  let jump: ReturnType<typeof vi.fn<(place: Location) => void>>;
  let tabs: string[];
  const all = (hook: string): HTMLElement[] => [
    ...inspector.element.querySelectorAll<HTMLElement>(`[data-tracefn="${hook}"]`)
  ];

  beforeEach(() => {
    layOut();
    store = new Store();
    jump = vi.fn();
    tabs = [];
    inspector = new Inspector({
      host: { createEngine: () => new LayoutEngine(() => silent), jump },
      onTab: tab => tabs.push(tab)
    });
    document.body.append(inspector.element);
    store.subscribe(state => inspector.update(state));
  });

  afterEach(() => {
    inspector.dispose();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('has a badge at its function and a row of its own, with reason, calls and time', () => {
    store.apply(failed(1));
    expect(all('eager')[0]?.hidden).toBe(true);
    store.apply([fallback(4), event('calls', 5, { count: 1200, timed: 2, timed_ns: 6000 }, { signature: 'f#1/eager1' })]);
    expect(all('eager')[0]?.hidden).toBe(false);
    expect(all('eager')[0]?.title).toBe('cell [7] line 5: argument `x` was read with .tobytes()');
    const [row] = all('eager-calls');
    expect(row?.textContent).toBe(
      '–x: int64[3]cell [7] line 5: argument `x` was read with .tobytes()1\u202f200×3.00 µseager'
    );
    expect(all('function')[0]?.textContent).toContain('0 traces · 1\u202f200 calls · 2.00 ms');
    expect(all('summary')[0]?.textContent).toContain('1\u202f200 eager calls');
    expect(all('signature')).toHaveLength(0);
    store.apply([event('cache.cleared', 6, { count: 0 })]);
    expect(all('eager')[0]?.hidden).toBe(true);
    expect(row?.textContent).toContain('dropped');
  });

  it('says in the place of the graph that there is none', () => {
    store.apply([...failed(1), fallback(4)]);
    expect(inspector.element.textContent).toContain('No graph: it runs eagerly');
  });

  it('is listed among the retraces, and explained with what to do and what it costs', () => {
    store.apply([...failed(1), fallback(4), fallback(5, 2, 0)]);
    all('eager-calls')[0]?.click();
    expect(tabs).toEqual(['retraces']);
    const rows = all('retrace');
    expect(rows.map(row => row.textContent?.replace(/\s+/g, ' '))).toEqual([
      'fargument `x` was read with .tobytes()cell [7] line 5eager',
      'fargument `x` was read with .tobytes()cell [7] line 52.00 mseager'
    ]);
    expect(all('headline')[0]?.textContent).toBe('f runs eagerly: argument `x` was read with .tobytes()');
    expect(all('eager-fix')[0]?.textContent).toContain('Return it.');
    const costs = () => [...(all('eager-costs')[0]?.querySelectorAll('tr') ?? [])].map(row => row.textContent);
    expect(costs()).toEqual([
      'callsx: int64[3]',
      'so far1 call',
      'each takes5.00 µs, as eager code does',
      'the attempt to trace took2.00 ms'
    ]);
    store.apply([event('calls', 6, { count: 9, timed: 2, timed_ns: 6000 }, { signature: 'f#1/eager1' })]);
    expect(costs()).toContain('in all27.0 µs');
    const legend = all('legend').find(item => item.dataset.cause === 'eager');
    expect(legend?.textContent).toBe('runs eagerly2');
    expect(all('tab-retraces')[0]?.textContent).toBe('Retraces2');
    expect(all('tab-notices')[0]?.textContent).toBe('Notices1');
  });

  it('is a notice with line, reason and what to do', () => {
    store.apply([...failed(1), fallback(4, 1, 1, HOSTILE)]);
    inspector.showTab('notices');
    const [notice] = all('notice');
    expect(notice?.dataset.kind).toBe('fallback');
    expect(notice?.textContent).toContain('Runs eagerlyf');
    expect(notice?.textContent).toContain(HOSTILE);
    expect(notice?.textContent).toContain('Return it.');
    expect(inspector.element.querySelector('img')).toBeNull();
    notice?.querySelector<HTMLElement>('[data-tracefn=jump]')?.click();
    expect(jump).toHaveBeenCalledWith(PLACE);
  });
});
