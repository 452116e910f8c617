import { Store } from '@tracefn/widgets';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StreamDecoder } from '../src/kernel/decoder';
import { batch, hello, keyframe, part, snapshot, trace } from './messages';

describe('StreamDecoder', () => {
  let store: Store;
  let onGap: ReturnType<typeof vi.fn<() => void>>;
  let onFirstTraced: ReturnType<typeof vi.fn<() => void>>;
  let decoder: StreamDecoder;
  const ids = (): string[] => [...store.state.signatures.keys()];

  beforeEach(() => {
    store = new Store();
    onGap = vi.fn();
    onFirstTraced = vi.fn();
    decoder = new StreamDecoder({ store, onGap, onFirstTraced });
  });

  it('applies batches in their order without asking for anything', () => {
    decoder.receive(hello(0));
    decoder.receive(batch(1, [trace(1), trace(2)]));
    decoder.receive(batch(2, [trace(3)]));
    decoder.receive(keyframe(3));
    expect(ids()).toEqual(['f#1/1', 'f#1/2', 'f#1/3']);
    expect(onGap).not.toHaveBeenCalled();
    expect(onFirstTraced).toHaveBeenCalledTimes(1);
  });

  it('knows up to when it has all events, and does not where some are missing', () => {
    const at = (message: object, timeNs: number, current = true): object => ({ ...message, time_ns: timeNs, current });
    decoder.receive(at(batch(1, [trace(1)]), 10));
    decoder.receive(at(batch(2, [trace(2)]), 20, false));
    expect(store.state.currentNs).toBe(10);
    decoder.receive(at(keyframe(2), 30));
    expect(store.state.currentNs).toBe(30);
    decoder.receive(at(batch(4, [trace(4)]), 40));
    expect(store.state.currentNs).toBe(30);
  });

  it('puts the parts of a large graph together, and says nothing before the last one', () => {
    decoder.receive(batch(1, [trace(1)]));
    const changed = vi.fn();
    store.subscribe(changed);
    decoder.receive(part(2, 2, 0, 2, 5));
    decoder.receive(part(3, 2, 2, 2, 5));
    expect(changed).not.toHaveBeenCalled();
    decoder.receive(part(4, 2, 4, 1, 5));
    expect(store.state.graphs.get('large')?.nodes.map(({ id }) => id)).toEqual(['v0', 'v1', 'v2', 'v3', 'v4']);
    expect(Object.keys(store.state.graphs.get('large')?.sites ?? {})).toHaveLength(3);
    expect(onGap).not.toHaveBeenCalled();
  });

  it('keeps no graph of which a part is missing', () => {
    decoder.receive(part(1, 1, 0, 2, 5));
    decoder.receive(part(3, 1, 4, 1, 5));
    expect(store.state.graphs.size).toBe(0);
  });

  it('asks once for a snapshot when a batch is missing, and joins what came meanwhile', () => {
    decoder.receive(batch(1, [trace(1)]));
    decoder.receive(batch(3, [trace(3)]));
    decoder.receive(batch(4, [trace(4)]));
    expect(onGap).toHaveBeenCalledTimes(1);
    expect(ids()).toEqual(['f#1/1', 'f#1/3', 'f#1/4']);
    decoder.snapshotArrived(snapshot(3, [trace(1), trace(2), trace(3)]));
    expect(ids()).toEqual(['f#1/1', 'f#1/2', 'f#1/3', 'f#1/4']);
    decoder.receive(batch(5, [trace(5)]));
    expect(onGap).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['hello', hello(7)],
    ['keyframe', keyframe(7)],
    ['batch', batch(9, [trace(8)])]
  ])('finds what it missed from a %s', (_, message) => {
    decoder.receive(message);
    expect(onGap).toHaveBeenCalledTimes(1);
    expect(onFirstTraced).not.toHaveBeenCalled();
  });

  it('asks again after a snapshot that failed', () => {
    decoder.receive(keyframe(7));
    decoder.snapshotFailed();
    decoder.receive(keyframe(7));
    expect(onGap).toHaveBeenCalledTimes(2);
  });

  it('counts a batch of events it does not know as seen', () => {
    decoder.receive(batch(1, [{ v: 1, type: 'of.tomorrow', seq: 1 }, trace(2)]));
    decoder.receive(batch(2, [trace(3)]));
    expect(onGap).not.toHaveBeenCalled();
    expect(store.state.skipped).toBe(1);
  });

  it('takes a batch twice without harm', () => {
    decoder.receive(batch(1, [trace(1)]));
    decoder.receive(batch(1, [trace(1)]));
    expect(ids()).toEqual(['f#1/1']);
  });

  it('starts again when another kernel process speaks', () => {
    decoder.receive(batch(1, [trace(1), trace(2)]));
    decoder.receive({ ...batch(1, [trace(1)]), session: 'new' });
    expect(ids()).toEqual(['f#1/1']);
    expect(onGap).not.toHaveBeenCalled();
  });

  it('says which protocol a foreign kernel speaks, shows nothing of it, and recovers', () => {
    decoder.receive({ ...batch(1, [trace(1)]), protocol: 3 });
    expect(decoder.foreignProtocol).toBe(3);
    expect(decoder.heard).toBe(false);
    expect(ids()).toEqual([]);
    decoder.receive(batch(1, [trace(1)]));
    expect(decoder.foreignProtocol).toBeNull();
  });

  it('survives any nonsense', () => {
    for (const message of [null, 3, 'x', [], {}, { protocol: 1 }, { ...hello(1), last: 'x' }]) {
      decoder.receive(message);
      decoder.snapshotArrived(message);
    }
    expect(ids()).toEqual([]);
  });

  it('applies the call totals of a keyframe', () => {
    decoder.receive(batch(1, [trace(1)]));
    decoder.receive(keyframe(1, { 'f#1/1': { count: 5, timed: 0, timed_ns: 0 } }));
    expect(store.state.signatures.get('f#1/1')?.calls.count).toBe(5);
  });

  it('counts once the traces that a stream leaves out', () => {
    decoder.receive(batch(1, [trace(1)]));
    const left = { ...batch(2, []), first: 2, last: 90, left_out: { 'f#1': { traces: 9, retraces: 8, cost_ns: 70 } } };
    decoder.receive(left);
    decoder.receive(left);
    const { forgotten, counted, functions } = store.state;
    expect(forgotten).toEqual({ traces: 9, calls: 0, costNs: 70 });
    expect(functions.get('f#1')?.forgotten).toEqual(forgotten);
    expect(counted).toBe(8);
    decoder.receive({ ...batch(3, []), first: 91, last: 95 });
    decoder.receive({ ...batch(4, [trace(96)]), left_out: 'nonsense' });
    expect(ids()).toEqual(['f#1/1', 'f#1/96']);
    expect(onGap).not.toHaveBeenCalled();
  });

  it('loses no event of a long stream with lost batches', () => {
    const all = Array.from({ length: 2000 }, (_, i) => trace(i + 1));
    for (let at = 0, number = 1; at < all.length; at += 50, number += 1) {
      if (number % 7 !== 0) {
        decoder.receive(batch(number, all.slice(at, at + 50)));
      }
      if (onGap.mock.calls.length > 0 && number % 11 === 0) {
        decoder.snapshotArrived(snapshot(at + 50, all.slice(0, at + 50)));
        onGap.mockClear();
      }
    }
    decoder.receive(keyframe(2000));
    decoder.snapshotArrived(snapshot(2000, all));
    expect(store.state.signatures.size).toBe(2000);
    expect(store.state.last).toBe(2000);
  });
});
