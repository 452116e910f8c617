import { describe, expect, it, vi } from 'vitest';
import { countNow, definitions, distinctParts, findByName, MAX_LISTED, MAX_SIGNATURES, nameOf, newestSignature, Store, totals, signaturesOf, signatureText } from '../src/store';
import { TraceEvent } from '../src/protocol';
import { summaryText } from '../src/views/summary';
import { event, graphOf, node, started } from './samples';

function storeOf(...events: TraceEvent[]): Store {
  const store = new Store();
  store.apply(events);
  return store;
}

describe('reduce', () => {
  it('follows a trace from its start to its calls', () => {
    const { state } = storeOf(
      started(1),
      event('trace.phase', 2, { phase: 'bind', duration_ns: 5 }),
      event('graph.built', 3, {
        graph_hash: 'h',
        nodes_before: 9,
        nodes_after: 4,
        passes: [],
        verdict: 'numbers',
        same_as: 2,
        memory: 10
      }),
      event('plan.ready', 4, { plan: 'numpy', device: 'cpu', source: 'return x', duration_ns: 7, size: 0 }),
      event('trace.finished', 5, { ok: true, total_ns: 80, phases: { trace: 60 } }),
      event('calls', 6, { count: 3, timed: 2, timed_ns: 40 }),
      event('plan.ready', 7, { plan: 'native', device: 'cpu', source: 'kept', duration_ns: 2, size: 90 }),
      event('plan.ready', 8, { plan: 'native', device: 'cpu', source: 'built', duration_ns: 60, size: 90 })
    );
    expect(state.signatures.get('f#1/1')).toMatchObject({
      status: 'ready',
      totalNs: 80,
      phases: { bind: 5, trace: 60 },
      verdict: { kind: 'numbers', sameAs: 2 },
      size: { hash: 'h', before: 9, after: 4 },
      plans: [{ source: 'return x' }, { source: 'built', durationNs: 60 }],
      calls: { count: 3 }
    });
    expect(state.last).toBe(8);
  });

  it('lists a retrace and its causes', () => {
    const cause = { path: 'x', kind: 'dtype', old: 'a', new: 'b', text: 'x: a → b', dimension: null };
    const fields = { trace: 2, nearest: 1, nearest_signature: 'f#1/1', causes: [cause], text: 'x: a → b' };
    const { state } = storeOf(
      started(1),
      started(2, 2),
      event('retrace.explained', 3, fields, { signature: 'f#1/2' })
    );
    expect(state.retraces).toHaveLength(1);
    expect(state.signatures.get('f#1/2')?.retrace?.causes[0]?.text).toBe('x: a → b');
  });

  it('keeps a failed trace, with its error', () => {
    const { state } = storeOf(
      started(1),
      event('error', 2, { error: 'TypeError', message: 'no', phase: 'trace' }),
      event('trace.finished', 3, { ok: false, total_ns: 5, phases: {} })
    );
    expect(state.signatures.get('f#1/1')).toMatchObject({ status: 'failed', error: { message: 'no' } });
    expect(state.notices).toHaveLength(1);
  });

  it('marks the traces that clear_cache dropped', () => {
    const { state } = storeOf(
      started(1),
      event('trace.finished', 2, { ok: true, total_ns: 5, phases: {} }),
      event('cache.cleared', 3, { count: 1 }, { signature: null })
    );
    expect(state.signatures.get('f#1/1')?.status).toBe('dropped');
  });

  it('takes events about traces it has not seen', () => {
    const { state } = storeOf(event('calls', 9, { count: 1, timed: 0, timed_ns: 0 }));
    expect(state.signatures.size).toBe(0);
    expect(state.last).toBe(9);
  });

  it('bounds its lists', () => {
    const effect = { kind: 'print', text: '', alternative: '' };
    const { state } = storeOf(
      ...Array.from({ length: MAX_LISTED + 10 }, (_, i) => event('side_effect', i + 1, effect))
    );
    expect(state.notices).toHaveLength(MAX_LISTED);
    expect(state.notices[0]?.seq).toBe(11);
  });

  it('lets the oldest signatures go, and functions that have none left', () => {
    const { state } = storeOf(
      started(1, 1, 'once'),
      ...Array.from({ length: MAX_SIGNATURES + 1 }, (_, i) => started(i + 2, i + 1))
    );
    expect(state.signatures.size).toBe(MAX_SIGNATURES);
    expect([...state.functions.keys()]).toEqual(['f#1']);
    expect(state.functions.get('f#1')?.signatures[0]).toBe('f#1/2');
  });
});

describe('Store', () => {
  it('skips events it has seen and announces once per call', () => {
    const store = storeOf(started(1));
    const listener = vi.fn();
    const stop = store.subscribe(listener);
    store.apply([started(1), started(2, 2)]);
    expect(store.state.signatures.size).toBe(2);
    expect(listener).toHaveBeenCalledTimes(1);
    stop();
    store.reset();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('keeps graphs when a snapshot replaces the events', () => {
    const store = storeOf(started(1));
    const graph = graphOf([node('a')]);
    store.addGraph(graph);
    store.replace([started(5, 3)], 8, 2);
    expect([...store.state.signatures.keys()]).toEqual(['f#1/3']);
    expect(store.state.graphs.get(graph.hash)).toBe(graph);
    expect(store.state).toMatchObject({ last: 8, dropped: 2 });
  });
});

describe('select', () => {
  it('folds redefinitions of a function, newest first', () => {
    const again = { ...started(2), function: 'f#2', signature: 'f#2/1' };
    const { state } = storeOf(started(1), again, started(3, 1, 'g'));
    const [first, second] = definitions(state);
    expect(first?.newest.id).toBe('f#2');
    expect(first?.earlier.map(({ id }) => id)).toEqual(['f#1']);
    expect(second?.newest.name).toBe('g');
  });

  it('finds a signature by its stable name in another session', () => {
    const { state } = storeOf(started(1), started(2, 2));
    const name = nameOf(state, state.signatures.get('f#1/2')!);
    const later = storeOf(started(1), started(2, 2), { ...started(3, 2), function: 'f#4', signature: 'f#4/2' });
    expect(findByName(later.state, name)?.id).toBe('f#4/2');
    expect(findByName(later.state, { ...name, functionKey: 'other' })).toBeNull();
    expect(newestSignature(later.state)?.id).toBe('f#4/2');
  });

  it('writes a signature short, counting equal neighbours in one container', () => {
    const argument = (path: string, text: string) => ({ path, kind: 'tensor', text, dtype: null, shape: null });
    const leaves = [
      argument('xs[0]', 'float64'),
      argument('xs[1]', 'float64'),
      argument('a', 'float64'),
      argument('b', 'float64'),
      argument('n', '2 (int)')
    ];
    const { state } = storeOf({ ...started(1), arguments: leaves }, started(2, 2));
    expect(signatureText(state.signatures.get('f#1/1')!)).toBe(
      'xs[…]: float64 ×2, a: float64, b: float64, n: 2 (int)'
    );
    expect(signatureText(state.signatures.get('f#1/2')!)).toBe('float32[2]');
  });

  it('sums calls and cost', () => {
    const { state } = storeOf(
      started(1),
      event('trace.finished', 2, { ok: true, total_ns: 80, phases: {} }),
      event('calls', 3, { count: 3, timed: 2, timed_ns: 40 })
    );
    expect(totals(signaturesOf(state, state.functions.get('f#1')!), [], { traces: 9, calls: 1, costNs: 20 })).toEqual({
      traces: 10,
      calls: 4,
      costNs: 100
    });
  });

  it('has one figure for the cost of a first call: all its phases, of which the first run is told of last', () => {
    const { state } = storeOf(
      started(1),
      event('trace.phase', 2, { phase: 'bind', duration_ns: 30 }),
      event('trace.finished', 3, { ok: true, total_ns: 80, phases: { trace: 60 } }),
      event('trace.phase', 4, { phase: 'first_run', duration_ns: 25 })
    );
    expect(state.signatures.get('f#1/1')?.totalNs).toBe(115);
  });

  it('counts what is too much to be kept', () => {
    const store = new Store();
    const cause = { path: 'x', kind: 'dtype', old: '', new: '', text: 'x', dimension: null };
    const events = Array.from({ length: MAX_SIGNATURES + 100 }, (_, i) => {
      const explained = { trace: i + 1, nearest: i, nearest_signature: `f#1/${i}`, causes: [cause], text: 'x' };
      return [started(3 * i + 1, i + 1), event('retrace.explained', 3 * i + 2, explained, { signature: `f#1/${i + 1}` })];
    });
    store.apply(events.flat());
    const { state } = store;
    expect(state.signatures.size).toBe(MAX_SIGNATURES);
    expect(summaryText(state)).toContain('2\u202f100 traces · 2\u202f100 retraces');
    expect(state.functions.get('f#1')?.forgotten.traces).toBe(100);
    expect(countNow(state)).toBe(MAX_SIGNATURES + 100);
  });
});

describe('distinctParts', () => {
  /** Signatures of these arguments, each written `path: text`. */
  function traced(...calls: string[][]): string[][] {
    const { state } = storeOf(
      ...calls.map((call, i) => ({
        ...started(i + 1, i + 1),
        arguments: call.map(leaf => {
          const [path = '', text = ''] = leaf.split(': ');
          return { path, text, kind: 'tensor', dtype: null, shape: null };
        })
      }))
    );
    return distinctParts([...state.signatures.values()]).map(parts =>
      parts.map(({ text, differs }) => (differs ? `!${text}` : text))
    );
  }

  it('shows a signature alone as it is', () => {
    expect(traced(['x: a', 'w: b', 'n: 2'])).toEqual([['x: a, w: b, n: 2']]);
  });

  it('shows what differs first, and counts the rest', () => {
    expect(traced(['x: a', 'w: b', 'v: c', 'n: 2'], ['x: a', 'w: b', 'v: c', 'n: 3'])).toEqual([
      ['!n: 2', '… 3 more the same'],
      ['!n: 3', '… 3 more the same']
    ]);
  });

  it('writes out a rest of one', () => {
    expect(traced(['x: a', 'n: 2'], ['x: b', 'n: 2'])).toEqual([['!x: a', 'n: 2'], ['!x: b', 'n: 2']]);
  });

  it('puts first what differs in most traces', () => {
    expect(traced(['x: a', 'n: 1'], ['x: a', 'n: 2'], ['x: b', 'n: 3'])[2]).toEqual(['!n: 3', '!x: b']);
  });

  it('counts the values of containers of different lengths, also of empty ones', () => {
    expect(traced(['x: a'], ['x: a', 'w[0]: b'], ['x: a', 'w[0]: b', 'w[1]: b'])).toEqual([
      ['!w: 0 values', 'x: a'],
      ['!w: 1 value', 'x: a'],
      ['!w: 2 values', 'x: a']
    ]);
  });

  it('names the keys where containers of one length differ in them', () => {
    expect(traced(['p.a: x', 'p.b: x'], ['p.a: x', 'p.c: x'], ['p.a: x'])).toEqual([
      ['!p: 2 values', '!p.b: x', 'p.a: x'],
      ['!p: 2 values', '!p.c: x', 'p.a: x'],
      ['!p: 1 value', 'p.a: x']
    ]);
  });

  it('tells a container from a value in its place', () => {
    expect(traced(['x: a'], ['x[0]: a', 'x[1]: a'])).toEqual([['!x: a'], ['!x: 2 values']]);
  });

  it('takes the retrace\'s reason where the arguments read the same', () => {
    const text = 'xs: list → tuple';
    const cause = { path: 'xs', kind: 'structure', old: 'list', new: 'tuple', text, dimension: null };
    const fields = { trace: 2, nearest: 1, nearest_signature: 'f#1/1', causes: [cause], text };
    const same = (seq: number, trace: number) => ({ ...started(seq, trace), signature_text: 'xs[0]: a' });
    const { state } = storeOf(same(1, 1), same(2, 2), event('retrace.explained', 3, fields, { signature: 'f#1/2' }));
    expect(distinctParts([...state.signatures.values()])).toEqual([
      [{ text: 'xs[0]: a', differs: false }],
      [{ text, differs: true }]
    ]);
  });
});
