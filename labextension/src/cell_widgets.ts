/** Widgets at cells of open notebooks: one at each cell that has something to show. */

import { PanelLayout, Widget } from '@lumino/widgets';
import type { FollowedNotebook } from './tokens';

/** A cell of an open notebook. */
export type Cell = FollowedNotebook['notebook']['content']['widgets'][number];

/** Keeps them, one kind of them. */
export class CellWidgets<T> {
  /** `make` makes the element at a cell, `update` gives it what it shows. */
  constructor(
    private readonly _make: (cell: Cell) => HTMLElement,
    private readonly _update: (node: HTMLElement, shown: T) => void
  ) {}

  /** Show these; all others go. */
  show(wanted: ReadonlyMap<Cell, T>): void {
    for (const [cell, widget] of this._shown) {
      if (!wanted.has(cell) || widget.isDisposed) {
        widget.dispose();
        this._shown.delete(cell);
      }
    }
    for (const [cell, shown] of wanted) {
      const widget = this._shown.get(cell) ?? this._add(cell);
      if (widget) {
        this._update(widget.node, shown);
      }
    }
  }

  private _add(cell: Cell): Widget | null {
    const { layout } = cell;
    if (!(layout instanceof PanelLayout)) {
      return null;
    }
    const widget = new Widget({ node: this._make(cell) });
    layout.addWidget(widget);
    this._shown.set(cell, widget);
    return widget;
  }

  private readonly _shown = new Map<Cell, Widget>();
}
