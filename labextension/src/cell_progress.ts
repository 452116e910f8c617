/** Below a cell that waits for a long first call: the traced function, the phase, and the time so far. */

import { h, Progress, progressText, setText } from '@tracefn/widgets';
import { Cell, CellWidgets } from './cell_widgets';
import { PerKernel } from './kernel/per_kernel';
import { KernelProgress } from './progress';
import { IKernelModel, ITracefnPanel } from './tokens';

/** Puts a line below each cell that makes a long first call, in every open notebook, and takes it away at its end. */
export class CellProgress {
  constructor(private readonly _panel: ITracefnPanel) {
    _panel.notebooksChanged.connect(this._follow, this);
    this._follow();
  }

  private _follow(): void {
    this._kernels.follow(this._panel.notebooks);
  }

  /** A first call that no open cell makes is left to the status bar. */
  private _show(model: IKernelModel, progress: readonly Progress[]): void {
    const waiting = progress.filter(({ background }) => !background);
    this._lines.set(model, new Map(waiting.map(item => [item.signature.cell, progressText(item)])));
    const shown = new Map<Cell, string>();
    for (const { notebook, model } of this._panel.notebooks) {
      const lines = this._lines.get(model);
      for (const cell of lines?.size && !notebook.isDisposed ? notebook.content.widgets : []) {
        const line = lines?.get(cell.model.id);
        if (line !== undefined) {
          shown.set(cell, line);
        }
      }
    }
    this._widgets.show(shown);
  }

  private readonly _kernels = new PerKernel(model => new KernelProgress(model, progress => this._show(model, progress)));
  private readonly _lines = new WeakMap<IKernelModel, ReadonlyMap<string | null, string>>();
  private readonly _widgets = new CellWidgets<string>(
    () => h('div', { class: 'jp-TracefnProgress', attrs: { role: 'status', 'data-tracefn': 'cell-progress' } }),
    setText
  );
}
