/**
 * The records inside of events: their types, and how they are read from untrusted JSON. Made by `tools/protocol.py`
 * from `kernel_side/tracefn/events/event.py`.
 */

import { asList, asNumber, asText, fail, asFields, orNull } from './reading';

/** One dimension of a shape: a length, the text of a symbolic length, or null for any length. */
export type Dimension = number | string | null;

/** Untrusted JSON → `Dimension`. */
export function asDimension(value: unknown): Dimension {
  return value === null || typeof value === 'number' || typeof value === 'string'
    ? value
    : fail('dimension');
}

/** Lower quartile, median and upper quartile, in ns. */
export type Quartiles = readonly [number, number, number];

/** Untrusted JSON → `Quartiles`. */
export function asQuartiles(value: unknown): Quartiles {
  const [low, median, high] = asList(value, asNumber);
  return low === undefined || median === undefined || high === undefined
    ? fail('quartiles')
    : [low, median, high];
}

/** A place in the user's code. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly cell: string | null;
  readonly cell_number: number | null;
}

/** Untrusted JSON → `Location`. */
export function asLocation(value: unknown): Location {
  const data = asFields(value);
  return {
    file: asText(data.file),
    line: asNumber(data.line),
    cell: orNull(data.cell, asText),
    cell_number: orNull(data.cell_number, asNumber)
  };
}

/** One leaf of a call signature. */
export interface Argument {
  readonly path: string;
  readonly kind: string;
  readonly text: string;
  readonly dtype: string | null;
  readonly shape: readonly Dimension[] | null;
}

/** Untrusted JSON → `Argument`. */
export function asArgument(value: unknown): Argument {
  const data = asFields(value);
  return {
    path: asText(data.path),
    kind: asText(data.kind),
    text: asText(data.text),
    dtype: orNull(data.dtype, asText),
    shape: orNull(data.shape, value => asList(value, asDimension))
  };
}

/** One difference between a call and an earlier signature. */
export interface Cause {
  readonly path: string;
  readonly kind: string;
  readonly old: string;
  readonly new: string;
  readonly text: string;
  readonly dimension: number | null;
}

/** Untrusted JSON → `Cause`. */
export function asCause(value: unknown): Cause {
  const data = asFields(value);
  return {
    path: asText(data.path),
    kind: asText(data.kind),
    old: asText(data.old),
    new: asText(data.new),
    text: asText(data.text),
    dimension: orNull(data.dimension, asNumber)
  };
}

/** The record of one pass: node counts before and after it, and its duration in ns. */
export interface PassCount {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly duration_ns: number;
}

/** Untrusted JSON → `PassCount`. */
export function asPassCount(value: unknown): PassCount {
  const data = asFields(value);
  return {
    name: asText(data.name),
    before: asNumber(data.before),
    after: asNumber(data.after),
    duration_ns: asNumber(data.duration_ns)
  };
}

/** One step of a profile, in the order of the program: the line `text` ran `rounds` times in a call, `ns` in all. */
export interface ProfileStep {
  readonly text: string;
  readonly kind: string;
  readonly ns: number;
  readonly rounds: number;
  readonly nodes: readonly string[];
  readonly location: Location | null;
  readonly memory: number;
  readonly peak: number;
}

/** Untrusted JSON → `ProfileStep`. */
export function asProfileStep(value: unknown): ProfileStep {
  const data = asFields(value);
  return {
    text: asText(data.text),
    kind: asText(data.kind),
    ns: asNumber(data.ns),
    rounds: asNumber(data.rounds),
    nodes: asList(data.nodes, asText),
    location: orNull(data.location, asLocation),
    memory: asNumber(data.memory),
    peak: asNumber(data.peak)
  };
}

/** The time of a step of a profile in a call, in ns, and the ids of the nodes that it computes. */
export interface ProfileTime {
  readonly ns: number;
  readonly nodes: readonly string[];
}

/** Untrusted JSON → `ProfileTime`. */
export function asProfileTime(value: unknown): ProfileTime {
  const data = asFields(value);
  return {
    ns: asNumber(data.ns),
    nodes: asList(data.nodes, asText)
  };
}

/** The time of a line of the user's code in a call, in ns: in the graph, and as plain Python. */
export interface ProfileLine {
  readonly location: Location;
  readonly graph_ns: number;
  readonly eager_ns: number;
}

/** Untrusted JSON → `ProfileLine`. */
export function asProfileLine(value: unknown): ProfileLine {
  const data = asFields(value);
  return {
    location: asLocation(data.location),
    graph_ns: asNumber(data.graph_ns),
    eager_ns: asNumber(data.eager_ns)
  };
}

/** The times of a call at one size, in ns (lower quartile, median, upper quartile): as plain Python, as a NumPy program, and as a native program, None where there is none. `copy_ns` is the time of copying the arguments. */
export interface SweepPoint {
  readonly size: number;
  readonly eager_ns: Quartiles;
  readonly numpy_ns: Quartiles;
  readonly native_ns: Quartiles | null;
  readonly copy_ns: number;
}

/** Untrusted JSON → `SweepPoint`. */
export function asSweepPoint(value: unknown): SweepPoint {
  const data = asFields(value);
  return {
    size: asNumber(data.size),
    eager_ns: asQuartiles(data.eager_ns),
    numpy_ns: asQuartiles(data.numpy_ns),
    native_ns: orNull(data.native_ns, asQuartiles),
    copy_ns: asNumber(data.copy_ns)
  };
}
