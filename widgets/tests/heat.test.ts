import { describe, expect, it, vi } from 'vitest';
import { firstExpanded, fold, groupTree } from '../src/layout';
import { Heat, levelOf } from '../src/views/graph/heat';
import { graphOf, node, profiled } from './samples';

const GRAPH = graphOf([node('x', [], { op: 'input' }), node('v0', ['x']), node('v1', ['v0']), node('v2', ['v1']), node('v3', ['v2'])]);

function folded() {
  const root = groupTree(GRAPH);
  return fold(GRAPH, root, firstExpanded(root));
}

describe('colour by time', () => {
  it('is offered once there is a profile, and heats boxes by their part of the time', () => {
    const changed = vi.fn();
    const heat = new Heat(changed);
    expect(heat.toggle.hidden).toBe(true);
    expect(heat.offer(profiled(3))).toBe(false);
    expect(heat.toggle.hidden).toBe(false);
    expect(heat.levels(folded())).toBeUndefined();
    heat.toggle.click();
    expect(changed).toHaveBeenCalledOnce();
    expect(Object.fromEntries(heat.levels(folded()) ?? [])).toEqual({ v0: 5, v1: 1, v2: 5, v3: 5 });
    expect(heat.legend.hidden).toBe(false);
    expect(heat.legend.textContent).toContain('Part of 10.0 µs a call');
    expect(heat.offer(profiled(3))).toBe(false);
    expect(heat.offer(profiled(4))).toBe(true);
    heat.offer(null);
    expect([heat.toggle.hidden, heat.legend.hidden]).toEqual([true, true]);
  });

  it('adds up what is in one closed group, a kernel once', () => {
    const heat = new Heat(() => undefined);
    heat.offer(profiled(3));
    heat.toggle.click();
    const boxOf = new Map(['v0', 'v1', 'v2', 'v3'].map(id => [id, 'group'] as const));
    expect([...(heat.levels({ ...folded(), boxOf }) ?? [])]).toEqual([['group', levelOf(0.955)]]);
  });

  it('says what a node takes', () => {
    const heat = new Heat(() => undefined);
    heat.offer(profiled(3));
    expect(heat.timeOf('v0')).toBe('6.00 µs, 60 % of the call');
    expect(heat.timeOf('v2')).toBe('3.50 µs, 35 % of the call, together with 1 other in one kernel');
    expect(heat.timeOf('x')).toBeNull();
  });

  it('has five levels', () => {
    expect([0, 0.0001, 0.01, 0.05, 0.1, 0.31].map(levelOf)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
