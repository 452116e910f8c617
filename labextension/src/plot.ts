/** Plotly, in a file of its own that is loaded when the first plot is drawn. */

import { Plot } from '@tracefn/widgets';

/** Draw a figure. It keeps the size of its element: Plotly by itself hears of the window's alone. */
export const plot: Plot = async (element, { data, layout }) => {
  const { default: Plotly } = await import('plotly.js-basic-dist-min');
  await Plotly.newPlot(element, data, layout, { displayModeBar: false });
  const observer = new ResizeObserver(() => {
    if (element.clientWidth > 0) {
      void Plotly.Plots.resize(element);
    }
  });
  observer.observe(element);
  return () => {
    observer.disconnect();
    Plotly.purge(element);
  };
};
