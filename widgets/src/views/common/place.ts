/** A place in the user's code: a link where it can be gone to, else text. */

import { placeText } from '../../format';
import { Location } from '../../protocol';
import { h } from './dom';
import { Host, reachable } from './host';

/** A new element for a place. */
export function placeLink(host: Host, place: Location | null): HTMLElement {
  if (place === null) {
    return h('span', { class: 'tracefn-place' });
  }
  if (!reachable(host, place)) {
    return h('span', { class: 'tracefn-place', text: placeText(place), title: place.file });
  }
  return h('button', {
    class: 'tracefn-place tracefn-link',
    text: placeText(place),
    title: `Jump to ${placeText(place)}`,
    attrs: { type: 'button', 'data-tracefn': 'jump' },
    on: {
      click: event => {
        event.stopPropagation();
        host.jump?.(place);
      }
    }
  });
}
