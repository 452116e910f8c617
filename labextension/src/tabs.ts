/** The ids of the widgets in the main area, which are found by them. */

import { Signature } from '@tracefn/widgets';

/** How the ids of graphs begin. */
export const TAB_PREFIX = 'tracefn-graph-';

/** The retraces; there is one such widget at most. */
export const RETRACES_ID = 'tracefn-retraces';

/** The id of the widget that shows a signature's graph. */
export function tabId(signature: Signature): string {
  return `${TAB_PREFIX}${signature.size?.hash ?? signature.id}`;
}
