/** A drawing as a file: SVG that looks outside the page as it does in it, or a table of its nodes. */

import { Scene } from '../../layout';
import { toRgba } from '../common/colour';
import { h } from '../common/dom';
import { download } from '../common/download';
import type { Drawing } from './drawing';
import { nodesCsv } from './node_table';
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

/** Offer a drawing as an SVG file; its nodes as CSV while the `table` is shown. */
export function downloadGraph({ stage: { scene }, graph }: Drawing, place: HTMLElement, table: boolean): void {
  const name = graph?.name.replace(/\W+/g, '_');
  if (graph && table) {
    download(`${name}.csv`, nodesCsv(graph), 'text/csv');
  } else if (graph && scene) {
    download(`${name}.svg`, toSvgText(scene, place), 'image/svg+xml');
  }
}
