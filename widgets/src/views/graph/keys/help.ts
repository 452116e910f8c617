/** The list of the drawing's keys, shown on request. */

import { button, h } from '../../common/dom';
import { icon } from '../../common/icons';
import { later, t, translated } from '../../../words';

const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', later`along the edges to what a node uses, or what uses it`],
  ['← →', later`to the next node in the row`],
  ['Enter', later`the detail of a node; open or close a group`],
  ['e', later`open or close the group around the node`],
  ['E', later`open all groups, or close them`],
  ['r', later`fold equal rounds into one, or show all of them`],
  ['d', later`draw downwards, or from left to right`],
  ['p', later`show the selected value at each use, or once with edges`],
  ['/', later`search by name, op, type, scope or attribute; or op:tanh, shape:(None,64), dtype:f4, line:12, cell:3, name:w, in:block`],
  [later`f or 0`, later`fit`],
  ['+ −', later`zoom`],
  ['Escape', later`select nothing`],
  [later`wheel, drag`, later`pan; with Ctrl, the wheel zooms`]
];

/** The list; hidden until it is asked for. */
export class KeyHelp {
  /** `closed` is called when it has gone, to give the focus back. */
  constructor(private readonly _closed: () => void) {
    this.element = h(
      'div',
      {
        class: 'tracefn-help',
        attrs: { role: 'dialog', 'aria-label': t`Keys of the graph`, tabindex: -1, 'data-tracefn': 'help' },
        on: {
          keydown: event => {
            if (event.key === 'Escape' || event.key === '?') {
              this.toggle();
              event.preventDefault();
            }
            event.stopPropagation();
          }
        }
      },
      button({ name: t`Close (Escape)`, class: 'tracefn-help-close' }, () => this.toggle(), icon('close')),
      h(
        'dl',
        { class: 'tracefn-properties' },
        ...KEYS.flatMap(([keys, what]) => [h('dt', {}, h('kbd', { text: translated(keys) })), h('dd', { text: translated(what) })])
      )
    );
    this.element.hidden = true;
  }

  readonly element: HTMLElement;

  /** Let it go, where it is shown. */
  close(): void {
    if (!this.element.hidden) {
      this.toggle();
    }
  }

  /** Show it, or let it go. */
  toggle(): void {
    this.element.hidden = !this.element.hidden;
    if (this.element.hidden) {
      this._closed();
    } else {
      this.element.focus();
    }
  }
}
