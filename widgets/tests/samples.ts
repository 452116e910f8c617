/** Events and graphs to test with. */

import { EventFields, EventOf, EventType, Graph, GraphNode } from '../src/protocol';

/** An event as the kernel would send it. */
export function event<T extends EventType>(
  type: T,
  seq: number,
  fields: EventFields[T],
  about: { function?: string | null; signature?: string | null } = {}
): EventOf<T> {
  return {
    v: 1,
    type,
    seq,
    time_ns: seq * 1000,
    engine: 'tracefn',
    function: 'f#1',
    signature: 'f#1/1',
    location: null,
    ...about,
    ...fields
  } as EventOf<T>;
}

/** The start of a trace. */
export function started(seq: number, trace = 1, name = 'f', key = `m.${name}`): EventOf<'trace.started'> {
  return event(
    'trace.started',
    seq,
    {
      function_name: name,
      function_key: key,
      defined: null,
      trace,
      signature_text: `float32[${trace}]`,
      signature_hash: `hash-${trace}`,
      arguments: [],
      cell: null
    },
    { function: `${name}#1`, signature: `${name}#1/${trace}` }
  );
}

/** One node. */
export function node(id: string, inputs: string[] = [], more: Partial<GraphNode> = {}): GraphNode {
  return {
    id,
    op: 'add',
    call: `np.add(${inputs.join(', ')})`,
    inputs,
    dtype: 'float32',
    shape: [2, 4],
    kind: 'array',
    attrs: {},
    bodies: {},
    flow: null,
    scope: '',
    file: 'f.py',
    line: 1,
    cell: null,
    cell_number: null,
    ...more
  };
}

/** A graph of these nodes; the last is its result. */
export function graphOf(nodes: GraphNode[], name = 'f'): Graph {
  return {
    hash: `${name}-${nodes.length}`,
    name,
    inputs: nodes.filter(({ op }) => op === 'input').map(({ id }) => id),
    outputs: nodes.slice(-1).map(({ id }) => id),
    nodes,
    sites: {}
  };
}

/** A graph of n nodes without scopes, each using one of the few before it and one from anywhere. */
export function flatGraph(n: number): Graph {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const nodes = [node('x', [], { op: 'input', attrs: { path: 'x' } })];
  for (let i = 1; i < n; i++) {
    const near = nodes[Math.max(0, i - 1 - Math.floor(random() * 5))] as GraphNode;
    const far = nodes[Math.floor(random() * i)] as GraphNode;
    nodes.push(node(`v${i}`, [near.id, far.id]));
  }
  return graphOf(nodes, 'flat');
}
