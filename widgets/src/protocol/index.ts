/** All that the kernel sends and answers: its types, and how they are read from untrusted JSON. */

export * from './answers';
export * from './decode';
export * from './graphs';
export * from './timeline';
export * from './types';
