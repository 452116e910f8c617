import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { describe, expect, it } from 'vitest';
import { allGroups, firstExpanded, fold, groupTree, readPlacement, TextMeasure, toDot, toScene } from '../src/layout';
import { Graph } from '../src/protocol';
import { flatGraph, graphOf, node } from './samples';

const FONTS = { title: '12px sans-serif', detail: '11px monospace' };

async function sceneOf(graph: Graph, expanded = firstExpanded(groupTree(graph))) {
  const root = groupTree(graph);
  const folded = fold(graph, root, expanded);
  const text = toDot(folded, new TextMeasure(FONTS));
  const graphviz = await Graphviz.load();
  const placement = readPlacement(graphviz.layout(text.dot, 'json0' as 'json', 'dot'));
  return { text, scene: toScene(folded, text, placement) };
}

const HOSTILE = '<img src=x onerror=alert(1)>"];}\n\\N ]]> &lt; </table>';

describe('layout', () => {
  it('puts rounds that take nothing from each other into one row, in their order', async () => {
    const rounds = [1, 2, 3].map(n => node(`r${n}`, ['y'], { scope: `comprehension line 2/round#${n}` }));
    const others = [node('a', ['y']), node('b', ['a']), node('c', ['b']), node('d', ['r1', 'r2'])];
    const nodes = [node('x', [], { op: 'input' }), node('y', ['x']), ...rounds, ...others];
    const { scene } = await sceneOf({ ...graphOf(nodes), outputs: ['r1', 'r2', 'r3', 'c', 'd'] });
    const rects = rounds.map(({ id }) => scene.boxes.get(id)!.rect);
    expect(new Set(rects.map(([, top]) => top)).size).toBe(1);
    expect(rects.map(([left]) => left)).toEqual(rects.map(([left]) => left).sort((p, q) => p - q));
  });

  it('places boxes without overlaps, inputs above their consumers, and frames around their members', async () => {
    const { scene } = await sceneOf(
      graphOf([
        node('x', [], { op: 'input', attrs: { path: 'x' } }),
        node('a', ['x'], { scope: 's' }),
        node('b', ['x', 'a'], { scope: 's' }),
        node('c', ['b'])
      ])
    );
    const rects = [...scene.boxes.values()].map(({ rect }) => rect);
    rects.forEach(([x, y, w, h], i) =>
      rects.slice(i + 1).forEach(([l, t, v, k]) => {
        expect(x + w <= l || l + v <= x || y + h <= t || t + k <= y).toBe(true);
      })
    );
    const top = (id: string): number => scene.boxes.get(id)!.rect[1];
    expect([top('x'), top('a'), top('b'), top('c')]).toEqual(
      [top('x'), top('a'), top('b'), top('c')].sort((p, q) => p - q)
    );
    const [left, up, width, height] = scene.clusters[0]!.rect;
    for (const id of ['a', 'b']) {
      const [x, y, w, h] = scene.boxes.get(id)!.rect;
      expect(x >= left && y >= up && x + w <= left + width && y + h <= up + height).toBe(true);
    }
    expect(scene.edges.every(({ points }) => points.length >= 4 && points.length % 3 === 1)).toBe(true);
    expect(scene.edges.every(({ label }) => label !== null)).toBe(true);
  });

  it('places what no edge joins with a result above the rest', async () => {
    const parts = [0, 1, 2, 3].map(i => node(`p${i}`, [], { op: 'input', attrs: { path: `params[${i}]` } }));
    const rounds = parts.map((part, i) => node(`r${i}`, [i === 0 ? 'x' : `r${i - 1}`, 'mask', part.id], { scope: `loop/block ${i}` }));
    const inner = rounds.map((round, i) => node(`s${i}`, [round.id], { scope: `loop/block ${i}` }));
    const nodes = [node('x', [], { op: 'input' }), ...parts, node('full'), node('mask', ['full'])];
    const { scene, text } = await sceneOf(graphOf([...nodes, ...rounds.flatMap((round, i) => [round, inner[i]!])]));
    expect(text.dot.match(/style=invis/g)).toHaveLength(2);
    const [, from] = scene.boxes.get('x')!.rect;
    for (const id of ['tree:params', 'full', 'mask']) {
      const [, y, , height] = scene.boxes.get(id)!.rect;
      expect(y + height).toBeLessThan(from);
    }
    expect(scene.edges.every(({ edge }) => edge.from !== 'mask')).toBe(true);
  });

  it('places the parts of an open container in columns', async () => {
    const parts = Array.from({ length: 24 }, (_, i) => node(`p${i}`, [], { op: 'input', attrs: { path: `params[${i >> 3}][${i & 7}]` } }));
    const graph = graphOf([...parts, ...parts.map(({ id }, i) => node(`y${i}`, i === 0 ? [id] : [id, `y${i - 1}`]))]);
    const root = groupTree(graph);
    const trees = allGroups(root).filter(({ kind }) => kind === 'tree');
    const { scene } = await sceneOf(graph, new Set(trees.map(({ id }) => id)));
    const rects = parts.map(({ id }) => scene.boxes.get(id)!.rect);
    expect(new Set(rects.map(([, top]) => top)).size).toBe(9); // three rows for each of three lists
    const across = Math.max(...rects.map(([left, , width]) => left + width)) - Math.min(...rects.map(([left]) => left));
    expect(across).toBeLessThan(6 * rects[0]![2]);
  });

  it('keeps names and labels of users out of the DOT text, and whole in the drawing', async () => {
    const { text, scene } = await sceneOf(
      graphOf([
        node('x', [], { op: 'input', attrs: { path: HOSTILE } }),
        node('"];', ['x'], { op: HOSTILE, scope: HOSTILE }),
        node('b<', ['"];'], { dtype: HOSTILE, scope: HOSTILE })
      ])
    );
    expect(text.dot).not.toContain('onerror');
    expect(text.dot).not.toContain('];}');
    expect(scene.boxes.size).toBe(4);
    expect(scene.boxes.get('x')?.box.title).toBe(HOSTILE.slice(0, 31) + '…');
  });

  it('lays out what is first shown of 10 000 flat nodes', async () => {
    const { scene } = await sceneOf(flatGraph(10_000));
    expect(scene.boxes.size).toBeGreaterThan(10);
    expect(scene.width).toBeGreaterThan(0);
  });

  it('draws no edge upwards, in 60 generated nestings of calls and rounds with shared weights', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { scene } = await sceneOf(nesting(seed));
      const up = scene.edges.filter(({ edge: { from, to } }) => {
        const [a, b] = [scene.boxes.get(from)!.rect, scene.boxes.get(to)!.rect];
        return a[1] + a[3] > b[1];
      });
      expect({ seed, up: up.map(({ edge }) => `${edge.from}>${edge.to}`) }).toEqual({ seed, up: [] });
      const rects = [...scene.boxes.values()].map(({ rect }) => rect);
      const apart = rects.every(([x, y, w, h], i) =>
        rects.slice(i + 1).every(([l, t, v, k]) => x + w <= l || l + v <= x || y + h <= t || t + k <= y)
      );
      expect({ seed, apart }).toEqual({ seed, apart: true });
    }
  }, 120_000);
});

/** A program of calls in calls and unrolled rounds, as a seed decides; weights and other values are read in many of them. */
function nesting(seed: number): Graph {
  let state = seed * 7919;
  const below = (n: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * n);
  };
  const nodes = [node('x', [], { op: 'input', attrs: { path: 'x' } }), node('w', [], { op: 'capture', attrs: { path: 'global w' } })];
  for (let k = 0; k < 6; k++) {
    nodes.push(node(`p${k}`, [], { op: 'input', attrs: { path: `params['layers'][${k >> 1}].w${k}` } }));
  }
  let last = 'x';
  const recent = ['x'];
  const block = (scope: string, depth: number): void => {
    for (let i = 0, count = 2 + below(4); i < count; i++) {
      if (depth < 4 && below(3) === 0) {
        const rounds = below(2) === 0;
        for (let k = 0, calls = 1 + below(3); k < calls; k++) {
          const inner = rounds ? `for line ${depth}${i}/round${k === 0 ? '' : `#${k + 1}`}` : `call${depth}${i}#${k + 1}`;
          block(scope === '' ? inner : `${scope}/${inner}`, depth + 1);
        }
      }
      const id = `v${nodes.length}`;
      const others = [['w'], [`p${below(6)}`], [recent[below(recent.length)] as string], []][below(4)] as string[];
      nodes.push(node(id, [...new Set([last, ...others])], { scope }));
      recent.push(id);
      last = id;
    }
  };
  block('', 0);
  return graphOf(nodes);
}
