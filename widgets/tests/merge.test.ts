/** Two graphs that are compared, as one: nodes that correspond have one place, and each side shows its own. */

import { describe, expect, it } from 'vitest';
import { fold, groupTree, merged, Scene, sideOf, withBodies } from '../src/layout';
import { Graph, GraphDiff } from '../src/protocol';
import { changesIn } from '../src/views/compare/diff';
import { graphOf, node } from './samples';

const NO_DIFFERENCE: GraphDiff = { same: {}, changed: [], reshaped: [], added: [], removed: [], added_edges: [], removed_edges: [] };

/** `tanh(x) * 2` and `sin(tanh(x))`: the multiplication went, the sine came, and `x` is longer. */
function both(): { a: Graph; b: Graph; diff: GraphDiff } {
  const a = graphOf([node('x', [], { op: 'input', shape: [3] }), node('v0', ['x'], { op: 'tanh', shape: [3] }), node('v1', ['v0'], { op: 'mul' })]);
  const b = graphOf([node('x', [], { op: 'input', shape: [4] }), node('v0', ['x'], { op: 'tanh', shape: [4] }), node('v1', ['v0'], { op: 'sin' })]);
  const changed = ['x', 'v0'].map(id => ({ a: id, b: id, what: 'shape' }));
  const diff = { ...NO_DIFFERENCE, same: { x: 'x', v0: 'v0' }, changed, reshaped: ['x', 'v0'], added: ['v1'], removed: ['v1'] };
  return { a, b, diff };
}

function drawn(a: Graph, b: Graph, diff: GraphDiff) {
  const whole = merged(a, b, diff);
  const graph = withBodies(whole.graph);
  const root = groupTree(graph);
  const folded = fold(graph, root, new Set([...graph.nodes.flatMap(({ id, bodies }) => [`${id}/*`, ...Object.keys(bodies).map(name => `${id}/${name}`)])]));
  const scene: Scene = {
    width: 0,
    height: 0,
    direction: 'down',
    boxes: new Map(folded.boxes.map(box => [box.id, { box, rect: [0, 0, 1, 1] }])),
    edges: folded.edges.map(edge => ({ edge, points: [], label: null })),
    clusters: []
  };
  const side = (which: 0 | 1) => sideOf(scene, folded, { ...whole, graph }, which);
  return { whole, folded, left: side(0), right: side(1), ids: (scene: Scene) => [...scene.boxes.keys()] };
}

const edgesOf = ({ edges }: Scene): string[] => edges.map(({ edge: { from, to } }) => `${from} → ${to}`);

describe('two graphs as one', () => {
  it('have what is the same once, and each side what is its own', () => {
    const { a, b, diff } = both();
    const { whole, folded, left, right, ids } = drawn(a, b, diff);
    expect(whole.graph.nodes.map(({ id }) => id)).toEqual(['x', 'v0', '−v1', 'v1']);
    expect(ids(left)).toEqual(['x', 'v0', '−v1', 'output:0']);
    expect(ids(right)).toEqual(['x', 'v0', 'v1', 'output:0']);
    expect(edgesOf(left)).toEqual(['x → v0', 'v0 → −v1', '−v1 → output:0']);
    expect(edgesOf(right)).toEqual(['x → v0', 'v0 → v1', 'v1 → output:0']);
    expect([left, right].map(({ edges }) => edges[0]?.edge.label)).toEqual(['float32[3]', 'float32[4]']);
    expect(Object.fromEntries(changesIn(folded, diff, whole))).toEqual({
      x: 'reshaped', v0: 'reshaped', v1: 'added', '−v1': 'removed', '−v1 → output:0': 'removed'
    });
  });

  it('show edges that are no more on the left, and new ones on the right', () => {
    const nodes = (input: string) => [node('x', [], { op: 'input' }), node('y', [], { op: 'input' }), node('v0', [input], { op: 'tanh' })];
    const diff = { ...NO_DIFFERENCE, same: { x: 'x', y: 'y', v0: 'v0' }, added_edges: [['y', 'v0']] as const, removed_edges: [['x', 'v0']] as const };
    const { left, right } = drawn(graphOf(nodes('x')), graphOf(nodes('y')), diff);
    expect(edgesOf(left)).toEqual(['v0 → output:0', 'x → v0']);
    expect(edgesOf(right)).toEqual(['y → v0', 'v0 → output:0']);
  });

  it('merge the bodies of loops that stand for each other', () => {
    const loop = (op: string): Graph => {
      const body = graphOf([node('i', [], { op: 'input' }), node('v0', ['i'], { op })]);
      return graphOf([node('x', [], { op: 'input' }), node('l', ['x'], { op: 'while_loop', bodies: { body } })]);
    };
    const diff = { ...NO_DIFFERENCE, same: { x: 'x', l: 'l', 'l/body/i': 'l/body/i' }, added: ['l/body/v0'], removed: ['l/body/v0'] };
    const { whole, left, right, ids } = drawn(loop('tanh'), loop('sin'), diff);
    expect(whole.ofEarlier.get('l/body/v0')).toBe('l/body/−v0');
    expect(ids(left)).toContain('l/body/−v0');
    expect(ids(left)).not.toContain('l/body/v0');
    expect(ids(right)).toContain('l/body/v0');
    expect(ids(right)).not.toContain('l/body/−v0');
  });
});
