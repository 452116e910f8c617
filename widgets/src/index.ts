/** The public face of the views: events in, DOM out. Neither JupyterLab nor comms are known here. */

export * from './answers';
export * from './decode';
export * from './format';
export * from './inspector';
export * from './layout';
export * from './protocol';
export * from './store';
export * from './views/dom';
export * from './views/empty';
export * from './views/graph';
export * from './views/host';
export * from './views/retraces/view';
