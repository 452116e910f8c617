/** The bodies of branches and loops: graphs inside a graph, whose nodes get ids that are unique in all of it. */

import { Graph, GraphNode } from '../protocol';

/** The body of a loop that says whether there is another round; its result goes nowhere else. */
export const TEST = 'test';

/**
 * The graph with its bodies' nodes under ids of their own: `v2` in the body `if_true` of `v7` is `v7/if_true/v2`. Scopes in a
 * body begin at the body. Inputs of a body that nothing in it uses are left out: all bodies of a node are given the same ones.
 */
export function withBodies(graph: Graph): Graph {
  return renamed(graph, '', '');
}

/** Tells graphs apart that are drawn in different ways: those of one hash may be made in other calls. */
export function drawnAs(graph: Graph): string {
  let known = drawn.get(graph);
  if (known === undefined) {
    known = `${graph.hash} ${everyNode(graph).map(node => node.scope).join(' ')}`;
    drawn.set(graph, known);
  }
  return known;
}

const drawn = new WeakMap<Graph, string>();

function renamed(graph: Graph, base: string, scope: string): Graph {
  const rename = (id: string): string => join(base, id);
  const used = new Set([...graph.outputs, ...graph.nodes.flatMap(({ inputs }) => inputs)]);
  const nodes = graph.nodes.filter(({ id, op }) => base === '' || op !== 'input' || used.has(id));
  return {
    ...graph,
    inputs: graph.inputs.filter(id => base === '' || used.has(id)).map(rename),
    outputs: graph.outputs.map(rename),
    nodes: nodes.map(node => ({
      ...node,
      id: rename(node.id),
      inputs: node.inputs.map(rename),
      scope: scope !== '' && `${node.scope}/`.startsWith(`${scope}/`) ? node.scope.slice(scope.length + 1) : node.scope,
      bodies: Object.fromEntries(
        Object.entries(node.bodies).map(([name, body]) => [
          name,
          renamed(body, join(rename(node.id), name), join(node.scope, name))
        ])
      )
    }))
  };
}

/** The id of a body of a node. */
export function bodyId(node: GraphNode, name: string): string {
  return `${node.id}/${name}`;
}

/** The id of a result of the body with that id, or of the whole graph where it is empty. */
export function resultId(base: string, index: number): string {
  return join(base, `output:${index}`);
}

/** The name of a node within its body, and the names of the bodies around it, outermost first. */
export function nameParts(id: string): { name: string; bodies: string[] } {
  const parts = id.split('/');
  return { name: parts[parts.length - 1] as string, bodies: parts.filter((_, i) => i % 2 === 1) };
}

/** The graph and all bodies in it, outer ones first, each with its id. */
export function everyGraph(graph: Graph, base = ''): { base: string; graph: Graph }[] {
  const inner = graph.nodes.flatMap(node =>
    Object.entries(node.bodies).flatMap(([name, body]) => everyGraph(body, bodyId(node, name)))
  );
  return [{ base, graph }, ...inner];
}

/** All nodes in program order; those of bodies follow the node that holds them. */
export function everyNode(graph: Graph): GraphNode[] {
  return graph.nodes.flatMap(node => [node, ...Object.values(node.bodies).flatMap(everyNode)]);
}

function join(base: string, name: string): string {
  return base === '' ? name : `${base}/${name}`;
}
