/** A drawing as a file: SVG that looks outside the page as it does in it. */

import { Scene } from '../../layout';
import { toRgba } from '../common/colour';
import { h } from '../common/dom';
import type { Drawing } from './drawing';
import { standalone } from './svg_renderer';

/** Properties that CSS gives and a file has to carry itself. */
const SHAPE_PROPERTIES = ['stroke-width', 'stroke-linecap', 'opacity'];
const TEXT_PROPERTIES = ['font-family', 'font-size', 'font-weight', 'text-anchor', 'paint-order'];

/** The SVG text of a scene, in the style of `place`, an element of the page. */
export function toSvgText(scene: Scene, place: HTMLElement): string {
  const { element, drawing } = standalone(scene);
  const hidden = h('div', { class: 'tracefn-measuring' }, element);
  place.append(hidden);
  for (const part of drawing.querySelectorAll('rect, path, text')) {
    const style = getComputedStyle(part);
    const more = part instanceof SVGTextElement ? TEXT_PROPERTIES : [];
    for (const name of [...SHAPE_PROPERTIES, ...more]) {
      part.setAttribute(name, style.getPropertyValue(name));
    }
    paint(part, 'fill', style);
    paint(part, 'stroke', style);
  }
  drawing.style.backgroundColor = getComputedStyle(place).backgroundColor;
  const text = new XMLSerializer().serializeToString(drawing);
  hidden.remove();
  return text;
}

/** Give a part its colour in the form that every SVG reader knows. */
function paint(part: Element, name: 'fill' | 'stroke', style: CSSStyleDeclaration): void {
  const colour = style.getPropertyValue(name);
  if (colour === 'none') {
    part.setAttribute(name, 'none');
    return;
  }
  const [r, g, b, alpha] = toRgba(colour);
  const opacity = alpha * Number(style.getPropertyValue(`${name}-opacity`));
  part.setAttribute(name, `rgb(${r},${g},${b})`);
  part.setAttribute(`${name}-opacity`, opacity.toFixed(3));
}

/** Offer a drawing as an SVG file. */
export function downloadSvg({ stage: { scene }, graph }: Drawing, place: HTMLElement): void {
  if (scene && graph) {
    download(`${graph.name.replace(/\W+/g, '_')}.svg`, toSvgText(scene, place), 'image/svg+xml');
  }
}

/** Offer a text as a download. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { attrs: { href: url, download: name } }).click();
  // The download has its own hold on the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
