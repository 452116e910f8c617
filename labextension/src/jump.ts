/** Going to a line of a notebook cell. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

/** Show the cell of that id and select the line, counted from 1. False where no open notebook has the cell. */
export async function jumpTo(
  shell: JupyterFrontEnd.IShell,
  notebooks: INotebookTracker,
  cellId: string,
  line: number
): Promise<boolean> {
  const found = findCell(notebooks, cellId);
  if (!found) {
    return false;
  }
  const { notebook, index } = found;
  const { content } = notebook;
  shell.activateById(notebook.id);
  content.activeCellIndex = index;
  await content.scrollToItem(index, 'smart');
  const cell = content.widgets[index];
  await cell?.ready;
  const editor = cell?.editor;
  if (!cell || !editor || cell.isDisposed) {
    return true;
  }
  content.mode = 'edit';
  const last = editor.lineCount - 1;
  const at = Math.min(Math.max(line - 1, 0), last);
  const start = { line: at, column: 0 };
  const end = { line: at, column: editor.getLine(at)?.length ?? 0 };
  editor.focus();
  editor.revealPosition(start);
  editor.setSelection({ start, end });
  return true;
}

/** The open notebook that has the cell of that id, and its place in it. */
export function findCell(
  notebooks: INotebookTracker,
  cellId: string
): { notebook: NotebookPanel; index: number } | null {
  const all: NotebookPanel[] = [];
  notebooks.forEach(notebook => all.push(notebook));
  // A copied notebook has the same cell ids: the current one comes first.
  all.sort(a => (a === notebooks.currentWidget ? -1 : 1));
  for (const notebook of all) {
    const index = notebook.content.widgets.findIndex(cell => cell.model.id === cellId);
    if (index >= 0) {
      return { notebook, index };
    }
  }
  return null;
}
