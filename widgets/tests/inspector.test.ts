import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InspectorPage } from './inspector_page';
import { event, graphOf, node, started } from './samples';

const HOSTILE = '<img src=x onerror="window.stolen = true">';

describe('Inspector', () => {
  let page: InspectorPage;

  beforeEach(() => {
    page = new InspectorPage();
  });

  afterEach(() => page.dispose());

  it('names cells in links by their numbers now, where they ran again as they were', () => {
    page.store.apply([{ ...started(1), defined: { file: 'c', line: 3, cell: 'cell-id', cell_number: 7 } }]);
    expect(page.all('jump').map(link => link.textContent)).toContain('cell [7] line 3');
    page.store.apply([event('cell.started', 2, { cell: 'cell-id', number: 9, file: 'c' }, { function: null, signature: null })]);
    expect(page.all('jump')[0]).toMatchObject({ textContent: 'cell [9] line 3', title: 'Jump to cell [9] line 3 (J)' });
    page.store.apply([event('cell.started', 3, { cell: 'cell-id', number: 10, file: 'edited' }, { function: null, signature: null })]);
    expect(page.all('jump')[0]?.textContent).toBe('cell [9] line 3');
  });

  it('says what to do before the first trace', () => {
    page.inspector.update(page.store.state);
    expect(page.all('message')[0]?.textContent).toContain('No traced function yet');
  });

  it('keeps the rows, and with them focus and clicks, while events stream in', () => {
    page.store.apply([started(1)]);
    const [row] = page.all('signature');
    page.store.apply([started(2, 2), event('calls', 3, { count: 4, timed: 0, timed_ns: 0 })]);
    expect(page.all('signature')[0]).toBe(row);
    expect(row?.textContent).toContain('4×');
  });

  it('has one stop for the Tab key in each list, and keys for what is in the rows', () => {
    const built = (trace: number) => ({ graph_hash: `g${trace}`, nodes_before: 2, nodes_after: 1, passes: [], verdict: '', same_as: null, memory: 0 });
    const defined = { file: 'c', line: 3, cell: 'cell-id', cell_number: 7 };
    page.store.apply([
      { ...started(1), defined },
      event('graph.built', 2, built(1)),
      { ...started(3, 1, 'g'), defined },
      { ...started(4, 2), defined },
      event('graph.built', 5, built(2), { signature: 'f#1/2' })
    ]);
    const stops = (place: HTMLElement | undefined): Element[] =>
      [...(place?.querySelectorAll('button, [tabindex]') ?? [])].filter(item => item.getAttribute('tabindex') !== '-1' && item.closest('[hidden]') === null);
    page.store.addGraph({ ...graphOf([node('x')]), hash: 'g2' });
    page.inspector.focus();
    expect(document.activeElement).toBe(page.all('function')[0]);
    expect(stops(page.all('functions')[0])).toHaveLength(1);
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    expect(page.jump).toHaveBeenCalledWith(defined);
    expect(stops(page.inspector.element.querySelector<HTMLElement>('.tracefn-toolbar') ?? undefined)).toHaveLength(1);
    page.inspector.showTab('size');
    page.all('size-row').find(row => row.tabIndex === 0)?.focus();
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    expect(page.inspector.selected).toBe('f#1/1');
    expect(document.activeElement).toBe(page.all('size-row')[1]);
    page.inspector.showRetracesOf('a cell');
    expect(document.activeElement).toBe(page.all('tab-retraces')[0]);
  });

  it('filters and orders functions, and marks what was needless', () => {
    const about = (name: string, trace: number) => ({ function: `${name}#1`, signature: `${name}#1/${trace}` });
    const cause = { path: 'x', kind: 'value', old: '', new: '', text: 'x', dimension: null };
    const built = { graph_hash: 'g', nodes_before: 2, nodes_after: 1, passes: [], verdict: 'numbers', same_as: 1, memory: 0 };
    page.store.apply([
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
    const names = (): (string | undefined)[] => page.all('function').map(head => head.dataset.function);
    const order = page.all('order-functions')[0] as HTMLSelectElement;
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
    expect(page.all('needless').map(badge => [badge.hidden, badge.textContent])).toEqual([[false, '1 needless'], [true, '0 needless']]);
    expect(page.all('needless')[0]?.title).toBe('1 trace that one graph could have served: 2.00 ms');
    expect(page.all('summary')[0]?.textContent).toContain('1 retrace, 1 needless');
    const row = page.all('signature').find(item => item.dataset.signature === 'beta#1/2');
    expect(row?.textContent).toContain('newest');
    const marks = [...(row?.querySelectorAll<HTMLElement>('[role=img]') ?? [])].filter(mark => !mark.hidden);
    expect(marks.map(mark => mark.getAttribute('aria-label'))).toEqual(['runs as native code', 'needless: one graph could have served']);
    const filter = page.all('filter-functions')[0] as HTMLInputElement;
    filter.value = 'ALP';
    filter.dispatchEvent(new Event('input'));
    expect(names()).toEqual(['m.alpha']);
    const search = page.all('search')[0] as HTMLInputElement;
    search.value = 'tanh';
    page.inspector.reset(); // another notebook comes to the front
    expect(names()).toEqual(['m.alpha', 'm.beta']);
    expect(search.value).toBe('');
    page.all('fold-functions')[0]?.click();
    expect(page.all('signature')).toEqual([]);
    page.all('fold-functions')[0]?.click();
    expect(page.all('signature')).toHaveLength(3);
  });

  it('tells each retrace in words, newest first, with a link to its line', () => {
    page.store.apply([started(1)]);
    page.retrace(2, 2);
    page.retrace(4, 3, 'scale: 1 → 2');
    page.inspector.showTab('retraces');
    const rows = page.all('retrace');
    expect(rows[0]?.textContent).toContain('scale: 1 → 2; nearest earlier trace #1');
    expect(rows[1]?.textContent).toContain(
      'x: shape (2, 3) → (4, 3) at dimension 0; nearest earlier trace #1'
    );
    rows[1]?.querySelector<HTMLElement>('[data-tracefn=jump]')?.click();
    expect(page.jump).toHaveBeenCalledWith(expect.objectContaining({ cell: 'cell-id', line: 5 }));
    expect(page.selected()).toBe('f#1/3');
    rows[1]?.click();
    expect(page.selected()).toBe('f#1/2');
  });

  it('says why there is no native program', () => {
    page.store.apply([
      started(1, 1, 'f', 'x'),
      event('plan.ready', 2, { plan: 'numpy', device: 'cpu', source: 'return x', duration_ns: 1, size: 0 }),
      event('plan.kept', 3, { plan: 'numpy', reason: 'no part of the graph is worth a kernel', duration_ns: 1 })
    ]);
    page.inspector.select('f#1/1');
    page.inspector.showTab('source');
    expect(page.all('plan-kept')[0]?.textContent).toBe('No native program: no part of the graph is worth a kernel.');
  });

  it('says of each notice which function it is about, and what to do', () => {
    page.store.apply([
      started(1),
      event('autograph.fallback', 2, { construct: '`for` loop', cause: 'its items are Python values', ran_instead: 'its body 99 times' }),
      event('side_effect', 3, { kind: 'print', text: 'print', alternative: 'tracefn.print' }),
      started(4, 2)
    ]);
    page.inspector.showTab('notices');
    expect(page.all('about').map(item => item.textContent)).toEqual(['f #1', 'f #1']);
    expect(page.all('remedy').map(item => item.textContent)).toEqual(['tracefn.print', expect.stringContaining('loop over an array')]);
    page.all('about')[0]?.click();
    expect(page.inspector.selected).toBe('f#1/1');
  });

  it('shows what users wrote as text, wherever it stands', () => {
    const start = started(1, 1, 'f', HOSTILE);
    page.store.apply([
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
    page.retrace(7, 2, HOSTILE);
    page.store.addGraph({ ...graphOf([node('x', [], { op: HOSTILE, call: HOSTILE, scope: HOSTILE })]), hash: 'g' });
    page.inspector.select('f#1/1');
    for (const tab of ['graph', 'retraces', 'size', 'timing', 'source', 'notices'] as const) {
      page.inspector.showTab(tab);
      expect(page.inspector.element.querySelector('img')).toBeNull();
    }
    page.all('table')[0]?.click();
    expect(page.all('outline')[0]?.textContent).toContain(HOSTILE);
    expect(page.inspector.element.querySelector('img')).toBeNull();
    expect(page.all('notice')[0]?.textContent).toContain(HOSTILE);
  });
});
