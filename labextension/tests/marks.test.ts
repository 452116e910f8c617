import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Store } from '@tracefn/widgets';
import { Marks } from '../src/marks/follow';
import { retrace, trace } from './messages';

/** A notebook whose kernel made `traces` traces of `f` in the cell `calls`. */
class Traced {
  isDisposed = false;
  store = new Store();
  changed = new Signal<this, void>(this);
  asked: object[] = [];
  cells = { changed: new Signal<object, void>({}) };
  content: any;

  constructor(traces: number) {
    this.content = { model: { cells: this.cells }, widgets: [{ model: { id: 'calls' } }, { model: { id: 'other' } }] };
    this.store.apply([trace(1), ...Array.from({ length: traces - 1 }, (_, i) => [trace(2 * i + 2), retrace(2 * i + 3)]).flat()].map(event => ({
      ...event,
      cell: 'calls',
      location: { file: 'c.py', line: 1, cell: 'calls', cell_number: 1 }
    })) as any);
  }
}

describe('Marks', () => {
  let badges: ReadonlyMap<any, any>;
  let lines: ReadonlyMap<any, any>;
  let panel: any;
  const show = (...shown: Traced[]): void => {
    panel.notebooks = shown.map(each => ({ notebook: each, model: each }));
    panel.notebooksChanged.emit();
    vi.advanceTimersByTime(5000);
  };
  const told = (notebook: Traced): unknown[] => [
    badges.get(notebook.content.widgets[0])?.text,
    lines.get(notebook.content.widgets[0].model)?.[0].text
  ];

  beforeEach(() => {
    vi.useFakeTimers();
    panel = { notebooks: [] };
    panel.notebooksChanged = new Signal(panel);
    const editors: any = { show: (marks: typeof lines) => void (lines = marks) };
    const margins: any = { show: (marks: typeof badges) => void (badges = marks) };
    new Marks(panel, editors, margins, { lines: true, cells: true });
  });

  afterEach(() => vi.useRealTimers());

  it('stay in all notebooks, whichever is worked in, and are those of their kernel in cells of the same ids', () => {
    const [one, copy] = [new Traced(4), new Traced(2)];
    show(one, copy);
    expect(told(one)).toEqual(['↻ 3', '↻3']);
    expect(told(copy)).toEqual(['↻ 1', '↻1']);
    expect([badges.size, lines.size]).toEqual([2, 2]);
    show(copy);
    expect(badges.size).toBe(1);
  });

  it('come to cells that were pasted', () => {
    const one = new Traced(2);
    show(one);
    one.content.widgets = [{ model: { id: 'calls' } }];
    one.cells.changed.emit();
    vi.advanceTimersByTime(5000);
    expect(told(one)).toEqual(['↻ 1', '↻1']);
  });
});
