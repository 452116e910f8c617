/** A badge in the margin of each cell that was traced again, or whose retraces are fixed; a click shows why. */

import { INotebookTracker } from '@jupyterlab/notebook';
import { PanelLayout, Widget } from '@lumino/widgets';
import { CellBadge, h, setAttr, setText } from '@tracefn/widgets';
import { findCell } from '../jump';

/** The badges of the cells of all open notebooks. */
export class CellBadges {
  /** `open` shows the retraces of a cell. */
  constructor(
    private readonly _notebooks: INotebookTracker,
    private readonly _open: (cellId: string) => void
  ) {}

  /** Show these badges, by the ids of cells; all others go. */
  show(badges: ReadonlyMap<string, CellBadge>): void {
    for (const [cell, badge] of this._shown) {
      if (!badges.has(cell) || badge.isDisposed) {
        badge.dispose();
        this._shown.delete(cell);
      }
    }
    for (const [cell, { kind, text, title }] of badges) {
      const node = (this._shown.get(cell) ?? this._add(cell))?.node;
      if (node) {
        setText(node, text);
        setAttr(node, 'title', title);
        setAttr(node, 'aria-label', title);
        setAttr(node, 'data-kind', kind);
      }
    }
  }

  private _add(cellId: string): Widget | null {
    const found = findCell(this._notebooks, cellId);
    const layout = found?.notebook.content.widgets[found.index]?.layout;
    if (!(layout instanceof PanelLayout)) {
      return null;
    }
    const node = h('button', {
      class: 'jp-TracefnBadge',
      attrs: { type: 'button', tabindex: -1, 'data-tracefn': 'cell-badge' },
      on: { click: () => this._open(cellId) }
    });
    const badge = new Widget({ node });
    layout.addWidget(badge);
    this._shown.set(cellId, badge);
    return badge;
  }

  private readonly _shown = new Map<string, Widget>();
}
