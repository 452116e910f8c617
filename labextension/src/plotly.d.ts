/** The functions of Plotly that are used. */

declare module 'plotly.js-basic-dist-min' {
  const Plotly: {
    newPlot(
      element: HTMLElement,
      data: readonly object[],
      layout: object,
      config: object
    ): Promise<unknown>;
    purge(element: HTMLElement): void;
    readonly Plots: { resize(element: HTMLElement): Promise<unknown> };
  };
  export default Plotly;
}
