/** Below a cell that waits for a long first call: the traced function, the phase, and the time so far. */

import { INotebookTracker } from '@jupyterlab/notebook';
import { PanelLayout, Widget } from '@lumino/widgets';
import { h, Progress, progressText, setText } from '@tracefn/widgets';
import { findCell } from './jump';

/** Puts a line below each cell that makes a long first call, and takes it away at its end. */
export class CellProgress {
  constructor(private readonly _notebooks: INotebookTracker) {}

  /** Show the work under way. A first call that no open cell makes is left to the status bar. */
  show(progress: readonly Progress[]): void {
    const lines = new Map<string, string>();
    for (const item of progress) {
      const { cell } = item.signature;
      if (cell !== null && !item.background) {
        lines.set(cell, progressText(item));
      }
    }
    for (const [cell, widget] of this._shown) {
      if (!lines.has(cell)) {
        widget.dispose();
        this._shown.delete(cell);
      }
    }
    for (const [cell, text] of lines) {
      const widget = this._shown.get(cell) ?? this._add(cell);
      if (widget) {
        setText(widget.node, text);
      }
    }
  }

  private _add(cellId: string): Widget | null {
    const found = findCell(this._notebooks, cellId);
    const layout = found?.notebook.content.widgets[found.index]?.layout;
    if (!(layout instanceof PanelLayout)) {
      return null;
    }
    const node = h('div', { class: 'jp-TracefnProgress', attrs: { role: 'status', 'data-tracefn': 'cell-progress' } });
    const widget = new Widget({ node });
    layout.addWidget(widget);
    this._shown.set(cellId, widget);
    return widget;
  }

  private _shown = new Map<string, Widget>();
}
