/** The public face of the views: events in, DOM out. Neither JupyterLab nor comms are known here. */

export * from './format';
export * from './inspector';
export * from './layout';
export * from './protocol';
export * from './store';
export * from './views/common/dom';
export * from './views/common/empty';
export * from './views/common/host';
export * from './views/look/choices';
export * from './views/graph/view';
export { renumber } from './views/common/place';
export * from './views/retraces/view';
export * from './pace';
export * from './words';
