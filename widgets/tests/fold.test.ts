import { describe, expect, it } from 'vitest';
import {
  allGroups,
  allNodes,
  ancestors,
  expandAll,
  familyOf,
  firstExpanded,
  fold,
  flopsOf,
  Folded,
  Group,
  groupTree,
  lessExpanded,
  MAX_BOXES,
  MANY_USERS,
  MANY_USERS_OF_SOURCE,
  standInsOf,
  stepsOf,
  toggle,
  withChips
} from '../src/layout';
import { Graph } from '../src/protocol';
import { flatGraph, graphOf, node } from './samples';

/** Two calls of `layer`, each with an inner call. */
function layers(): Graph {
  return graphOf([
    node('x', [], { op: 'input' }),
    node('a', ['x'], { scope: 'layer' }),
    node('b', ['a'], { scope: 'layer/act' }),
    node('c', ['b'], { scope: 'layer/act' }),
    node('d', ['c']),
    node('e', ['d'], { scope: 'layer' }),
    node('g', ['e', 'x'], { scope: 'layer' })
  ]);
}

/** Boxes in an order that follows the edges, or null where they run in a circle. */
function order({ boxes, edges }: Folded): string[] | null {
  const waiting = new Map(boxes.map(({ id }) => [id, edges.filter(({ to }) => to === id).length]));
  const ready = boxes.filter(({ id }) => waiting.get(id) === 0).map(({ id }) => id);
  for (const id of ready) {
    for (const edge of edges.filter(({ from }) => from === id)) {
      const left = (waiting.get(edge.to) as number) - 1;
      waiting.set(edge.to, left);
      if (left === 0) {
        ready.push(edge.to);
      }
    }
  }
  return ready.length === boxes.length ? ready : null;
}

describe('groupTree', () => {
  it('makes one group per call of a scope', () => {
    const root = groupTree(layers());
    expect(allGroups(root).map(({ id }) => id)).toEqual(['layer@a', 'layer/act@b', 'layer@e']);
    expect(root.count).toBe(7);
    expect(ancestors(root, 'c')).toEqual(['layer@a', 'layer/act@b']);
  });

  it('dissolves groups of one node', () => {
    const root = groupTree(graphOf([node('a'), node('b', ['a'], { scope: 's' }), node('c', ['b'])]));
    expect(allGroups(root)).toEqual([]);
    expect(root.count).toBe(3);
  });

  it('does not let a constant cut a run in two', () => {
    const root = groupTree(
      graphOf([
        node('a', [], { scope: 's' }),
        node('k', [], { op: 'constant' }),
        node('b', ['a', 'k'], { scope: 's' })
      ])
    );
    expect(allGroups(root).map(({ count }) => count)).toEqual([2]);
  });

  it('keeps every node once, whatever the size', () => {
    const graph = flatGraph(10_000);
    expect(allNodes(groupTree(graph)).map(({ id }) => id).sort()).toEqual(
      graph.nodes.map(({ id }) => id).sort()
    );
  });
});

describe('fold', () => {
  it('draws collapsed groups as boxes and merges their edges', () => {
    const graph = layers();
    const folded = fold(graph, groupTree(graph), new Set());
    expect(folded.boxes.map(({ id }) => id)).toEqual(['x', 'layer@a', 'd', 'layer@e', 'output:0']);
    expect(folded.edges.map(({ from, to }) => `${from}>${to}`)).toEqual([
      'x>layer@a',
      'layer@a>d',
      'd>layer@e',
      'x>layer@e',
      'layer@e>output:0'
    ]);
    expect(folded.boxOf.get('c')).toBe('layer@a');
  });

  it('draws expanded groups as frames in frames', () => {
    const graph = layers();
    const root = groupTree(graph);
    const { root: frame, boxes } = fold(graph, root, firstExpanded(root));
    expect(boxes).toHaveLength(8);
    expect(frame.clusters[0]?.clusters[0]?.boxes).toEqual(['b', 'c']);
  });

  it('stays free of circles when collapsed', () => {
    const graph = layers();
    const root = groupTree(graph);
    for (const expanded of [new Set<string>(), new Set(['layer@a']), firstExpanded(root)]) {
      expect(order(fold(graph, root, expanded))).not.toBeNull();
    }
    const flat = flatGraph(3000);
    expect(order(fold(flat, groupTree(flat), new Set()))).not.toBeNull();
  });

  it('writes constants of one element into their consumers', () => {
    const graph = graphOf([
      node('x', [], { op: 'input' }),
      node('k', [], { op: 'constant', shape: [], attrs: { value: '0.5' } }),
      node('m', [], { op: 'constant', shape: [2, 2], attrs: { value: '[[1 2] [3 4]]' } }),
      node('a', ['x', 'k', 'm'])
    ]);
    const { boxes } = fold(graph, groupTree(graph), new Set());
    expect(boxes.map(({ id }) => id)).toEqual(['x', 'm', 'a', 'output:0']);
    expect(boxes[2]?.detail).toBe('(·, 0.5, ·)');
  });

  it('writes fixed positional arguments where they stand, and named ones after them', () => {
    const graph = graphOf([
      node('x', [], { op: 'input' }),
      node('a', ['x'], { attrs: { '1': '0.5' } }),
      node('b', ['a', 'x'], { attrs: { '0': 'True', axis: '0' } })
    ]);
    const { boxes } = fold(graph, groupTree(graph), new Set());
    expect(boxes.map(({ detail }) => detail)).toEqual(['', '(·, 0.5)', '(True, ·, ·) axis=0', '']);
  });

  it('counts the values that flow between two boxes', () => {
    const graph = graphOf([
      node('a', [], { scope: 's' }),
      node('b', ['a'], { scope: 's' }),
      node('c', ['a', 'b'])
    ]);
    const { edges } = fold(graph, groupTree(graph), new Set());
    expect(edges[0]).toMatchObject({ from: 's@a', to: 'c', values: ['a', 'b'], label: '2 values' });
  });
});

describe('calls of Python', () => {
  it('go by the names of what they call, and are neither loops nor counted', () => {
    const called = node('v0', ['x'], { op: 'foreign', attrs: { step: '<pandas.Series.rolling>' }, shape: null, dtype: null });
    const ufunc = node('v1', ['x'], { op: 'foreign_ufunc', attrs: { ufunc: '<expit>' } });
    const own = node('v2', ['x'], { op: 'py_function', attrs: { callback: '<<lambda>>' } });
    const item = node('v3', ['v0'], { op: 'item', attrs: { index: '0' } });
    const graph = graphOf([node('x', [], { op: 'input' }), called, ufunc, own, item]);
    const boxes = fold(graph, groupTree(graph), new Set()).boxes.filter(({ node: drawn }) => drawn && drawn.id !== 'x');
    expect(boxes.map(({ title, detail }) => `${title} ${detail}`.trim())).toEqual(['Series.rolling in Python', 'expit', '<lambda> in Python', 'item [0]']);
    expect([called, ufunc, own].map(familyOf)).toEqual(['python', 'python', 'python']);
    expect(familyOf(node('l', [], { op: 'for_loop' }))).toBe('control');
    expect([...flopsOf(graph).keys()]).toEqual(['x', 'v3']);
  });
});

describe('bounds', () => {
  it.each([300, 5000, 10_000, 40_000])('draws few boxes and edges at first, of %i nodes', n => {
    const graph = flatGraph(n);
    const root = groupTree(graph);
    const { boxes: drawn, edges } = fold(graph, root, firstExpanded(root));
    const boxes = drawn.filter(({ chipOf }) => chipOf === undefined);
    expect(boxes.length).toBeLessThanOrEqual(400);
    expect(edges.length).toBeLessThanOrEqual(n <= 300 ? 600 : 150);
  });

  it('opens a loop of calls beside many nodes, and closes it after other frames', () => {
    const calls = ['', '#2', '#3', '#4', '#5', '#6'].map(n => `for line 1/round${n}/block`);
    const graph = graphOf([
      node('x', [], { op: 'input' }),
      ...calls.flatMap((scope, i) => [node(`a${i}`, [i > 0 ? `b${i - 1}` : 'x'], { scope }), node(`b${i}`, [`a${i}`], { scope })]),
      node('c', ['b5'], { scope: 'softmax' }),
      node('d', ['c'], { scope: 'softmax' }),
      ...Array.from({ length: 60 }, (_, i) => node(`n${i}`, ['x']))
    ]);
    const root = groupTree(graph);
    const expanded = firstExpanded(root);
    expect(expanded).toEqual(new Set(['for line 1@a0']));
    expect(fold(graph, root, expanded).boxes.filter(({ title }) => title === 'block')).toHaveLength(6);
    const few = lessExpanded(root, new Set([...expanded, 'softmax@c', 'for line 1/round#2/block@a1']));
    expect(few).toEqual(new Set(['for line 1@a0', 'softmax@c']));
    expect(lessExpanded(root, few as Set<string>)).toEqual(new Set(['for line 1@a0']));
    expect(lessExpanded(root, expanded)).toEqual(new Set());
  });

  it('never draws too many, however much is opened', () => {
    const graph = flatGraph(10_000);
    const root = groupTree(graph);
    const { expanded, left } = expandAll(root);
    expect(left).toBeGreaterThan(0);
    expect(fold(graph, root, expanded).boxes.length).toBeLessThanOrEqual(MAX_BOXES + 1);
    let open: Set<string> = new Set();
    for (const { id } of allGroups(root).slice(0, 40)) {
      open = toggle(root, open, id);
      expect(fold(graph, root, open).boxes.length).toBeLessThanOrEqual(MAX_BOXES + 1);
      expect(open.has(id)).toBe(true);
    }
  });

  it('opens everything of 300 nodes', () => {
    const graph = flatGraph(300);
    const root = groupTree(graph);
    const { boxes } = fold(graph, root, firstExpanded(root));
    expect(boxes.filter(({ chipOf }) => chipOf === undefined)).toHaveLength(301);
  });

  it('closes an open group', () => {
    const root = groupTree(layers());
    expect([...toggle(root, new Set(['layer@a']), 'layer@a')]).toEqual([]);
  });
});

describe('frames of calls and rounds', () => {
  const round = (k: number): string => (k === 0 ? 'for line 3/round' : `for line 3/round#${k + 1}`);

  it('names rounds by number, calls without one, and loops with the count of their rounds', () => {
    const nodes = [0, 1].flatMap(k => [
      node(`a${k}`, k === 0 ? [] : ['c0'], { scope: `${round(k)}/relu` }),
      node(`b${k}`, [`a${k}`], { scope: `${round(k)}/relu` }),
      node(`c${k}`, [`b${k}`], { scope: round(k) })
    ]);
    const calls = [node('d', ['c1'], { scope: 'f' }), node('e', ['d'], { scope: 'f' }), node('g', ['e'], { scope: 'f#2' })];
    const root = groupTree(graphOf([...nodes, ...calls, node('h', ['g'], { scope: 'f#2' })]));
    const labels = allGroups(root).map(({ label }) => label);
    expect(labels).toEqual(['for line 3 · 2 rounds', 'round 1', 'relu', 'round 2', 'relu', 'f', 'f']);
  });

  it('shows a round that is one call as that call', () => {
    const nodes = [0, 1, 2].flatMap(k => [
      node(`a${k}`, k === 0 ? [] : [`b${k - 1}`], { scope: `${round(k)}/block` }),
      node(`b${k}`, [`a${k}`], { scope: `${round(k)}/block` })
    ]);
    const root = groupTree(graphOf(nodes));
    expect(allGroups(root).map(({ label }) => label)).toEqual(['for line 3 · 3 rounds', 'block', 'block', 'block']);
  });
});

describe('argument trees', () => {
  it('takes paths apart', () => {
    expect(stepsOf("params['layers'][0].w")).toEqual(['params', "['layers']", '[0]', '.w']);
    expect(stepsOf("global net['a.b[c]']")).toEqual(['global net', "['a.b[c]']"]);
    expect(stepsOf('x')).toEqual(['x']);
  });

  it('folds the parts of a container into one box, and shows those that a call reads as one chip there', () => {
    const parts = ["['a'].w", "['a'].b", "['b'].w", "['b'].b"].map((path, i) =>
      node(`p${i}`, [], { op: 'input', attrs: { path: `params${path}` } })
    );
    const graph = graphOf([
      node('x', [], { op: 'input', attrs: { path: 'x' } }),
      ...parts,
      node('m', ['x', 'p0'], { scope: 'layer' }),
      node('n', ['m', 'p1'], { scope: 'layer' }),
      node('o', ['n', 'p2']),
      node('q', ['o', 'p3'])
    ]);
    const root = groupTree(graph);
    const tree = root.children[0] as Group;
    expect([tree.id, tree.kind, tree.count]).toEqual(['tree:params', 'tree', 4]);
    const { boxes, edges } = fold(graph, root, new Set());
    const titles = new Map(boxes.map(({ id, title }) => [id, title]));
    expect(titles.get('tree:params')).toBe('params');
    expect(edges.map(({ from, to }) => `${titles.get(from)}>${to}`)).toEqual([
      'x>layer@m',
      "params['a'] · 2 arrays>layer@m",
      'layer>o',
      "params['b'].w>o",
      'add>q',
      "params['b'].b>q",
      'add>output:0'
    ]);
    expect(boxes.filter(({ chipOf }) => chipOf === 'tree:params')).toHaveLength(1);
  });

  it('leaves a few parts as they are', () => {
    const graph = graphOf([node('p', [], { op: 'capture', attrs: { path: 'global net.w' } }), node('y', ['p'])]);
    const root = groupTree(graph);
    expect(allGroups(root)).toEqual([]);
    const { boxes } = fold(graph, root, new Set());
    expect(boxes.map(({ title, chipOf }) => [title, chipOf])).toEqual([
      ['global net.w', undefined],
      ['add', undefined],
      ['result', undefined]
    ]);
  });
});

describe('numbers in boxes', () => {
  it.each([
    ['-1000000000.0', '-1e9'],
    ['0.3333333333333333', '0.33333'],
    ['np.float64(1e-09)', '1e-09'],
    ['12345678.5', '12346000'],
    ['0.000012345678', '1.2346e-5']
  ])('%s is %s', (value, text) => {
    const graph = graphOf([node('y', [], { op: 'full', attrs: { fill_value: value } })]);
    expect(fold(graph, groupTree(graph), new Set()).boxes[0]?.detail).toBe(`fill_value=${text}`);
  });
});

describe('results', () => {
  it('have the names of their places and variables, and numbers where these are not known', () => {
    const graph = { ...graphOf([node('a', [], { variable: 'h' }), node('b', ['a'])]), outputs: ['a', 'b', 'b'], results: ['result[0]', "result[1]['x']", ''] };
    const boxes = fold(graph, groupTree(graph), new Set()).boxes.filter(({ family }) => family === 'output');
    expect(boxes.map(({ title, detail }) => `${title} ${detail}`.trim())).toEqual(['result[0] h', "result[1]['x']", 'result 2']);
  });
});

describe('values with many users', () => {
  it.each([
    ['input', MANY_USERS_OF_SOURCE - 1, 0],
    ['input', MANY_USERS_OF_SOURCE, MANY_USERS_OF_SOURCE],
    ['tanh', MANY_USERS - 1, 0],
    ['tanh', MANY_USERS, MANY_USERS]
  ])('of %s with %i users become %i chips', (op, users, chips) => {
    const nodes = [node('w', [], { op, attrs: { path: 'w' } })];
    for (let i = 0; i < users; i++) {
      nodes.push(node(`v${i}`, i === 0 ? ['w'] : [`v${i - 1}`, 'w']));
    }
    const graph = graphOf(nodes);
    const { boxes, edges } = fold(graph, groupTree(graph), new Set());
    expect(boxes.filter(({ chipOf }) => chipOf === 'w')).toHaveLength(chips);
    expect(edges.filter(({ from }) => from === 'w')).toHaveLength(chips > 0 ? 0 : users);
  });

  it('that a closed group computes become chips, which name it', () => {
    const inner = [node('x', [], { op: 'input' }), node('a', ['x'], { scope: 'make' }), node('mask', ['a'], { op: 'triu', variable: 'allowed', scope: 'make' })];
    const users = Array.from({ length: MANY_USERS }, (_, i) => node(`v${i}`, [i === 0 ? 'x' : `v${i - 1}`, 'mask']));
    const graph = graphOf([...inner, ...users]);
    const root = groupTree(graph);
    const [make] = allGroups(root).map(({ id }) => id) as [string];
    for (const [expanded, title] of [[new Set<string>(), 'make: allowed'], [new Set([make]), 'allowed']] as const) {
      const { boxes, edges } = fold(graph, root, expanded);
      expect(boxes.filter(({ chipOf }) => chipOf === 'mask').map(box => box.title)).toEqual(users.map(() => title));
      expect(edges.filter(({ from }) => from === make || from === 'mask')).toEqual([]);
    }
  });

  it.each([MANY_USERS_OF_SOURCE - 1, MANY_USERS_OF_SOURCE])('that are %i rounds of a frame elsewhere', rounds => {
    const nodes = [node('x', [], { op: 'input' }), node('mask', ['x'], { op: 'triu' })];
    for (let i = 0; i < rounds; i++) {
      const scope = `steps/block ${i}`;
      nodes.push(node(`a${i}`, [i === 0 ? 'x' : `b${i - 1}`, 'mask'], { scope }), node(`b${i}`, [`a${i}`], { scope }));
    }
    const graph = graphOf(nodes);
    const root = groupTree(graph);
    const chips = (expanded: Set<string>): number => fold(graph, root, expanded).boxes.filter(({ chipOf }) => chipOf === 'mask').length;
    const expected = rounds < MANY_USERS_OF_SOURCE ? 0 : rounds;
    const [frame, ...calls] = allGroups(root).map(({ id }) => id);
    expect(calls).toHaveLength(rounds);
    expect(chips(new Set())).toBe(0); // one box, one edge
    expect(chips(new Set([frame as string]))).toBe(expected);
    expect(chips(new Set([frame as string, ...calls]))).toBe(expected);
  });
});

describe('edges to boxes with chips', () => {
  it('lead from the chips, in the place of the others, which stay as they are', () => {
    const graph = graphOf([node('w', [], { op: 'input' }), node('a', ['w']), node('b', ['a', 'w'])]);
    const nodes = new Map(graph.nodes.map(each => [each.id, each]));
    const drawn = { graph, nodes, boxOf: new Map([...nodes.keys()].map(id => [id, id])), values: new Map(), standIns: standInsOf(groupTree(graph)) };
    const [toA, toB, back] = [
      { from: 'w', to: 'a', label: 'float64[3]', values: ['w'] },
      { from: 'w', to: 'b', label: '2 values', values: ['a', 'w'] },
      { from: 'b', to: 'b', label: '', values: ['w'], back: true }
    ] as const;
    const edges = withChips(drawn, [toA, toB, back], to => (to === 'b' ? new Map([['w', 'chip:w>b']]) : undefined));
    expect(edges[0]).toBe(toA);
    expect(edges.slice(1, 3).map(({ from, to, values }) => [from, to, values])).toEqual([['w', 'b', ['a']], ['chip:w>b', 'b', ['w']]]);
    expect(edges[3]).toBe(back);
    expect(edges).toHaveLength(4);
  });
});
