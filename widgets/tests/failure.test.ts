import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Location } from '../src/protocol';
import { Store } from '../src/store';
import { Failure } from '../src/views/graph/failure';
import { NoticesView } from '../src/views/notices';
import { event, started } from './samples';

const HOSTILE = '<img src=x onerror="window.stolen = true">';
const CALL: Location = { file: 'c', line: 5, cell: 'cell-id', cell_number: 7 };
const LINE: Location = { file: 'd', line: 3, cell: 'other-id', cell_number: 6 };

describe('A trace that failed', () => {
  let store: Store;
  const jump = vi.fn<(place: Location) => void>();
  const host = { createEngine: (): never => { throw new Error('nothing is drawn'); }, jump };

  beforeEach(() => {
    jump.mockClear();
    store = new Store();
    const built = { nodes_before: 2, nodes_after: 2, passes: [], verdict: '', same_as: null, memory: 0, graph_hash: 'h', raised: 'v1' };
    const error = { error: 'ValueError', message: `${HOSTILE}\nmore`, phase: 'trace', raised: LINE, node: null };
    store.apply([
      started(1),
      event('graph.built', 2, built),
      { ...event('error', 3, error), location: CALL },
      event('trace.finished', 4, { ok: false, total_ns: 9, phases: {} })
    ]);
  });

  it('names the error, the line that raised it, and shows the node', () => {
    const shown: string[] = [];
    const failure = new Failure(host, id => shown.push(id), () => undefined);
    failure.update(store.state.signatures.get('f#1/1') ?? null);
    expect(failure.element.hidden).toBe(false);
    expect(failure.element.textContent).toContain(`ValueError${HOSTILE}`);
    expect(failure.element.textContent).not.toContain('more');
    expect(failure.element.querySelector('img, [data-tracefn=failure-note]')).toBeNull();
    failure.element.querySelector<HTMLElement>('[data-tracefn=jump]')?.click();
    expect(jump).toHaveBeenCalledWith(LINE);
    failure.element.querySelector<HTMLElement>('[data-tracefn=show-raised]')?.click();
    expect([shown, failure.node]).toEqual([['v1'], 'v1']);
  });

  it('says nothing of traces that did not fail', () => {
    const failure = new Failure(host, () => undefined, () => undefined);
    failure.update(store.state.signatures.get('f#1/1') ?? null);
    failure.update(null);
    expect([failure.element.hidden, failure.node]).toEqual([true, null]);
  });

  it('is marked when a call of a trace that was made raises', () => {
    const about = { signature: 'f#1/2' };
    const error = { error: 'IndexError', message: 'out of bounds', phase: 'call', note: 'indexing of float64[3], int64', raised: LINE, node: 'v1' };
    const built = { nodes_before: 2, nodes_after: 2, passes: [], verdict: '', same_as: null, memory: 0, graph_hash: 'h' };
    store.apply([
      started(5, 2),
      event('graph.built', 6, built, about),
      event('trace.finished', 7, { ok: true, total_ns: 9, phases: {} }, about)
    ]);
    const changed = vi.fn();
    const failure = new Failure(host, () => undefined, changed);
    const update = (): void => failure.update(store.state.signatures.get('f#1/2') ?? null);
    update();
    expect([failure.element.hidden, changed.mock.calls.length]).toEqual([true, 0]);
    store.apply([event('error', 8, error, about)]);
    update();
    expect(failure.element.textContent).toContain('A call raised IndexErrorout of boundsindexing of float64[3], int64');
    expect([failure.node, changed.mock.calls.length]).toEqual(['v1', 1]);
  });

  it('is told of under Notices with its line and that of the call', () => {
    const notices = new NoticesView(host, () => undefined);
    notices.update(store.state);
    const [row] = notices.element.querySelectorAll('[data-tracefn=notice]');
    expect(row?.querySelector('[data-tracefn=jump]')?.textContent).toBe('cell [6] line 3');
    expect(row?.textContent).toContain('Called at cell [7] line 5');
  });
});
