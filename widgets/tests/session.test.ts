import { beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeTimeline, Span } from '../src/protocol';
import { emptyState } from '../src/store';
import { Host } from '../src/views/common/host';
import { inRange, matches, panned, titleOf, totalsOf, tracksOf, wholeRange, zoomed } from '../src/views/session/spans';
import { SessionView } from '../src/views/session/view';

function raw(track: string, kind: string, start: number, length: number, more: object = {}) {
  return { track, level: 0, name: kind, kind, start_ns: start, length_ns: length, ns: length, signature: '', details: {}, ...more };
}

const ANSWER = [
  raw('f#1', 'trace', 1200, 400, { name: 'f #1', signature: 'f#1/1', details: { cause: 'x: <b> changed', calls: 3 } }),
  raw('native code', 'compile', 1900, 300, { name: 'f #1', signature: 'f#1/1' }),
  raw('cells', 'cell', 1000, 1000, { name: 'cell [1]' }),
  raw('cells', 'calls', 1000, 1000, { name: '40 calls', level: 1, ns: 100 }),
  raw('f#1', 'tracing', 1300, 100, { level: 1, signature: 'f#1/1' })
];
const SPANS = decodeTimeline(ANSWER) as Span[];

describe('spans', () => {
  it('lie on tracks, cells first and native code last', () => {
    expect(tracksOf(SPANS).map(({ name, levels, spans }) => [name, levels, spans.length])).toEqual([
      ['cells', 2, 2],
      ['f#1', 2, 2],
      ['native code', 1, 1]
    ]);
    expect(tracksOf(SPANS).map(titleOf)).toEqual(['cells', 'f', 'native code']);
    expect(wholeRange(SPANS)).toEqual({ from: 1000, to: 2200 });
    expect(decodeTimeline([{ track: 1 }])).toBeNull();
  });

  it('count with the part that lies in a range', () => {
    const range = { from: 1500, to: 2000 };
    expect(totalsOf(inRange(SPANS, range), range)).toEqual([
      ['cell', 500, 1],
      ['trace', 100, 1],
      ['compile', 100, 1],
      ['calls', 50, 1]
    ]);
  });

  it('are found by name, kind, track and cause', () => {
    const found = (query: string) => SPANS.filter(span => matches(span, query)).map(({ kind }) => kind);
    expect(found('CHANGED')).toEqual(['trace']);
    expect(found('native')).toEqual(['compile']);
    expect(found('f#1')).toEqual(['trace', 'tracing']);
    expect(found(' ')).toHaveLength(5);
  });
});

describe('a range', () => {
  const whole = { from: 0, to: 1000 };
  it('is zoomed around a place, and stays within all the time', () => {
    expect(zoomed(whole, 2, 250, whole)).toEqual({ from: 125, to: 625 });
    expect(zoomed({ from: 0, to: 500 }, 0.1, 0, whole)).toEqual(whole);
    expect(zoomed({ from: 0, to: 200 }, 100, 0, whole)).toEqual({ from: 0, to: 100 });
    expect(panned({ from: 100, to: 200 }, 0.5, whole)).toEqual({ from: 150, to: 250 });
    expect(panned({ from: 800, to: 1000 }, 3, whole)).toEqual({ from: 800, to: 1000 });
  });
});

describe('the session', () => {
  beforeEach(() => {
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe = (): void => undefined;
        disconnect = (): void => undefined;
      }
    );
  });

  function shown(ask: Host['ask']) {
    const choose = vi.fn();
    const view = new SessionView({ ask } as unknown as Host, choose);
    const all = (name: string) => [...view.element.querySelectorAll<HTMLElement>(`[data-tracefn="${name}"]`)];
    const text = (name: string) => all(name)[0]?.textContent;
    return { view, choose, all, text };
  }

  it('asks the kernel, sums up what is in sight, and lists the longest', async () => {
    const ask = vi.fn(() => Promise.resolve(ANSWER));
    const { view, choose, all, text } = shown(ask);
    expect(view.element.textContent).toContain('No timeline yet');
    view.update({ ...emptyState(), last: 4 });
    view.update({ ...emptyState(), last: 4 });
    await vi.waitFor(() => expect(text('session-sums')).toContain('In sight: 1.20 µs'));
    expect(ask.mock.calls).toEqual([['timeline', {}]]);
    expect(text('session-sums')).toContain('cells 1.00 µs');
    expect(all('session-span').map(row => row.children[0]!.textContent)).toEqual(['1.00 µs', '400 ns', '300 ns', '100 ns', '100 ns']);
    expect(text('session-list')).toContain('x: <b> changed');
    expect(view.element.querySelector('b')).toBeNull();
    const [, trace] = all('session-span');
    const [reveal, select] = [...trace!.querySelectorAll('button')];
    select!.click();
    expect(choose.mock.calls).toEqual([['f#1/1']]);
    reveal!.click();
    expect(text('session-sums')).toContain('Selected: 400 ns');
    expect(text('session-sums')).toContain('traces 400 ns');
    document.body.append(view.element);
    const name = (): string => document.activeElement?.textContent ?? '';
    const links = (): HTMLElement[] => [...view.element.querySelectorAll<HTMLElement>('[data-key]')];
    const tracing = links().find(link => link.textContent === 'tracing')!;
    tracing.focus();
    tracing.click();
    expect([name(), document.activeElement === tracing]).toEqual(['tracing', false]); // a row that was drawn again
    view.reset();
    expect(view.element.textContent).toContain('No timeline yet');
    view.dispose();
  });

  it('searches, and moves with the keys', async () => {
    const { view, all, text } = shown(() => Promise.resolve(ANSWER));
    view.update({ ...emptyState(), last: 4 });
    await vi.waitFor(() => expect(all('session-span')).toHaveLength(5));
    const search = all('session-search')[0] as HTMLInputElement;
    search.value = 'compile';
    search.dispatchEvent(new Event('input'));
    expect(all('session-span')).toHaveLength(0);
    search.value = 'native';
    search.dispatchEvent(new Event('input'));
    expect(all('session-span')).toHaveLength(1);
    const press = (key: string) => all('bands')[0]!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    press('+');
    expect(text('session-sums')).toContain('In sight: 800 ns');
    press('0');
    expect(text('session-sums')).toContain('In sight: 1.20 µs');
    view.dispose();
  });

  it('saves what Perfetto reads', async () => {
    const ask = vi.fn((query: string) => Promise.resolve(query === 'timeline' ? ANSWER : { traceEvents: [] }));
    const { view, all } = shown(ask);
    view.update({ ...emptyState(), last: 1 });
    await vi.waitFor(() => expect(all('session-span')).toHaveLength(5));
    const made = vi.fn<(blob: Blob) => string>(() => 'blob:x');
    vi.stubGlobal('URL', { createObjectURL: made, revokeObjectURL: () => undefined });
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
    all('perfetto')[0]!.click();
    await vi.waitFor(() => expect(view.element.textContent).toContain('Saved as tracefn.json'));
    expect(made.mock.calls[0]![0].size).toBe('{"traceEvents":[]}'.length);
    expect(clicked).toHaveBeenCalledOnce();
    clicked.mockRestore();
    vi.unstubAllGlobals();
    view.dispose();
  });
});
