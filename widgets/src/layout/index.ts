/** Layout: a graph and what is expanded in it → a drawing. */

export * from './bodies';
export * from './chips';
export * from './colourings';
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
export * from './merge';
export * from './paint';
export * from './placement';
export * from './regroup';
export * from './repeats';
export * from './scene';
export * from './sides';
export * from './slices';
export * from './stack';
export * from './stand_ins';
export * from './times';
export * from './trees';
