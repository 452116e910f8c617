/** The state and who wants to know of its changes. */

import { CallTotals, Graph, Sums, TraceEvent } from '../protocol';
import { reduce } from './reduce';
import { emptyState, State } from './state';

/** Graphs beyond this many are let go, oldest first; the kernel can be asked for them again. Of those that it has no longer, as many. */
const MAX_GRAPHS = 1000;

/**
 * Holds the state of one stream of events. Changes are made by the methods and announced to subscribers once per call.
 *
 * @example
 * const store = new Store();
 * store.subscribe(state => console.log(state.functions.size));
 * store.apply(events);
 */
export class Store {
  /** The state now. The object changes in place; a new one stands here after `replace`. */
  get state(): State {
    return this._state;
  }

  /** Apply events in their order; those already seen (by `seq`) are skipped. */
  apply(events: readonly TraceEvent[], graphs: readonly Graph[] = [], skipped = 0): void {
    graphs.forEach(graph => this._keepGraph(graph));
    for (const event of events) {
      if (event.seq > this._state.last) {
        reduce(this._state, event);
      }
    }
    this._state.skipped += skipped;
    this._announce();
  }

  /** Count traces, by the ids of their functions, of which no event tells. */
  leaveOut(sums: ReadonlyMap<string, Sums>): void {
    for (const [id, { traces, retraces, cost_ns: costNs }] of sums) {
      const owner = this._state.functions.get(id);
      for (const { forgotten } of owner ? [this._state, owner] : [this._state]) {
        forgotten.traces += traces;
        forgotten.costNs += costNs;
      }
      this._state.counted += retraces;
    }
    if (sums.size > 0) {
      this._announce();
    }
  }

  /** Start again from a complete list of events. Graphs already known are kept: their hash names them for good. */
  replace(events: readonly TraceEvent[], last: number, dropped = 0, skipped = 0): void {
    const { graphs, clockMs, currentNs, cleared } = this._state;
    const state = { ...emptyState(), graphs, clockMs, currentNs, cleared, dropped, skipped };
    events.forEach(event => reduce(state, event));
    state.last = Math.max(state.last, last);
    this._state = state;
    this._announce();
  }

  /** The kernel's clock stood at `timeNs` when it sent the message that has arrived now. The message that took the least time tells best. */
  setClock(timeNs: number | null): void {
    if (timeNs !== null) {
      this._state.clockMs = Math.min(this._state.clockMs ?? Infinity, performance.now() - timeNs / 1e6);
    }
  }

  /** No event from before `timeNs`, by the kernel's clock, is still to come. */
  setCurrent(timeNs: number | null): void {
    this._state.currentNs = timeNs ?? this._state.currentNs;
  }

  /** Forget everything. */
  reset(): void {
    this._state = emptyState();
    this._announce();
  }

  /** Keep a graph that was asked for. */
  addGraph(graph: Graph): void {
    this._keepGraph(graph);
    this._announce();
  }

  /** The kernel has no graph of that hash: it is not asked for again. */
  loseGraph(hash: string): void {
    keep(this._state.goneGraphs.add(hash));
    this._announce();
  }

  /** Take the retraces so far out of the list, or put all of them back. */
  clear(all: boolean): void {
    this._state.cleared = all ? this._state.last : 0;
    this._announce();
  }

  /** Take over call totals, keyed by signature id. */
  setTotals(totals: ReadonlyMap<string, CallTotals>): void {
    for (const [id, calls] of totals) {
      const signature = this._state.signatures.get(id) ?? this._state.eager.get(id);
      if (signature) {
        signature.calls = calls;
      }
    }
    this._announce();
  }

  /** Call `listener` after every change; the result ends it. */
  subscribe(listener: (state: State) => void): () => void {
    this._listeners.add(listener);
    return () => {
      this._listeners.delete(listener);
    };
  }

  private _keepGraph(graph: Graph): void {
    const { graphs, goneGraphs } = this._state;
    goneGraphs.delete(graph.hash);
    keep(graphs.set(graph.hash, graph));
  }

  private _announce(): void {
    for (const listener of [...this._listeners]) {
      listener(this._state);
    }
  }

  private _state = emptyState();
  private _listeners = new Set<(state: State) => void>();
}

/** Let the oldest go beyond the bound. */
function keep(hashes: Map<string, Graph> | Set<string>): void {
  const [oldest] = hashes.keys();
  if (hashes.size > MAX_GRAPHS && oldest !== undefined) {
    hashes.delete(oldest);
  }
}
