/** Layout: a graph and what is expanded in it → a drawing. */

export * from './bodies';
export * from './chips';
export * from './colours/colourings';
export * from './dot';
export * from './edges';
export * from './engine';
export * from './expand';
export * from './families';
export * from './flops';
export * from './fold';
export * from './groups';
export * from './look';
export * from './measure';
export * from './compared/merge';
export * from './colours/paint';
export * from './pairs';
export * from './placement';
export * from './regroup';
export * from './repeats';
export * from './scene';
export * from './compared/sides';
export * from './slices';
export * from './stack';
export * from './stand_ins';
export * from './colours/times';
export * from './trees';
