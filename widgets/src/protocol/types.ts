/**
 * The types of everything the kernel sends: events, graphs and messages (`docs/protocol.md`). `events.ts` has those of
 * events, `records.ts` their parts. `decode.ts` turns untrusted JSON into them.
 */

import type { EventFields, Header } from './events';
import type { Dimension, Location } from './records';

export { PROTOCOL_VERSION } from './events';
export type { EventFields, Header } from './events';
export type { Argument, Cause, Dimension, Location, PassCount, ProfileLine, ProfileStep, Quartiles, SweepPoint } from './records';

/** Target and id of the comm that the kernel pushes events on. */
export const EVENTS_COMM = 'tracefn.events';

/** Target of the comm that the front end asks on. */
export const QUERY_COMM = 'tracefn.query';

/** The name of an event type. */
export type EventType = keyof EventFields;

/** The event of one type, or any event of several. */
export type EventOf<T extends EventType> = T extends EventType
  ? Header & { readonly type: T } & EventFields[T]
  : never;

/** Any event. */
export type TraceEvent = EventOf<EventType>;

/** How values come into the bodies of a branch or loop, by the name of the body. */
export interface Flow {
  /** The ids of the values that its inputs have at first; null for the index of a loop. */
  readonly feeds: Readonly<Record<string, readonly (string | null)[]>>;
  /** Output i of a body is input `first + i` of the next round, for `count` of them. */
  readonly carried: Readonly<Record<string, readonly [first: number, count: number]>>;
  /** The number of rounds, or the range that they go over; empty where that is open. */
  readonly rounds: string;
  /** The names in the code of the results of a branch; empty texts, or no texts, where they have no names. */
  readonly results: readonly string[];
}

/** One node of a graph. */
export interface GraphNode {
  readonly id: string;
  readonly op: string;
  readonly call: string;
  readonly inputs: readonly string[];
  readonly dtype: string | null;
  readonly shape: readonly Dimension[] | null;
  readonly kind: string;
  readonly attrs: Readonly<Record<string, string>>;
  /** The bodies of a branch or loop by name; the ids in a body are unique in it alone. */
  readonly bodies: Readonly<Record<string, Graph>>;
  readonly flow: Flow | null;
  /** The variable that the code assigns its value to; empty where that is not known. */
  readonly variable: string;
  readonly scope: string;
  /** The scope in all of the graph, where `scope` is that in a body; absent where they are one. */
  readonly within?: string;
  /** The scope and the op of its forward node; absent outside the backward pass. */
  readonly back_of?: { readonly scope: string; readonly op: string };
  readonly file: string | null;
  readonly line: number | null;
  readonly cell: string | null;
  readonly cell_number: number | null;
}

/** A graph, its nodes in program order. */
export interface Graph {
  readonly hash: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly nodes: readonly GraphNode[];
  /** Where the calls stand that scopes are of. */
  readonly sites: Readonly<Record<string, Location>>;
  /** The scopes of the bodies around it that it is one of, outermost first. */
  readonly around?: readonly string[];
  /** Which of its inputs each result of a body is in the next round, null where it is none. */
  readonly carries?: readonly (string | null)[];
  /** The places of results in the value that the function returns, or the names in the code of those of a body, where they have any. */
  readonly results?: readonly string[];
  /** Of a graph that two were merged into: the earlier forms of changed nodes, by id, and edges that are no more. */
  readonly before?: ReadonlyMap<string, GraphNode>;
  readonly edges?: readonly (readonly [from: string, to: string])[];
}

/** A graph, or the part of a large one that begins with its node number `first`; `left` nodes follow in other parts. */
export interface GraphPart {
  readonly graph: Graph;
  readonly first: number;
  readonly left: number;
}

/** Totals of one signature's calls. */
export interface CallTotals {
  readonly count: number;
  readonly timed: number;
  readonly timed_ns: number;
}

/** How many traces of a function were left out, how many of them were retraces, and the time of their first calls. */
export interface Sums {
  readonly traces: number;
  readonly retraces: number;
  readonly cost_ns: number;
}

/** The part of every message and every snapshot about its sender; `time_ns` is the kernel's clock then. */
export interface Sender {
  readonly session: string;
  readonly version: string;
  readonly time_ns: number | null;
}

/** Sent when the kernel opens the events comm. */
export interface Hello extends Sender {
  readonly kind: 'hello';
  readonly last: number;
}

/** The events `first`…`last`, and the graphs they name that were not sent before: parts of large ones come before the event. */
export interface Batch extends Sender {
  readonly kind: 'batch';
  readonly batch: number;
  readonly first: number;
  readonly last: number;
  readonly events: readonly TraceEvent[];
  readonly graphs: readonly GraphPart[];
  /** How many events were of a type or form that this front end does not know. */
  readonly skipped: number;
  /** By the ids of functions: traces of which no event is told, as the stream was far behind. */
  readonly leftOut: ReadonlyMap<string, Sums>;
  /** Whether no other event waited to be sent. */
  readonly current: boolean;
}

/** Where the stream stands, for finding gaps, and the call totals of all signatures. */
export interface Keyframe extends Sender {
  readonly kind: 'keyframe';
  readonly last: number;
  readonly totals: ReadonlyMap<string, CallTotals>;
}

/** Any message of the events comm. */
export type PushMessage = Hello | Batch | Keyframe;

/** The answer to the query `snapshot`: all events the kernel still keeps, oldest first. */
export interface Snapshot extends Sender {
  readonly last: number;
  readonly dropped: number;
  readonly events: readonly TraceEvent[];
  readonly skipped: number;
}
