/** How a graph is to be drawn: the user's choices. */

/** Which nodes stand in one frame: those of one call, of one line of source, or of one kernel. */
export const GROUPINGS = ['call', 'line', 'kernel'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Whether equal rounds are one frame: always, never, or from `MIN_COPIES` on. */
export const FOLDINGS = ['auto', 'fold', 'unfold'] as const;
export type Folding = (typeof FOLDINGS)[number];

/** The choices. */
export interface Look {
  readonly fold: Folding;
  readonly by: Grouping;
  readonly direction: 'down' | 'right';
  /** Values that are chips where they are used (true) or have edges (false), whatever the number of their users; by id. */
  readonly pins: Readonly<Record<string, boolean>>;
  /** The name of the colouring. */
  readonly colour: string;
}

/** The defaults. */
export const FIRST_LOOK: Look = { fold: 'auto', by: 'call', direction: 'down', pins: {}, colour: 'family' };
