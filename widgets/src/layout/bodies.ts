/** The bodies of branches and loops: graphs inside a graph, whose nodes get ids that are unique in all of it. */

import { Graph, GraphNode } from '../protocol';

/** The body of a loop that says whether there is another round; its result goes nowhere else. */
export const TEST = 'test';

/**
 * The graph with its bodies' nodes under ids of their own: `v2` in the body `if_true` of `v7` is `v7/if_true/v2`. Scopes in a
 * body begin at the body. Inputs of a body that nothing in it uses are left out: all bodies of a node are given the same ones.
 */
export function withBodies(graph: Graph): Graph {
  return graph.nodes.every(isAsItIs) ? graph : renamed(graph, '', []);
}

/** Whether a node of the graph itself keeps all that it has. */
function isAsItIs({ op, bodies }: GraphNode): boolean {
  return op !== 'item' && Object.keys(bodies).length === 0;
}

/** Whether graphs are drawn in one way: their nodes may stand in other lines, after an edit of the cell. */
export function isDrawnAs(a: Graph, b: Graph): boolean {
  if (a === b || a.hash === b.hash) {
    return true;
  }
  if (a.name !== b.name || a.nodes.length !== b.nodes.length || a.outputs.join() !== b.outputs.join()) {
    return false;
  }
  const drawn = ({ id, op, call, inputs, variable, scope, dtype, shape }: GraphNode): string => JSON.stringify([id, op, call, inputs, variable, scope, dtype, shape]);
  const [nodes, others] = [everyNode(a), everyNode(b)];
  return nodes.length === others.length && nodes.every((node, i) => drawn(node) === drawn(others[i] as GraphNode));
}

function renamed(graph: Graph, base: string, around: readonly string[]): Graph {
  const rename = (id: string): string => join(base, id);
  const scope = around[around.length - 1] ?? '';
  const used = new Set(base === '' ? [] : [...graph.outputs, ...graph.nodes.flatMap(({ inputs }) => inputs)]);
  const isThere = (id: string): boolean => base === '' || used.has(id);
  const byId = new Map(graph.nodes.map(node => [node.id, node]));
  return {
    ...graph,
    around,
    inputs: graph.inputs.filter(isThere).map(rename),
    outputs: graph.outputs.map(rename),
    carries: graph.carries?.map(id => (id !== null && isThere(id) ? rename(id) : null)),
    nodes: graph.nodes.filter(({ id, op }) => op !== 'input' || isThere(id)).map(node => base === '' && isAsItIs(node) ? node : {
      ...node,
      id: rename(node.id),
      inputs: node.inputs.map(rename),
      attrs: node.op === 'item' ? { ...node.attrs, ...variableOf(node, byId) } : node.attrs,
      scope: scope !== '' && `${node.scope}/`.startsWith(`${scope}/`) ? node.scope.slice(scope.length + 1) : node.scope,
      within: node.scope,
      bodies: Object.fromEntries(
        Object.entries(node.bodies).map(([name, body]) => [
          name,
          renamed(fed(node, name, body, byId), join(rename(node.id), name), [...around, join(node.scope, name)])
        ])
      )
    })
  };
}

/** The name of a branch's or loop's result that an `item` picks. */
function variableOf(item: GraphNode, byId: ReadonlyMap<string, GraphNode>): { variable?: string } {
  const { flow, bodies } = byId.get(item.inputs[0] ?? '') ?? {};
  const [name = '', body] = Object.entries(bodies ?? {}).find(([each]) => each !== TEST) ?? [];
  const [first = 0, count = 0] = flow?.carried[name] ?? [];
  const index = Number(item.attrs.index);
  const given = (flow?.results[index] ?? '').replace(/^(global|closure) /, '');
  if (given !== '') {
    return { variable: given };
  }
  const next = index < count ? body?.inputs[first + index] : undefined;
  const path = body?.nodes.find(({ id }) => id === next)?.attrs.path;
  return path === undefined ? {} : { variable: path };
}

/** A name that tracing gave to a value from around a body. */
const UNNAMED = /^outer_\d+$/;

/** What a value goes by in the code: its path from outside, or the variable that it is assigned to; else its op. */
export function valueName({ attrs, variable, op }: GraphNode): string {
  return attrs.path ?? attrs.variable ?? (variable === '' ? op : variable);
}

/** A body that knows which of its results come back as which of its inputs, and the names of its arguments. */
function fed(node: GraphNode, name: string, body: Graph, around: ReadonlyMap<string, GraphNode>): Graph {
  const [first = 0, count = 0] = node.flow?.carried[name] ?? [];
  const feeds = node.flow?.feeds[name] ?? [];
  const named = (inner: GraphNode): GraphNode => {
    const at = body.inputs.indexOf(inner.id);
    const outer = around.get(feeds[at] ?? '');
    const unnamed = at >= 0 && outer !== undefined && UNNAMED.test(inner.attrs.path ?? '');
    return unnamed ? { ...inner, attrs: { ...inner.attrs, path: valueName(outer) } } : inner;
  };
  return {
    ...body,
    nodes: body.nodes.map(named),
    carries: body.outputs.map((_, i) => (i < count ? (body.inputs[first + i] ?? null) : null)),
    results: node.flow?.results ?? []
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
  const found = [{ base, graph }];
  for (const node of graph.nodes) {
    for (const name in node.bodies) {
      found.push(...everyGraph(node.bodies[name] as Graph, bodyId(node, name)));
    }
  }
  return found;
}

/** All nodes in program order; those of bodies follow the node that holds them. */
export function everyNode(graph: Graph): GraphNode[] {
  const found: GraphNode[] = [];
  const visit = ({ nodes }: Graph): void => {
    for (const node of nodes) {
      found.push(node);
      for (const name in node.bodies) {
        visit(node.bodies[name] as Graph);
      }
    }
  };
  visit(graph);
  return found;
}

/** The id of the node with this name in the body with that id. */
export function join(base: string, name: string): string {
  return base === '' ? name : `${base}/${name}`;
}
