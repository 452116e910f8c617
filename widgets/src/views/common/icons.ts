/** The small line icons of the toolbars, drawn by path on a 16 × 16 grid. */

import { svg } from './dom';

const PATHS = {
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  table: 'M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.75h11M6.5 6.5V13',
  download: 'M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13h10',
  open: 'M6.5 3h-3.5v10h10V9.5M9 3h4v4M13 3L7.5 8.5',
  expand: 'M4 6.5L8 3l4 3.5M4 9.5L8 13l4-3.5',
  collapse: 'M4 3l4 3.5L12 3M4 13l4-3.5 4 3.5',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L13.5 13.5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  chevron: 'M6 4l4 4-4 4',
  left: 'M10 4l-4 4 4 4',
  right: 'M6 4l4 4-4 4',
  steps: 'M2.5 13.5v-3.5h3.7V6.5h3.6V3h3.7',
  options: 'M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 11.5h2M7.5 11.5h6M6 10v3',
  compare: 'M2.5 3h4.5v10H2.5zM9 3h4.5v10H9zM4 6h1.5M10.5 6h1.5M10.5 8.5h1.5',
  follow: 'M3 4l4 4-4 4M8 4l4 4-4 4M13.5 3.5v9',
  bolt: 'M9 1.5L3.5 9h4l-.5 5.5L12.5 7h-4z',
  focus: 'M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2'
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

/** A new icon; it takes the colour of the text around it. */
export function icon(name: IconName): SVGSVGElement {
  return svg(
    'svg',
    {
      class: `tracefn-icon tracefn-icon-${name}`,
      attrs: { viewBox: '0 0 16 16', 'aria-hidden': 'true' }
    },
    svg('path', { attrs: { d: PATHS[name] } })
  );
}
