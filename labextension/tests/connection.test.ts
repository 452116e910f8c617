import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KernelConnection } from '../src/kernel/connection';
import { batch, keyframe, snapshot, trace } from './messages';

/** A kernel that records what it is sent and answers what the test tells it to. */
class FakeKernel {
  id = 'kernel';
  username = 'user';
  clientId = 'client';
  isDisposed = false;
  handleComms = true;
  commsOverSubshells = 'perCommTarget';
  iopubMessage = new Signal<this, unknown>(this);
  statusChanged = new Signal<this, string>(this);
  disposed = new Signal<this, void>(this);
  targets: string[] = [];
  sent: { type: string; channel: string; subshell: unknown; content: Record<string, any> }[] = [];
  features = ['kernel subshells'];
  comms: object = {};

  registerCommTarget(name: string): void {
    this.targets.push(name);
  }

  sendControlMessage(message: any): { done: Promise<unknown> } {
    const type = message.header.msg_type;
    this.sent.push({ type, channel: 'control', subshell: null, content: message.content });
    const replies: Record<string, object> = {
      comm_info_request: { comms: this.comms },
      kernel_info_request: { supported_features: this.features },
      create_subshell_request: { subshell_id: 'sub' },
      delete_subshell_request: {}
    };
    return { done: Promise.resolve({ content: replies[type] }) };
  }

  sendShellMessage(message: any): void {
    const { msg_type: type, subshell_id: subshell } = message.header;
    this.sent.push({ type, channel: 'shell', subshell, content: message.content });
  }

  push(data: unknown, commId = 'tracefn.events'): void {
    const header = { msg_type: 'comm_msg' };
    this.iopubMessage.emit({ header, content: { comm_id: commId, data } });
  }

  /** The requests of one kind, newest last. */
  requests(query: string): { comm_id: string; data: Record<string, unknown> }[] {
    return this.sent
      .filter(({ type, content }) => type === 'comm_msg' && content.data.query === query)
      .map(({ content }) => content as { comm_id: string; data: Record<string, unknown> });
  }

  answer(query: string, result: unknown): void {
    const request = this.requests(query).at(-1)!;
    this.push({ id: request.data.id, ok: true, result }, request.comm_id);
  }
}

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
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame'] });
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
    kernel.answer('graph', { hash: 'hash', name: 'f', inputs: [], outputs: [], nodes: [] });
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
