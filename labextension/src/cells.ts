/** The code cells of a notebook: read to see where a change belongs, written so that undo takes it back. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Cells, Location, t } from '@tracefn/widgets';
import { findCell, jumpTo } from './jump';

type Cell = NotebookPanel['content']['widgets'][number];

/** The cells of the open notebook that has the cell of this place, or null where none has. */
export function notebookCells(shell: JupyterFrontEnd.IShell, notebooks: INotebookTracker, place: Location): Cells | null {
  const found = place.cell === null ? null : findCell(notebooks, place.cell);
  if (!found) {
    return null;
  }
  const cells = found.notebook.content.widgets.filter(({ model }) => model.type === 'code');
  return {
    sources: Object.fromEntries(cells.map(({ model }) => [model.id, model.sharedModel.getSource()])),
    write: sources => {
      const changed = cells.filter(({ model }) => sources[model.id] !== undefined);
      const fixed = changed.find(({ readOnly, model }) => readOnly || model.getMetadata('editable') === false);
      if (fixed) {
        throw new Error(t`${nameOf(fixed)} cannot be edited: copy the change.`);
      }
      const lines = changed.map(cell => replace(cell, sources[cell.model.id] ?? ''));
      const [first] = changed;
      if (first) {
        void jumpTo(shell, notebooks, first.model.id, lines[0] ?? 1);
      }
      return changed.map(nameOf).join(t` and `);
    }
  };
}

/** Give a cell another source, touching only the differences. The line where that begins, from 1. */
function replace({ model }: Cell, source: string): number {
  const old = model.sharedModel.getSource();
  let start = 0;
  while (start < old.length && old[start] === source[start]) {
    start += 1;
  }
  let end = 0;
  const most = Math.min(old.length, source.length) - start;
  while (end < most && old[old.length - 1 - end] === source[source.length - 1 - end]) {
    end += 1;
  }
  model.sharedModel.updateSource(start, old.length - end, source.slice(start, source.length - end));
  return old.slice(0, start).split('\n').length;
}

function nameOf({ model }: Cell): string {
  const number = model.toJSON().execution_count;
  return typeof number === 'number' ? t`cell [${number}]` : t`a cell that was not run yet`;
}
