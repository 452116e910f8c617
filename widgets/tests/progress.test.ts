import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress, ProgressClock, progressOf, progressText, Store } from '../src/store';
import { event, started } from './samples';

/** `samples.started` begins at `seq` µs of the kernel's clock; the page's clock is 1000 ms ahead of that. */
const BEGAN = 1000;

describe('progress', () => {
  let store: Store;
  let shown: string[][];
  let clock: ProgressClock;
  const lines = (progress: readonly Progress[]): string[] => progress.map(progressText);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    vi.advanceTimersByTime(BEGAN);
    store = new Store();
    store.setClock(0);
    store.setCurrent(1e9);
    shown = [];
    clock = new ProgressClock(progress => shown.push(lines(progress)));
    store.subscribe(state => clock.update(state));
  });

  afterEach(() => {
    clock.dispose();
    vi.useRealTimers();
  });

  const finished = (seq: number, ok = true) => event('trace.finished', seq, { ok, total_ns: 1, phases: {} });

  it('says nothing of a short first call', () => {
    store.apply([started(1)]);
    vi.advanceTimersByTime(250);
    store.apply([finished(2)]);
    vi.advanceTimersByTime(5000);
    expect(shown).toEqual([]);
  });

  it('names the phase after the last that has ended, and the time, and clears at the end', () => {
    store.apply([started(1), event('trace.phase', 2, { phase: 'bind', duration_ns: 1 })]);
    vi.advanceTimersByTime(400);
    expect(shown[shown.length - 1]).toEqual(['f #1: tracing, 0.4 s']);
    store.apply([event('trace.phase', 3, { phase: 'trace', duration_ns: 1 })]);
    vi.advanceTimersByTime(1000);
    expect(shown[shown.length - 1]).toEqual(['f #1: optimising, 1.4 s']);
    store.apply([finished(4)]);
    expect(shown[shown.length - 1]).toEqual([]);
    const calls = shown.length;
    vi.advanceTimersByTime(5000);
    expect(shown.length).toBe(calls);
  });

  it('clears where the trace fails, and where the kernel is gone', () => {
    store.apply([started(1)]);
    vi.advanceTimersByTime(400);
    store.apply([finished(2, false)]);
    expect(shown[shown.length - 1]).toEqual([]);
    store.apply([started(3)]);
    vi.advanceTimersByTime(400);
    expect(shown[shown.length - 1]).toHaveLength(1);
    clock.update(null);
    expect(shown[shown.length - 1]).toEqual([]);
  });

  it('tells of a program that is built for long, and of what waits for it', () => {
    const build = (seq: number, signature: string, state: string) => event('plan.build', seq, { state }, { signature });
    store.apply([started(1), finished(2), started(3, 2), { ...finished(4), signature: 'f#1/2' }, build(5, 'f#1/1', 'queued'), build(6, 'f#1/2', 'queued')]);
    vi.advanceTimersByTime(400);
    expect(shown).toEqual([]);
    const seq = Math.round((performance.now() - BEGAN) * 1000);
    store.apply([build(seq, 'f#1/1', 'building')]);
    vi.advanceTimersByTime(1500);
    expect(shown[shown.length - 1]).toEqual(['compiling 1 of 2: f #1, 1.5 s']);
    store.apply([build(seq + 1, 'f#1/2', 'gone')]);
    expect(shown[shown.length - 1]).toEqual(['compiling: f #1, 1.5 s']);
    const [line] = progressOf(store.state, performance.now());
    expect(line?.background).toBe(true);
    store.apply([event('plan.ready', seq + 2, { plan: 'native', device: 'cpu', source: '', duration_ns: 1, size: 1 })]);
    expect(shown[shown.length - 1]).toEqual([]);
    expect(store.state.builds.size).toBe(0);
  });

  it('knows how long ago a trace began that it learns of later', () => {
    vi.advanceTimersByTime(2000);
    store.setClock(2e9);
    store.apply([started(1)]);
    expect(lines(progressOf(store.state, performance.now()))).toEqual(['f #1: binding arguments, 2.0 s']);
  });

  it('waits until the kernel has sent all that happened meanwhile', () => {
    const began = 2e6; // µs, after the kernel was last heard to have no more
    vi.advanceTimersByTime(2000);
    store.apply([started(began)]);
    vi.advanceTimersByTime(1000);
    expect(shown).toEqual([]);
    store.setCurrent(2.4e9);
    store.setTotals(new Map());
    expect(shown).toEqual([['f #1: binding arguments, 1.0 s']]);
  });
});
