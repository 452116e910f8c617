/** Brings the marks in notebooks up to date with the traces of their kernels, a moment after they change. */

import { CellBadge, LineMark, Pace } from '@tracefn/widgets';
import { Cell } from '../cell_widgets';
import { PerKernel } from '../kernel/per_kernel';
import { ITracefnPanel } from '../tokens';
import { CellBadges } from './badges';
import { MarkedEditors } from './editors';
import { KernelMarks } from './kernel_marks';

/** How long (ms) a change waits for others, at least, and when changes keep coming: the kernel is asked, and editors are drawn. */
const PAUSES = [250, 4000] as const;

/** The marks that the settings ask for. */
export interface Wanted {
  lines: boolean;
  cells: boolean;
}

/** Follows the models of all notebooks: each keeps its marks while another is worked in. */
export class Marks {
  constructor(
    private readonly _panel: ITracefnPanel,
    private readonly _editors: MarkedEditors,
    private readonly _badges: CellBadges,
    private readonly _wanted: Wanted
  ) {
    _panel.notebooksChanged.connect(this._follow, this);
    this._follow();
  }

  /** The settings have changed. */
  refresh(): void {
    this._draw();
  }

  private _follow(): void {
    const { notebooks } = this._panel;
    this._kernels.follow(notebooks);
    for (const { notebook } of notebooks) {
      notebook.content.model?.cells.changed.connect(this._schedule, this); // pasted cells, and moved ones, have no marks yet
    }
    this._schedule();
  }

  private _schedule(): void {
    const wait = Math.max(PAUSES[0], this._pace.wait(performance.now()));
    this._timer ??= setTimeout(() => {
      this._timer = null;
      const begin = performance.now();
      this._draw();
      this._pace.done(begin, performance.now());
      if (this._wanted.lines) {
        this._ask();
      }
    }, wait);
  }

  /** A cell's marks are those of its notebook's kernel: a copied notebook has cells of the same ids. */
  private _draw(): void {
    const badges = new Map<Cell, CellBadge>();
    const lines = new Map<Cell['model'], readonly LineMark[]>();
    for (const [cell, marks] of this._cells()) {
      const badge = this._wanted.cells ? marks.badges.get(cell.model.id) : undefined;
      const marked = this._wanted.lines ? marks.lines.get(cell.model.id) : undefined;
      if (badge) {
        badges.set(cell, badge);
      }
      if (marked) {
        lines.set(cell.model, marked);
      }
    }
    this._badges.show(badges);
    this._editors.show(lines);
  }

  private _ask(): void {
    const ids = new Map<KernelMarks, Set<string>>();
    for (const [cell, marks] of this._cells()) {
      ids.set(marks, (ids.get(marks) ?? new Set()).add(cell.model.id));
    }
    ids.forEach((cells, marks) => void marks.ask(cells));
  }

  private *_cells(): Iterable<[Cell, KernelMarks]> {
    for (const { notebook, model } of this._panel.notebooks) {
      const marks = this._kernels.get(model);
      for (const cell of marks && !notebook.isDisposed ? notebook.content.widgets : []) {
        yield [cell, marks as KernelMarks];
      }
    }
  }

  private _timer: ReturnType<typeof setTimeout> | null = null;
  private readonly _pace = new Pace(...PAUSES);
  private readonly _kernels = new PerKernel(model => new KernelMarks(model, () => this._schedule()));
}
