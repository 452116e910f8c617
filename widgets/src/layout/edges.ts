/** The edges between drawn boxes: what flows from which to which, into expanded branches and loops and out of them. */

import { counted, typeText } from '../format';
import { Graph, GraphNode } from '../protocol';
import { bodyId, everyGraph, everyNode, resultId, TEST } from './bodies';

/** One or more values that flow from one box to another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  label: string;
  readonly values: string[];
}

/**
 * The edges between boxes. The node of an expanded branch or loop hands its inputs to its bodies, and what uses it has its
 * values from their results. `chipOf` may name another box that stands for a value at a box that uses it.
 */
export function connect(
  graph: Graph,
  boxOf: ReadonlyMap<string, string>,
  values: ReadonlyMap<string, string>,
  chipOf: (value: string, to: string) => string | null = () => null
): Edge[] {
  const nodes = new Map(everyNode(graph).map(node => [node.id, node]));
  const edges = new Map<string, Edge>();
  for (const { base, graph: part } of everyGraph(graph)) {
    for (const node of part.nodes) {
      node.inputs.flatMap(id => sources(id, node)).forEach(id => link(id, boxOf.get(node.id)));
      for (const [name, body] of Object.entries(node.bodies)) {
        const starts = body.inputs.length > 0 ? body.inputs : [resultId(bodyId(node, name), 0)];
        starts.forEach(id => link(node.id, boxOf.get(id)));
      }
    }
    part.outputs.forEach((id, index) => link(id, boxOf.get(resultId(base, index))));
  }
  return [...edges.values()];

  /** Where the value of a node comes from for one that uses it. */
  function sources(id: string, user: GraphNode): string[] {
    const node = nodes.get(id);
    const bodies = node && boxOf.get(id) === id ? Object.entries(node.bodies) : [];
    if (!node || bodies.length === 0) {
      return [id];
    }
    return bodies
      .filter(([name]) => name !== TEST)
      .flatMap(([name, body]) =>
        body.outputs.flatMap((_, index) =>
          user.op !== 'item' || user.attrs.index === String(index) ? [resultId(bodyId(node, name), index)] : []
        )
      );
  }

  function link(value: string, to: string | undefined): void {
    const home = boxOf.get(value);
    if (home === undefined || to === undefined || home === to) {
      return;
    }
    const from = chipOf(value, to) ?? home;
    const key = JSON.stringify([from, to]);
    const edge = edges.get(key);
    if (!edge) {
      edges.set(key, { from, to, label: typeOf(value), values: [value] });
    } else if (!edge.values.includes(value)) {
      edge.values.push(value);
      edge.label = counted(edge.values.length, 'value');
    }
  }

  function typeOf(value: string): string {
    const node = nodes.get(values.get(value) ?? value);
    return node ? typeText(node.dtype, node.shape) : '';
  }
}
