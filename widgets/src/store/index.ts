/** The store: events in, state out. */

export * from './distinct';
export { MAX_LISTED, MAX_SIGNATURES } from './eager';
export * from './marks';
export * from './progress';
export * from './reduce';
export * from './runs';
export * from './select';
export * from './selection';
export * from './state';
export * from './store';
