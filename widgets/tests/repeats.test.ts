import { describe, expect, it } from 'vitest';
import {
  allGroups,
  allNodes,
  firstExpanded,
  FIRST_LOOK,
  fold,
  Folded,
  Group,
  groupName,
  groupTree,
  Look,
  MIN_COPIES,
  standInsOf,
  withBodies
} from '../src/layout';
import { Graph, GraphNode } from '../src/protocol';
import { flatGraph, graphOf, node } from './samples';

const FOLDED: Look = { ...FIRST_LOOK, fold: 'fold' };

const scopeOf = (k: number): string => (k === 0 ? 'for line 3/round' : `for line 3/round#${k + 1}`);

/** Rounds of two nodes, each on the result of the one before; one of them may have another op or shape. */
const rounds = (count: number, other: Record<number, Partial<GraphNode>> = {}, end: GraphNode[] = []): Graph =>
  graphOf([
    node('x', [], { op: 'input', attrs: { path: 'x' } }),
    ...Array.from({ length: count }, (_, k) => [
      node(`a${k}`, [k === 0 ? 'x' : `b${k - 1}`], { scope: scopeOf(k), ...other[k] }),
      node(`b${k}`, [`a${k}`], { scope: scopeOf(k) })
    ]).flat(),
    ...end
  ]);

const labels = (graph: Graph, look?: Look): string[] => allGroups(groupTree(graph, look)).map(({ label }) => label);
const folds = (graph: Graph, look = FOLDED): string[] => labels(graph, look).filter(label => label.includes('×'));

function drawn(graph: Graph, look = FOLDED): Folded {
  const root = groupTree(graph, look);
  return fold(graph, root, firstExpanded(root), look);
}

const edgesOf = ({ edges }: Folded): string[] => edges.map(({ from, to, back }) => `${from}>${to}${back ? ' back' : ''}`);

describe('repeats', () => {
  it('are one frame with the first of them, from which what goes on to the next leads back', () => {
    const graph = rounds(MIN_COPIES);
    const root = groupTree(graph);
    const [, repeat] = root.children as [unknown, ReturnType<typeof groupTree>];
    expect([repeat.label, repeat.kind, repeat.count]).toEqual([`for line 3 ×${MIN_COPIES}`, 'repeat', 2 * MIN_COPIES]);
    const folded = drawn(graph, FIRST_LOOK);
    expect(folded.boxes.map(({ id }) => id)).toEqual(['x', 'a0', 'b0', 'output:0']);
    expect(edgesOf(folded)).toEqual(['x>a0', 'a0>b0', 'b0>a0 back', 'b0>output:0']);
    expect(folded.boxOf.get('b3')).toBe('b0');
    expect(fold(graph, root, new Set()).boxes[1]).toMatchObject({ title: `for line 3 ×${MIN_COPIES}`, detail: '2 nodes each' });
    expect(allNodes(root)).toHaveLength(graph.nodes.length);
  });

  it('have lengths of their own, which each of them names anew', () => {
    const masked = (lengths: (k: number) => [string, string]): Graph =>
      graphOf([
        node('x', [], { op: 'input' }),
        ...[0, 1, 2, 3].flatMap(k => [
          node(`a${k}`, [k === 0 ? 'x' : `b${k - 1}`], { scope: scopeOf(k), shape: [lengths(k)[0], 2] }),
          node(`c${k}`, [`a${k}`], { scope: scopeOf(k), shape: [lengths(k)[1]] }),
          node(`b${k}`, [`c${k}`], { scope: scopeOf(k) })
        ])
      ]);
    expect(folds(masked(k => [`k${k}`, `k${k}`]))).toEqual(['for line 3 ×4']);
    expect(folds(masked(k => [`k${k}`, `2*k${k}`]))).toEqual(['for line 3 ×4']);
    expect(folds(masked(k => ['n', `k${k}`]))).toEqual(['for line 3 ×4']);
    expect(folds(masked(k => [`k${k}`, k === 3 ? 'm' : `k${k}`]))).toEqual(['rounds ×3']);
    expect(folds(masked(k => ['n', k % 2 === 0 ? 'n' : 'm']))).toEqual([]);
  });

  it('fold by themselves where there are many, and as was chosen', () => {
    const few = rounds(MIN_COPIES - 1);
    expect(folds(few, FIRST_LOOK)).toEqual([]);
    expect(folds(few)).toEqual([`for line 3 ×${MIN_COPIES - 1}`]);
    expect(folds(rounds(MIN_COPIES), { ...FIRST_LOOK, fold: 'unfold' })).toEqual([]);
  });

  it.each([
    ['op', { op: 'multiply' }],
    ['shape', { shape: [3, 4] }],
    ['attribute', { attrs: { axis: '1' } }]
  ])('end where an %s differs', (_, other) => {
    const found = labels(rounds(2 * MIN_COPIES + 1, { [MIN_COPIES]: other }));
    expect(found.filter(label => label.includes('×'))).toEqual([`rounds ×${MIN_COPIES}`, `rounds ×${MIN_COPIES}`]);
    expect(found).toContain(`round ${MIN_COPIES + 1}`);
  });

  it('end where the wiring differs, inside and at the boundary', () => {
    const graph = rounds(6);
    const wired = (id: string, input: string): Graph => ({
      ...graph,
      nodes: graph.nodes.map(each => (each.id === id ? { ...each, inputs: [input] } : each))
    });
    expect(folds(wired('b3', 'x'))).toEqual(['rounds ×3', 'rounds ×2']);
    expect(folds(wired('a3', 'x'))).toEqual(['rounds ×3', 'rounds ×3']); // starts again from outside
    expect(folds(wired('a3', 'b1'))).toEqual(['rounds ×2', 'rounds ×2', 'rounds ×2']); // both of the middle start from one value
    expect(folds(wired('a3', 'a2'))).toEqual(['rounds ×3', 'rounds ×3']); // takes another value of the round before
  });

  it('end where the values that are used later differ', () => {
    const sum = (...inputs: string[]): GraphNode => node('s', inputs, { op: 'stack' });
    expect(folds(rounds(4, {}, [sum('b0', 'b1', 'b2', 'b3')]))).toEqual(['for line 3 ×4']);
    expect(folds(rounds(4, {}, [sum('a1', 'b3')]))).toEqual(['rounds ×2', 'rounds ×2']); // the last may be used otherwise
    const { edges } = drawn(rounds(4, {}, [sum('b0', 'b1', 'b2', 'b3')]));
    expect(edges.find(({ to }) => to === 's')).toMatchObject({ from: 'b0', values: ['b0', 'b1', 'b2', 'b3'] });
  });

  it('end where the type of what comes from outside differs', () => {
    const sources = [0, 1, 2, 3].map(k => node(`w${k}`, [], { op: 'capture', shape: k === 2 ? [4] : [1, 4], attrs: { path: `w${k}` } }));
    const nodes = sources.map((_, k) => [
      node(`a${k}`, [k === 0 ? 'x' : `b${k - 1}`, `w${k}`], { scope: scopeOf(k) }),
      node(`b${k}`, [`a${k}`], { scope: scopeOf(k) })
    ]);
    const graph = graphOf([node('x', [], { op: 'input' }), ...sources, ...nodes.flat()]);
    expect(folds(graph)).toEqual(['rounds ×2']);
  });

  it('say what differs, on the frame, in the boxes and as one chip', () => {
    const weights = [0, 1, 2, 3].map(k => node(`w${k}`, [], { op: 'input', attrs: { path: `net.layers[${k}].w` } }));
    const nodes = weights.map((_, k) => [
      node(`c${k}`, [], { op: 'constant', shape: [], attrs: { value: `${k}` }, scope: scopeOf(k) }),
      node(`a${k}`, [k === 0 ? 'x' : `b${k - 1}`, `w${k}`], { scope: scopeOf(k) }),
      node(`b${k}`, [`a${k}`, `c${k}`], { scope: scopeOf(k), attrs: { axis: `${k % 2}` } })
    ]);
    const graph = graphOf([node('x', [], { op: 'input' }), ...weights, ...nodes.flat()]);
    const root = groupTree(graph, FOLDED);
    const repeat = allGroups(root).find(({ kind }) => kind === 'repeat');
    expect(repeat?.repeat?.differences.map(({ node: { id }, what, values }) => [id, what, values])).toEqual([
      ['a0', 'input 1', weights.map(({ attrs }) => attrs.path)],
      ['b0', 'axis', ['0', '1', '0', '1']],
      ['b0', 'input 1', ['0', '1', '2', '3']]
    ]);
    const { boxes, root: all } = drawn(graph);
    expect(all.clusters[0]?.title).toBe('for line 3 ×4 · net.layers[0…3].w …');
    expect(boxes.find(({ id }) => id === 'b0')?.detail).toBe('(·, 0…3) axis=0…1');
    expect(boxes.filter(({ chipOf }) => chipOf).map(({ title }) => title)).toEqual(['net.layers[0…3].w']);
  });

  it('may hold repeats, and branches', () => {
    const body = graphOf([node('y', [], { op: 'input', attrs: { path: 'y' } }), node('z', ['y'])]);
    const nodes = [0, 1, 2].flatMap(k =>
      [0, 1].map(m => {
        const before = m === 1 ? `v${k}0` : k === 0 ? 'x' : `v${k - 1}1`;
        const scope = `${scopeOf(k)}/for line 4/${m === 0 ? 'round' : 'round#2'}`;
        return node(`v${k}${m}`, [before], { op: 'while_loop', bodies: { body }, scope });
      })
    );
    const graph = withBodies(graphOf([node('x', [], { op: 'input' }), ...nodes]));
    const root = groupTree(graph, FOLDED);
    expect(allGroups(root).filter(({ kind }) => kind === 'repeat').map(({ label }) => label)).toEqual(['for line 3 ×3', 'for line 4 ×2']);
    const stands = standInsOf(root).nodes;
    expect(['v01', 'v10', 'v21', 'v21/body/z'].map(id => stands.get(id))).toEqual(['v00', 'v00', 'v00', 'v00/body/z']);
    const open = fold(graph, root, new Set(allGroups(root).map(({ id }) => id)), FOLDED);
    expect(open.boxes.map(({ id }) => id)).toEqual(['x', 'v00', 'v00/body/y', 'v00/body/z', 'v00/body/output:0', 'output:0']);
    expect(edgesOf(open)).toContain('v00/body/output:0>v00 back');
  });
});

describe('flat code', () => {
  /** A chain of rounds of three nodes, from `x`; each round reads `x` again. */
  function chain(rounds: number, changed = -1): Graph {
    const nodes = [node('x', [], { op: 'input', attrs: { path: 'x' } })];
    for (let k = 0, last = 'x'; k < rounds; k++) {
      nodes.push(node(`a${k}`, [last, 'x']), node(`b${k}`, [`a${k}`], { op: k === changed ? 'exp' : 'sin' }), node(`c${k}`, [`b${k}`], { op: 'cos' }));
      last = `c${k}`;
    }
    return graphOf(nodes, 'flat');
  }
  const labels = ({ children }: Group): string[] => children.map(child => ('children' in child ? groupName(child) : child.id));

  it('folds by the pattern that it repeats, and by depth where there is none', () => {
    const root = groupTree(chain(500));
    expect(labels(root)).toEqual(['x', 'the same 3 nodes ×500']);
    expect(root.children.map(child => ('children' in child ? child.count : 1))).toEqual([1, 1500]);
    expect(allNodes(root)).toHaveLength(1501);
    const broken = labels(groupTree(chain(500, 300)));
    expect(broken.filter(label => label.includes('×'))).toEqual(['the same 3 nodes ×300', 'the same 3 nodes ×199']);
    const [input, first, ...others] = chain(500).nodes as [GraphNode, GraphNode];
    const odd = labels(groupTree(graphOf([input, { ...first, inputs: ['a0', 'a0'] }, ...others], 'odd')));
    expect(odd).toEqual(['x', 'a0', 'b0', 'c0', 'the same 3 nodes ×499']);
    expect(labels(groupTree(chain(500), { ...FIRST_LOOK, fold: 'unfold' }))[1]).toBe('nodes 1–50');
    expect(labels(groupTree(flatGraph(500)))[1]).toBe('nodes 1–50');
    const loop = groupTree(rounds(750), { ...FIRST_LOOK, fold: 'unfold' }).children.find(child => 'children' in child) as Group;
    expect(labels(loop).slice(0, 2)).toEqual(['rounds 1–50', 'rounds 51–100']);
    expect(labels(groupTree(chain(100)))).toHaveLength(301); // all of it can be drawn
  });
});
