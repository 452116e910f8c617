/** One kernel's model: listens to the kernel's messages, asks for missing events, and keeps the store. */

import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject, JSONValue } from '@lumino/coreutils';
import { ISignal, Signal } from '@lumino/signaling';
import { decodePart, EVENTS_COMM, Graph, Pace, SignatureName, Store, t } from '@tracefn/widgets';
import { IKernelModel, KernelState } from '../tokens';
import { hasComm } from './control';
import { StreamDecoder } from './decoder';
import { Parts } from './parts';
import { Queries, Refusal } from './queries';

/** Frames do not come while the browser tab is hidden: messages are then applied this often, in ms. */
const HIDDEN_INTERVAL = 500;

/** The pause between two notifications of listeners in ms: the shortest, and the longest while changes keep coming. The end of a cell ends it. */
const PAUSES = [16, 1600] as const;

/** What colours the text of a traceback. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** For how long (ms) a frame takes messages in; the rest waits for the next one. */
const FRAME_SHARE = 8;

/**
 * The model of one kernel.
 *
 * #### Notes
 * Messages are taken from `iopubMessage` and not from a comm object: the events comm has a fixed id, so a page that was loaded
 * after the kernel opened it hears it all the same, and so does a connection that does not handle comms. The target is
 * registered only because JupyterLab would close a comm whose target it does not know.
 */
export class KernelConnection implements IKernelModel {
  constructor(private readonly _kernel: Kernel.IKernelConnection) {
    this._queries = new Queries(_kernel);
    this._decoder = new StreamDecoder({
      store: this.store,
      onGap: () => void this._fetchSnapshot(),
      onFirstTraced: () => this._firstTraced.emit()
    });
    this.store.subscribe(() => this._touch());
    _kernel.registerCommTarget(EVENTS_COMM, () => undefined);
    _kernel.iopubMessage.connect(this._onIopub, this);
    _kernel.statusChanged.connect(this._onStatus, this);
    _kernel.connectionStatusChanged.connect(this._onConnection, this);
    _kernel.disposed.connect(this.dispose, this);
    void this._probe();
  }

  readonly store = new Store();

  selection: SignatureName | null = null;

  get state(): KernelState {
    return this._decoder.foreignProtocol !== null ? 'incompatible' : this._state;
  }

  get foreignProtocol(): number | null {
    return this._decoder.foreignProtocol;
  }

  get waiting(): boolean {
    return this._queries.waiting;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get firstTraced(): ISignal<this, void> {
    return this._firstTraced;
  }

  get disposed(): ISignal<this, void> {
    return this._disposed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  requestGraph(hash: string): void {
    if (this._requested.has(hash) || this.store.state.goneGraphs.has(hash)) {
      return;
    }
    this._requested.add(hash);
    this._fetchGraph(hash)
      .then(
        graph => (graph ? this.store.addGraph(graph) : this.store.loseGraph(hash)),
        error => error instanceof Refusal && this.store.loseGraph(hash)
      )
      .finally(() => this._requested.delete(hash));
  }


  /** A large graph is asked for part by part, so that no answer holds the page up. */
  private async _fetchGraph(hash: string): Promise<Graph | null> {
    const parts = new Parts();
    for (let first = 0; ; ) {
      const part = decodePart(await this._queries.ask('graph', { hash, first }));
      const graph = part && parts.add(part);
      if (!part || part.left === 0) {
        return graph;
      }
      first += part.graph.nodes.length;
    }
  }

  ask(query: string, fields: JSONObject): Promise<JSONValue> {
    return this._queries.ask(query, fields);
  }

  async findFix(functionId: string): Promise<void> {
    await this._evaluate(`__import__('tracefn').explain.find_fix(${JSON.stringify(functionId)})`);
  }

  async measure(functionId: string, trace: number): Promise<void> {
    await this._evaluate(`__import__('tracefn').timing.measure(${JSON.stringify(functionId)}, ${trace}) and None`);
  }

  async profile(functionId: string, trace: number): Promise<void> {
    await this._evaluate(`__import__('tracefn').timing.profile_trace(${JSON.stringify(functionId)}, ${trace}) and None`);
  }

  async sweep(functionId: string, trace: number, dimensions: readonly (readonly [string, number])[]): Promise<void> {
    const given = `${JSON.stringify(functionId)}, ${trace}, ${JSON.stringify(dimensions)}`;
    await this._evaluate(`__import__('tracefn').timing.sweep_trace(${given}) and None`);
  }

  async interrupt(): Promise<void> {
    await this._kernel.interrupt();
  }

  /** Have the kernel evaluate an expression that runs code of the user's: it is executed, where a query is answered beside a running cell. */
  private async _evaluate(expression: string): Promise<void> {
    const future = this._kernel.requestExecute({
      code: '',
      silent: true,
      store_history: false,
      user_expressions: { found: expression }
    });
    const { content } = await future.done.catch(() => {
      throw new Error(t`the kernel went away`);
    });
    const found = content.status === 'ok' ? (content.user_expressions.found as JSONObject | undefined) : undefined;
    if (found?.status !== 'ok') {
      throw new Error(reasonOf(found));
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    clearTimeout(this._timer);
    void this._queries.close();
    this._disposed.emit();
    Signal.clearData(this);
  }

  /** Find out whether tracefn is used in the kernel, without making it log an error where it is not. */
  private async _probe(): Promise<void> {
    try {
      const known = await hasComm(this._kernel, EVENTS_COMM);
      if (this._isDisposed) {
        return;
      }
      if (known && !this._decoder.heard) {
        await this._fetchSnapshot();
      } else if (!known && this._state === 'connecting') {
        this._setState('absent');
      }
    } catch {
      // The kernel restarted or went away meanwhile; its status says so.
    }
  }

  private async _fetchSnapshot(): Promise<void> {
    try {
      const answer = await this._queries.ask('snapshot');
      if (!this._isDisposed) {
        this._decoder.snapshotArrived(answer);
        this._setState('live');
      }
    } catch {
      this._decoder.snapshotFailed();
    }
  }

  private _onIopub(_: Kernel.IKernelConnection, message: KernelMessage.IIOPubMessage): void {
    this._queries.receive(message);
    const { msg_type: type } = message.header;
    if (type === 'status' && isEndOfCell(message)) {
      this._hurry();
    }
    if (type !== 'comm_msg' && type !== 'comm_open') {
      return;
    }
    const { comm_id: id, data } = message.content as KernelMessage.ICommMsgMsg['content'];
    if (id === EVENTS_COMM) {
      this._queue.push(data);
      this._schedule();
    }
  }

  private _onStatus(_: Kernel.IKernelConnection, status: Kernel.Status): void {
    switch (status) {
      case 'restarting':
      case 'autorestarting':
        this._queue = [];
        this._requested.clear();
        this._queries.pause();
        this._decoder.reset();
        this._setState('restarting');
        break;
      case 'dead':
        this._setState('dead');
        break;
      case 'idle':
        if (this._state === 'restarting') {
          this._setState('absent');
        }
        break;
      default:
        break;
    }
  }

  /** JupyterLab connects anew to a kernel that it has restarted. */
  private _onConnection(_: Kernel.IKernelConnection, status: Kernel.ConnectionStatus): void {
    if (status === 'connected') {
      this._queries.resume();
    }
  }

  private _setState(state: KernelState): void {
    if (state !== this._state) {
      this._state = state;
      this._touch();
    }
  }

  /** Have listeners told at once, as after a quiet time. */
  private _hurry(): void {
    this._pace = new Pace(...PAUSES);
    clearTimeout(this._timer);
    this._timer = undefined;
    if (this._stale || this._queue.length > 0) {
      this._schedule();
    }
  }

  /** Something changed: say so with the next frame. */
  private _touch(): void {
    this._stale = true;
    this._schedule();
  }

  /** Have messages taken in with the next frame. Where there are none, listeners wait: not frame by frame, which costs as much as drawing. */
  private _schedule(): void {
    if (this._scheduled || this._isDisposed) {
      return;
    }
    const wait = this._queue.length > 0 ? 0 : this._pace.wait(performance.now());
    if (wait > 0) {
      this._timer ??= setTimeout(() => {
        this._timer = undefined;
        this._schedule();
      }, wait);
      return;
    }
    this._scheduled = true;
    const flush = (): void => this._flush();
    if (document.hidden) {
      setTimeout(flush, HIDDEN_INTERVAL);
    } else {
      requestAnimationFrame(flush);
    }
  }

  private _flush(): void {
    try {
      if (!this._isDisposed) {
        this._takeIn();
      }
    } finally {
      this._scheduled = false;
    }
    if (this._queue.length > 0 || this._stale) {
      this._schedule();
    }
  }

  /** Take in messages for a part of a frame, and tell listeners of them when it is time. */
  private _takeIn(): void {
    const end = document.hidden ? Infinity : performance.now() + FRAME_SHARE;
    const { foreignProtocol } = this._decoder;
    let taken = 0;
    while (taken < this._queue.length && (taken === 0 || performance.now() < end)) {
      this._decoder.receive(this._queue[taken++]);
    }
    this._queue.splice(0, taken);
    if (this._decoder.heard) {
      this._setState('live');
    }
    this._stale ||= foreignProtocol !== this._decoder.foreignProtocol;
    this._held = !this._held && performance.now() >= end; // listeners have the next frame to themselves where this one is full
    if (this._stale && !this._held && this._pace.wait(performance.now()) === 0) {
      this._stale = false;
      const begin = performance.now();
      this._changed.emit();
      this._pace.done(begin, performance.now());
      // A timer comes when the page has laid out and painted what listeners changed.
      setTimeout(() => this._pace.lasted(begin, performance.now()));
    }
  }

  private _decoder: StreamDecoder;
  private _queries: Queries;
  private _state: KernelState = 'connecting';
  private _queue: unknown[] = [];
  private _requested = new Set<string>();
  private _scheduled = false;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _stale = false;
  private _held = false;
  private _pace = new Pace(...PAUSES);
  private _isDisposed = false;
  private _changed = new Signal<this, void>(this);
  private _firstTraced = new Signal<this, void>(this);
  private _disposed = new Signal<this, void>(this);
}

/** Whether the kernel has run code to its end; it is also busy and idle with answers to the page's own questions. */
function isEndOfCell({ content, parent_header: asked }: KernelMessage.IIOPubMessage): boolean {
  const idle = (content as KernelMessage.IStatusMsg['content']).execution_state === 'idle';
  return idle && 'msg_type' in asked && asked.msg_type === 'execute_request';
}

/** The first line of an error, with its notes; some have no text. */
function reasonOf(error: JSONObject | undefined): string {
  const { ename, evalue, traceback } = error ?? {};
  if (ename === 'KeyboardInterrupt') {
    return t`it was stopped`;
  }
  const text = typeof evalue === 'string' ? evalue : '';
  const [line = ''] = text.split('\n', 1);
  const reason = line || (typeof ename === 'string' ? ename : t`the kernel did not answer`);
  return [reason, ...notesIn(traceback, text)].join('; ');
}

/** The notes of an error: the lines of its traceback that follow its text. */
function notesIn(traceback: JSONValue | undefined, text: string): string[] {
  const shown = Array.isArray(traceback) ? traceback.join('\n').replace(COLOURS, '') : '';
  const at = text === '' ? -1 : shown.lastIndexOf(text);
  return at < 0 ? [] : shown.slice(at + text.length).split('\n').map(note => note.trim()).filter(note => note !== '');
}
