/** Which groups of graphs are expanded: what was opened and closed stays so when another graph has been looked at. */

import { Graph } from '../../protocol';

/** Graphs whose folding is remembered. */
const MAX_FOLDS = 200;

/** Forgets the graphs that were looked at the longest ago. */
export class Folds {
  /** The groups of a graph that are expanded; undefined where it was not shown. */
  of(hash: string): ReadonlySet<string> | undefined {
    return this._expanded.get(hash);
  }

  set(hash: string, expanded: ReadonlySet<string>): void {
    this._expanded.set(hash, expanded);
  }

  /** Remember the groups of the graph that is shown. */
  keep(graph: Graph | null, expanded: ReadonlySet<string>): void {
    if (graph) {
      this._expanded.delete(graph.hash);
      this._expanded.set(graph.hash, expanded);
      const [oldest] = this._expanded.keys();
      if (this._expanded.size > MAX_FOLDS && oldest !== undefined) {
        this._expanded.delete(oldest);
      }
    }
  }

  private _expanded = new Map<string, ReadonlySet<string>>();
}
