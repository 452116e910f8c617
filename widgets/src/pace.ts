/** The pace of work that others wait for: at once after a quiet time, and less and less often while it is asked for again. */

/**
* The work takes part of the page's time: the next time comes after as many times as long. A storm of events then leaves the
 * page, and a kernel on the same machine, four fifths of it.
 */
const REST = 4;

/** So many times after a quiet time only the pause counts: a trace begins, and its graph is to follow at once. */
const FREE = 2;

/** Times in ms, by one clock. */
export class Pace {
  /** Pauses grow from `least` to `most`, twofold each time. */
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
    this._pause = isQuiet ? this._least : Math.min(2 * this._pause, this._most);
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
