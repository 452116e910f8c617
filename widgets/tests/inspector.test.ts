import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Inspector } from '../src/inspector';
import { LayoutEngine, LayoutWorker } from '../src/layout';
import { Location } from '../src/protocol';
import { SignatureName, Store } from '../src/store';
import { highlight } from '../src/views/common/python';
import { event, graphOf, node, started } from './samples';

const HOSTILE = '<img src=x onerror="window.stolen = true">';

/** A worker that never answers. */
const silent: LayoutWorker = { onmessage: null, onerror: null, postMessage: () => undefined, terminate: () => undefined };

describe('Inspector', () => {
  let inspector: Inspector;
  let store: Store;
  let jump: ReturnType<typeof vi.fn<(place: Location) => void>>;
  let chosen: (SignatureName | null)[];
  const all = (hook: string): HTMLElement[] => [
    ...inspector.element.querySelectorAll<HTMLElement>(`[data-tracefn="${hook}"]`)
  ];
  const selected = (): string | null | undefined =>
    inspector.element.querySelector('.tracefn-signature[aria-selected=true]')?.getAttribute('data-signature');

  beforeEach(() => {
    vi.stubGlobal('ResizeObserver', class {
      observe(): void {}
      disconnect(): void {}
    });
    store = new Store();
    jump = vi.fn();
    chosen = [];
    inspector = new Inspector({
      host: { createEngine: () => new LayoutEngine(() => silent), jump, numbers: () => store.state.numbers },
      onSelect: name => chosen.push(name)
    });
    document.body.append(inspector.element);
    store.subscribe(state => inspector.update(state));
  });

  afterEach(() => {
    inspector.dispose();
    vi.unstubAllGlobals();
  });

  function retrace(seq: number, trace: number, text = 'x: shape (2, 3) → (4, 3) at dimension 0'): void {
    const cause = { path: 'x', kind: 'dimension', old: '2', new: '4', text, dimension: 0 };
    const fields = { trace, nearest: 1, nearest_signature: 'f#1/1', causes: [cause], text: `${text}; nearest earlier trace #1` };
    store.apply([
      started(seq, trace),
      {
        ...event('retrace.explained', seq + 1, fields, { signature: `f#1/${trace}` }),
        location: { file: 'c', line: 5, cell: 'cell-id', cell_number: 7 }
      }
    ]);
  }

  it('names cells in links by their numbers now, where they ran again as they were', () => {
    store.apply([{ ...started(1), defined: { file: 'c', line: 3, cell: 'cell-id', cell_number: 7 } }]);
    expect(all('jump').map(link => link.textContent)).toContain('cell [7] line 3');
    store.apply([event('cell.started', 2, { cell: 'cell-id', number: 9, file: 'c' }, { function: null, signature: null })]);
    expect(all('jump')[0]).toMatchObject({ textContent: 'cell [9] line 3', title: 'Jump to cell [9] line 3 (J)' });
    store.apply([event('cell.started', 3, { cell: 'cell-id', number: 10, file: 'edited' }, { function: null, signature: null })]);
    expect(all('jump')[0]?.textContent).toBe('cell [9] line 3');
  });

  it('says what to do before the first trace', () => {
    inspector.update(store.state);
    expect(all('message')[0]?.textContent).toContain('No traced function yet');
  });

  it('lists functions and signatures, and follows the newest until one is chosen', () => {
    store.apply([started(1), started(2, 2)]);
    expect(selected()).toBe('f#1/2');
    all('signature')[0]?.click();
    store.apply([started(3, 3)]);
    expect(selected()).toBe('f#1/1');
    expect(chosen).toEqual([{ functionKey: 'm.f', signatureHash: 'hash-1' }]);
  });

  it('keeps the rows, and with them focus and clicks, while events stream in', () => {
    store.apply([started(1)]);
    const [row] = all('signature');
    store.apply([started(2, 2), event('calls', 3, { count: 4, timed: 0, timed_ns: 0 })]);
    expect(all('signature')[0]).toBe(row);
    expect(row?.textContent).toContain('4×');
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
    inspector.dispose();
    inspector = new Inspector({
      host: { createEngine: () => new LayoutEngine(() => silent), requestGraph: hash => asked.push(hash) }
    });
    document.body.append(inspector.element);
    for (let trace = 1; trace <= 60; trace += 1) {
      store.apply([started(2 * trace, trace), built(2 * trace + 1, trace)]);
      vi.advanceTimersByTime(20);
    }
    expect(asked.length).toBeLessThan(6);
    inspector.select('f#1/7');
    expect(asked.at(-1)).toBe('graph-7'); // what is chosen is drawn at once
    vi.advanceTimersByTime(4000);
    expect(asked.at(-1)).toBe('graph-7');
    inspector.restore(null);
    vi.advanceTimersByTime(4000);
    expect(asked.at(-1)).toBe('graph-60');
    vi.useRealTimers();
  });

  it('restores a selection by its stable name once it is there', () => {
    inspector.restore({ functionKey: 'm.f', signatureHash: 'hash-1' });
    store.apply([started(1)]);
    store.apply([started(2, 2)]);
    expect(selected()).toBe('f#1/1');
  });

  it('goes with a function to its next definition, and stays with an old one that was chosen', () => {
    const again = (seq: number, trace: number, id: string) => ({
      ...started(seq, trace),
      function: id,
      signature: `${id}/${trace}`
    });
    store.apply([started(1), started(2, 2)]);
    all('signature')[1]?.click();
    store.apply([again(3, 1, 'f#2')]);
    expect(selected()).toBe('f#2/1'); // stands in, where the old graph would pass for the edited function's
    expect(all('title-note')[0]?.textContent).toBe('stands in for the chosen signature, which was not traced again yet');
    store.apply([again(4, 2, 'f#2')]);
    expect(selected()).toBe('f#2/2');
    inspector.select('f#1/1');
    store.apply([again(5, 1, 'f#3')]);
    expect(inspector.selected).toBe('f#1/1');
  });

  it('finds the chosen signature again after a restart', () => {
    store.apply([started(1), started(2, 2)]);
    all('signature')[0]?.click();
    store.reset();
    store.apply([started(1), started(2, 2)]);
    expect(selected()).toBe('f#1/1');
  });

  it('keeps what was chosen through a restart that traces others first', () => {
    const calls = [started(1, 1, 'a'), started(2, 2, 'a'), started(3, 1, 'b'), started(4, 1, 'c')];
    store.apply(calls);
    inspector.select('b#1/1');
    store.reset();
    for (const call of calls) {
      store.apply([call]);
      expect(inspector.selected).toBe(call.seq < 3 ? `a#1/${call.seq}` : 'b#1/1');
      expect(all('title-note')[0]?.textContent).toBe(
        call.seq < 3 ? 'stands in for b, which was not traced again yet' : ''
      );
    }
    // Another signature that has the number of the chosen one is not the chosen one.
    store.reset();
    store.apply([{ ...started(1, 1, 'b'), signature_hash: 'other' }]);
    store.apply([{ ...started(2, 2, 'b'), signature_hash: 'hash-1' }]);
    expect(inspector.selected).toBe('b#1/2');
  });

  it('names what is shown above each view, and follows the newest again when asked', () => {
    store.apply([
      started(1, 1, 'a'),
      event('plan.ready', 2, { plan: 'numpy', device: 'cpu', source: '', duration_ns: 1, size: 0 }, { signature: 'a#1/1' }),
      event('trace.finished', 3, { ok: true, total_ns: 1, phases: {} }, { signature: 'a#1/1' }),
      started(4, 1, 'b')
    ]);
    expect(all('follow')[0]?.getAttribute('aria-pressed')).toBe('true');
    all('function')[0]?.click();
    expect(inspector.selected).toBe('a#1/1');
    expect(all('follow')[0]?.getAttribute('aria-pressed')).toBe('false');
    for (const tab of ['graph', 'size', 'timing', 'source'] as const) {
      inspector.showTab(tab);
      expect(all('title')[0]?.textContent).toContain('a #1float32[1]NumPy');
    }
    inspector.showTab('retraces');
    expect(all('title-name')[0]?.textContent).toBe('All functions');
    all('follow')[0]?.click();
    expect(inspector.selected).toBe('b#1/1');
    expect(chosen).toEqual([{ functionKey: 'm.a', signatureHash: 'hash-1' }, null]);
    all('follow')[0]?.click();
    store.apply([started(5, 2, 'b')]);
    expect(inspector.selected).toBe('b#1/1');
    expect(all('signature').map(row => [row.dataset.signature, row.textContent?.includes('newest')])).toEqual([
      ['a#1/1', false],
      ['b#1/1', false],
      ['b#1/2', false] // still tracing
    ]);
  });

  it('has one stop for the Tab key in each list, and keys for what is in the rows', () => {
    const built = (trace: number) => ({ graph_hash: `g${trace}`, nodes_before: 2, nodes_after: 1, passes: [], verdict: '', same_as: null, memory: 0 });
    const defined = { file: 'c', line: 3, cell: 'cell-id', cell_number: 7 };
    store.apply([
      { ...started(1), defined },
      event('graph.built', 2, built(1)),
      { ...started(3, 1, 'g'), defined },
      { ...started(4, 2), defined },
      event('graph.built', 5, built(2), { signature: 'f#1/2' })
    ]);
    const stops = (place: HTMLElement | undefined): Element[] =>
      [...(place?.querySelectorAll('button, [tabindex]') ?? [])].filter(item => item.getAttribute('tabindex') !== '-1' && item.closest('[hidden]') === null);
    store.addGraph({ ...graphOf([node('x')]), hash: 'g2' });
    inspector.focus();
    expect(document.activeElement).toBe(all('function')[0]);
    expect(stops(all('functions')[0])).toHaveLength(1);
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    expect(jump).toHaveBeenCalledWith(defined);
    expect(stops(inspector.element.querySelector<HTMLElement>('.tracefn-toolbar') ?? undefined)).toHaveLength(1);
    inspector.showTab('size');
    all('size-row').find(row => row.tabIndex === 0)?.focus();
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    expect(inspector.selected).toBe('f#1/1');
    expect(document.activeElement).toBe(all('size-row')[1]);
  });

  it('filters and orders functions, and marks what was needless', () => {
    const about = (name: string, trace: number) => ({ function: `${name}#1`, signature: `${name}#1/${trace}` });
    const cause = { path: 'x', kind: 'value', old: '', new: '', text: 'x', dimension: null };
    const built = { graph_hash: 'g', nodes_before: 2, nodes_after: 1, passes: [], verdict: 'numbers', same_as: 1, memory: 0 };
    store.apply([
      started(1, 1, 'alpha'),
      event('trace.finished', 2, { ok: true, total_ns: 9e6, phases: {} }, about('alpha', 1)),
      started(3, 1, 'beta'),
      started(4, 2, 'beta'),
      event('retrace.explained', 5, { trace: 2, nearest: 1, nearest_signature: '', causes: [cause], text: 'x' }, about('beta', 2)),
      event('graph.built', 6, built, about('beta', 2)),
      event('plan.ready', 7, { plan: 'native', device: 'cpu', source: '', duration_ns: 1, size: 1 }, about('beta', 2)),
      event('trace.finished', 8, { ok: true, total_ns: 2e6, phases: {} }, about('beta', 2)),
      event('calls', 9, { count: 50, timed: 0, timed_ns: 0 }, about('beta', 2))
    ]);
    const names = (): (string | undefined)[] => all('function').map(head => head.dataset.function);
    const order = all('order-functions')[0] as HTMLSelectElement;
    const sort = (value: string): void => {
      order.value = value;
      order.dispatchEvent(new Event('change'));
    };
    expect(names()).toEqual(['m.alpha', 'm.beta']);
    sort('retraces');
    expect(names()).toEqual(['m.beta', 'm.alpha']);
    sort('cost');
    expect(names()).toEqual(['m.alpha', 'm.beta']);
    sort('calls');
    expect(names()).toEqual(['m.beta', 'm.alpha']);
    expect(all('needless').map(badge => [badge.hidden, badge.textContent])).toEqual([[false, '1 needless'], [true, '0 needless']]);
    expect(all('needless')[0]?.title).toBe('1 trace that one graph could have served: 2.00 ms');
    expect(all('summary')[0]?.textContent).toContain('1 retrace, 1 needless');
    const row = all('signature').find(item => item.dataset.signature === 'beta#1/2');
    expect(row?.textContent).toContain('newest');
    const marks = [...(row?.querySelectorAll<HTMLElement>('[role=img]') ?? [])].filter(mark => !mark.hidden);
    expect(marks.map(mark => mark.getAttribute('aria-label'))).toEqual(['runs as native code', 'needless: one graph could have served']);
    const filter = all('filter-functions')[0] as HTMLInputElement;
    filter.value = 'ALP';
    filter.dispatchEvent(new Event('input'));
    expect(names()).toEqual(['m.alpha']);
    const search = all('search')[0] as HTMLInputElement;
    search.value = 'tanh';
    inspector.reset(); // another notebook comes to the front
    expect(names()).toEqual(['m.alpha', 'm.beta']);
    expect(search.value).toBe('');
    all('fold-functions')[0]?.click();
    expect(all('signature')).toEqual([]);
    all('fold-functions')[0]?.click();
    expect(all('signature')).toHaveLength(3);
  });

  it('closes a function by its sign alone', () => {
    store.apply([started(1), started(2, 2)]);
    all('toggle-function')[0]?.click();
    expect(all('signature')).toEqual([]);
    expect(chosen).toEqual([]);
    all('function')[0]?.click();
    expect(all('signature')).toHaveLength(2);
    expect(selected()).toBe('f#1/2');
  });

  it('tells each retrace in words, newest first, with a link to its line', () => {
    store.apply([started(1)]);
    retrace(2, 2);
    retrace(4, 3, 'scale: 1 → 2');
    inspector.showTab('retraces');
    const rows = all('retrace');
    expect(rows[0]?.textContent).toContain('scale: 1 → 2; nearest earlier trace #1');
    expect(rows[1]?.textContent).toContain(
      'x: shape (2, 3) → (4, 3) at dimension 0; nearest earlier trace #1'
    );
    rows[1]?.querySelector<HTMLElement>('[data-tracefn=jump]')?.click();
    expect(jump).toHaveBeenCalledWith(expect.objectContaining({ cell: 'cell-id', line: 5 }));
    expect(selected()).toBe('f#1/3');
    rows[1]?.click();
    expect(selected()).toBe('f#1/2');
  });

  it('says why there is no native program', () => {
    store.apply([
      started(1, 1, 'f', 'x'),
      event('plan.ready', 2, { plan: 'numpy', device: 'cpu', source: 'return x', duration_ns: 1, size: 0 }),
      event('plan.kept', 3, { plan: 'numpy', reason: 'no part of the graph is worth a kernel', duration_ns: 1 })
    ]);
    inspector.select('f#1/1');
    inspector.showTab('source');
    expect(all('plan-kept')[0]?.textContent).toBe('No native program: no part of the graph is worth a kernel.');
  });

  it('says of each notice which function it is about, and what to do', () => {
    store.apply([
      started(1),
      event('autograph.fallback', 2, { construct: '`for` loop', cause: 'its items are Python values', ran_instead: 'its body 99 times' }),
      event('side_effect', 3, { kind: 'print', text: 'print', alternative: 'tracefn.print' }),
      started(4, 2)
    ]);
    inspector.showTab('notices');
    expect(all('about').map(item => item.textContent)).toEqual(['f #1', 'f #1']);
    expect(all('remedy').map(item => item.textContent)).toEqual(['tracefn.print', expect.stringContaining('loop over an array')]);
    all('about')[0]?.click();
    expect(inspector.selected).toBe('f#1/1');
  });

  it('shows what users wrote as text, wherever it stands', () => {
    const start = started(1, 1, 'f', HOSTILE);
    store.apply([
      {
        ...start,
        function_name: HOSTILE,
        signature_text: HOSTILE,
        location: { file: HOSTILE, line: 1, cell: null, cell_number: null }
      },
      event('side_effect', 2, { kind: HOSTILE, text: HOSTILE, alternative: HOSTILE }),
      event('error', 3, { error: HOSTILE, message: HOSTILE, phase: HOSTILE }),
      event('plan.ready', 4, { plan: HOSTILE, device: HOSTILE, source: HOSTILE, duration_ns: 1, size: 0 }),
      event('plan.kept', 5, { plan: HOSTILE, reason: HOSTILE, duration_ns: 1 }),
      event('graph.built', 6, {
        graph_hash: 'g',
        nodes_before: 1,
        nodes_after: 1,
        passes: [{ name: HOSTILE, before: 1, after: 1, duration_ns: 1 }],
        verdict: HOSTILE,
        same_as: 1,
        memory: 0
      })
    ]);
    retrace(7, 2, HOSTILE);
    store.addGraph({ ...graphOf([node('x', [], { op: HOSTILE, call: HOSTILE, scope: HOSTILE })]), hash: 'g' });
    inspector.select('f#1/1');
    for (const tab of ['graph', 'retraces', 'size', 'timing', 'source', 'notices'] as const) {
      inspector.showTab(tab);
      expect(inspector.element.querySelector('img')).toBeNull();
    }
    all('table')[0]?.click();
    expect(all('outline')[0]?.textContent).toContain(HOSTILE);
    expect(inspector.element.querySelector('img')).toBeNull();
    expect(all('notice')[0]?.textContent).toContain(HOSTILE);
  });

  it('moves through the tree of functions with the arrow keys', () => {
    store.apply([started(1), started(2, 2)]);
    const [head] = all('function');
    head?.focus();
    const press = (key: string): void => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    };
    press('ArrowDown');
    press('ArrowDown');
    expect(document.activeElement).toBe(all('signature')[1]);
    press('ArrowUp');
    press('Enter');
    expect(selected()).toBe('f#1/1');
    press('ArrowLeft');
    press('Enter');
    expect(selected()).toBe('f#1/2');
    press('ArrowLeft');
    expect(head?.getAttribute('aria-expanded')).toBe('false');
    expect(all('signature')).toEqual([]);
  });
});

describe('highlight', () => {
  it('colours a line and loses nothing of it', () => {
    const line = `    return f(x1, 2.5e3, 'it''s # no comment')  # yes`;
    const nodes = highlight(line);
    expect(nodes.map(part => part.textContent).join('')).toBe(line);
    const kinds = nodes.flatMap(part => (part instanceof HTMLElement ? [[part.className.slice(13), part.textContent]] : []));
    expect(kinds).toEqual([
      ['keyword', 'return'],
      ['number', '2.5e3'],
      ['string', `'it'`],
      ['string', `'s # no comment'`],
      ['comment', '# yes']
    ]);
  });
});
