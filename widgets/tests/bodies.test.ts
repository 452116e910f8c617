import { describe, expect, it } from 'vitest';
import { decodeGraph } from '../src/protocol';
import { allGroups, ancestors, everyNode, expandAll, firstExpanded, fold, groupTree, hasOpenBodies, lessExpanded, OPEN_BOXES, toggle, withBodies } from '../src/layout';
import { Graph, GraphNode } from '../src/protocol';
import { resultsText } from '../src/views/graph/details/detail';
import { searchNodes, unknownKey } from '../src/views/graph/search';
import { graphOf, node } from './samples';

/** A loop around a branch: ids repeat in every body, as the kernel sends them. */
function nested(): Graph {
  const input = (id: string) => node(id, [], { op: 'input', attrs: { path: id } });
  const ifTrue = graphOf(
    [input('unused'), input('s'), node('v0', ['s'], { op: 'tanh', scope: 'body/if_true/act' })],
    'if_true'
  );
  const ifFalse = graphOf([input('s'), node('v0', ['s'], { op: 'negative', scope: 'body/if_false' })], 'if_false');
  const body = graphOf(
    [
      input('i'),
      input('s'),
      node('v0', ['s'], { op: 'sum', scope: 'body' }),
      node('v1', ['v0', 's'], { op: 'cond', scope: 'body', bodies: { if_true: ifTrue, if_false: ifFalse } }),
      node('v2', ['v1'], { op: 'item', scope: 'body', attrs: { index: '0' } })
    ],
    'body'
  );
  return withBodies(
    graphOf([
      input('x'),
      node('v0', ['x'], { op: 'for_loop', bodies: { body }, attrs: { body: '9 nodes' } }),
      node('v1', ['v0'], { op: 'item', attrs: { index: '0' } })
    ])
  );
}

/** The edges drawn with these groups open. */
function edges(graph: Graph, ...open: string[]): string[] {
  return fold(graph, groupTree(graph), new Set(open)).edges.map(({ from, to }) => `${from} → ${to}`);
}

describe('withBodies', () => {
  it('gives every node an id of its own and leaves out inputs that are not used', () => {
    expect(everyNode(nested()).map(({ id }) => id)).toEqual([
      'x',
      'v0',
      'v0/body/s',
      'v0/body/v0',
      'v0/body/v1',
      'v0/body/v1/if_true/s',
      'v0/body/v1/if_true/v0',
      'v0/body/v1/if_false/s',
      'v0/body/v1/if_false/v0',
      'v0/body/v2',
      'v1'
    ]);
  });

  it('begins scopes at the body', () => {
    const scopes = everyNode(nested()).map(({ op, scope }) => `${op}: ${scope}`);
    expect(scopes).toContain('tanh: act');
    expect(scopes).toContain('cond: ');
  });
});

describe('the groups of bodies', () => {
  it('are one for the node and one for each body', () => {
    const root = groupTree(nested());
    expect(allGroups(root).map(({ id, kind }) => `${kind} ${id}`)).toEqual([
      'control v0/*',
      'body v0/body',
      'control v0/body/v1/*',
      'body v0/body/v1/if_true',
      'body v0/body/v1/if_false'
    ]);
    expect(ancestors(root, 'v0/body/v1/if_true/v0')).toEqual([
      'v0/*',
      'v0/body',
      'v0/body/v1/*',
      'v0/body/v1/if_true'
    ]);
    expect(expandAll(root).left).toBe(0);
  });

  it('open from the outside in while all fits, and close from the inside out where that is too wide', () => {
    // Closed, a loop that holds all of a program leaves the picture empty.
    const root = groupTree(nested());
    const all = new Set(allGroups(root).map(({ id }) => id));
    expect(firstExpanded(root)).toEqual(all);
    expect(hasOpenBodies(root, all)).toBe(true);
    expect(lessExpanded(root, all)).toEqual(new Set(['v0/*', 'v0/body']));
    expect(lessExpanded(root, new Set(['v0/*', 'v0/body']))).toEqual(new Set());
    expect(hasOpenBodies(root, new Set())).toBe(false);
  });

  it('stay closed where there are too many nodes in them', () => {
    const body = graphOf(Array.from({ length: OPEN_BOXES }, (_, i) => node(`v${i}`)), 'body');
    expect(firstExpanded(groupTree(withBodies(graphOf([node('v0', [], { op: 'for_loop', bodies: { body } })]))))).toEqual(new Set());
  });

  it('open with all bodies of the node', () => {
    const root = groupTree(nested());
    expect(toggle(root, new Set(), 'v0/body/v1/*')).toEqual(
      new Set(['v0/body/v1/*', 'v0/body/v1/if_true', 'v0/body/v1/if_false'])
    );
  });
});

describe('what is drawn of bodies', () => {
  it('is one box while closed', () => {
    const graph = nested();
    const { boxes } = fold(graph, groupTree(graph), new Set());
    expect(boxes.map(({ title, detail }) => `${title} ${detail}`.trim())).toEqual([
      'x',
      'for_loop body: 8 nodes',
      'item [0]',
      'result'
    ]);
    expect(edges(graph)).toEqual(['x → v0/*', 'v0/* → v1', 'v1 → output:0']);
  });

  it('sums up the branches where they are many', () => {
    const branch = graphOf([node('v0')], 'branch');
    const bodies = { branch_0: branch, branch_1: branch, branch_2: branch };
    const graph = withBodies(graphOf([node('v0', [], { op: 'switch', bodies })]));
    const [box] = fold(graph, groupTree(graph), new Set()).boxes;
    expect(box?.detail).toBe('3 branches: 3 nodes');
  });

  it('is the body between what the node takes and what it gives', () => {
    expect(edges(nested(), 'v0/*', 'v0/body')).toEqual([
      'x → v0',
      'v0 → v0/body/s',
      'v0/body/output:0 → v1',
      'v1 → output:0',
      'v0/body/s → v0/body/v0',
      'v0/body/v0 → v0/body/v1/*',
      'v0/body/s → v0/body/v1/*',
      'v0/body/v1/* → v0/body/v2',
      'v0/body/v2 → v0/body/output:0'
    ]);
  });

  it('is a body in a body, both branches leading to the result', () => {
    const graph = nested();
    const all = edges(graph, ...expandAll(groupTree(graph)).expanded);
    expect(all).toContain('v0/body/v1 → v0/body/v1/if_true/s');
    expect(all).toContain('v0/body/v1 → v0/body/v1/if_false/s');
    expect(all).toContain('v0/body/v1/if_true/output:0 → v0/body/v2');
    expect(all).toContain('v0/body/v1/if_false/output:0 → v0/body/v2');
  });

  it('calls the results of branches what the code calls them', () => {
    const side = (name: string) => ({ ...graphOf([node('a', [], { op: 'input' })], name), outputs: ['a', 'a'] });
    const flow = { feeds: {}, carried: {}, rounds: '', results: ['scale', 'global c.total'] };
    const choice = node('c', ['x'], { op: 'cond', bodies: { if_true: side('if_true'), if_false: side('if_false') }, flow });
    const items = ['0', '1'].map(index => node(`i${index}`, ['c'], { op: 'item', attrs: { index } }));
    const graph = withBodies(graphOf([node('x', [], { op: 'input' }), choice, ...items]));
    const titles = fold(graph, groupTree(graph), new Set(['c/*', 'c/if_true'])).boxes.map(({ title }) => title);
    expect(titles.filter(title => title === 'scale')).toHaveLength(2);
    expect(titles.filter(title => title === 'c.total')).toHaveLength(2);
  });

  it('tells the types of the results of a node that has several', () => {
    const flow = { feeds: {}, carried: {}, rounds: '', results: ['y'] };
    const choice = node('c', ['x'], { op: 'cond', dtype: null, shape: null, bodies: { if_true: graphOf([]) }, flow });
    const items = ['0', '1'].map(index => node(`i${index}`, ['c'], { op: 'item', attrs: { index }, dtype: 'float32', shape: [3] }));
    const { nodes } = withBodies(graphOf([choice, ...items, node('z', ['c'])]));
    expect(resultsText(nodes[0] as GraphNode, nodes)).toBe('y: float32[3], [1]: float32[3]');
    expect(resultsText(nodes[1] as GraphNode, nodes)).toBe('');
  });

  it('calls the inputs of a body by the variables around it', () => {
    const side = graphOf([node('o', [], { op: 'input', attrs: { path: 'outer_0' } }), node('p', ['o'])], 'if_true');
    const flow = { feeds: { if_true: ['v'] }, carried: {}, rounds: '', results: [] };
    const graph = graphOf([node('v', [], { variable: 'scaled' }), node('c', ['v'], { op: 'cond', bodies: { if_true: side }, flow })]);
    const drawn = withBodies(graph);
    expect(fold(drawn, groupTree(drawn), new Set(['c/*', 'c/if_true'])).boxes.map(({ title }) => title)).toContain('scaled');
  });

  it('takes each result from its place, and none from the test of a loop', () => {
    const state = (id: string) => node(id, [], { op: 'input' });
    const body = { ...graphOf([state('a'), state('b')], 'body'), outputs: ['b', 'a'] };
    const test = graphOf([state('a'), node('v0', ['a'], { op: 'less' })], 'test');
    const loop = node('w', ['x'], { op: 'while_loop', bodies: { test, body } });
    const item = node('v1', ['w'], { op: 'item', attrs: { index: '1' } });
    const graph = withBodies(graphOf([state('x'), loop, item]));
    const all = edges(graph, 'w/*', 'w/test', 'w/body');
    expect(all.filter(edge => edge.endsWith('→ v1'))).toEqual(['w/body/output:1 → v1']);
    expect(all).toContain('w/test/v0 → w/test/output:0');
  });
});

describe('searching in bodies', () => {
  it('finds nodes by op and by the body they are in, and no body by the name of its node', () => {
    const nodes = everyNode(nested());
    expect(searchNodes(nodes, 'tanh')).toEqual(['v0/body/v1/if_true/v0']);
    expect(searchNodes(nodes, 'if_false negative')).toEqual(['v0/body/v1/if_false/v0']);
    expect(searchNodes(nodes, 'v1')).toEqual(['v0/body/v1', 'v0/body/v2', 'v1']);
  });

  it('looks at one property alone where one is named', () => {
    const nodes = [
      node('tanh', [], { op: 'input', attrs: { path: "p['w']" }, dtype: 'float64', shape: [null, 64] }),
      node('b', ['tanh'], { op: 'tanh', dtype: 'float32', shape: [3, 64], line: 12, scope: 'block/gelu' }),
      node('c', ['b'], { op: 'add', dtype: 'complex128', shape: [], line: 112, cell_number: 3 })
    ];
    const found = (query: string): string => searchNodes(nodes, query).join(' ');
    expect(found('op:tanh')).toBe('b');
    expect(found("name:p['w']")).toBe('tanh');
    expect([found('dtype:f4'), found('dtype:c16'), found('dtype:float')]).toEqual(['b', 'c', 'tanh b']);
    expect([found('shape:(None, 64)'), found('shape:(3,64)'), found('shape:()'), found('shape:*,64 op:t')]).toEqual(['tanh b', 'b', 'c', 'tanh b']);
    expect(['op:a foo:b', 'x[1:2] in:f', 'f:g'].map(unknownKey)).toEqual(['foo', null, 'f']);
    expect([found('line:12'), found('in:gelu'), found('cell:[3] op:add'), found('constructor:x')]).toEqual(['b', 'b', 'c', '']);
  });
});

describe('decoding bodies', () => {
  it('reads them at every depth, and none where the field is absent', () => {
    const plain = { id: 'a', op: 'tanh', inputs: [] };
    const graph = { hash: 'h', name: 'f', inputs: [], outputs: ['a'], nodes: [plain] };
    const outer = { ...graph, nodes: [{ ...plain, op: 'cond', bodies: { if_true: graph } }] };
    const [cond] = decodeGraph(outer)?.nodes ?? [];
    expect(cond?.bodies.if_true?.nodes[0]).toMatchObject({ op: 'tanh', bodies: {} });
    expect(decodeGraph({ ...outer, nodes: [{ ...plain, bodies: { if_true: {} } }] })).toBeNull();
  });
});
