import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KernelConnection } from '../src/kernel/connection';
import { FakeKernel } from './fake_kernel';
import { batch, keyframe, snapshot, trace } from './messages';

/** Let promises and the next frames pass. */
async function settle(): Promise<void> {
  for (let i = 0; i < 4; i++) {
    await vi.advanceTimersByTimeAsync(50);
  }
}

describe('KernelConnection', () => {
  let kernel: FakeKernel;
  let model: KernelConnection;
  const ids = (): string[] => [...model.store.state.signatures.keys()];
  const connect = (): void => {
    model = new KernelConnection(kernel as any);
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'requestAnimationFrame'] });
    kernel = new FakeKernel();
  });

  afterEach(() => {
    model.dispose();
    vi.useRealTimers();
  });

  it('finds that a kernel has no tracefn without opening a comm in it', async () => {
    connect();
    expect(model.state).toBe('connecting');
    await settle();
    expect(model.state).toBe('absent');
    expect(kernel.targets).toEqual(['tracefn.events']);
    expect(kernel.sent.map(({ type }) => type)).toEqual(['comm_info_request']);
  });

  it('gets the state back from a kernel that has it, on a subshell', async () => {
    kernel.comms = { 'tracefn.events': {} };
    connect();
    await settle();
    expect(kernel.sent.slice(-2)).toMatchObject([
      { type: 'comm_open', subshell: 'sub', content: { target_name: 'tracefn.query' } },
      { type: 'comm_msg', subshell: 'sub', content: { data: { query: 'snapshot' } } }
    ]);
    expect(model.waiting).toBe(true);
    kernel.answer('snapshot', snapshot(2, [trace(1), trace(2)]));
    await settle();
    expect(ids()).toEqual(['f#1/1', 'f#1/2']);
    expect(model).toMatchObject({ state: 'live', waiting: false });
  });

  it('asks on the main shell where the kernel has no subshells, or they are switched off', async () => {
    kernel.comms = { 'tracefn.events': {} };
    kernel.features = [];
    connect();
    await settle();
    expect(kernel.sent.at(-1)).toMatchObject({ type: 'comm_msg', subshell: null });
    expect(kernel.sent.some(({ type }) => type === 'create_subshell_request')).toBe(false);
  });

  it('applies pushed messages once a frame, and tells once', async () => {
    connect();
    await settle();
    const changed = vi.fn();
    model.changed.connect(changed);
    for (let i = 1; i <= 20; i++) {
      kernel.push(batch(i, [trace(i)]));
    }
    expect(ids()).toEqual([]);
    await settle();
    expect(ids()).toHaveLength(20);
    expect(changed).toHaveBeenCalledTimes(1);
    expect(model.state).toBe('live');
  });

  it('asks for no frames while listeners wait', async () => {
    connect();
    await settle();
    const changed = vi.fn();
    model.changed.connect(changed);
    for (let i = 1; i <= 20; i++) {
      kernel.push(batch(i, [trace(i)]));
      await vi.advanceTimersByTimeAsync(100);
    }
    const told = changed.mock.calls.length;
    const frame = vi.spyOn(globalThis, 'requestAnimationFrame');
    kernel.push(batch(21, [trace(21)]));
    await vi.advanceTimersByTimeAsync(2000);
    expect(ids()).toHaveLength(21);
    expect(changed).toHaveBeenCalledTimes(told + 1);
    expect(frame.mock.calls.length).toBeLessThan(4); // one takes the message in, and one tells
    frame.mockRestore();
  });

  it('tells at once when a cell has ended, and not after answers to its own questions', async () => {
    connect();
    await settle();
    for (let i = 1; i <= 20; i++) {
      kernel.push(batch(i, [trace(i)]));
      await vi.advanceTimersByTimeAsync(20);
    }
    const changed = vi.fn();
    model.changed.connect(changed);
    kernel.push(batch(21, [trace(21)])); // for which listeners are to wait
    await vi.advanceTimersByTimeAsync(40);
    const idle = (asked: string): void =>
      kernel.iopubMessage.emit({ header: { msg_type: 'status' }, parent_header: { msg_type: asked }, content: { execution_state: 'idle' } });
    idle('comm_msg');
    await vi.advanceTimersByTimeAsync(40);
    expect(changed).not.toHaveBeenCalled();
    idle('execute_request');
    await vi.advanceTimersByTimeAsync(40);
    expect(changed).toHaveBeenCalledTimes(1);
  });

  it('gives listeners a frame of their own where messages have filled one, and no later', async () => {
    connect();
    await settle();
    const order: string[] = [];
    const clock = performance.now.bind(performance);
    let spent = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => clock() + spent);
    model.store.subscribe(() => {
      spent += 20; // more than the share of a frame
      order.push('applied');
    });
    model.changed.connect(() => order.push('told'));
    for (let i = 1; i <= 2; i++) {
      kernel.push(batch(i, [trace(i)]));
    }
    await settle();
    now.mockRestore();
    expect(order).toEqual(['applied', 'applied', 'told']);
  });

  it('says when the first function is traced', async () => {
    connect();
    const first = vi.fn();
    model.firstTraced.connect(first);
    kernel.push(batch(1, [trace(1)]));
    kernel.push(batch(2, [trace(2)]));
    await settle();
    expect(first).toHaveBeenCalledTimes(1);
  });

  it('asks for a snapshot at a gap, and for each missing graph once', async () => {
    connect();
    kernel.push(batch(1, [trace(1)]));
    kernel.push(keyframe(9));
    await settle();
    expect(kernel.requests('snapshot')).toHaveLength(1);
    model.requestGraph('hash');
    model.requestGraph('hash');
    await settle();
    expect(kernel.requests('graph').map(({ data }) => data.hash)).toEqual(['hash']);
    const node = { id: 'x', op: 'input', inputs: [], type: 0, scope: 0 };
    const tables = { types: [['float64', [2], 'array']], scopes: [['', null]], places: [] };
    const graph = { hash: 'hash', name: 'f', inputs: ['x'], outputs: [], nodes: [node], ...tables };
    kernel.answer('graph', { ...graph, first: 0, left: 1 });
    await settle();
    expect(kernel.requests('graph').map(({ data }) => data.first)).toEqual([0, 1]);
    kernel.answer('graph', { ...graph, nodes: [{ ...node, id: 'y' }], first: 1, left: 0 });
    await settle();
    expect(model.store.state.graphs.has('hash')).toBe(true);
  });

  it('starts again after a restart', async () => {
    connect();
    kernel.push(batch(1, [trace(1)]));
    await settle();
    kernel.push(keyframe(9));
    await settle();
    kernel.statusChanged.emit('restarting');
    expect(model.state).toBe('restarting');
    expect(ids()).toEqual([]);
    expect(model.waiting).toBe(false);
    kernel.statusChanged.emit('idle');
    expect(model.state).toBe('absent');
    kernel.push({ ...batch(1, [trace(1)]), session: 'next' });
    await settle();
    expect(model.state).toBe('live');
    expect(ids()).toEqual(['f#1/1']);
  });

  it('keeps the questions that come during a restart for the kernel that comes', async () => {
    connect();
    kernel.push(keyframe(9));
    await settle();
    kernel.isGoingDown = true;
    kernel.statusChanged.emit('restarting');
    const meanwhile = model.ask('staging', {});
    await settle();
    expect(kernel.requests('staging')).toEqual([]);
    kernel.isGoingDown = false;
    kernel.connectionStatusChanged.emit('connected');
    const later = model.ask('stop_build', {});
    await settle();
    kernel.answer('stop_build', { was_built: true });
    kernel.answer('staging', { lines: [] });
    await expect(later).resolves.toEqual({ was_built: true });
    await expect(meanwhile).resolves.toEqual({ lines: [] });
  });

  it('gives up the questions before a restart that were not sent yet', async () => {
    connect();
    await settle();
    const early = model.ask('staging', {});
    kernel.statusChanged.emit('restarting');
    await expect(early).rejects.toThrow('the kernel went away');
    kernel.connectionStatusChanged.emit('connected');
    await settle();
    expect(kernel.requests('staging')).toEqual([]);
    void model.ask('stages', {});
    await settle();
    kernel.answer('stages', []);
    expect(model.waiting).toBe(false);
  });

  it('asks again after a query comm that the kernel closed', async () => {
    connect();
    kernel.push(keyframe(9));
    await settle();
    const { comm_id: commId } = kernel.requests('snapshot')[0]!;
    kernel.iopubMessage.emit({ header: { msg_type: 'comm_close' }, content: { comm_id: commId, data: {} } });
    await settle();
    kernel.push(keyframe(9));
    await settle();
    expect(kernel.requests('snapshot')).toHaveLength(2);
  });

  it('asks again for a graph whose answer was lost, and not for one that the kernel no longer keeps', async () => {
    connect();
    const asked = (): number => kernel.requests('graph').length;
    model.requestGraph('hash');
    await settle();
    const { comm_id: commId } = kernel.requests('graph')[0]!;
    kernel.iopubMessage.emit({ header: { msg_type: 'comm_close' }, content: { comm_id: commId, data: {} } });
    await settle();
    model.requestGraph('hash');
    await settle();
    expect(asked()).toBe(2);
    const { comm_id: again, data } = kernel.requests('graph')[1]!;
    kernel.push({ id: data.id, ok: false, error: 'no longer kept' }, again);
    await settle();
    model.requestGraph('hash');
    await settle();
    expect(asked()).toBe(2);
    expect([...model.store.state.goneGraphs]).toEqual(['hash']);
  });

  it('names the protocol of a kernel it does not understand', async () => {
    connect();
    kernel.push({ ...batch(1, [trace(1)]), protocol: 2 });
    await settle();
    expect(model).toMatchObject({ state: 'incompatible', foreignProtocol: 2 });
  });

  it('ignores the messages of other comms', async () => {
    connect();
    kernel.push(batch(1, [trace(1)]), 'widget-1');
    await settle();
    expect(ids()).toEqual([]);
  });

  it('says why a call was not measured', async () => {
    connect();
    const after = async (found: object): Promise<string> => {
      kernel.executed = Promise.resolve({ content: { status: 'ok', user_expressions: { found } } });
      return model.measure('f#1', 1).then(() => '', ({ message }: Error) => message);
    };
    expect(await after({ status: 'ok' })).toBe('');
    expect(await after({ status: 'error', ename: 'ValueError', evalue: 'first\nsecond' })).toBe('first');
    const traceback = ['\u001b[0;31mValueError\u001b[0m: bad\u001b[0m: twice', '\u001b[0;31mValueError\u001b[0m: bad\n  with made-up values for x'];
    expect(await after({ status: 'error', ename: 'ValueError', evalue: 'bad', traceback })).toBe('bad; with made-up values for x');
    expect(await after({ status: 'error', ename: 'MemoryError', evalue: '' })).toBe('MemoryError');
    expect(await after({ status: 'error', ename: 'KeyboardInterrupt', evalue: '' })).toBe('it was stopped');
    kernel.executed = Promise.reject(new Error('Canceled future for execute_request message before replies were done'));
    await expect(model.measure('f#1', 1)).rejects.toThrow(/^the kernel went away$/);
  });

  it('gives the subshell back when it is disposed', async () => {
    kernel.comms = { 'tracefn.events': {} };
    connect();
    await settle();
    model.dispose();
    await settle();
    expect(kernel.sent.slice(-2)).toMatchObject([
      { type: 'comm_close', subshell: 'sub' },
      { type: 'delete_subshell_request', content: { subshell_id: 'sub' } }
    ]);
  });
});
