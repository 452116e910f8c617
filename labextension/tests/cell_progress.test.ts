import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Store } from '@tracefn/widgets';
import { CellProgress } from '../src/cell_progress';
import { trace } from './messages';

vi.hoisted(() => void Object.assign(globalThis, { DragEvent: MouseEvent })); // jsdom has none, and Lumino asks for one

/** A notebook whose cell `calls` makes a first call of `f`. */
class Tracing {
  isDisposed = false;
  state = 'live';
  store = new Store();
  changed = new Signal<this, void>(this);
  cell: any = Object.assign(new Widget(), { model: { id: 'calls' } });
  content = { widgets: [this.cell] };

  constructor() {
    this.cell.layout = new PanelLayout();
    this.store.setClock(0);
    this.store.setCurrent(1e9);
    this.store.apply([{ ...trace(1), cell: 'calls' }] as any);
  }

  get line(): string {
    return String(this.cell.node.textContent);
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('stands below the cells of all notebooks that wait, whichever is worked in', () => {
  const [one, other] = [new Tracing(), new Tracing()];
  const panel: any = { notebooks: [] };
  panel.notebooksChanged = new Signal(panel);
  const open = (...notebooks: Tracing[]): void => {
    panel.notebooks = notebooks.map(each => ({ notebook: each, model: each }));
    panel.notebooksChanged.emit();
    vi.advanceTimersByTime(1000);
  };
  new CellProgress(panel);
  open(one, other);
  expect([one.line, other.line]).toEqual([expect.stringMatching(/^f #1: .*, 1\.\d s$/), expect.stringMatching(/^f #1: /)]);
  one.state = 'dead';
  one.changed.emit();
  expect([one.line, other.line]).toEqual(['', expect.stringMatching(/^f #1: /)]);
  open(one);
  expect(other.line).toBe('');
});
