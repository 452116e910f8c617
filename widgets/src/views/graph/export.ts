/** A drawing as a file: SVG that looks outside the page as it does in it. */

import { Scene } from '../../layout';
import { h } from '../dom';
import { standalone } from './svg_renderer';

/** Properties that CSS gives and a file has to carry itself. */
const PROPERTIES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'paint-order'
];

/** The SVG text of a scene, in the style of `place`, an element of the page. */
export function toSvgText(scene: Scene, place: HTMLElement): string {
  const { element, drawing } = standalone(scene);
  const hidden = h('div', { class: 'tracefn-measuring' }, element);
  place.append(hidden);
  for (const part of drawing.querySelectorAll('rect, path, text')) {
    const style = getComputedStyle(part);
    for (const name of PROPERTIES) {
      part.setAttribute(name, style.getPropertyValue(name));
    }
  }
  drawing.style.backgroundColor = getComputedStyle(place).backgroundColor;
  const text = new XMLSerializer().serializeToString(drawing);
  hidden.remove();
  return text;
}

/** Offer a text as a download. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { attrs: { href: url, download: name } }).click();
  // The download has its own hold on the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
