import { describe, expect, it } from 'vitest';
import {
  allGroups,
  allNodes,
  ancestors,
  expandAll,
  firstExpanded,
  fold,
  Folded,
  groupTree,
  MAX_BOXES,
  OPEN_BOXES,
  toggle
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

describe('bounds', () => {
  it.each([300, 5000, 10_000, 40_000])('draws few boxes and edges at first, of %i nodes', n => {
    const graph = flatGraph(n);
    const root = groupTree(graph);
    const { boxes, edges } = fold(graph, root, firstExpanded(root));
    expect(boxes.length).toBeLessThanOrEqual(OPEN_BOXES + 1);
    expect(edges.length).toBeLessThanOrEqual(n <= 300 ? 600 : 150);
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
    expect(fold(graph, root, firstExpanded(root)).boxes).toHaveLength(301);
  });

  it('closes an open group', () => {
    const root = groupTree(layers());
    expect([...toggle(root, new Set(['layer@a']), 'layer@a')]).toEqual([]);
  });
});
