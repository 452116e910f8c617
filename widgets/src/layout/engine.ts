/** Layouts made in a worker: one at a time, the newest request wins, results cached. */

import { t } from '../words';
import { Placement } from './placement';
import { Superseded } from './slices';
import { LayoutAnswer, LayoutRequest } from './worker';

/** The side of a Worker that the engine needs. */
export interface LayoutWorker {
  onmessage: ((event: MessageEvent<LayoutAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(request: LayoutRequest): void;
  terminate(): void;
}

interface Job {
  readonly id: number;
  readonly key: string;
  readonly dot: string;
  started: number;
  readonly resolve: (placement: Placement) => void;
  readonly reject: (error: Error) => void;
}

/** A running layout younger than this (ms) is let finish: starting a new worker would take longer. */
const GRACE = 150;

/** Placements kept. */
const CACHE_SIZE = 64;

/**
 * Lays out DOT text. A request while another runs replaces it: its worker is terminated, for Graphviz cannot be interrupted.
 *
 * @example
 * const engine = new LayoutEngine(() => new Worker(url, { type: 'module' }));
 * engine.warm();
 * const placement = await engine.layout(key, dot);
 */
export class LayoutEngine {
  constructor(createWorker: () => LayoutWorker) {
    this._createWorker = createWorker;
  }

  /** Start the worker and load Graphviz in it, so that the first layout does not wait for that. */
  warm(): void {
    if (!this._worker && !this._disposed) {
      this._start().postMessage({ id: 0 });
    }
  }

  /** The placement made under this key before, if it is still kept. */
  cached(key: string): Placement | undefined {
    const placement = this._cache.get(key);
    if (placement) {
      this._cache.delete(key);
      this._cache.set(key, placement);
    }
    return placement;
  }

  /** Lay out. `key` names the text in the cache. Rejects with `Superseded` when replaced. */
  layout(key: string, dot: string): Promise<Placement> {
    const known = this.cached(key);
    if (known) {
      this.cancel();
      return Promise.resolve(known);
    }
    return new Promise((resolve, reject) => {
      this._waiting?.reject(new Superseded());
      this._waiting = { id: ++this._count, key, dot, started: 0, resolve, reject };
      if (!this._running) {
        this._next();
      } else if (performance.now() - this._running.started >= GRACE) {
        this._interrupt();
      } else {
        this._timer ??= setTimeout(() => this._interrupt(), GRACE);
      }
    });
  }

  /** Give up the running and the waiting layout. */
  cancel(): void {
    this._waiting?.reject(new Superseded());
    this._waiting = null;
    if (this._running) {
      this._interrupt();
    }
  }

  /** Stop for good. */
  dispose(): void {
    this._disposed = true;
    this.cancel();
    this._worker?.terminate();
    this._worker = null;
  }

  private _start(): LayoutWorker {
    const worker = this._createWorker();
    worker.onmessage = ({ data }) => this._finish(data);
    worker.onerror = event => {
      this._worker?.terminate();
      this._worker = null;
      const message = event.message || t`the layout worker could not start`;
      this._finish({ id: this._running?.id ?? 0, error: message });
    };
    this._worker = worker;
    return worker;
  }

  private _next(): void {
    const job = this._waiting;
    if (!job || this._disposed) {
      return;
    }
    this._waiting = null;
    this._running = job;
    job.started = performance.now();
    (this._worker ?? this._start()).postMessage({ id: job.id, dot: job.dot });
  }

  private _finish(answer: LayoutAnswer): void {
    const job = this._running;
    if (!job || answer.id !== job.id) {
      return;
    }
    this._clear();
    if ('error' in answer) {
      job.reject(new Error(answer.error));
    } else if (answer.placement) {
      this._remember(job.key, answer.placement);
      job.resolve(answer.placement);
    }
    this._next();
  }

  private _interrupt(): void {
    const job = this._running;
    if (job) {
      this._clear();
      this._worker?.terminate();
      this._worker = null;
      job.reject(new Superseded());
      this.warm();
    }
    this._next();
  }

  private _clear(): void {
    this._running = null;
    clearTimeout(this._timer);
    this._timer = undefined;
  }

  private _remember(key: string, placement: Placement): void {
    this._cache.set(key, placement);
    const [oldest] = this._cache.keys();
    if (this._cache.size > CACHE_SIZE && oldest !== undefined) {
      this._cache.delete(oldest);
    }
  }

  private _createWorker: () => LayoutWorker;
  private _worker: LayoutWorker | null = null;
  private _running: Job | null = null;
  private _waiting: Job | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _cache = new Map<string, Placement>();
  private _count = 0;
  private _disposed = false;
}
