import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RetracesPage } from './retraces_page';
import { event, started } from './samples';

describe('RetracesView', () => {
  let page: RetracesPage;

  beforeEach(() => {
    page = new RetracesPage();
  });

  afterEach(() => page.dispose());

  it('says so where nothing was traced again', () => {
    page.make();
    page.view.update(page.store.state);
    expect(page.text('empty')).toContain('No retrace so far');
    expect(page.all('empty')[0]?.hidden).toBe(false);
  });

  it('keeps only the rows in sight in the page, also of a thousand', () => {
    for (let trace = 2; trace < 1002; trace++) {
      page.retrace(trace);
    }
    page.make();
    page.view.update(page.store.state);
    expect(page.all('retrace').length).toBeLessThan(30);
    expect(page.all('retraces')[0]?.getAttribute('aria-rowcount')).toBe('1000');
    expect(page.all('retrace')[0]?.textContent).toContain('f #1001');
    page.all('retraces')[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
    expect(page.selected).toEqual(['f#1/2']);
    expect(page.all('retrace').length).toBeLessThan(30);
    expect(page.view.element.querySelector('[aria-selected=true]')?.textContent).toContain('f #2');
  });

  it('filters by text, function, cause, verdict and bar, and sorts by cost', () => {
    page.make();
    page.retrace(2, 'value');
    page.retrace(3, 'dimension', { verdict: 'different', cell: 8 });
    page.retrace(2, 'dtype', { name: 'g', verdict: 'different', cell: 9 });
    const names = (): string[] => page.all('retrace').map(row => row.querySelector('.tracefn-retrace-name')?.textContent ?? '');
    const type = (hook: string, value: string): void => {
      const input = page.all(hook)[0] as HTMLInputElement;
      input.value = value;
      input.dispatchEvent(new Event(input instanceof HTMLSelectElement ? 'change' : 'input'));
    };
    expect(names()).toEqual(['g #2', 'f #3', 'f #2']);
    type('filter-text', 'cell [8]');
    expect(names()).toEqual(['f #3']);
    type('filter-text', 'nothing like that');
    expect(page.all('none-found')[0]?.hidden).toBe(false);
    type('filter-text', '');
    type('filter-function', 'm.g');
    expect(names()).toEqual(['g #2']);
    type('filter-function', '');
    page.all('filter-needless')[0]?.click();
    expect(names()).toEqual(['f #2']);
    page.all('filter-needless')[0]?.click();
    page.all('legend').find(item => item.dataset.cause === 'shape')?.click();
    expect(names()).toEqual(['f #3']);
    page.all('legend').find(item => item.dataset.cause === 'shape')?.click();
    page.all('sort-cost')[0]?.click();
    expect(names()).toEqual(['f #3', 'g #2', 'f #2']);
    page.all('timeline-cell')[0]?.click();
    page.all('timeline-bar')[2]?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    expect(names()).toEqual(['g #2']);
    page.all('filter-bar')[0]?.click();
    expect(names()).toHaveLength(3);
  });

  it('chooses with the arrow keys, and asks only about the row on which the choice rests', async () => {
    page.make({ ask: page.answer });
    [2, 3, 4].forEach(trace => page.retrace(trace));
    const [table] = page.all('retraces');
    const press = (key: string): void => void table?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    press('ArrowDown');
    press('ArrowDown');
    press('End');
    press('ArrowUp');
    expect(page.selected).toEqual(['f#1/4', 'f#1/3', 'f#1/2', 'f#1/3']);
    await page.settle();
    expect(page.asked).toEqual([
      ['explain', { function: 'f#1', trace: 3 }],
      ['what_if', { function: 'f#1' }]
    ]);
    expect(table?.getAttribute('aria-activedescendant')).toBe(
      page.view.element.querySelector('[role=row][aria-selected=true]')?.id
    );
    page.all('retrace-detail')[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    expect(page.all('retrace-detail')[0]?.hidden).toBe(true);
    expect(document.activeElement).toBe(table);
  });

  it('filters by no function or cause that is gone without a way back', () => {
    page.make();
    page.retrace(2, 'value');
    page.retrace(2, 'dtype', { name: 'g' });
    const functions = page.all('filter-function')[0] as HTMLSelectElement;
    functions.value = 'm.g';
    functions.dispatchEvent(new Event('change'));
    const events = [...page.sent];
    page.store.reset();
    page.store.apply(events.filter(({ function: owner }) => owner === 'f#1'));
    expect(functions.value).toBe('');
    expect(page.all('retrace').map(row => row.dataset.signature)).toEqual(['f#1/2']);
    page.store.replace(events, 100);
    expect(functions.value).toBe('m.g');
    expect(page.all('retrace').map(row => row.dataset.signature)).toEqual(['g#1/2']);
    page.all('legend').find(item => item.dataset.cause === 'dtype')?.click();
    functions.value = '';
    functions.dispatchEvent(new Event('change'));
    page.store.replace(events.filter(({ function: owner }) => owner === 'f#1'), 100);
    expect(page.all('retrace')).toHaveLength(0);
    expect(page.all('legend').find(item => item.dataset.cause === 'dtype')?.getAttribute('aria-pressed')).toBe('true');
    page.view.reset();
    expect(page.all('retrace')).toHaveLength(1);
  });

  it('lists the latest run of each cell, tells what was fixed, and clears', async () => {
    page.make({ ask: page.answer, clearRetraces: all => page.store.clear(all) });
    [2, 3, 4].forEach(trace => page.retrace(trace));
    page.retrace(2, 'dtype', { name: 'g', id: 'other' });
    const names = (): string[] => page.all('retrace').map(row => row.querySelector('.tracefn-retrace-name')?.textContent ?? '');
    expect(names()).toHaveLength(4);
    expect(page.all('reruns')[0]?.hidden).toBe(true);
    const runs = (number: number) =>
      page.apply([event('cell.started', page.store.state.last + 1, { cell: 'cell-id', number }, { function: null, signature: null })]);
    runs(8);
    expect(names()).toHaveLength(4); // its calls found traces: a new kernel would retrace as before
    runs(9);
    page.apply([{ ...started(page.store.state.last + 1, 1, 'f'), function: 'f#2', signature: 'f#2/1', cell: 'cell-id' }]);
    expect(names()).toEqual(['g #2']);
    expect(page.text('reruns')).toBe('Run again, cell [9]: 3 retraces → 0, fixed');
    expect(page.text('earlier-runs')).toBe('and 3 of earlier runs');
    page.retrace(5);
    expect(names()).toEqual(['f #5', 'g #2']);
    expect(page.text('reruns')).toBe('Run again, cell [9]: 3 retraces → 1');
    page.all('earlier-runs')[0]?.click();
    expect(names()).toEqual(['f #5', 'g #2', 'f #4', 'f #3', 'f #2']);
    page.all('retrace')[3]?.click();
    await page.settle();
    expect(page.text('history')).toBe('Of an earlier run: cell [9] has run again since, and made 1 retrace.');
    page.retrace(6);
    expect(page.text('history')).toMatch(/and made 2 retraces.$/);
    expect(page.text('fix')).not.toContain('No change');
    page.all('clear')[0]?.click();
    expect(names()).toEqual([]);
    expect(page.all('retrace-detail')[0]?.hidden).toBe(true);
    expect(page.text('none-found')).toContain('All were cleared away.');
    expect(page.all('reruns')[0]?.hidden).toBe(true);
    page.retrace(7);
    expect(names()).toEqual(['f #7']);
    expect(page.text('cleared')).toBe('6 cleared ✕');
    page.all('cleared')[0]?.click();
    page.all('earlier-runs')[0]?.click();
    expect(names()).toEqual(['f #7', 'f #6', 'f #5', 'g #2']);
    runs(10);
    page.store.replace(page.sent, 1000);
    expect(names()).toEqual(['f #7', 'f #6', 'f #5', 'g #2']);
  });

  it('filters no other kernel by a bar of this one', () => {
    page.make();
    page.retrace(2);
    page.all('timeline-bar')[0]?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    expect(page.all('filter-bar')[0]?.hidden).toBe(false);
    page.store.reset();
    page.retrace(3);
    expect(page.all('retrace')).toHaveLength(1);
    expect(page.all('filter-bar')[0]?.hidden).toBe(true);
  });
});
