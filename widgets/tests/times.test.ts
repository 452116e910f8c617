import { describe, expect, it } from 'vitest';
import { colouringOf, firstExpanded, fold, groupTree, notesOf, paint, pairsOf, timesOf, timeText } from '../src/layout';
import { graphOf, node, profiled } from './samples';

const GRAPH = graphOf([node('x', [], { op: 'input' }), node('v0', ['x']), node('v1', ['v0']), node('v2', ['v1']), node('v3', ['v2'])]);

describe('what nodes take in a call', () => {
  it('shares the time of a kernel among its nodes', () => {
    const times = timesOf(profiled(3));
    expect([...times].map(([id, { ns }]) => [id, ns])).toEqual([
      ['v0', 6000],
      ['v1', 50],
      ['v2', 1750],
      ['v3', 1750]
    ]);
    expect(timeText(times.get('v0') ?? { ns: 0, part: 0, others: 0 })).toBe('6.00 µs, 60 % of the call');
    expect(timeText(times.get('v2') ?? { ns: 0, part: 0, others: 0 })).toBe('1.75 µs, 18 % of the call, its share of a kernel with 1 other');
  });

  it('colours the graph, once there is a profile', () => {
    const colouring = colouringOf('time');
    const facts = { flops: () => new Map(), pairs: () => pairsOf(GRAPH), kernels: new Map(), times: new Map(), changes: null };
    expect(colouring.lacks?.(facts)).toMatch(/Profile/);
    const known = { ...facts, times: timesOf(profiled(3)) };
    expect(colouring.lacks?.(known)).toBe('');
    const root = groupTree(GRAPH);
    expect(notesOf(root, colouring, known).get('v0')).toBe('6.00 µs');
    const { colours, legend } = paint(fold(GRAPH, root, firstExpanded(root)), root, colouring, known);
    expect([colours.get('v0'), colours.get('v1')]).toEqual(['--tf-scale-5', '--tf-scale-0']);
    expect(legend.map(({ text }) => text)).toContain('in all 9.55 µs');
  });
});
