/** Layout: a graph and what is expanded in it → a drawing. */

export * from './dot';
export * from './engine';
export * from './families';
export * from './fold';
export * from './groups';
export * from './measure';
export * from './placement';
export * from './scene';
