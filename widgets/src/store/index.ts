/** The store: events in, state out. */

export * from './distinct';
export * from './progress';
export * from './reduce';
export * from './select';
export * from './state';
export * from './store';
