import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bytesText } from '../src/format';
import { LayoutEngine, LayoutWorker, PlacedBox, PlacedEdge, Placement, Point, Scene } from '../src/layout';
import { LayoutRequest } from '../src/layout/worker';
import { Graph } from '../src/protocol';
import { GraphView } from '../src/views/graph/view';
import { Drawing } from '../src/views/graph/drawing';
import { edgeAt, litFrom } from '../src/views/graph/edge_hits';
import { neighbour } from '../src/views/graph/keys/navigate';
import { edgeLook, NO_MARKS, Shown } from '../src/views/graph/renderer';
import { Viewport } from '../src/views/graph/viewport';
import { graphOf, node } from './samples';

/** A worker that lays out when told to: boxes below one another. */
class SlowWorker implements LayoutWorker {
  onmessage: LayoutWorker['onmessage'] = null;
  onerror: LayoutWorker['onerror'] = null;
  last: LayoutRequest | null = null;

  postMessage(request: LayoutRequest): void {
    this.last = request.dot === undefined ? this.last : request;
  }

  terminate(): void {}

  answer(boxes: number, height = boxes * 50): void {
    const placement: Placement = {
      width: 100,
      height,
      boxes: Array.from({ length: boxes }, (_, i) => [50, ((i + 0.5) * height) / boxes] as const),
      edges: [],
      labels: [],
      clusters: []
    };
    this.onmessage?.({ data: { id: this.last?.id, placement } } as MessageEvent);
  }
}

let worker: SlowWorker;
let resized: () => void;

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', class {
    constructor(private readonly _resized: () => void) {}
    observe(): void {
      resized = this._resized;
    }
    disconnect(): void {}
  });
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(300);
  HTMLCanvasElement.prototype.getContext = (() => null) as never;
  worker = new SlowWorker();
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const chain = (n: number, name: string): Graph =>
  graphOf([node('v0', [], { op: 'input' }), ...Array.from({ length: n - 1 }, (_, i) => node(`v${i + 1}`, [`v${i}`]))], name);

function transformOf(element: HTMLElement): { scale: number; x: number; y: number } {
  const text = element.querySelector('.tracefn-drawing > g')?.getAttribute('transform') ?? '';
  const [x = 0, y = 0, scale = 1] = [...text.matchAll(/-?[\d.]+/g)].map(Number);
  return { scale, x, y };
}

const settle = () => new Promise(resolve => setTimeout(resolve, 0));

describe('Drawing', () => {
  let drawing: Drawing;

  beforeEach(() => {
    drawing = new Drawing(new LayoutEngine(() => worker), { clicked: () => undefined, placed: () => undefined });
  });

  afterEach(() => drawing.dispose());

  it('fits a graph when its own layout is there, and no other in its place', async () => {
    drawing.show(chain(2, 'small'));
    worker.answer(3);
    await settle();
    const small = drawing.stage.viewport.transform;
    drawing.stage.viewport.set({ scale: 2, x: -500, y: -500 });
    drawing.show(chain(4, 'large'));
    resized(); // the tab of the graph comes to the front while the layout is under way
    worker.answer(5, 600);
    await settle();
    expect(drawing.stage.viewport.transform).not.toEqual({ scale: 2, x: -500, y: -500 });
    expect(drawing.stage.viewport.transform).not.toEqual(small);
    expect(drawing.stage.viewport.transform.y).toBe(16);
  });

  it('says of a graph nothing that was said of the one before', async () => {
    drawing.show(chain(2, 'one'));
    drawing.notice.hidden = false;
    drawing.show(chain(3, 'two'));
    expect(drawing.notice.hidden).toBe(true);
    await settle();
  });
});

describe('Viewport', () => {
  it('zooms to where what is searched for can be read, and no more than needed', () => {
    const viewport = new Viewport(document.createElement('div'), () => undefined);
    viewport.set({ scale: 0.05, x: 0, y: 0 });
    viewport.reveal([1000, 2000, 80, 40]);
    expect(viewport.transform.scale).toBe(0.05);
    viewport.reveal([1000, 2000, 80, 40], true);
    expect(viewport.transform).toEqual({ scale: 0.8, x: 200 - 1040 * 0.8, y: 150 - 2020 * 0.8 });
    viewport.set({ scale: 1.5, x: 0, y: 0 });
    viewport.reveal([10, 500, 80, 40], true);
    expect(viewport.transform.scale).toBe(1.5);
    viewport.set({ scale: 0.02, x: 0, y: 0 });
    viewport.reveal([0, 0, 3680, 100], true);
    expect(viewport.transform.scale).toBeCloseTo(0.1, 5);
  });
});

describe('a drawing of the same graph', () => {
  it('keeps the box in the middle of the screen where it was', async () => {
    const drawing = new Drawing(new LayoutEngine(() => worker), { clicked: () => undefined, placed: () => undefined });
    drawing.show(chain(4, 'f'));
    worker.answer(4);
    await settle();
    const { viewport } = drawing.stage;
    viewport.center(drawing.stage.rectOf('v3')!);
    const onScreen = (): number => drawing.stage.rectOf('v3')![1] * viewport.transform.scale + viewport.transform.y;
    const [before, at] = [drawing.stage.rectOf('v3')![1], onScreen()];
    void drawing.restructure({ ...drawing.look, colour: 'flops' }); // texts and boxes become larger
    await settle();
    worker.answer(4, 900);
    await settle();
    expect(drawing.stage.rectOf('v3')![1]).not.toBe(before);
    expect(onScreen()).toBeCloseTo(at);
    drawing.dispose();
  });
});

describe('arrow keys', () => {
  it('lead from an open frame into it', () => {
    const placed = (id: string, y: number): [string, PlacedBox] => [id, { box: { id } as PlacedBox['box'], rect: [10, y, 40, 20] }];
    const cluster = { group: { id: 'block' }, title: 'block', rect: [0, 50, 100, 200] } as unknown as Scene['clusters'][number];
    const boxes = new Map([placed('x', 0), placed('b', 150), placed('a', 80), placed('y', 300)]);
    const scene: Scene = { width: 100, height: 400, direction: 'down', boxes, edges: [], clusters: [cluster] };
    expect(neighbour(scene, 'block', 'down')).toBe('a');
    expect(neighbour(scene, null, 'down')).toBe('x');
  });
});

describe('edges', () => {
  const box = (id: string, y: number): [string, PlacedBox] => [
    id,
    { box: { id, title: id, detail: '', family: 'elementwise' } as PlacedBox['box'], rect: [0, y, 40, 20] }
  ];
  const edge = (from: string, to: string, points: Point[]): PlacedEdge => ({ edge: { from, to, label: '', values: [from] }, points, label: null });
  const scene: Scene = {
    width: 300,
    height: 300,
    direction: 'down',
    boxes: new Map([box('a', 0), box('b', 100), box('c', 200), box('d', 200)]),
    edges: [
      edge('a', 'b', [[20, 20], [20, 50], [20, 70], [20, 100]]),
      edge('b', 'c', [[20, 120], [20, 150], [120, 170], [120, 200]]),
      edge('b', 'd', [[40, 120], [240, 120], [240, 180], [240, 200]])
    ],
    clusters: []
  };

  it('are found near the pointer, on their curves', () => {
    expect(edgeAt(scene, 23, 60, 6)?.edge.to).toBe('b');
    expect(edgeAt(scene, 30, 60, 6)).toBeNull();
    expect(edgeAt(scene, 70, 160, 6)?.edge.to).toBe('c');
    expect(edgeAt(scene, 236, 186, 6)?.edge.to).toBe('d');
  });

  it('lead to all that a box depends on, and all that depends on it', () => {
    const lit = litFrom(scene, 'b');
    expect([[...lit.ancestors], [...lit.descendants].sort()]).toEqual([['a'], ['c', 'd']]);
    expect(litFrom(scene, 'none').ancestors.size).toBe(0);
    const shown: Shown = { ...NO_MARKS, selected: 'c', hovered: 'b → d', lit: litFrom(scene, 'c'), paired: new Set() };
    expect(scene.edges.map(({ edge: { from, to } }) => edgeLook(shown, from, to))).toEqual(['lit', 'near', 'chosen']);
  });

  it('tell how many bytes flow along them, where that is known', () => {
    expect(bytesText('float64', [2, 3])).toBe('48 B');
    expect(bytesText('bool', [])).toBe('1 B');
    expect(bytesText('complex128', [1000, 1000])).toBe('16.0 MB');
    expect(bytesText('<U5', [2])).toBe('40 B');
    expect([bytesText('float64', [null, 3]), bytesText('object', [3]), bytesText(null, null)]).toEqual(Array(3).fill('not known'));
  });
});

describe('GraphView, keys and edges', () => {
  it('opens and closes groups, lists its keys, and shows what flows along an edge', async () => {
    const view = new GraphView({ createEngine: () => new LayoutEngine(() => worker) });
    document.body.append(view.element);
    const nodes = [node('x', [], { op: 'input' }), ...[1, 2].map(i => node(`v${i}`, [i === 1 ? 'x' : 'v1'], { scope: 'inner' })), node('y', ['v2'])];
    const placement = (request: LayoutRequest | null): Placement => ({
      width: 100,
      height: 300,
      boxes: [...(request?.dot ?? '').matchAll(/^\s*b(\d+) \[/gm)].map((_, i) => [50, 30 + 60 * i] as const),
      edges: [[[50, 45], [50, 55], [50, 65], [50, 75]]],
      labels: [],
      clusters: []
    });
    const answer = async (): Promise<void> => {
      worker.onmessage?.({ data: { id: worker.last?.id, placement: placement(worker.last) } } as MessageEvent);
      await settle();
    };
    view.update(graphOf(nodes), { title: '', text: '' });
    await answer();
    const stage = view.element.querySelector('[data-tracefn=stage]') as HTMLElement;
    const hook = (name: string): HTMLElement | null => view.element.querySelector(`[data-tracefn="${name}"]`);
    const press = (key: string) => stage.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const count = (): number => view.element.querySelectorAll('.tracefn-box').length;
    const open = count();
    press('E');
    await answer();
    const closed = count();
    expect(closed).toBeLessThan(open);
    press('E');
    await answer();
    expect(count()).toBe(open);
    view.select('v1');
    press('e');
    await answer();
    expect(count()).toBe(closed);
    press('?');
    expect(hook('help')?.hidden).toBe(false);
    hook('help')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    expect(hook('help')?.hidden).toBe(true);
    expect(document.activeElement).toBe(stage);
    const move = (type: string) => stage.dispatchEvent(new MouseEvent(type, { clientX: at[0], clientY: at[1], bubbles: true }));
    const { scale, x, y } = transformOf(view.element);
    const at = [x + 50 * scale, y + 60 * scale] as const;
    move('pointermove');
    expect(hook('edge-tooltip')?.textContent).toMatch(/^x → .*\nfloat32\[2, 4\], 32 B$/);
    move('click');
    expect(hook('detail')?.textContent).toContain('32 B');
    expect(view.element.querySelector('[data-look=chosen]')).not.toBeNull();
    view.dispose();
  });

  it('brings a hit to a readable size, and leaves the scale to who clicks', async () => {
    const view = new GraphView({ createEngine: () => new LayoutEngine(() => worker) });
    document.body.append(view.element);
    const graph = graphOf([node('x', [], { op: 'input' }), node('y', ['x'], { op: 'tanh' }), node('z', ['y'])]);
    view.update(graph, { title: '', text: '' });
    worker.answer(4, 20000);
    await settle();
    const press = (key: string): boolean | undefined =>
      view.element.querySelector('[data-tracefn=stage]')?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const scale = (): number => Number(/scale\(([\d.]+)\)/.exec(view.element.querySelector('.tracefn-drawing > g')?.getAttribute('transform') ?? '')?.[1]);
    press('0');
    expect(scale()).toBe(0.02);
    view.select('y', false);
    expect(scale()).toBe(0.02);
    const search = view.element.querySelector('[data-tracefn=search]') as HTMLInputElement;
    search.value = 'tanh';
    search.dispatchEvent(new Event('input'));
    expect(scale()).toBe(0.8);
    press('0');
    press('ArrowDown');
    expect(scale()).toBe(0.8);
    view.dispose();
  });
});
