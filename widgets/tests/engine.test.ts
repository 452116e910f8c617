import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LayoutEngine, LayoutWorker, Placement, Superseded } from '../src/layout';
import { LayoutRequest } from '../src/layout/worker';

/** A worker that answers when told to. */
class FakeWorker implements LayoutWorker {
  onmessage: LayoutWorker['onmessage'] = null;
  onerror: LayoutWorker['onerror'] = null;
  requests: LayoutRequest[] = [];
  terminated = false;

  postMessage(request: LayoutRequest): void {
    this.requests.push(request);
  }

  terminate(): void {
    this.terminated = true;
  }

  answer(placement = PLACEMENT): void {
    const { id } = this.requests[this.requests.length - 1]!;
    this.onmessage?.({ data: { id, placement } } as MessageEvent);
  }
}

const PLACEMENT: Placement = { width: 1, height: 1, boxes: [], edges: [], labels: [], clusters: [] };

describe('LayoutEngine', () => {
  let workers: FakeWorker[];
  let engine: LayoutEngine;
  const last = (): FakeWorker => workers[workers.length - 1]!;

  beforeEach(() => {
    vi.useFakeTimers();
    workers = [];
    engine = new LayoutEngine(() => {
      workers.push(new FakeWorker());
      return last();
    });
  });

  afterEach(() => vi.useRealTimers());

  it('answers from the cache the second time', async () => {
    const first = engine.layout('key', 'digraph {}');
    last().answer();
    expect(await first).toBe(PLACEMENT);
    expect(await engine.layout('key', 'digraph {}')).toBe(PLACEMENT);
    expect(last().requests).toHaveLength(1);
  });

  it('starts one worker, ahead of time', async () => {
    engine.warm();
    engine.warm();
    const layout = engine.layout('key', 'digraph {}');
    expect(workers).toHaveLength(1);
    expect(last().requests.map(({ dot }) => dot)).toEqual([undefined, 'digraph {}']);
    last().answer();
    await layout;
  });

  it('terminates a long layout for a newer one', async () => {
    const old = engine.layout('old', 'digraph { a }');
    const rejected = expect(old).rejects.toBeInstanceOf(Superseded);
    vi.advanceTimersByTime(1000);
    const next = engine.layout('new', 'digraph { b }');
    await rejected;
    expect(workers[0]?.terminated).toBe(true);
    expect(last().requests.at(-1)?.dot).toBe('digraph { b }');
    last().answer();
    expect(await next).toBe(PLACEMENT);
  });

  it('lets a young layout finish, and then makes only the newest that waits', async () => {
    const first = engine.layout('1', 'one');
    const second = engine.layout('2', 'two');
    const rejected = expect(second).rejects.toBeInstanceOf(Superseded);
    const third = engine.layout('3', 'three');
    await rejected;
    last().answer();
    await first;
    last().answer();
    await third;
    expect(workers).toHaveLength(1);
    expect(last().requests.map(({ dot }) => dot)).toEqual(['one', 'three']);
  });

  it('terminates a young layout once it is no longer young', async () => {
    const first = engine.layout('1', 'one');
    const rejected = expect(first).rejects.toBeInstanceOf(Superseded);
    const second = engine.layout('2', 'two');
    vi.advanceTimersByTime(500);
    await rejected;
    expect(workers[0]?.terminated).toBe(true);
    last().answer();
    await second;
  });

  it('passes on the errors of Graphviz and of a worker that cannot start', async () => {
    const bad = engine.layout('1', 'oops');
    last().onmessage?.({ data: { id: last().requests[0]!.id, error: 'syntax error' } } as MessageEvent);
    await expect(bad).rejects.toThrow('syntax error');
    const refused = engine.layout('2', 'fine');
    last().onerror?.({ message: 'refused by the page' } as ErrorEvent);
    await expect(refused).rejects.toThrow('refused by the page');
    const again = engine.layout('3', 'fine');
    expect(workers).toHaveLength(2);
    last().answer();
    await again;
  });

  it('gives up everything when cancelled, and for good when disposed', async () => {
    const cancelled = expect(engine.layout('1', 'one')).rejects.toBeInstanceOf(Superseded);
    engine.cancel();
    await cancelled;
    engine.dispose();
    expect(workers.every(({ terminated }) => terminated)).toBe(true);
  });
});
