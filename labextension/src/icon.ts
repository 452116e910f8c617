/** tracefn's icon: a value that goes through two operations. */

import { LabIcon } from '@jupyterlab/ui-components';

/** The icon of panel, launcher and toolbar. */
export const tracefnIcon = new LabIcon({
  name: 'tracefn:icon',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <g class="jp-icon3" fill="#616161">
    <circle cx="4" cy="3.2" r="1.9"/><circle cx="12" cy="3.2" r="1.9"/>
    <rect x="5.4" y="10.6" width="5.2" height="4" rx="1.2"/>
    <path d="M3.4 4.5h1.2c0 2 .9 2.6 2.2 3.1 1.2.5 1.8 1.2 1.8 3h-1.2c0-1.2-.3-1.5-1.1-1.8C4.800 8.200 3.400 7.200 3.400 4.500z"/>
    <path d="M12.600 4.500h-1.200c0 2-.9 2.600-2.200 3.100-.4.200-.7.300-1 .600.500.400.800.800.900 1.200.200-.2.400-.3.700-.4 1.500-.6 2.800-1.600 2.800-4.500z"/>
  </g>
</svg>`
});
