/** The graph as a tree of rows: its text twin, for reading, for screen readers, and for graphs too large to draw. */

import { typeText } from '../../format';
import { Child, familyOf, Group, groupName, isGroup, nameParts, summary, titleOf } from '../../layout';
import { GraphNode } from '../../protocol';
import { button, h } from '../common/dom';
import { treeKeys } from '../common/tree_keys';
import { t } from '../../words';

/** Rows added at a time within one group. */
const CHUNK = 300;

/** The tree of rows. */
export class Outline {
  constructor(private readonly _select: (nodeId: string) => void) {
    this.element = h('div', {
      class: 'tracefn-outline',
      attrs: { role: 'tree', 'aria-label': t`Nodes in program order`, 'data-tracefn': 'outline' }
    });
    treeKeys(this.element);
  }

  readonly element: HTMLElement;

  /** Show a group tree; its outermost groups are open when they are few. */
  show(root: Group): void {
    if (root === this._root) {
      return;
    }
    this._root = root;
    this.element.replaceChildren();
    this._addRows(this.element, root.children.filter(child => !isGroup(child) || child.kind !== 'results'), 0, 1);
    this.element.querySelector('[role=treeitem]')?.setAttribute('tabindex', '0');
  }

  /** Mark the selected node's row, if it is there. */
  mark(nodeId: string | null): void {
    for (const row of this.element.querySelectorAll('[role=treeitem]')) {
      row.setAttribute('aria-selected', String(row.getAttribute('data-node') === nodeId));
    }
  }

  private _addRows(place: HTMLElement, children: readonly Child[], start: number, level: number): void {
    for (const child of children.slice(start, start + CHUNK)) {
      place.append(...(isGroup(child) ? this._groupRows(child, level) : [this._nodeRow(child, level)]));
    }
    const left = children.length - start - CHUNK;
    if (left > 0) {
      const more = button({ name: t`Show more of ${left}`, text: t`Show more (${left} left)`, class: 'tracefn-link' }, () => {
        more.remove();
        this._addRows(place, children, start + CHUNK, level);
      });
      place.append(more);
    }
  }

  private _groupRows(group: Group, level: number): HTMLElement[] {
    const rows = h('div', { attrs: { role: 'group' } });
    rows.hidden = true;
    const head = h(
      'div',
      {
        class: 'tracefn-outline-row',
        attrs: { role: 'treeitem', 'aria-level': level, 'aria-expanded': 'false', tabindex: -1, 'data-tracefn': 'outline-group' },
        on: {
          click: () => {
            if (rows.childElementCount === 0) {
              this._addRows(rows, group.children, 0, level + 1);
            }
            rows.hidden = !rows.hidden;
            head.setAttribute('aria-expanded', String(!rows.hidden));
          }
        }
      },
      h('strong', { text: groupName(group) }),
      h('span', { class: 'tracefn-note', text: summary(group) })
    );
    head.style.paddingInlineStart = `${level * 14}px`;
    return [head, rows];
  }

  private _nodeRow(node: GraphNode, level: number): HTMLElement {
    const row = h(
      'div',
      {
        class: 'tracefn-outline-row',
        attrs: {
          role: 'treeitem',
          'aria-level': level,
          'aria-selected': 'false',
          tabindex: -1,
          'data-node': node.id,
          'data-family': familyOf(node),
          'data-tracefn': 'outline-node'
        },
        on: { click: () => this._select(node.id) }
      },
      h('span', { class: 'tracefn-family-dot' }),
      h('span', { class: 'tracefn-mono tracefn-outline-id', text: nameParts(node.id).name }),
      h('span', { class: 'tracefn-outline-op', text: titleOf(node) }),
      h('span', { class: 'tracefn-mono tracefn-outline-call', text: node.call }),
      h('span', { class: 'tracefn-mono tracefn-note', text: typeText(node.dtype, node.shape) })
    );
    row.style.paddingInlineStart = `${level * 14}px`;
    return row;
  }

  private _root: Group | null = null;
}
