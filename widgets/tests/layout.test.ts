import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { describe, expect, it } from 'vitest';
import { firstExpanded, fold, groupTree, readPlacement, TextMeasure, toDot, toScene } from '../src/layout';
import { Graph } from '../src/protocol';
import { flatGraph, graphOf, node } from './samples';

const FONTS = { title: '12px sans-serif', detail: '11px monospace' };

async function sceneOf(graph: Graph) {
  const root = groupTree(graph);
  const folded = fold(graph, root, firstExpanded(root));
  const text = toDot(folded, new TextMeasure(FONTS));
  const graphviz = await Graphviz.load();
  const placement = readPlacement(graphviz.layout(text.dot, 'json0' as 'json', 'dot'));
  return { text, scene: toScene(folded, text, placement) };
}

const HOSTILE = '<img src=x onerror=alert(1)>"];}\n\\N ]]> &lt; </table>';

describe('layout', () => {
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
});
