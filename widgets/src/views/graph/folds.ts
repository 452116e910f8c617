/** Which groups of graphs were expanded, kept while others are looked at. */

import { Drawing } from './drawing';

/** Graphs that are remembered. */
const MAX_FOLDS = 200;

/** The memory, by the hash of a graph, with the open groups of the drawing. */
export class Folds {
  constructor(private readonly _drawing: Drawing) {}

  /** The expanded groups; undefined where the graph was not shown. */
  get(hash: string): ReadonlySet<string> | undefined {
    this.keep();
    return this._folds.get(hash);
  }

  /** Remember the groups that are open now. */
  keep(): void {
    const { graph, root, expanded } = this._drawing;
    if (graph && root) {
      this.set(graph.hash, expanded);
    }
  }

  /** Expand these groups of a graph when it is shown. */
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
