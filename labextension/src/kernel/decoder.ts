/**
 * The stream of push messages → the store. Finds gaps by the numbers in the messages and asks for a snapshot then. Pure: knows
 * no kernel, so that it can be tested with plain data.
 */

import {
  Batch,
  decodeMessage,
  decodeSnapshot,
  Incompatible,
  PushMessage,
  Snapshot,
  Store,
  TraceEvent
} from '@tracefn/widgets';
import { Parts } from './parts';

/** The messages of the decoder to its owner. */
export interface DecoderOptions {
  readonly store: Store;
  /** Events are missing: `snapshotArrived` is to be called with the kernel's answer. */
  readonly onGap: () => void;
  /** The first function was traced while this page listened. */
  readonly onFirstTraced: () => void;
}

/** Applies messages in their order. */
export class StreamDecoder {
  constructor(private readonly _options: DecoderOptions) {}

  /** The protocol version of a stream that cannot be read here, or null. */
  get foreignProtocol(): number | null {
    return this._foreign;
  }

  /** Whether a message of this protocol has arrived. */
  get heard(): boolean {
    return this._session !== null;
  }

  /** Take one message in. */
  receive(data: unknown): void {
    const message = decodeMessage(data);
    if (!message || this._isForeign(message)) {
      return;
    }
    this._enter(message.session);
    const { store } = this._options;
    store.setClock(message.time_ns);
    switch (message.kind) {
      case 'hello':
        this._check(message.last + 1);
        break;
      case 'batch':
        this._batch(message);
        if (message.current) {
          this._setCurrent(message);
        }
        break;
      case 'keyframe':
        this._check(message.last + 1);
        this._setCurrent(message);
        store.setTotals(message.totals);
        break;
    }
  }

  /** Take the answer to a snapshot query in; events that were pushed meanwhile follow it. */
  snapshotArrived(data: unknown): void {
    const snapshot = decodeSnapshot(data);
    this._asked = false;
    if (!snapshot || this._isForeign(snapshot)) {
      return;
    }
    this._enter(snapshot.session);
    const { store } = this._options;
    store.setClock(snapshot.time_ns);
    store.setCurrent(snapshot.time_ns);
    store.replace(snapshot.events, snapshot.last, snapshot.dropped, snapshot.skipped);
    store.apply(this._meanwhile);
    this._meanwhile = [];
  }

  /** The snapshot could not be had: the next message that shows a gap asks again. */
  snapshotFailed(): void {
    this._asked = false;
    this._meanwhile = [];
  }

  /** Forget the stream: the kernel has restarted. */
  reset(): void {
    this._session = null;
    this._foreign = null;
    this._asked = false;
    this._meanwhile = [];
    this._options.store.reset();
  }

  private _batch(batch: Batch): void {
    const { store, onFirstTraced } = this._options;
    this._check(batch.first);
    const graphs = batch.graphs.map(part => this._parts.add(part)).filter(graph => graph !== null);
    if (batch.events.length + batch.skipped + graphs.length + batch.leftOut.size === 0) {
      store.state.last = Math.max(store.state.last, batch.last); // a part of a graph whose event is still to come, say
      return;
    }
    // With events missing it is not known whether these are the first.
    const fresh = store.state.functions.size === 0 && !this._asked;
    const isNew = batch.last > store.state.last; // a snapshot has counted the events that it leaves out
    store.apply(batch.events, graphs, batch.skipped);
    if (isNew) {
      store.leaveOut(batch.leftOut);
    }
    store.state.last = Math.max(store.state.last, batch.last);
    if (this._asked) {
      batch.events.forEach(event => this._meanwhile.push(event));
    }
    if (fresh && store.state.functions.size > 0) {
      onFirstTraced();
    }
  }

  /** No event is on the way, if none is missing. */
  private _setCurrent({ time_ns: timeNs }: PushMessage): void {
    if (!this._asked) {
      this._options.store.setCurrent(timeNs);
    }
  }

  /** `next` is the number the stream goes on with: events between it and the last one seen are missing. */
  private _check(next: number): void {
    if (next > this._options.store.state.last + 1 && !this._asked) {
      this._asked = true;
      this._options.onGap();
    }
  }

  /** A new session is a new kernel process: the traces of the old one are gone. */
  private _enter(session: string): void {
    if (this._session !== null && this._session !== session) {
      this.reset();
    }
    this._session = session;
    this._foreign = null;
  }

  private _isForeign(message: PushMessage | Snapshot | Incompatible): message is Incompatible {
    if ('kind' in message && message.kind === 'incompatible') {
      this._foreign = message.protocol;
      return true;
    }
    return false;
  }

  private _session: string | null = null;
  private _foreign: number | null = null;
  private _asked = false;
  private _meanwhile: TraceEvent[] = [];
  private readonly _parts = new Parts();
}
