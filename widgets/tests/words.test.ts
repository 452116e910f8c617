import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Inspector } from '../src/inspector';
import { LayoutEngine, LayoutWorker } from '../src/layout';
import { Store } from '../src/store';
import { counted } from '../src/format';
import { later, speak, t, translated } from '../src/words';
import { event, profiled, started } from './samples';

const silent: LayoutWorker = { onmessage: null, onerror: null, postMessage: () => undefined, terminate: () => undefined };

/** The texts that translators would see, each in brackets, with its values. */
const bracketed = {
  __: (text: string, ...values: unknown[]): string => `⟦${text.replace(/%(%|\d+)/g, (_, place) => (place === '%' ? '%' : `⟧${String(values[Number(place) - 1])}⟦`))}⟧`,
  _n: (one: string, several: string, count: number, ...values: unknown[]): string => bracketed.__(count === 1 ? one : several, count, ...values)
};

/** The texts of a view that no translator has seen, those for screen readers included. */
function untranslated(element: HTMLElement): string[] {
  const read = ['title', 'aria-label', 'placeholder', 'aria-roledescription'];
  const texts = [...element.querySelectorAll('*')].flatMap(each => [
    ...read.map(name => each.getAttribute(name) ?? ''),
    ...[...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE && !each.closest('code, pre')).map(node => node.textContent ?? '')
  ]);
  return texts.map(text => text.replace(/⟦[^⟧]*⟧/g, ' ').replace(KERNELS, '')).filter(text => /[a-z]{2,}/i.test(text));
}

/** Texts of the kernel, names, types and units. */
const KERNELS = /\b(SVG|PNG|DOT|CSV|ns|µs|ms|[kM]?B|float32|native program|numpy|NumPy|cpu|m\.f|x: shape|np\.sort|v\d|kernel: .*)\b|µs/g;

describe('the language of the views', () => {
  beforeEach(() => speak(bracketed));
  afterEach(() => speak());

  it('puts values into translated texts', () => {
    const name = 'f';
    expect(t`${name} runs on ${2} lines`).toBe('⟦⟧f⟦ runs on ⟧2⟦ lines⟧');
    expect(translated(later`kind of op`)).toBe('⟦kind of op⟧');
    expect([counted(1, 'trace'), counted(2000, 'trace')]).toEqual(['⟦⟧1⟦ trace⟧', '⟦⟧2\u202f000⟦ traces⟧']);
    speak();
    expect([t`${name} at 100 %, %%tracefn`, counted(1, 'trace'), counted(2, 'trace')]).toEqual(['f at 100 %, %%tracefn', '1 trace', '2 traces']);
  });

  it('is that of every tab', () => {
    vi.stubGlobal('ResizeObserver', class {
      observe(): void {}
      disconnect(): void {}
    });
    const store = new Store();
    const host = {
      createEngine: () => new LayoutEngine(() => silent),
      measure: () => Promise.resolve(),
      profile: () => Promise.resolve(),
      sweep: () => Promise.resolve(),
      report: () => Promise.resolve(''),
      popOut: () => undefined,
      popOutRetraces: () => undefined
    };
    const inspector = new Inspector({ host });
    const cause = { path: 'x', kind: 'dimension', old: '2', new: '4', text: 'x: shape', dimension: 0 };
    store.apply([
      started(1),
      started(2, 2),
      event('retrace.explained', 3, { trace: 2, nearest: 1, nearest_signature: 'f#1/1', causes: [cause], text: 'x: shape' }, { signature: 'f#1/2' }),
      event('trace.finished', 4, { ok: true, total_ns: 1e6, phases: { trace: 1e5, passes: 1e5 } }, { signature: 'f#1/2' }),
      event('plan.ready', 5, { plan: 'numpy', device: 'cpu', source: 'return x', duration_ns: 1, size: 0 }, { signature: 'f#1/2' }),
      { ...profiled(6), signature: 'f#1/2' }
    ]);
    inspector.update(store.state);
    const left = new Map<string, string[]>();
    for (const tab of ['graph', 'retraces', 'size', 'timing', 'session', 'source', 'notices'] as const) {
      inspector.showTab(tab);
      left.set(tab, untranslated(inspector.element));
    }
    inspector.dispose();
    vi.unstubAllGlobals();
    expect([...new Set([...left.values()].flat())]).toEqual([]);
  });
});
