/** Which groups of graphs were expanded, kept while others are looked at. */

/** Graphs that are remembered. */
const MAX_FOLDS = 200;

/** The memory, by the hash of a graph. */
export class Folds {
  /** What was expanded; undefined where the graph was not shown. */
  get(hash: string): ReadonlySet<string> | undefined {
    return this._folds.get(hash);
  }

  set(hash: string, expanded: ReadonlySet<string>): void {
    this._folds.delete(hash);
    this._folds.set(hash, expanded);
    const [oldest] = this._folds.keys();
    if (this._folds.size > MAX_FOLDS && oldest !== undefined) {
      this._folds.delete(oldest);
    }
  }

  private _folds = new Map<string, ReadonlySet<string>>();
}
