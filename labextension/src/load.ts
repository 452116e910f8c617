/** Loading of the views: JupyterLab starts without them, as most of its pages trace nothing. */

type Views = typeof import('./views');

let views: Promise<Views> | null = null;

/** The views; loaded when first asked for, and again where that failed. */
export function loadViews(): Promise<Views> {
  views ??= import('./views').catch(error => {
    views = null;
    throw error;
  });
  return views;
}
