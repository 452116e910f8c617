/** Colours of the theme as numbers, for Plotly and SVG files, which know neither CSS variables nor mixtures. */

import { h } from './dom';

/** Red, green and blue from 0 to 255, alpha from 0 to 1. */
export type Rgba = readonly [number, number, number, number];

/** Any CSS colour that the browser understands, but no variable, as numbers. */
export function toRgba(colour: string): Rgba {
  const canvas = h('canvas', { attrs: { width: 1, height: 1 } });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) {
    return [0, 0, 0, 1];
  }
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, a = 255] = context.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}

/** Reads variables as an element sees them. */
export function themeColours(element: Element): (variable: string) => string {
  const probe = h('span');
  return variable => {
    probe.style.color = `var(${variable})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
