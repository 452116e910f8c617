import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InspectorPage } from './inspector_page';
import { event, started } from './samples';

describe('the choice in the inspector', () => {
  let page: InspectorPage;

  beforeEach(() => {
    page = new InspectorPage();
  });

  afterEach(() => page.dispose());

  it('lists functions and signatures, and follows the newest until one is chosen', () => {
    page.store.apply([started(1), started(2, 2)]);
    expect(page.selected()).toBe('f#1/2');
    page.all('signature')[0]?.click();
    page.store.apply([started(3, 3)]);
    expect(page.selected()).toBe('f#1/1');
    expect(page.chosen).toEqual([{ functionKey: 'm.f', signatureHash: 'hash-1' }]);
  });

  it('draws the graph of the newest trace now and then while more come, and the last one', () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const built = (seq: number, trace: number) =>
      event(
        'graph.built',
        seq,
        { graph_hash: `graph-${trace}`, nodes_before: 1, nodes_after: 1, passes: [], verdict: '', same_as: null, memory: 0, known_hash: '' } as never,
        { signature: `f#1/${trace}` }
      );
    const asked: string[] = [];
    page.dispose();
    page = new InspectorPage({ requestGraph: hash => asked.push(hash) });
    for (let trace = 1; trace <= 60; trace += 1) {
      page.store.apply([started(2 * trace, trace), built(2 * trace + 1, trace)]);
      vi.advanceTimersByTime(20);
    }
    expect(asked.length).toBeLessThan(6);
    page.inspector.select('f#1/7');
    expect(asked.at(-1)).toBe('graph-7'); // what is chosen is drawn at once
    vi.advanceTimersByTime(4000);
    expect(asked.at(-1)).toBe('graph-7');
    page.inspector.restore(null);
    vi.advanceTimersByTime(4000);
    expect(asked.at(-1)).toBe('graph-60');
    vi.useRealTimers();
  });

  it('restores a selection by its stable name once it is there', () => {
    page.inspector.restore({ functionKey: 'm.f', signatureHash: 'hash-1' });
    page.store.apply([started(1)]);
    page.store.apply([started(2, 2)]);
    expect(page.selected()).toBe('f#1/1');
  });

  it('goes with a function to its next definition, and stays with an old one that was chosen', () => {
    const again = (seq: number, trace: number, id: string) => ({
      ...started(seq, trace),
      function: id,
      signature: `${id}/${trace}`
    });
    page.store.apply([started(1), started(2, 2)]);
    page.all('signature')[1]?.click();
    page.store.apply([again(3, 1, 'f#2')]);
    expect(page.selected()).toBe('f#2/1'); // stands in, where the old graph would pass for the edited function's
    expect(page.all('title-note')[0]?.textContent).toBe('stands in for the chosen signature, which was not traced again yet');
    page.store.apply([again(4, 2, 'f#2')]);
    expect(page.selected()).toBe('f#2/2');
    page.inspector.select('f#1/1');
    page.store.apply([again(5, 1, 'f#3')]);
    expect(page.inspector.selected).toBe('f#1/1');
  });

  it('finds the chosen signature again after a restart', () => {
    page.store.apply([started(1), started(2, 2)]);
    page.all('signature')[0]?.click();
    page.store.reset();
    page.store.apply([started(1), started(2, 2)]);
    expect(page.selected()).toBe('f#1/1');
  });

  it('keeps what was chosen through a restart that traces others first', () => {
    const calls = [started(1, 1, 'a'), started(2, 2, 'a'), started(3, 1, 'b'), started(4, 1, 'c')];
    page.store.apply(calls);
    page.inspector.select('b#1/1');
    page.store.reset();
    for (const call of calls) {
      page.store.apply([call]);
      expect(page.inspector.selected).toBe(call.seq < 3 ? `a#1/${call.seq}` : 'b#1/1');
      expect(page.all('title-note')[0]?.textContent).toBe(
        call.seq < 3 ? 'stands in for b, which was not traced again yet' : ''
      );
    }
    // Another signature that has the number of the chosen one is not the chosen one.
    page.store.reset();
    page.store.apply([{ ...started(1, 1, 'b'), signature_hash: 'other' }]);
    page.store.apply([{ ...started(2, 2, 'b'), signature_hash: 'hash-1' }]);
    expect(page.inspector.selected).toBe('b#1/2');
  });

  it('names what is shown above each view, and follows the newest again when asked', () => {
    page.store.apply([
      started(1, 1, 'a'),
      event('plan.ready', 2, { plan: 'numpy', device: 'cpu', source: '', duration_ns: 1, size: 0 }, { signature: 'a#1/1' }),
      event('trace.finished', 3, { ok: true, total_ns: 1, phases: {} }, { signature: 'a#1/1' }),
      started(4, 1, 'b')
    ]);
    expect(page.all('follow')[0]?.getAttribute('aria-pressed')).toBe('true');
    page.all('function')[0]?.click();
    expect(page.inspector.selected).toBe('a#1/1');
    expect(page.all('follow')[0]?.getAttribute('aria-pressed')).toBe('false');
    for (const tab of ['graph', 'size', 'timing', 'source'] as const) {
      page.inspector.showTab(tab);
      expect(page.all('title')[0]?.textContent).toContain('a #1float32[1]NumPy');
    }
    page.inspector.showTab('retraces');
    expect(page.all('title-name')[0]?.textContent).toBe('All functions');
    page.all('follow')[0]?.click();
    expect(page.inspector.selected).toBe('b#1/1');
    expect(page.chosen).toEqual([{ functionKey: 'm.a', signatureHash: 'hash-1' }, null]);
    page.all('follow')[0]?.click();
    page.store.apply([started(5, 2, 'b')]);
    expect(page.inspector.selected).toBe('b#1/1');
    expect(page.all('signature').map(row => [row.dataset.signature, row.textContent?.includes('newest')])).toEqual([
      ['a#1/1', false],
      ['b#1/1', false],
      ['b#1/2', false] // still tracing
    ]);
  });

  it('closes a function by its sign alone', () => {
    page.store.apply([started(1), started(2, 2)]);
    page.all('toggle-function')[0]?.click();
    expect(page.all('signature')).toEqual([]);
    expect(page.chosen).toEqual([]);
    page.all('function')[0]?.click();
    expect(page.all('signature')).toHaveLength(2);
    expect(page.selected()).toBe('f#1/2');
  });

  it('moves through the tree of functions with the arrow keys', () => {
    page.store.apply([started(1), started(2, 2)]);
    const [head] = page.all('function');
    head?.focus();
    const press = (key: string): void => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    };
    press('ArrowDown');
    press('ArrowDown');
    expect(document.activeElement).toBe(page.all('signature')[1]);
    press('ArrowUp');
    press('Enter');
    expect(page.selected()).toBe('f#1/1');
    press('ArrowLeft');
    press('Enter');
    expect(page.selected()).toBe('f#1/2');
    press('ArrowLeft');
    expect(head?.getAttribute('aria-expanded')).toBe('false');
    expect(page.all('signature')).toEqual([]);
  });
});
