import { describe, expect, it } from 'vitest';
import { colouringOf, Facts, firstExpanded, fold, groupTree, notesOf, pairsOf, paint, stackOf } from '../src/layout';
import { decodeGraph } from '../src/protocol';
import { graphOf, node } from './samples';

/** `loss` calls `dense` twice on one line of it; the backward pass has a step of each op. */
const GRAPH = graphOf([
  node('x', [], { op: 'input' }),
  node('v0', ['x'], { op: 'matmul', scope: 'loss/dense', line: 2 }),
  node('v1', ['v0'], { op: 'tanh', scope: 'loss/dense', line: 2 }),
  node('v2', ['v1'], { op: 'sum', scope: 'loss', line: 5 }),
  node('v3', ['v1'], { scope: 'backward pass/loss/dense', line: 2, back_of: { scope: 'loss/dense', op: 'tanh' } }),
  node('v4', ['v3', 'x'], { scope: 'backward pass/loss/dense', line: 2, back_of: { scope: 'loss/dense', op: 'matmul' } }),
  node('v5', ['v4'], { scope: 'backward pass/loss', line: 5, back_of: { scope: 'loss', op: 'mean' } })
]);

describe('forward and backward', () => {
  const pairs = pairsOf(GRAPH);
  const ids = (nodes?: readonly { readonly id: string }[]): string[] => (nodes ?? []).map(({ id }) => id);

  it('pairs by call, line and op; where a pass has made another op of it, by call and line', () => {
    expect(['v3', 'v4', 'v5'].map(id => ids(pairs.forward.get(id)))).toEqual([['v1'], ['v0'], ['v2']]);
    expect(['v0', 'v1', 'v2'].map(id => ids(pairs.backward.get(id)))).toEqual([['v4'], ['v3'], ['v5']]);
    expect(pairs.backward.has('v3')).toBe(false);
  });

  it('colours residuals by their bytes', () => {
    expect([...pairs.kept]).toEqual([['v1', 32]]);
    const colouring = colouringOf('kept');
    const facts: Facts = { flops: () => new Map(), pairs: () => pairs, kernels: new Map(), times: new Map(), changes: null };
    const many = { ...GRAPH, outputs: ['v1', 'v2', 'v3', 'v4', 'v5'] };
    const root = groupTree(many);
    expect(root.children[root.children.length - 1]).toMatchObject({ kind: 'results', count: 5 });
    expect(notesOf(root, colouring, facts).get('v1')).toBe('32 B');
    const folded = fold(many, root, firstExpanded(root));
    expect(folded.boxOf.get('output:2')).toBe('results:');
    expect(fold(many, root, new Set(['results:'])).boxOf.get('output:2')).toBe('output:2');
    const { legend } = paint(folded, root, colouring, facts);
    expect(legend.map(({ text }) => text)).toContain('in all 32 B');
    const plain = pairsOf(graphOf([node('x', [], { op: 'input' }), node('y', ['x'])]));
    expect(colouring.lacks?.({ ...facts, pairs: () => plain })).toMatch(/no|Nothing/);
  });

  it('has the lines of the user in the stack alone', () => {
    const sites = { 'loss/dense': { file: 'f.py', line: 5, cell: null, cell_number: null }, loss: { file: 'f.py', line: 9, cell: null, cell_number: null } };
    const there = Object.fromEntries(Object.entries(sites).flatMap(([scope, site]) => [[scope, site], [`backward pass/${scope}`, site]]));
    const graph = { ...GRAPH, sites: { ...there, 'backward pass': there.loss as (typeof sites)['loss'] } };
    const stack = stackOf('step', graph, { ...node('v9'), scope: 'backward pass/loss/dense/nn.relu', line: 2 });
    expect(stack.map(({ name, place }) => `${name} ${place.line}`)).toEqual(['dense 2', 'loss 5', 'step 9']);
  });

  it('names the forward op in each backward box, and reads it from JSON', () => {
    const root = groupTree(GRAPH);
    const all = new Set([...root.children].flatMap(child => ('children' in child ? [child.id] : [])));
    const { boxes } = fold(GRAPH, root, new Set([...all, ...firstExpanded(root)]));
    expect(boxes.find(({ id }) => id === 'v5')?.detail).toBe('∂ mean');
    expect(decodeGraph(JSON.parse(JSON.stringify(GRAPH)))?.nodes[4]?.back_of).toEqual({ scope: 'loss/dense', op: 'tanh' });
  });
});
