/** A badge in the margin of each cell that was traced again, or whose retraces are fixed; a click shows why. */

import { PanelLayout, Widget } from '@lumino/widgets';
import { CellBadge, h, setAttr, setText } from '@tracefn/widgets';
import type { Cell } from './follow';

/** The badges of the cells of all open notebooks. */
export class CellBadges {
  /** `open` shows the retraces of a cell. */
  constructor(private readonly _open: (cellId: string) => void) {}

  /** Show these badges; all others go. */
  show(badges: ReadonlyMap<Cell, CellBadge>): void {
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

  private _add(cell: Cell): Widget | null {
    const { layout } = cell;
    if (!(layout instanceof PanelLayout)) {
      return null;
    }
    const node = h('button', {
      class: 'jp-TracefnBadge',
      attrs: { type: 'button', tabindex: -1, 'data-tracefn': 'cell-badge' },
      on: { click: () => this._open(cell.model.id) }
    });
    const badge = new Widget({ node });
    layout.addWidget(badge);
    this._shown.set(cell, badge);
    return badge;
  }

  private readonly _shown = new Map<Cell, Widget>();
}
