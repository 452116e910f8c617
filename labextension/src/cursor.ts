/** The line of a notebook cell at which the cursor stands. */

import { INotebookTracker } from '@jupyterlab/notebook';

type Cell = NonNullable<INotebookTracker['activeCell']>;

/** Call `moved` with the id of the cell and the line, counted from 1, as the cursor moves; at most once a frame. */
export function followCursor(notebooks: INotebookTracker, moved: (cell: string, line: number) => void): void {
  let frame = 0;
  let stop = (): void => undefined;
  const tell = (cell: Cell): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (!cell.isDisposed && cell.editor) {
        moved(cell.model.id, cell.editor.getCursorPosition().line + 1);
      }
    });
  };
  notebooks.activeCellChanged.connect((_, cell) => {
    stop();
    stop = () => undefined;
    if (cell) {
      const { changed } = cell.model.selections;
      const listen = (): void => tell(cell);
      changed.connect(listen);
      stop = () => void changed.disconnect(listen);
      void cell.ready.then(listen);
    }
  });
}
