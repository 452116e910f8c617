/** The edges between drawn boxes: what flows from which to which, into expanded branches and loops and out of them. */

import { counted, typeText } from '../format';
import { Graph, GraphNode } from '../protocol';
import { bodyId, everyGraph, everyNode, resultId, TEST } from './bodies';
import type { StandIns } from './repeats';

/** One or more values that flow from one box to another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  label: string;
  readonly values: string[];
  /** Whether it leads to the next round: to what stands before it. */
  readonly back?: boolean;
}

/**
 * The edges between boxes. The node of an expanded branch or loop hands its inputs to its bodies, and what uses it has its
 * values from their results. `chipOf` may name another box that stands for a value at a box that uses it. What goes from one copy
 * of a repeat to the next leads back to the one that is drawn.
 */
export function connect(
  graph: Graph,
  boxOf: ReadonlyMap<string, string>,
  values: ReadonlyMap<string, string>,
  { nodes: stems, copies }: StandIns,
  chipOf: (value: string, to: string) => string | null = () => null
): Edge[] {
  const nodes = new Map(everyNode(graph).map(node => [node.id, node]));
  const edges = new Map<string, { edge: Edge; values: Set<string>; stems: Set<string> }>();
  for (const { base, graph: part } of everyGraph(graph)) {
    for (const node of part.nodes) {
      node.inputs.flatMap(id => sources(id, node)).forEach(id => link(id, node.id));
      for (const [name, body] of Object.entries(node.bodies)) {
        const starts = body.inputs.length > 0 ? body.inputs : [resultId(bodyId(node, name), 0)];
        starts.forEach(id => link(node.id, id));
      }
    }
    part.outputs.forEach((id, index) => link(id, resultId(base, index)));
    part.carries?.forEach((id, index) => {
      if (id !== null) {
        link(resultId(base, index), id, true);
      }
    });
  }
  for (const { edge, stems: different } of edges.values()) {
    // The same value of all rounds counts once.
    edge.label = different.size > 1 && !edge.back ? counted(different.size, 'value') : edge.label;
  }
  return [...edges.values()].map(({ edge }) => edge);

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

  function link(value: string, user: string, isCarried = false): void {
    const [home, to] = [boxOf.get(value), boxOf.get(user)];
    const back = isCarried ? home !== to : isOfCopyBefore(value, user);
    if (home === undefined || to === undefined || (home === to && !back)) {
      return;
    }
    const from = back ? home : (chipOf(value, to) ?? home);
    const key = `${from}\n${to}${back ? '\nback' : ''}`;
    const known = edges.get(key);
    if (!known) {
      const edge = { from, to, label: back ? '' : typeOf(value), values: [value], ...(back ? { back } : {}) };
      edges.set(key, { edge, values: new Set([value]), stems: new Set([stems.get(value) ?? value]) });
    } else if (!known.values.has(value)) {
      known.values.add(value);
      known.stems.add(stems.get(value) ?? value);
      known.edge.values.push(value);
    }
  }

  function isOfCopyBefore(value: string, user: string): boolean {
    const at = copies.get(user);
    return at !== undefined && [...(copies.get(value) ?? [])].some(([repeat, index]) => (at.get(repeat) ?? index) !== index);
  }

  function typeOf(value: string): string {
    const node = nodes.get(values.get(value) ?? value);
    return node ? typeText(node.dtype, node.shape) : '';
  }
}
