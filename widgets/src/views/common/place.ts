/** A place in the user's code: a link where it can be gone to, else text. */

import { placeText } from '../../format';
import { Location } from '../../protocol';
import { h, setAttr, setText } from './dom';
import { Host, reachable } from './host';
import { t } from '../../words';

/** Each link's way to name its cell again. */
const LINKS = new WeakMap<Element, () => void>();

/** A new element for a place. In a row that is a stop of its own, `inRow`, it is none: the key J goes there. */
export function placeLink(host: Host, place: Location | null, inRow = false): HTMLElement {
  if (place === null) {
    return h('span', { class: 'tracefn-place' });
  }
  if (!reachable(host, place)) {
    return h('span', { class: 'tracefn-place', text: placeText(place), title: place.file });
  }
  const link = h('button', {
    class: 'tracefn-place tracefn-link',
    attrs: { type: 'button', 'data-tracefn': 'jump', tabindex: inRow ? -1 : null },
    on: {
      click: event => {
        event.stopPropagation();
        host.jump?.(place);
      }
    }
  });
  const say = (): void => {
    const text = placeText({ ...place, cell_number: host.numbers?.().get(place.file) ?? place.cell_number });
    setText(link, text);
    setAttr(link, 'title', t`Jump to ${text}${inRow ? ' (J)' : ''}`);
  };
  say();
  LINKS.set(link, say);
  return link;
}

/** Have the links in an element name cells by the numbers that these have now. */
export function renumber(root: Element): void {
  root.querySelectorAll('.tracefn-link').forEach(link => LINKS.get(link)?.());
}

/** The key J in a row goes to the row's place. Whether it was that key, and the row has one. */
export function jumpKey(event: KeyboardEvent, row: Element | null): boolean {
  const link = row?.querySelector<HTMLElement>('[data-tracefn=jump]');
  if (event.key.toLowerCase() !== 'j' || event.ctrlKey || event.metaKey || event.altKey || !link) {
    return false;
  }
  event.preventDefault();
  event.stopPropagation();
  link.click();
  return true;
}
