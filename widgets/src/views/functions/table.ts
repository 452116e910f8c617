/** The common part of the rows of the tree of functions. */

import { Host } from '../common/host';

/** The tree as its rows see it. */
export interface Table {
  readonly host: Host;
  /** Select a signature. */
  readonly select: (signatureId: string) => void;
  /** The signature that is selected. */
  readonly selected: string | null;
  /** The signature that was traced last. */
  readonly newest: string | null;
}
