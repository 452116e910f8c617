/** Plotly, in a file of its own that is loaded when the first plot is drawn. */

import { Plot } from '@tracefn/widgets';

/** Draw a figure. */
export const plot: Plot = async (element, { data, layout }) => {
  const { default: Plotly } = await import('plotly.js-basic-dist-min');
  await Plotly.newPlot(element, data, layout, { displayModeBar: false, responsive: true });
  return () => Plotly.purge(element);
};
