import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIX, RetracesPage } from './retraces_page';

describe('the detail of a retrace', () => {
  let page: RetracesPage;

  beforeEach(() => {
    page = new RetracesPage();
  });

  afterEach(() => page.dispose());

  it('explains the chosen retrace', async () => {
    page.fix = FIX;
    page.make({ ask: page.answer, cells: page.cells });
    page.retrace(2);
    page.retrace(3);
    page.all('retrace')[0]?.click();
    expect(page.text('headline')).toBe('f retraced (#3): n: value changed; nearest earlier trace #2');
    expect(page.text('explain-note')).toContain('Asking the kernel');
    await page.settle();
    expect(page.text('headline')).toBe('f retraced (#3, 4.2 ms) in cell [7] line 5: n changed 1 → 2 (Python int).');
    expect(page.text('retrace-verdict')).toBe('Needless: the same graph as #1');
    expect(page.text('difference')).toBe('nvalue1 → 2');
    expect(page.all('compared').map(item => item.textContent)).toEqual([
      '#2 n: 1 → 2 (Python int)',
      '#1 n: 1 → 2 (Python int) (evicted)'
    ]);
    expect(page.text('what-if-row')).toBe('relaxed dimsx12 → 24.00 msnot tried yet');
    expect(page.text('read')).toBe('global scale2another value retraces');
    expect(page.text('retrace-detail')).toContain('model.py line 3: print');
    expect(page.text('fix-title')).toBe('12 traces → 2 with x: (None, 64)');
    page.all('nearest')[0]?.click();
    expect(page.selected).toEqual(['f#1/3', 'f#1/2']);
  });

  it('writes the fix, and says in words why it cannot', async () => {
    page.fix = FIX;
    page.make({ ask: page.answer, cells: page.cells });
    page.retrace(2);
    page.all('retrace')[0]?.click();
    await page.settle();
    page.all('write-fix')[0]?.click();
    await page.settle();
    expect(page.asked[page.asked.length - 1]).toEqual(['write_fix', { function: 'f#1', cells: { a: 'old' } }]);
    expect(page.written).toEqual([{ a: 'new' }]);
    expect(page.text('fix-said')).toContain('Written into cell [1]');
    page.refusal = '`f` is defined in model.py, not in a cell of this notebook: copy the change.';
    page.all('write-fix')[0]?.click();
    await page.settle();
    expect(page.text('fix-said')).toBe(page.refusal);
  });

  it('looks for a fix only when asked to', async () => {
    const findFix = vi.fn(() => {
      page.fix = FIX;
      return Promise.resolve();
    });
    page.make({ ask: page.answer, cells: page.cells, findFix });
    page.retrace(2);
    page.all('retrace')[0]?.click();
    await page.settle();
    expect(findFix).not.toHaveBeenCalled();
    expect(page.text('hint')).toBe('What usually helps: Pass one array.');
    page.all('find-fix')[0]?.click();
    await page.settle();
    expect([page.text('fix-title'), page.text('hint')]).toEqual([expect.stringContaining('12 traces → 2'), undefined]);
  });

  it('shows what the event has where the kernel cannot be page.asked, and its words where it refuses', async () => {
    page.make({ ask: () => Promise.reject(new Error("The function 'f#1' no longer exists.")) });
    page.retrace(2);
    page.all('retrace')[0]?.click();
    await page.settle();
    expect(page.text('explain-note')).toBe("The kernel could not explain more: The function 'f#1' no longer exists.");
    expect(page.text('difference')).toBe('nvalue1 → 2');
  });

  it('says how to look for a fix where it cannot have the kernel do it', async () => {
    page.make({ ask: page.answer });
    page.retrace(2);
    page.all('retrace')[0]?.click();
    await page.settle();
    expect(page.text('fix')).toContain('No change was tried yet: f.explain() in a cell does');
  });

  it('lets an explanation go with the kernel', async () => {
    page.make({ ask: page.answer });
    page.retrace(2);
    page.all('retrace')[0]?.click();
    page.store.reset();
    await page.settle();
    expect(page.asked).toEqual([]);
    expect(page.all('retrace-detail')[0]?.hidden).toBe(true);
  });
});
