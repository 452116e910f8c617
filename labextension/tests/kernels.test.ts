import { Signal } from '@lumino/signaling';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NotebookKernels } from '../src/kernels';
import { FakeKernel } from './fake_kernel';

vi.mock('@jupyterlab/notebook', () => ({}));

/** A notebook with a kernel connection of its own. */
class FakeNotebook {
  isDisposed = false;
  context: { path: string };
  sessionContext: any;

  constructor(path: string, kernel: FakeKernel | null) {
    this.context = { path };
    this.sessionContext = { session: { kernel } };
    this.sessionContext.kernelChanged = new Signal(this.sessionContext);
  }

  change(kernel: FakeKernel): void {
    this.sessionContext.session = { kernel };
    this.sessionContext.kernelChanged.emit({ newValue: kernel });
  }
}

class FakeTracker {
  widgetAdded = new Signal<this, FakeNotebook>(this);
  currentChanged = new Signal<this, FakeNotebook>(this);
  currentWidget: FakeNotebook | null = null;
  notebooks: FakeNotebook[] = [];

  forEach(visit: (notebook: FakeNotebook) => void): void {
    this.notebooks.forEach(visit);
  }

  open(notebook: FakeNotebook): void {
    this.notebooks.push(notebook);
    this.widgetAdded.emit(notebook);
    this.show(notebook);
  }

  show(notebook: FakeNotebook): void {
    this.currentWidget = notebook;
    this.currentChanged.emit(notebook);
  }
}

function kernelOf(id: string): FakeKernel {
  const kernel = new FakeKernel();
  kernel.id = id;
  return kernel;
}

describe('NotebookKernels', () => {
  let tracker: FakeTracker;
  let saved: Map<string, unknown>;
  let kernels: NotebookKernels;

  beforeEach(() => {
    tracker = new FakeTracker();
    saved = new Map();
    const states = {
      fetch: (key: string) => Promise.resolve(saved.get(key)),
      save: (key: string, value: unknown) => Promise.resolve(saved.set(key, value))
    };
    kernels = new NotebookKernels(tracker as any, states as any);
  });

  it('has a model per kernel and gives that of the current notebook', () => {
    expect(kernels.current).toBeNull();
    const [a, b] = [new FakeNotebook('a', kernelOf('1')), new FakeNotebook('b', kernelOf('2'))];
    tracker.open(a);
    const first = kernels.current;
    tracker.open(b);
    expect(kernels.current).not.toBe(first);
    tracker.show(a);
    expect(kernels.current).toBe(first);
  });

  it('takes another model when the kernel changes', () => {
    const notebook = new FakeNotebook('a', null);
    tracker.open(notebook);
    expect(kernels.current).toBeNull();
    notebook.change(kernelOf('1'));
    const first = kernels.current;
    expect(first).not.toBeNull();
    notebook.change(kernelOf('2'));
    expect(kernels.current).not.toBe(first);
  });

  it('keeps a model for a kernel whose other notebook was closed', () => {
    const [one, two] = [kernelOf('shared'), kernelOf('shared')];
    tracker.open(new FakeNotebook('a', one));
    const first = kernels.current;
    tracker.open(new FakeNotebook('b', two));
    expect(kernels.current).toBe(first);
    one.isDisposed = true;
    one.disposed.emit();
    expect(first?.isDisposed).toBe(true);
    expect(kernels.current).not.toBeNull();
    expect(kernels.current?.isDisposed).toBe(false);
  });

  it('remembers what was selected, by notebook', async () => {
    const name = { functionKey: 'm.f', signatureHash: 'h' };
    tracker.open(new FakeNotebook('a', kernelOf('1')));
    kernels.saveSelection(name);
    const again = new FakeTracker();
    const later = new NotebookKernels(again as any, {
      fetch: (key: string) => Promise.resolve(saved.get(key))
    } as any);
    again.open(new FakeNotebook('a', kernelOf('9')));
    await vi.waitFor(() => expect(later.current?.selection).toEqual(name));
  });
});
