/** A derivative's graph: its pairs of forward and backward nodes, and the residuals between them. */

import { bytesOf } from '../format';
import { Graph, GraphNode } from '../protocol';
import { everyGraph, everyNode } from './bodies';
import { isSource } from './families';

/** Both ways. */
export interface Pairs {
  /** The backward nodes of a forward node, by its id. */
  readonly backward: ReadonlyMap<string, readonly GraphNode[]>;
  /** The forward nodes of a backward node, by its id. */
  readonly forward: ReadonlyMap<string, readonly GraphNode[]>;
  /** Bytes of residuals, which the backward pass reads, by the id of the node; null where lengths are open. */
  readonly kept: ReadonlyMap<string, number | null>;
}

/** The pairs of a graph whose bodies have ids of their own. A line that has one op twice in a call has one pair of both. */
export function pairsOf(graph: Graph): Pairs {
  const nodes = everyNode(graph);
  const backward = new Map<string, GraphNode[]>();
  const forward = new Map<string, readonly GraphNode[]>();
  if (nodes.some(({ back_of }) => back_of)) {
    const byPlace = new Map<string, GraphNode[]>();
    for (const node of nodes) {
      const scope = node.within ?? node.scope;
      add(byPlace, placeOf(scope, node.op, node), node);
      add(byPlace, placeOf(scope, '', node), node); // for an op that a pass has made another one
    }
    for (const node of nodes) {
      if (node.back_of) {
        const { scope, op } = node.back_of;
        const found = byPlace.get(placeOf(scope, op, node)) ?? byPlace.get(placeOf(scope, '', node)) ?? [];
        const others = found.filter(other => other !== node);
        forward.set(node.id, others);
        others.forEach(other => add(backward, other.id, node));
      }
    }
  }
  return { backward, forward, kept: keptOf(graph, forward) };
}

function keptOf(graph: Graph, forward: Pairs['forward']): Map<string, number | null> {
  const kept = new Map<string, number | null>();
  for (const { graph: part } of forward.size > 0 ? everyGraph(graph) : []) {
    const byId = new Map(part.nodes.map(node => [node.id, node]));
    for (const { id, inputs } of part.nodes) {
      for (const input of forward.has(id) ? inputs : []) {
        const node = byId.get(input);
        if (node && !forward.has(input) && !isSource(node)) {
          kept.set(input, bytesOf(node.dtype, node.shape));
        }
      }
    }
  }
  return kept;
}

function placeOf(scope: string, op: string, { file, line }: GraphNode): string {
  return `${scope}\n${op}\n${file ?? ''}:${line ?? ''}`;
}

function add(map: Map<string, GraphNode[]>, key: string, node: GraphNode): void {
  const known = map.get(key);
  if (known) {
    known.push(node);
  } else {
    map.set(key, [node]);
  }
}
