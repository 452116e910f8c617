/** Events and graphs to test with. */

import { EventFields, EventOf, EventType, Graph, GraphNode } from '../src/protocol';

/** The fields of an event; the graphs replayed, the raising call, and its node, are left out where there are none. */
type Given<T extends EventType> = Omit<EventFields[T], 'raised' | 'node' | 'note' | 'replayed' | 'file'> & Partial<EventFields[T]>;

/** An event as the kernel would send it. */
export function event<T extends EventType>(
  type: T,
  seq: number,
  fields: Given<T>,
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
    ...(type === 'error' || type === 'graph.built' ? { raised: null } : {}),
    ...(type === 'error' ? { node: null, note: '' } : {}),
    ...(type === 'trace.finished' ? { replayed: [] } : {}),
    ...(type === 'cell.started' ? { file: '' } : {}),
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

/** A profile of three steps, of which the last is a kernel of two nodes. */
export function profiled(seq: number, more: Partial<EventFields['profile.measured']> = {}): EventOf<'profile.measured'> {
  const step = { rounds: 1, location: null, memory: 1000, peak: 1500 };
  return event('profile.measured', seq, {
    tier: 'native program',
    eager_ns: [9e4, 1e5, 11e4],
    graph_ns: [9e3, 1e4, 11e3],
    runs: 100,
    total_ns: 1e4,
    shares: { linalg: 0.6, kernel: 0.35, python: 0.05 },
    steps: [
      { ...step, text: 'v0 = x @ w', kind: 'linalg', ns: 6e3, nodes: ['v0'], peak: 2e6 },
      { ...step, text: 'v1 = np.sort(v0)', kind: 'numpy', ns: 50, nodes: ['v1'], rounds: 3 },
      { ...step, text: 'kernel: tanh, add', kind: 'kernel', ns: 3.5e3, nodes: ['v2', 'v3'] }
    ],
    steps_count: 3,
    others: [],
    lines: [],
    peak: 2e6,
    made: [],
    ...more
  });
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
    variable: '',
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
