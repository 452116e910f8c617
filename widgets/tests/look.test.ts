import { describe, expect, it, vi } from 'vitest';
import {
  allGroups,
  colouringOf,
  Facts,
  firstExpanded,
  FIRST_LOOK,
  flopsOf,
  fold,
  groupTree,
  nodesAt,
  notesOf,
  paint,
  pairsOf,
  regrouped,
  stackOf,
  TextMeasure,
  toDot,
  withBodies
} from '../src/layout';
import { Graph, GraphNode } from '../src/protocol';
import { Choices } from '../src/views/look/choices';
import { graphOf, node } from './samples';

const factsOf = (graph: Graph): Facts => ({ flops: () => flopsOf(graph), pairs: () => pairsOf(graph), kernels: new Map(), times: new Map(), changes: null });

/** `x` goes into a loop whose body has its `x` and `i`. */
function looped(rounds: string, op = 'for_loop'): Graph {
  const body: Graph = {
    ...graphOf([
      node('i', [], { op: 'input', attrs: { path: 'i' } }),
      node('x', [], { op: 'input', attrs: { path: 'x' } }),
      node('w', [], { op: 'input', attrs: { path: 'outer_0' } }),
      node('y', ['x', 'w'])
    ]),
    inputs: ['i', 'x', 'w']
  };
  const flow = { feeds: { body: [null, 'a', 'a'] }, carried: { body: [1, 1] as const }, rounds, results: [] };
  return withBodies(
    graphOf([
      node('a', [], { op: 'input', attrs: { path: 'a' } }),
      node('loop', ['a'], { op, bodies: { body }, flow, dtype: null, shape: null }),
      node('z', ['loop'], { op: 'item', attrs: { index: '0' } })
    ])
  );
}

describe('staged loops', () => {
  it('name what comes in and goes out, and how often they run, and lead back', () => {
    const graph = looped('8');
    const root = groupTree(graph);
    const [loop] = allGroups(root);
    expect(loop?.label).toBe('for_loop · 8 rounds');
    const { boxes, edges } = fold(graph, root, new Set(allGroups(root).map(({ id }) => id)));
    expect(boxes.map(({ title }) => title)).toEqual(['a', 'for_loop', 'x', 'a', 'add', 'x', 'x', 'result']);
    expect(edges.filter(({ back }) => back).map(({ from, to }) => [from, to])).toEqual([['loop/body/output:0', 'loop/body/x']]);
    const { dot } = toDot({ ...fold(graph, root, new Set(allGroups(root).map(({ id }) => id))) }, new TextMeasure({ title: '', detail: '' }), 'right');
    expect(dot).toContain('rankdir=LR');
    expect(dot).toMatch(/b2 -> b5 \[class="\d+" tailport=s headport=s\]/); // the other way round
  });
});

describe('other groupings', () => {
  const graph = graphOf([
    node('x', [], { op: 'input', line: null }),
    node('a', ['x'], { line: 3, scope: 'f' }),
    node('b', ['a'], { line: 3 }),
    node('c', ['x'], { line: 4 }),
    node('d', ['b', 'c'], { line: 3 })
  ]);

  it('put neighbours of one line together', () => {
    const found = allGroups(groupTree(regrouped(graph, 'line', new Map())));
    expect(found.map(({ label, count }) => [label, count])).toEqual([['f.py line 3', 2]]);
  });

  it('put the nodes of a kernel together, in an order in which inputs come first', () => {
    const kernels = new Map([['a', 'kernel 1'], ['c', 'kernel 1'], ['b', 'kernel 2'], ['d', 'kernel 2']]);
    const moved = regrouped(graph, 'kernel', kernels);
    expect(moved.nodes.map(({ id }) => id)).toEqual(['x', 'a', 'c', 'b', 'd']);
    expect(allGroups(groupTree(moved)).map(({ label }) => label)).toEqual(['kernel 1', 'kernel 2']);
    const circle = new Map([['a', 'k'], ['d', 'k']]); // b lies between
    expect(regrouped(graph, 'kernel', circle).nodes.map(({ id }) => id)).toEqual(['x', 'a', 'b', 'c', 'd']);
  });

  it('read rows in the rounds that use them', () => {
    const rows = [0, 1].map(k => node(`r${k}`, ['x'], { op: 'getitem', attrs: { index: `${k}` } }));
    const rounds = [0, 1].map(k => node(`v${k}`, [`r${k}`], { scope: `for line 3/round${k === 0 ? '' : '#2'}` }));
    const read = graphOf([node('x', [], { op: 'input' }), ...rows, ...rounds]);
    expect(regrouped(read, 'call', new Map()).nodes.map(({ id, scope }) => [id, scope])).toEqual([
      ['x', ''],
      ['r0', 'for line 3/round'],
      ['v0', 'for line 3/round'],
      ['r1', 'for line 3/round#2'],
      ['v1', 'for line 3/round#2']
    ]);
  });
});

describe('the stack of a node', () => {
  const at = (line: number): { file: string; line: number; cell: null; cell_number: null } => ({ file: 'f.py', line, cell: null, cell_number: null });
  const body: Graph = { ...graphOf([node('v', [], { line: 7, scope: 'outer/body/act' })]), sites: { 'outer/body/act': at(5), 'outer/body': at(4), outer: at(2) } };
  const graph: Graph = withBodies({
    ...graphOf([
      node('a', [], { line: 9, scope: 'outer/for line 4/round#2/act#2' }),
      node('loop', ['a'], { line: 4, scope: 'outer', bodies: { body } })
    ]),
    sites: { 'outer/for line 4/round#2/act#2': at(6), 'outer/for line 4/round#2': at(4), 'outer/for line 4': at(4), outer: at(2) }
  });

  it('has calls alone, and neither rounds nor bodies', () => {
    const part = graph.nodes[1]?.bodies.body as Graph;
    const text = (in_: Graph, each: GraphNode): string[] => stackOf('f', in_, each).map(({ name, place }) => `${name} ${place.line}`);
    expect(text(graph, graph.nodes[0] as GraphNode)).toEqual(['act 9', 'outer 6', 'f 2']);
    expect(text(part, part.nodes[0] as GraphNode)).toEqual(['act 7', 'outer 5', 'f 2']);
  });

  it('leads from lines to nodes', () => {
    expect(nodesAt(graph, at(2))).toEqual(['a', 'loop', 'loop/body/v']);
    expect(nodesAt(graph, at(7))).toEqual(['loop/body/v']);
    expect(nodesAt(graph, { ...at(7), cell: 'c' })).toEqual([]);
  });
});

describe('colours', () => {
  it('count operations by op and shape', () => {
    const graph = graphOf([
      node('x', [], { op: 'input', shape: [10, 4] }),
      node('w', [], { op: 'input', shape: [4, 3] }),
      node('m', ['x', 'w'], { op: 'matmul', shape: [10, 3] }),
      node('t', ['m'], { op: 'tanh', shape: [10, 3] }),
      node('s', ['t'], { op: 'sum', shape: [] }),
      node('r', ['t'], { op: 'reshape', shape: [30] }),
      node('f', ['r'], { op: 'fft.fft', shape: [64] }),
      node('e', ['x'], { op: 'einsum', shape: [10] }),
      node('o', ['r'], { shape: [null] })
    ]);
    expect([...flopsOf(graph)]).toEqual([['x', 0], ['w', 0], ['m', 240], ['t', 30], ['s', 30], ['r', 0], ['f', 5 * 64 * Math.log2(30)]]);
  });

  it('count those of linear algebra and transforms by the axes that they work on', () => {
    const source = { op: 'input' };
    const graph = graphOf([
      node('a', [], { ...source, shape: [4, 5, 6] }),
      node('b', [], { ...source, shape: [5, 6, 7] }),
      node('c', [], { ...source, shape: [1000, 8] }),
      node('m', [], { ...source, shape: [8, 8] }),
      node('tensordot', ['a', 'b'], { op: 'tensordot', shape: [4, 7] }),
      node('vdot', ['m'], { op: 'vdot', shape: [] }),
      node('inv', ['m'], { op: 'linalg.inv', shape: [8, 8] }),
      node('solve', ['m', 'm'], { op: 'linalg.solve', shape: [8, 8] }),
      node('norm', ['c'], { op: 'linalg.norm', shape: [] }),
      node('fft', ['c'], { op: 'fft.fft', shape: [1000, 8], attrs: { axis: '1' } }),
      node('fft2', ['c'], { op: 'fft.fft2', shape: [1000, 8] }),
      node('einsum', ['m', 'm'], { op: 'einsum', shape: [8, 8], call: "np.einsum('ij, jk->ik', m, m)" }),
      node('convolve', ['c', 'm'], { op: 'convolve', shape: [8063] }),
      node('svd', ['m'], { op: 'linalg.svd', shape: null })
    ]);
    const flops = flopsOf(graph);
    expect(['tensordot', 'vdot', 'inv', 'solve', 'norm', 'fft', 'einsum', 'convolve', 'svd'].map(id => flops.get(id))).toEqual(
      [2 * 28 * 30, 128, 2 * 512, (2 / 3 + 2) * 512, 16000, 5 * 8000 * 3, 2 * 512, 2 * 8000 * 64, undefined]
    );
    expect(flops.get('fft2')).toBeCloseTo(5 * 8000 * Math.log2(8000));
  });

  it('add up amounts on frames, once for each round of a loop', () => {
    const sums = (graph: Graph, name: string): Map<string, string> => notesOf(groupTree(graph), colouringOf(name), factsOf(graph));
    expect(sums(looped('8'), 'flops').get('loop/*')).toBe('64 flop');
    expect(sums(looped('8'), 'flops').get('')).toBe('64 flop');
    expect(sums(looped('range(n)'), 'flops').get('loop/*')).toBe('≥ 8 flop');
    expect(sums(looped('8'), 'bytes').get('loop/body')).toBe('96 B'); // memory is used again
  });

  it('give boxes a step of a scale or a class, and say which', () => {
    const graph = graphOf([node('a', [], { shape: [1] }), node('b', ['a'], { shape: [1000], dtype: 'int64' }), node('c', ['b'], { shape: [1000] })]);
    const root = groupTree(graph);
    const drawn = fold(graph, root, firstExpanded(root));
    const amounts = paint(drawn, root, colouringOf('bytes'), factsOf(graph));
    expect([...amounts.colours.values()]).toEqual(['--tf-scale-0', '--tf-scale-5', '--tf-scale-5', '--tf-unknown']);
    expect(amounts.legend.map(({ text }) => text)).toEqual(['≥ 4 B', '≥ 2.25 kB', 'in all 12.0 kB']);
    const classes = paint(drawn, root, colouringOf('dtype'), factsOf(graph));
    expect([...classes.colours.values()]).toEqual(['--tf-class-0', '--tf-class-1', '--tf-class-0', '--tf-unknown']);
    expect(classes.legend.map(({ text }) => text)).toEqual(['float32', 'int64', 'none, or several']);
  });

  it('name all kernels where there are more of them than colours', () => {
    const ids = Array.from({ length: 10 }, (_, i) => `v${i + 1}`);
    const graph = graphOf(ids.map((id, i) => node(id, i === 0 ? [] : [`v${i}`])));
    const root = groupTree(graph);
    const kernels = new Map(ids.map((id, i) => [id, `kernel ${i + 1}`]));
    const { colours, legend } = paint(fold(graph, root, firstExpanded(root)), root, colouringOf('kernel'), { ...factsOf(graph), kernels });
    expect([colours.get('v1'), colours.get('v8'), colours.get('v9')]).toEqual(['--tf-class-0', '--tf-class-7', '--tf-class-0']);
    expect(legend.map(({ text }) => text).slice(0, 3)).toEqual(['kernel 1, kernel 9', 'kernel 2, kernel 10', 'kernel 3']);
    expect(legend).toHaveLength(9);
  });
});

describe('Choices', () => {
  const graph = graphOf([node('a')]);

  it('are kept by graph, hold for the next graph of that name, and come back', async () => {
    const save = vi.fn<(choices: object) => void>();
    const choices = new Choices(Promise.resolve(undefined), save);
    await choices.ready;
    choices.choose(graph, { fold: 'unfold', by: 'line', pins: { a: true } });
    choices.choose(graph, { direction: 'right' });
    expect(choices.of({ ...graph, hash: 'other' })).toEqual({ ...FIRST_LOOK, fold: 'unfold', by: 'line', direction: 'right' });
    expect(choices.of({ ...graph, name: 'g', hash: 'other' })).toEqual({ ...FIRST_LOOK, direction: 'right' });
    const again = new Choices(Promise.resolve(JSON.parse(JSON.stringify(save.mock.lastCall?.[0]))));
    await again.ready;
    expect(again.of(graph)).toEqual(choices.of(graph));
    expect(again.of(graph).pins).toEqual({ a: true });
  });

  it('forget what is of no known form', async () => {
    for (const saved of [{ graphs: 3 }, 'no', { direction: 'up', colour: 'none', graphs: [{ hash: graph.hash, name: 'f', fold: 'x', by: 'y', pins: {} }] }]) {
      const choices = new Choices(Promise.resolve(saved));
      await choices.ready;
      expect({ ...choices.of(graph), colour: '' }).toEqual({ ...FIRST_LOOK, colour: '' });
    }
  });
});
