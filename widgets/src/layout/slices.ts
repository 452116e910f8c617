/** Long work in slices: between two of them the page draws, answers, and may find that the work is no longer wanted. */

/** Work that may rest at each `yield`. */
export type Steps<T> = Generator<void, T, void>;

/** So many small things are looked at between two rests, each of which costs as much as some of them. */
const SOME_THINGS = 64;

/** How long (ms) a slice takes: two of them fit into a frame of 33 ms. */
const SLICE = 12;

/** Steps that a slice has at least: a small job is done at once, however busy the machine is. */
const FEWEST_STEPS = 32;

/** Says when work on many small things is to rest. */
export class Rests {
  /** Whether it is time, after another thing. */
  get due(): boolean {
    this._things = (this._things + 1) % SOME_THINGS;
    return this._things === 0;
  }

  private _things = 0;
}

/** Rejects work whose place other work has taken. */
export class Superseded extends Error {
  constructor() {
    super('replaced by newer work');
    this.name = 'Superseded';
  }
}

/** Do all of it at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) {
      return value;
    }
  }
}

/** Does one work at a time, slice by slice; the newest is the one that is wanted. */
export class Slices {
  /**
   * Do the first slice at once, and the rest while the page has time: gives the result itself where one slice was enough. Rejects
   * with `Superseded` once other work has begun.
   */
  run<T>(steps: Steps<T>): T | Promise<T> {
    this.cancel();
    const first = slice(steps);
    if (first.done) {
      return first.value;
    }
    const { signal } = (this._running = new AbortController());
    return new Promise((resolve, reject) => {
      const go = (): void => {
        if (signal.aborted) {
          reject(new Superseded());
          return;
        }
        try {
          const { done, value } = slice(steps);
          if (done) {
            resolve(value);
          } else {
            later(go);
          }
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      later(go);
    });
  }

  /** Give up the work under way. */
  cancel(): void {
    this._running?.abort();
    this._running = null;
  }

  private _running: AbortController | null = null;
}

/** Go on with the result of `run`, at once where it is there. */
export function whenDone<T, R>(result: T | Promise<T>, go: (result: T) => Promise<R>): Promise<R> {
  return result instanceof Promise ? result.then(go) : go(result);
}

function slice<T>(steps: Steps<T>): IteratorResult<void, T> {
  const end = performance.now() + SLICE;
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done || (count >= FEWEST_STEPS && performance.now() > end)) {
      return step;
    }
  }
}

/** Call after the page's own work; timers would be late in a tab that is hidden. */
function later(call: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    call();
  };
  port2.postMessage(null);
}
