import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LayoutEngine, LayoutWorker, Placement } from '../src/layout';
import { LayoutRequest } from '../src/layout/worker';
import { Graph } from '../src/protocol';
import { Signature, Store } from '../src/store';
import { Compare, Drawn } from '../src/views/compare/bar';
import { Host } from '../src/views/common/host';
import { Choices } from '../src/views/look/choices';
import { GraphView } from '../src/views/graph/view';
import { event, graphOf, node, started } from './samples';

/** A worker that puts boxes below one another at once. */
class QuickWorker implements LayoutWorker {
  onmessage: LayoutWorker['onmessage'] = null;
  onerror: LayoutWorker['onerror'] = null;

  postMessage({ id, dot }: LayoutRequest): void {
    const boxes = dot?.match(/^b\d+ \[width/gm) ?? [];
    const clusters = dot?.match(/^subgraph/gm) ?? [];
    const placement: Placement = {
      width: 100,
      height: 50 * boxes.length,
      boxes: boxes.map((_, i) => [50, 50 * i + 25] as const),
      edges: [],
      labels: [],
      clusters: clusters.map(() => [0, 0, 100, 100] as const)
    };
    void Promise.resolve().then(() => this.onmessage?.({ data: { id, placement } } as MessageEvent));
  }

  terminate(): void {}
}

const createEngine = (): LayoutEngine => new LayoutEngine(() => new QuickWorker());
const settle = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 5));

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', class {
    observe(): void {}
    disconnect(): void {}
  });
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(300);
  HTMLCanvasElement.prototype.getContext = (() => null) as never;
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const rounds = (name = 'f'): Graph =>
  graphOf(
    [
      node('x', [], { op: 'input', attrs: { path: 'x' } }),
      ...[0, 1, 2].flatMap(k => {
        const scope = `for line 3/round${k === 0 ? '' : `#${k + 1}`}`;
        return [node(`a${k}`, [k === 0 ? 'x' : `b${k - 1}`, 'x'], { scope }), node(`b${k}`, [`a${k}`], { op: 'tanh', scope })];
      })
    ],
    name
  );

function trace(): Store {
  const store = new Store();
  store.apply([
    started(1),
    event('graph.built', 2, { nodes_before: 7, nodes_after: 7, passes: [], verdict: '', same_as: 0, memory: 0, graph_hash: 'f-7' }),
    event('trace.finished', 3, { ok: true, total_ns: 1, phases: {} })
  ]);
  return store;
}

describe('how a graph is drawn', () => {
  function make(more: Partial<Host> = {}): { view: GraphView; hook: (name: string) => HTMLElement; nodes: () => string[] } {
    const view = new GraphView({ createEngine, ...more });
    document.body.append(view.element);
    const hook = (name: string): HTMLElement => view.element.querySelector<HTMLElement>(`[data-tracefn=${name}]`) as HTMLElement;
    const nodes = (): string[] =>
      [...view.element.querySelectorAll<SVGElement>('[data-tracefn=node], [data-tracefn=chip]')].map(each => each.dataset.node ?? '');
    return { view, hook, nodes };
  }

  it('folds and unfolds rounds by button and key, and keeps the choice for the graph', async () => {
    const saved: object[] = [];
    const choices = new Choices(Promise.resolve(null), each => saved.push(each));
    const { view, hook, nodes } = make({ choices });
    view.update(rounds(), { title: '', text: '' });
    await settle();
    expect(nodes()).toHaveLength(8);
    hook('fold').click();
    await settle();
    expect(nodes()).toEqual(['x', 'a0', 'b0', 'output:0']);
    expect(hook('fold').getAttribute('aria-pressed')).toBe('true');
    view.update(rounds('g'), { title: '', text: '' });
    await settle();
    expect(nodes()).toHaveLength(8);
    view.update(rounds(), { title: '', text: '' });
    await settle();
    expect(nodes()).toHaveLength(4);
    hook('stage').dispatchEvent(new KeyboardEvent('keydown', { key: 'r' }));
    await settle();
    expect(nodes()).toHaveLength(8);
    expect(saved).toHaveLength(2);
    view.dispose();
  });

  it('pins a value to its uses, and takes it off again', async () => {
    const { view, hook, nodes } = make();
    view.update(rounds(), { title: '', text: '' });
    await settle();
    view.select('x');
    hook('pin').click();
    await settle();
    expect(nodes().filter(id => id.startsWith('chip:x'))).toHaveLength(3);
    expect(hook('pin').textContent).toBe('Draw once, with edges (p)');
    hook('stage').dispatchEvent(new KeyboardEvent('keydown', { key: 'p' }));
    await settle();
    expect(nodes().filter(id => id.startsWith('chip:'))).toEqual([]);
    view.dispose();
  });

  it('asks which kernels there are when they are to be shown, and says where there are none', async () => {
    const ask = vi.fn<NonNullable<Host['ask']>>(() => Promise.resolve({ nodes: { a0: 'kernel 1', b0: 'kernel 1', a1: 'kernel 2' } }));
    const { view, hook } = make({ ask });
    const signature = [...trace().state.signatures.values()][0] ?? null;
    view.update(rounds(), { title: '', text: '' }, signature);
    await settle();
    const colour = hook('colour-by') as HTMLSelectElement;
    colour.value = 'kernel';
    colour.dispatchEvent(new Event('change'));
    await settle();
    expect(ask.mock.lastCall).toEqual(['kernels', { function: 'f#1', trace: 1 }]);
    expect(hook('colours').textContent).toBe('kernel 1kernel 2none, or several');
    const box = view.element.querySelector<SVGElement>('[data-node=a0]');
    expect(box?.style.getPropertyValue('--tf-family')).toBe('var(--tf-class-0)');
    ask.mockResolvedValue({ nodes: {} });
    view.update(rounds('g'), { title: '', text: '' }, signature);
    await settle();
    expect(hook('options-note').textContent).toBe('No kernel computes nodes of this graph.');
    expect(hook('colours').hidden).toBe(true);
    view.dispose();
  });

  it('asks again for the kernels once the trace is ready, and of the trace that took its place', async () => {
    const ask = vi.fn<NonNullable<Host['ask']>>(() => Promise.reject(new Error('the kernel went away')));
    const choices = new Choices(Promise.resolve({ direction: 'down', colour: 'kernel', graphs: [] }));
    await choices.ready;
    const { view, hook } = make({ ask, choices });
    const first = [...trace().state.signatures.values()][0] as Signature;
    const update = async (change: Partial<Signature>): Promise<void> => {
      view.update(rounds(), { title: '', text: '' }, { ...first, ...change });
      await settle();
    };
    await update({ status: 'tracing' });
    expect(ask).not.toHaveBeenCalled();
    await update({});
    await update({});
    expect(ask.mock.calls).toEqual([['kernels', { function: 'f#1', trace: 1 }]]);
    expect(hook('options-note').textContent).toBe('the kernel went away');
    ask.mockResolvedValue({ nodes: { a0: 'kernel 1' } });
    await update({ functionId: 'f#2', startedNs: first.startedNs + 1 });
    expect(ask.mock.lastCall).toEqual(['kernels', { function: 'f#2', trace: 1 }]);
    expect(hook('colours').textContent).toContain('kernel 1');
    await update({ functionId: 'f#3', startedNs: first.startedNs + 2 });
    expect(ask).toHaveBeenCalledTimes(2);
    view.dispose();
  });

  it('keeps the picture of a graph whose lines have moved, and tells of the new ones', async () => {
    const { view, hook, nodes } = make();
    const at = (line: number): Graph => {
      const graph = rounds();
      return { ...graph, hash: `at ${line}`, nodes: graph.nodes.map(each => ({ ...each, line, cell: 'c', cell_number: 1 })) };
    };
    const none = { title: '', text: '' };
    view.update(at(1), none);
    await settle();
    hook('stage').dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
    await settle();
    view.select('b1');
    await settle();
    const before = nodes();
    expect(hook('detail').textContent).toContain('line 1');
    view.update(at(8), none);
    await settle();
    expect(nodes()).toEqual(before);
    expect(hook('detail').textContent).toContain('line 8');
    expect(view.element.querySelector<SVGElement>('[data-selected]')?.dataset.node).toBe('b1');
    view.update({ ...at(9), name: 'other' }, none);
    await settle();
    expect(hook('detail')).toBeNull(); // another function's, that computes the same
    view.dispose();
  });

  it('marks the nodes of the line at the cursor, and goes to those of another', async () => {
    const { view, hook } = make();
    const graph = rounds();
    const nodes = graph.nodes.map((each, i) => ({ ...each, line: i, cell: 'c' }));
    view.update({ ...graph, nodes }, { title: '', text: '' });
    await settle();
    const at = (line: number): Parameters<GraphView['light']>[0] => ({ file: '', line, cell: 'c', cell_number: null });
    view.light(at(2));
    expect([...view.element.querySelectorAll<SVGElement>('[data-line]')].map(each => each.dataset.node)).toEqual(['b0']);
    view.showLine({ file: '', line: 3, cell: 'c', cell_number: null });
    expect(view.element.querySelector<SVGElement>('[data-selected]')?.dataset.node).toBe('a1');
    expect(hook('search-hits').textContent).toBe('1 of 1');
    hook('stage').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    expect(view.element.querySelectorAll('[data-selected], [data-match]')).toHaveLength(0);
    view.dispose();
  });
});

describe('Compare', () => {
  const same = Object.fromEntries(rounds().nodes.flatMap(({ id }) => (id === 'b0' ? [] : [[id, id]])));
  const DIFF = { same, changed: [['x', 'x', 'float32[2] → float32[3]']], reshaped: ['x'], added: ['b0'], removed: ['b0'], added_edges: [], removed_edges: [] };

  it('offers all graphs, and the step before; marks what is the same but for shapes', async () => {
    const [a, b] = [rounds(), rounds('g')];
    const asked: [string, unknown][] = [];
    const ask = vi.fn<NonNullable<Host['ask']>>((query, fields) => {
      asked.push([query, fields]);
      return Promise.resolve(query === 'graph_diff' ? DIFF : query === 'stage' ? { name: 'merge', nodes: 7, text: 'x', graph: a } : a);
    });
    const opened: boolean[] = [];
    const compare = new Compare({ createEngine, ask }, open => opened.push(open));
    document.body.append(compare.element);
    compare.offer(trace().state);
    const drawn: Drawn = { graph: b, title: 'g #1', ref: b.hash, before: null };
    compare.show(drawn);
    expect(compare.toggle.hidden).toBe(true); // there is one graph alone
    const step = (name: string): { title: string; ref: { function: string; trace: number; name: string } } => ({ title: name, ref: { function: 'f#1', trace: 1, name } });
    compare.show({ graph: b, ...step('drop dead'), before: step('merge') });
    compare.toggle.click();
    await vi.waitFor(() => expect(compare.element.querySelector('[data-tracefn=colours]')?.textContent).toBe('1 added1 removed1 the same but for shapes'));
    expect(asked).toEqual([
      ['stage', step('merge').ref],
      ['graph_diff', { a: step('merge').ref, b: step('drop dead').ref }]
    ]);
    await settle();
    const changes = [...compare.element.querySelectorAll<SVGElement>('.tracefn-box[data-change]')].map(each => `${each.dataset.node} ${each.dataset.change}`);
    expect(changes).toEqual(['x reshaped', '−b0 removed', 'b0 added']); // in one picture, as there is no room for two
    const select = compare.element.querySelector('select') as HTMLSelectElement;
    expect([...select.options].map(({ text }) => text)).toEqual(['the step before: merge', 'f #1 float32[1]']);
    select.selectedIndex = 1;
    select.dispatchEvent(new Event('change'));
    await vi.waitFor(() => expect(asked.slice(2).map(([query]) => query)).toEqual(['graph', 'graph_diff']));
    compare.toggle.click();
    expect(opened).toEqual([true, false]);
    compare.dispose();
  });

  it.each([
    ['h2', 'h1'], // before its cell was edited
    ['h1', 'h2'],
    ['h3', 'h2'] // another signature
  ])('begins with what is nearest to %s', (drawn, nearest) => {
    const store = new Store();
    const built = (hash: string) => ({ graph_hash: hash, nodes_before: 1, nodes_after: 1, passes: [], verdict: '', same_as: null, memory: 0 });
    const traces = [['f', 'f#1', 1, 'x'], ['f', 'f#2', 1, 'x'], ['f', 'f#2', 2, 'y'], ['g', 'g#1', 1, 'x']] as const;
    store.apply(
      traces.flatMap(([name, id, trace, text], i) => {
        const about = { function: id, signature: `${id}/${trace}` };
        return [
          { ...started(3 * i + 1, trace, name), ...about, signature_text: text },
          event('graph.built', 3 * i + 2, built(`h${i + 1}`), about),
          event('trace.finished', 3 * i + 3, { ok: true, total_ns: 1, phases: {} }, about)
        ];
      })
    );
    const compare = new Compare({ createEngine, ask: () => new Promise(() => undefined) }, () => undefined);
    compare.offer(store.state);
    compare.show({ graph: { ...rounds(), hash: drawn }, title: '', ref: drawn, before: null });
    compare.toggle.click();
    const chosen = compare.element.querySelector('select')?.value ?? '';
    expect(store.state.signatures.get(chosen)?.size?.hash).toBe(nearest);
    compare.dispose();
  });
});
