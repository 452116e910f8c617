/** The pace of work that others wait for: at once after a quiet time, and less and less often while it is asked for again. */

/**
* The work takes part of the page's time: the next time comes after as many times as long. A storm of events then leaves the
 * page, and a kernel on the same machine, four fifths of it.
 */
const REST = 4;

/** By so much a pause is longer than the one before. */
const GROWTH = 4;

/** So many times after a quiet time only the pause counts: a trace begins, and its graph is to follow at once. */
const FREE = 2;

/** Times in ms, by one clock. */
export class Pace {
  /** Pauses grow from `least` to `most`. */
  constructor(
    private readonly _least: number,
    private readonly _most: number
  ) {
    this._pause = _least;
  }

  /** How long the next time is to wait. */
  wait(now: number): number {
    return Math.max(0, this._next - now);
  }

  /** It was done between these times. */
  done(begin: number, end: number): void {
    const isQuiet = begin > this._next + this._pause;
    this._pause = isQuiet ? this._least : Math.min(GROWTH * this._pause, this._most);
    this._times = isQuiet ? 1 : this._times + 1;
    this._next = end + Math.max(this._pause, this._rest * (end - begin));
  }

  /** The work has taken until `end`, with the work of the page that follows from it. */
  lasted(begin: number, end: number): void {
    this._next = Math.max(this._next, end + this._rest * (end - begin));
  }

  private get _rest(): number {
    return this._times > FREE ? REST : 0;
  }

  private _pause: number;
  private _times = 0;
  private _next = 0;
}

/** Does at its pace what it is given: at once, or when the pause is over, and then only what came last. */
export class Paced {
  /** Pauses grow from `least` to `most` ms. */
  constructor(
    private readonly _least: number,
    private readonly _most: number
  ) {
    this._pace = new Pace(_least, _most);
  }

  /** Do it, in the place of what still waits. */
  run(work: () => void): void {
    clearTimeout(this._timer);
    const wait = this._pace.wait(performance.now());
    if (wait > 0) {
      this._timer = setTimeout(() => this.run(work), wait);
      return;
    }
    const begin = performance.now();
    work();
    this._pace.done(begin, performance.now());
  }

  /** Forget what waits. */
  cancel(): void {
    clearTimeout(this._timer);
  }

  /** Forget what waits, and that anything was done. */
  reset(): void {
    this.cancel();
    this._pace = new Pace(this._least, this._most);
  }

  private _pace: Pace;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
