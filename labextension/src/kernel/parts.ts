/** The parts in which large graphs come, put together. */

import { Graph, GraphPart } from '@tracefn/widgets';

/** Large graphs of which parts are waited for; more are given up, oldest first: they can be asked for. */
const MAX_BEGUN = 8;

/** Joins parts that come in their order. */
export class Parts {
  /** The graph, once its last part is there. A part whose predecessor was missed is of no use. */
  add({ graph, first, left }: GraphPart): Graph | null {
    const begun = first === 0 ? [] : this._begun.get(graph.hash);
    this._begun.delete(graph.hash);
    if (!begun || begun.reduce((sum, { nodes }) => sum + nodes.length, 0) !== first) {
      return null;
    }
    begun.push(graph);
    if (left === 0) {
      return begun.length === 1 ? graph : { ...graph, nodes: begun.flatMap(({ nodes }) => nodes), sites: sitesOf(begun) };
    }
    this._begun.set(graph.hash, begun);
    const [oldest] = this._begun.keys();
    if (this._begun.size > MAX_BEGUN && oldest !== undefined) {
      this._begun.delete(oldest);
    }
    return null;
  }

  private readonly _begun = new Map<string, Graph[]>();
}

function sitesOf(parts: readonly Graph[]): Graph['sites'] {
  return Object.assign(Object.create(null) as object, ...parts.map(({ sites }) => sites)) as Graph['sites'];
}
