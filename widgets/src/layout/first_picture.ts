/** How much is open in the first picture of a graph: as much as can be read with nothing cut off at its sides. */

/** What is open, and what the drawing of that measures. */
interface Level {
  readonly expanded: ReadonlySet<string>;
  size: readonly [width: number, height: number] | null;
}

/** One first picture. It is over as soon as the user opens or closes something. */
export class FirstPicture {
  /** `levels` are what may be open, most first. */
  constructor(levels: readonly ReadonlySet<string>[]) {
    this._levels = levels.map(expanded => ({ expanded, size: null }));
    this._level = this._levels[0] as Level;
  }

  /** What is open now. */
  get expanded(): ReadonlySet<string> {
    return this._level.expanded;
  }

  /** The drawing of what is open measures this. */
  measured(width: number, height: number): void {
    this._level.size = [width, height];
  }

  /** Forget all measures: it is drawn in another way. */
  forget(): void {
    this._levels.forEach(level => (level.size = null));
  }

  /**
   * Choose what is open; whether that is another choice, whose drawing is to be measured. `scaleOf` says how large a drawing can be
   * seen across its direction; from `readable` on it can be read.
   */
  choose(scaleOf: (size: readonly [number, number]) => number, readable: number): boolean {
    const before = this._level;
    const seen = this._levels.map(level => ({ level, scale: level.size ? scaleOf(level.size) : Infinity }));
    const largest = seen.reduce((best, each) => (each.scale > best.scale ? each : best));
    this._level = (seen.find(({ scale }) => scale >= readable) ?? largest).level;
    return this._level !== before;
  }

  private readonly _levels: readonly Level[];
  private _level: Level;
}
