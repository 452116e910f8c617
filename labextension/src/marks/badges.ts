/** A badge in the margin of each cell that was traced again, or whose retraces are fixed; a click shows why. */

import { CellBadge, h, setAttr, setText } from '@tracefn/widgets';
import { CellWidgets } from '../cell_widgets';

/** The badges of the cells of all open notebooks. */
export class CellBadges extends CellWidgets<CellBadge> {
  /** `open` shows the retraces of a cell. */
  constructor(open: (cellId: string) => void) {
    super(
      cell =>
        h('button', {
          class: 'jp-TracefnBadge',
          attrs: { type: 'button', tabindex: -1, 'data-tracefn': 'cell-badge' },
          on: { click: () => open(cell.model.id) }
        }),
      (node, { kind, text, title }) => {
        setText(node, text);
        setAttr(node, 'title', title);
        setAttr(node, 'aria-label', title);
        setAttr(node, 'data-kind', kind);
      }
    );
  }
}
