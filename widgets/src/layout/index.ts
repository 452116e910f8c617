/** Layout: a graph and what is expanded in it → a drawing. */

export * from './bodies';
export * from './chips';
export * from './dot';
export * from './edges';
export * from './engine';
export * from './expand';
export * from './families';
export * from './fold';
export * from './groups';
export * from './measure';
export * from './placement';
export * from './repeats';
export * from './scene';
export * from './trees';
