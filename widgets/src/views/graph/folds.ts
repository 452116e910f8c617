/** Which groups of graphs are expanded: what was opened and closed stays so when another graph has been looked at. */

import { Graph } from '../../protocol';

/** Graphs that are remembered. */
const MOST = 200;

/** The expanded groups by the hash of a graph, those of the graphs that were shown last. */
export class Folds {
  /** Those of a graph; undefined where it was not shown. */
  of(hash: string): ReadonlySet<string> | undefined {
    return this._known.get(hash);
  }

  /** Remember those of a graph. */
  set(hash: string, expanded: ReadonlySet<string>): void {
    this._known.delete(hash);
    this._known.set(hash, expanded);
    const [oldest] = this._known.keys();
    if (this._known.size > MOST && oldest !== undefined) {
      this._known.delete(oldest);
    }
  }

  /** Remember those of what is drawn now. */
  keep({ graph, expanded }: { readonly graph: Graph | null; readonly expanded: ReadonlySet<string> }): void {
    if (graph) {
      this.set(graph.hash, expanded);
    }
  }

  private _known = new Map<string, ReadonlySet<string>>();
}
