/** The parts in which large graphs come, put together. */

import { Graph, GraphNode, GraphPart } from '@tracefn/widgets';

/** Large graphs of which parts are waited for; more are given up, oldest first: they can be asked for. */
const MAX_BEGUN = 8;

/** The received part of a graph. It grows with each part, so that the last one leaves little to do. */
interface Begun {
  readonly nodes: GraphNode[];
  readonly sites: Record<string, Graph['sites'][string]>;
}

/** Joins parts that come in their order. */
export class Parts {
  /** The graph, once its last part is there. A part whose predecessor was missed is of no use. */
  add({ graph, first, left }: GraphPart): Graph | null {
    if (first === 0 && left === 0) {
      return graph;
    }
    const begun = first === 0 ? { nodes: [], sites: Object.create(null) as Begun['sites'] } : this._begun.get(graph.hash);
    this._begun.delete(graph.hash);
    if (begun?.nodes.length !== first) {
      return null;
    }
    graph.nodes.forEach(node => begun.nodes.push(node));
    Object.assign(begun.sites, graph.sites);
    if (left === 0) {
      return { ...graph, ...begun };
    }
    this._begun.set(graph.hash, begun);
    const [oldest] = this._begun.keys();
    if (this._begun.size > MAX_BEGUN && oldest !== undefined) {
      this._begun.delete(oldest);
    }
    return null;
  }

  private readonly _begun = new Map<string, Begun>();
}
