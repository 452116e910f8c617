import { describe, expect, it, vi } from 'vitest';
import { Argument, EventFields } from '../src/protocol';
import { Store } from '../src/store';
import { Host } from '../src/views/common/host';
import { lengthsOf } from '../src/views/timing/lengths';
import { sweepPlot, logAxis, tickText } from '../src/views/timing/sweep_plot';
import { TimingView } from '../src/views/timing/view';
import { event, started } from './samples';

function argument(path: string, shape: Argument['shape']): Argument {
  return { path, kind: shape ? 'tensor' : 'value', text: '', dtype: null, shape };
}

const ARGUMENTS = [argument('x', [100, 3]), argument('w', [3, 1]), argument("p['b']", [100]), argument('n', null)];

function point(size: number, eager: number, native: number | null = null) {
  const around = (ns: number): [number, number, number] => [ns * 0.9, ns, ns * 1.2];
  return { size, eager_ns: around(eager), numpy_ns: around(5000), native_ns: native === null ? null : around(native), copy_ns: size };
}

function swept(seq: number, more: Partial<EventFields['sweep.measured']> = {}) {
  return event('sweep.measured', seq, {
    lengths: 'x axis 0',
    points: [point(25, 1000), point(100, 4000, 800), point(400, 16000, 900)],
    total: 5,
    growth: { eager: 'grows as n^1.0', numpy: 'does not grow', native: 'does not grow' },
    crossing: { numpy: 'faster than eager from n ≈ 130 on', native: 'faster than eager at all sizes' },
    crosses: { numpy: 130, native: 25 },
    left_out: [1600, 6400],
    made: [],
    ...more
  });
}

function shown(host: Partial<Host>) {
  const store = new Store();
  store.apply([{ ...started(1), arguments: ARGUMENTS }]);
  const view = new TimingView(host as Host);
  const update = () => view.update(store.state.signatures.get('f#1/1')!);
  update();
  const hook = <T extends HTMLElement>(name: string): T => view.element.querySelector<T>(`[data-tracefn="${name}"]`)!;
  return { store, view, update, hook };
}

describe('lengths', () => {
  it('are those that several dimensions share, then each dimension; those of 1 are broadcast', () => {
    expect(lengthsOf(ARGUMENTS)).toEqual([
      { text: "100: x axis 0, p['b'] axis 0", dimensions: [['x', 0], ["p['b']", 0]] },
      { text: '3: x axis 1, w axis 0', dimensions: [['x', 1], ['w', 0]] },
      { text: '100: x axis 0', dimensions: [['x', 0]] },
      { text: '3: x axis 1', dimensions: [['x', 1]] },
      { text: '3: w axis 0', dimensions: [['w', 0]] },
      { text: "100: p['b'] axis 0", dimensions: [["p['b']", 0]] }
    ]);
  });

  it('of the parts of a list that are alike are one choice, after those of whole arguments', () => {
    const layers = [0, 1, 2].flatMap(i => [argument(`p[${i}]['w']`, [32, 64]), argument(`p[${i}]['b']`, [64])]);
    const found = lengthsOf([...layers, argument('x', [16, 32])]);
    expect(found.map(({ text }) => text)).toEqual([
      "64: p[…]['w'] axis 1, p[…]['b'] axis 0",
      "32: x axis 1, p[…]['w'] axis 0",
      '16: x axis 0',
      '32: x axis 1',
      "32: p[…]['w'] axis 0",
      "64: p[…]['w'] axis 1",
      "64: p[…]['b'] axis 0"
    ]);
    expect(found[4]?.dimensions).toEqual([["p[0]['w']", 0], ["p[1]['w']", 0], ["p[2]['w']", 0]]);
    const wide = lengthsOf(Array.from({ length: 40 }, (_, i) => argument(`weights_of_${i}`, [7])));
    expect(wide[0]?.text).toBe('7: weights_of_0 axis 0, weights_of_1 axis 0, weights_of_2 axis 0 and 37 more');
  });

  it('that are open are not taken for equal', () => {
    expect(lengthsOf([argument('x', [null, 'n']), argument('y', [null, 'n'])]).map(({ text }) => text)).toEqual([
      'n: x axis 1, y axis 1',
      'any length: x axis 0',
      'n: x axis 1',
      'any length: y axis 0',
      'n: y axis 1'
    ]);
  });
});

describe('a sweep', () => {
  it('is started for a length, tells how far it is, and can be stopped', async () => {
    let end: (error?: Error) => void = () => undefined;
    const sweep = vi.fn(() => new Promise<void>((resolve, reject) => (end = error => (error ? reject(error) : resolve()))));
    const interrupt = vi.fn(() => Promise.resolve());
    const { store, update, hook } = shown({ sweep, interrupt });
    const progress = hook<HTMLProgressElement>('sweep-progress');
    expect(progress.hidden).toBe(true);
    hook<HTMLSelectElement>('sweep-length').selectedIndex = 1;
    hook('sweep-button').click();
    hook('sweep-button').click();
    expect(sweep.mock.calls).toEqual([['f#1', 1, [['x', 1], ['w', 0]]]]);
    expect([progress.hidden, progress.hasAttribute('value')]).toEqual([false, false]);
    store.apply([swept(3, { left_out: [] })]);
    update();
    expect([progress.value, progress.max]).toEqual([3, 5]);
    expect(hook('sweep').textContent).toContain('3 of 5 sizes.');
    hook('stop-measuring').click();
    expect(interrupt).toHaveBeenCalledOnce();
    end(new Error('KeyboardInterrupt'));
    await vi.waitFor(() => expect(progress.hidden).toBe(true));
    expect(hook('measuring').textContent).toBe('Not all sizes were measured: KeyboardInterrupt');
  });

  it('is shown as curves, in words, and in numbers', () => {
    const { store, view, update, hook } = shown({});
    expect(hook('sweep').closest('section')!.hidden).toBe(true);
    store.apply([swept(3)]);
    update();
    expect([...hook('sweep-words').querySelectorAll('li')].map(item => item.textContent)).toEqual([
      'eager Python grows as n^1.0',
      'NumPy program does not grow, faster than eager from n ≈ 130 on',
      'native program does not grow, faster than eager at all sizes',
      'copying the arguments'
    ]);
    const rows = [...view.element.querySelectorAll('[data-tracefn=sweep-point]')];
    expect([...rows[0]!.children].map(cell => cell.textContent)).toEqual(['25', '1.00 µs', '5.00 µs', '–', '25 ns']);
    expect(view.element.textContent).toContain('Left out, as a call would take too long or too much memory: 1\u202f600, 6\u202f400.');
    expect(hook('sweep-length').closest<HTMLElement>('.tracefn-sweep-form')!.hidden).toBe(true);
  });

  it('has a line, ranges and dots for each tier, and a mark where lines cross', () => {
    const plot = sweepPlot(swept(3));
    const curve = (tier: string) => plot.querySelector(`.tracefn-curve[data-curve=${tier}]`)!;
    expect(curve('eager').querySelectorAll('circle')).toHaveLength(3);
    expect(curve('native').querySelectorAll('circle')).toHaveLength(2);
    expect(curve('copy').querySelectorAll('circle')).toHaveLength(0);
    expect([...plot.querySelectorAll('.tracefn-crossing')].map(mark => mark.getAttribute('data-curve'))).toEqual(['numpy']);
    const numbers = [...plot.querySelectorAll('path')].flatMap(path => path.getAttribute('d')!.match(/-?[\d.]+/g) ?? []);
    expect(numbers.every(text => Number.isFinite(Number(text)))).toBe(true);
  });
});

describe('logarithmic axes', () => {
  it('have few ticks, at 1, 2 and 5 where there are few decades', () => {
    expect(logAxis([30, 700], 0, 100).ticks).toEqual([50, 100, 200, 500]);
    expect(logAxis([1, 1e6], 0, 100).ticks).toEqual([1, 10, 100, 1e3, 1e4, 1e5, 1e6]);
    expect(logAxis([1, 1e9], 0, 100).ticks.length).toBeLessThan(8);
    const single = logAxis([40], 0, 100);
    expect(single.at(40)).toBeCloseTo(50);
  });

  it('say times with their unit', () => {
    expect([5, 2000, 1e4, 5e6, 1e10].map(tickText)).toEqual(['5 ns', '2 µs', '10 µs', '5 ms', '10 s']);
  });
});
