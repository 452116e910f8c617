import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LayoutEngine, LayoutWorker, Placement } from '../src/layout';
import { LayoutRequest } from '../src/layout/worker';
import { Graph } from '../src/protocol';
import { GraphView } from '../src/views/graph/view';
import { Drawing } from '../src/views/graph/drawing';
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

describe('GraphView', () => {
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
