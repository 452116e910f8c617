import { describe, expect, it, vi } from 'vitest';
import { LayoutEngine } from '../src/layout';
import { Store } from '../src/store';
import { Host } from '../src/views/common/host';
import { SourceView } from '../src/views/source';
import { TimingView } from '../src/views/timing/view';
import { event, graphOf, node, profiled, started } from './samples';

function signature(store: Store, trace: number) {
  return store.state.signatures.get(`f#1/${trace}`)!;
}

function traced(): Store {
  const store = new Store();
  store.apply([started(1), started(2, 2)]);
  return store;
}

function hook(view: { element: HTMLElement }, name: string): HTMLButtonElement {
  return view.element.querySelector(`[data-tracefn="${name}"]`)!;
}

describe('a profile', () => {
  it('shows shares, the peak of memory, and the slowest steps with links', () => {
    const shown = vi.fn();
    const profile = vi.fn(() => Promise.resolve());
    const view = new TimingView({ profile } as unknown as Host, shown);
    const store = traced();
    view.update(signature(store, 1));
    expect(hook(view, 'measure').hidden).toBe(true);
    hook(view, 'profile-button').click();
    expect(profile.mock.calls).toEqual([['f#1', 1]]);
    store.apply([profiled(3)]);
    view.update(signature(store, 1));
    const rows = [...view.element.querySelectorAll('[data-tracefn=profile-step]')];
    expect(rows.map(row => [...row.children].map(cell => cell.textContent))).toEqual([
      ['6.00 µs', '60 %', 'v0 = x @ w1.00 kB in usepeak'],
      ['3.50 µs', '35 %', 'kernel: tanh, add1.00 kB in use'],
      ['50 ns', '0.5 %', 'v1 = np.sort(v0)×31.00 kB in use']
    ]);
    expect(hook(view, 'shares').textContent).toBe('BLAS and LAPACK 60 %native kernels 35 %Python 5 %');
    expect(hook(view, 'peak').textContent).toBe('Memory in use, at most: 2.00 MB, in v0 = x @ w');
    rows[1]!.querySelector('button')!.click();
    expect(shown.mock.calls).toEqual([['v2']]);
    const nodes = [node('v0', [], { op: 'matmul', scope: 'block' }), node('v1', ['v0']), node('v2', ['v1']), node('v3', ['v2'], { op: 'tanh', scope: 'block' })];
    view.update(signature(store, 1), { ...graphOf(nodes), sites: { block: { file: 'f.py', line: 9, cell: null, cell_number: null } } });
    const sums = (by: string) => {
      hook(view, `profile-by-${by}`).click();
      return [...view.element.querySelectorAll('[data-tracefn=profile-sum]')].map(row => [...row.children].map(cell => cell.textContent).join(' '));
    };
    expect(sums('op')).toEqual(['6.00 µs 60 % matmul 1 node', '1.80 µs 18 % add 2 nodes', '1.75 µs 18 % tanh 1 node']);
    expect(sums('function')).toEqual(['7.75 µs 78 % block 2 nodes', '1.80 µs 18 % f 2 nodes']);
    expect(hook(view, 'profile-by-function').getAttribute('aria-pressed')).toBe('true');
  });

  it('shows ten steps of many', () => {
    const store = traced();
    const steps = Array.from({ length: 30 }, (_, i) => ({ ...profiled(3).steps[0]!, ns: i }));
    store.apply([profiled(3, { steps, steps_count: 900 })]);
    const view = new TimingView({} as Host);
    view.update(signature(store, 1));
    expect(view.element.querySelectorAll('[data-tracefn=profile-step]')).toHaveLength(10);
    expect(view.element.textContent).toContain('The 10 slowest of 900 steps.');
    expect(view.element.querySelector('[data-tracefn=show-node]')).toBeNull();
  });
});

describe('a trace that failed', () => {
  it('has nothing to time, and says where to look', () => {
    const view = new TimingView({} as Host);
    view.update({ ...signature(traced(), 1), status: 'failed' });
    expect(hook(view, 'empty').textContent).toBe('Nothing to timeThe trace failed: Graph and Notices show where.');
  });
});

describe('the Measure button', () => {
  it('has the kernel measure the trace that is shown, and can be stopped', async () => {
    let end: (error?: Error) => void = () => undefined;
    const measure = vi.fn(
      () =>
        new Promise<void>((resolve, reject) => {
          end = error => (error ? reject(error) : resolve());
        })
    );
    const interrupt = vi.fn(() => Promise.resolve());
    const view = new TimingView({ measure, interrupt } as unknown as Host);
    const store = traced();
    view.update(signature(store, 2));
    expect(hook(view, 'stop-measuring').hidden).toBe(true);
    hook(view, 'measure').click();
    hook(view, 'measure').click();
    expect(measure.mock.calls).toEqual([['f#1', 2]]);
    expect(hook(view, 'measure').disabled).toBe(true);
    expect(hook(view, 'measuring').textContent).toContain('Measuring');
    expect(hook(view, 'measuring-bar').hidden).toBe(false);
    hook(view, 'stop-measuring').click();
    expect(interrupt).toHaveBeenCalledOnce();
    view.update(signature(store, 1));
    expect(hook(view, 'measuring').textContent).toBe('Another signature is being measured.');
    end(new Error('KeyboardInterrupt'));
    await vi.waitFor(() => expect(hook(view, 'measure').disabled).toBe(false));
    expect(hook(view, 'measuring').textContent).toBe('It was not measured: KeyboardInterrupt');
    expect(hook(view, 'measuring-bar').hidden).toBe(true);
    const first = signature(store, 1);
    view.update({ ...first, startedNs: first.startedNs + 1 }); // the kernel has restarted
    expect(hook(view, 'measuring').textContent).toBe('');
  });

  it('names the program that was timed, the one before it, and what was made up', () => {
    const store = traced();
    store.apply([
      event('timing.measured', 3, {
        eager_ns: [9e4, 1e5, 11e4],
        graph_ns: [900, 1000, 1100],
        tier: 'native program',
        before_native_ns: [4e4, 5e4, 6e4],
        made: ['x'],
        phases: { trace: 1e6 },
        speedup: 100,
        differs: true,
        break_even: 3,
        break_even_before_native: 19
      })
    ]);
    const view = new TimingView({ measure: () => Promise.resolve() } as unknown as Host);
    view.update(signature(store, 1));
    const text = view.element.textContent ?? '';
    expect([...view.element.querySelectorAll('dt')].map(each => each.textContent)).toEqual(['eager', 'NumPy program', 'native program', 'trace']);
    expect(text).toContain('With made-up values for x');
    expect(text).toContain('With the NumPy program alone, tracing pays for itself after 19 calls');
    const dots = [...view.element.querySelectorAll<HTMLElement>('.tracefn-bar-dot')].map(dot => parseFloat(dot.style.left));
    expect(dots).toHaveLength(9); // the quartiles of each
    expect(dots[2]).toBe(100);
    expect(hook(view, 'measure').textContent).toBe('Measure again');
  });

  it('is not there where nothing can measure', () => {
    const view = new TimingView({} as Host);
    view.update(signature(traced(), 1));
    expect(view.element.querySelector<HTMLElement>('.tracefn-measure')!.hidden).toBe(true);
  });

  it('has no program, and none to come', () => {
    const view = new SourceView({ createEngine: () => ({}) as LayoutEngine });
    const tracing = { ...signature(traced(), 1), plans: [], status: 'tracing' as const };
    view.update(tracing, null);
    expect(hook(view, 'empty').textContent).toMatch(/^No program yet/);
    view.update(Object.assign(tracing, { status: 'failed' }), null);
    expect(hook(view, 'empty').textContent).toBe('No programThe trace failed: Graph and Notices show where.');
  });
});
