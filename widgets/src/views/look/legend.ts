/** The legend of a drawing's colours. */

import { LegendEntry } from '../../layout';
import { h } from '../common/dom';
import { t } from '../../words';

/** A new list of colours and their meaning, one to be put beside a drawing. */
export class Legend {
  constructor() {
    this.element = h('ul', { class: 'tracefn-colours', attrs: { 'aria-label': t`Legend`, 'data-tracefn': 'colours' } });
  }

  readonly element: HTMLElement;

  /** Show these entries; an entry without a colour is a text. */
  update(entries: readonly LegendEntry[]): void {
    this.element.replaceChildren(
      ...entries.map(({ colour, text }) => {
        const swatch = h('span', { class: 'tracefn-colours-swatch', attrs: { 'aria-hidden': 'true' } });
        swatch.style.setProperty('--tf-swatch', `var(${colour})`);
        return h('li', {}, colour !== '' && swatch, text);
      })
    );
  }
}
