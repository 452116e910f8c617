/** Other groupings of a graph than by call: its nodes in scopes that name the line or the kernel. */

import { placeText } from '../../format';
import { Graph, GraphNode } from '../../protocol';
import { isSource } from '../families';
import type { Grouping } from '../look';

/** Node → the kernel that computes it. */
export type Kernels = ReadonlyMap<string, string>;

/** The graph with scopes of the kind that is asked for. Nodes of one kernel are moved together, which keeps them in a valid order. */
export function regrouped(graph: Graph, by: Grouping, kernels: Kernels): Graph {
  if (by === 'call') {
    return withReaders(graph);
  }
  const scopeOf = by === 'line' ? lineScope : ({ id }: GraphNode): string => kernels.get(id) ?? '';
  const nodes = graph.nodes.map(node => ({
    ...node,
    scope: isSource(node) ? '' : scopeOf(node).replace(/[/#]/g, ' '),
    bodies: Object.fromEntries(Object.entries(node.bodies).map(([name, body]) => [name, regrouped(body, by, kernels)]))
  }));
  return { ...graph, nodes: by === 'kernel' ? together(nodes) : nodes };
}

/** Ops that read a part of a value, such as a row. */
const READER = /^(getitem|item$|take$)/;

/**
* The graph with reads of parts of values from outside beside their only users: rows that a loop goes over are read before its first
 * round, and belong to their rounds.
 */
function withReaders(graph: Graph): Graph {
  const readers = graph.nodes.filter(({ op }) => READER.test(op));
  if (readers.length === 0) {
    return graph;
  }
  const byId = new Map(graph.nodes.map(node => [node.id, node]));
  const kept = new Set(graph.outputs);
  const users = new Map<string, GraphNode[]>();
  for (const { id, inputs } of readers) {
    if (!kept.has(id) && inputs.every(input => isSource(byId.get(input) as GraphNode))) {
      users.set(id, []);
    }
  }
  if (users.size === 0) {
    return graph;
  }
  graph.nodes.forEach(node => node.inputs.forEach(id => users.get(id)?.push(node)));
  const before = new Map<string, GraphNode[]>();
  const moved = new Set<string>();
  for (const [id, [first, ...others]] of users) {
    const node = byId.get(id) as GraphNode;
    if (first && first.scope !== node.scope && others.every(({ scope }) => scope === first.scope)) {
      before.set(first.id, [...(before.get(first.id) ?? []), { ...node, scope: first.scope }]);
      moved.add(id);
    }
  }
  const nodes = graph.nodes.filter(({ id }) => !moved.has(id)).flatMap(node => [...(before.get(node.id) ?? []), node]);
  return moved.size > 0 ? { ...graph, nodes } : graph;
}

function lineScope({ file, line, cell, cell_number }: GraphNode): string {
  return line === null ? '' : placeText({ file: file ?? '', line, cell, cell_number });
}

/** The nodes in an order in which those of one scope are neighbours and inputs come first; as they are where there is none. */
function together(nodes: readonly GraphNode[]): readonly GraphNode[] {
  const blockOf = new Map<string, number>();
  const blocks: GraphNode[][] = [];
  const byScope = new Map<string, number>();
  for (const node of nodes) {
    const known = node.scope === '' ? undefined : byScope.get(node.scope);
    const block = known ?? blocks.push([]) - 1;
    byScope.set(node.scope, block);
    blocks[block]?.push(node);
    blockOf.set(node.id, block);
  }
  const needs = blocks.map((block, i) => new Set(block.flatMap(({ inputs }) => inputs.flatMap(id => blockOf.get(id) ?? [])).filter(b => b !== i)));
  const users = blocks.map((): number[] => []);
  needs.forEach((before, i) => before.forEach(b => users[b]?.push(i)));
  const left = needs.map(({ size }) => size);
  const ready = left.flatMap((count, i) => (count === 0 ? [i] : []));
  const ordered: GraphNode[] = [];
  for (const block of ready) {
    ordered.push(...(blocks[block] ?? []));
    for (const user of users[block] ?? []) {
      left[user] = (left[user] as number) - 1;
      if (left[user] === 0) {
        ready.push(user);
      }
    }
  }
  return ordered.length === nodes.length ? ordered : nodes;
}
