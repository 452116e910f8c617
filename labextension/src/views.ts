/** The views, in a file of their own (with their style) that is loaded once there is something to show. */

import '@tracefn/widgets/style/tracefn.css';

export { Inspector } from '@tracefn/widgets';
export { graphTab } from './graph_tab';
export { retracesTab } from './retraces_tab';
