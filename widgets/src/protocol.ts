/**
 * The types of everything the kernel sends: events, graphs and messages (`docs/protocol.md`; the kernel's own definition is
 * `kernel_side/tracefn/events/types.py`). Types only; `decode.ts` turns untrusted JSON into them.
 */

/** The protocol version these types describe. */
export const PROTOCOL_VERSION = 1;

/** Target and id of the comm that the kernel pushes events on. */
export const EVENTS_COMM = 'tracefn.events';

/** Target of the comm that the front end asks on. */
export const QUERY_COMM = 'tracefn.query';

/** One dimension of a shape: a length, the text of a symbolic length, or null for any length. */
export type Dimension = number | string | null;

/** A place in the user's code. `cell` and `cell_number` are null outside a notebook. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly cell: string | null;
  readonly cell_number: number | null;
}

/** One leaf of a call signature. */
export interface Argument {
  readonly path: string;
  readonly kind: string;
  readonly text: string;
  readonly dtype: string | null;
  readonly shape: readonly Dimension[] | null;
}

/** One difference between a call and an earlier signature; `text` is the whole sentence. */
export interface Cause {
  readonly path: string;
  readonly kind: string;
  readonly old: string;
  readonly new: string;
  readonly text: string;
  readonly dimension: number | null;
}

/** What one pass did: node counts before and after, and its duration. */
export interface PassCount {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly duration_ns: number;
}

/** Lower quartile, median and upper quartile, in ns. */
export type Quartiles = readonly [number, number, number];

/** What every event carries. */
export interface Header {
  readonly v: number;
  readonly seq: number;
  readonly time_ns: number;
  readonly engine: string;
  readonly function: string | null;
  readonly signature: string | null;
  readonly location: Location | null;
}

/** The fields of each event type, beside its header. */
export interface EventFields {
  'trace.started': {
    readonly function_name: string;
    readonly function_key: string;
    readonly defined: Location | null;
    readonly trace: number;
    readonly signature_text: string;
    readonly signature_hash: string;
    readonly arguments: readonly Argument[];
    /** The id of the cell that ran, null outside a notebook. */
    readonly cell: string | null;
  };
  'trace.phase': { readonly phase: string; readonly duration_ns: number };
  'trace.finished': {
    readonly ok: boolean;
    readonly total_ns: number;
    readonly phases: Readonly<Record<string, number>>;
  };
  'retrace.explained': {
    readonly trace: number;
    readonly nearest: number;
    readonly nearest_signature: string;
    readonly causes: readonly Cause[];
    readonly text: string;
  };
  'graph.built': {
    readonly graph_hash: string;
    readonly nodes_before: number;
    readonly nodes_after: number;
    readonly passes: readonly PassCount[];
    /** In what it differs from the graph of trace `same_as`: nothing, numbers, shapes; or different; empty for a first one. */
    readonly verdict: string;
    readonly same_as: number | null;
    /** Bytes that graph and program take, about. */
    readonly memory: number;
  };
  'plan.ready': {
    readonly plan: string;
    readonly device: string;
    readonly source: string;
    readonly duration_ns: number;
    /** Bytes of machine code in it. */
    readonly size: number;
  };
  'plan.kept': { readonly plan: string; readonly reason: string; readonly duration_ns: number };
  calls: { readonly count: number; readonly timed: number; readonly timed_ns: number };
  side_effect: { readonly kind: string; readonly text: string; readonly alternative: string };
  'autograph.fallback': {
    readonly construct: string;
    readonly cause: string;
    readonly ran_instead: string;
  };
  /** `signature` names the calls that run eagerly; `calls` events count them. */
  fallback: {
    /** The id of the trace that failed, null where there was none. */
    readonly attempt: string | null;
    readonly error: string;
    readonly reason: string;
    readonly fix: string;
    /** `any` for all calls that no trace fits. */
    readonly signature_text: string;
    readonly trace_ns: number;
    readonly eager_ns: number;
  };
  numerics: { readonly kind: string; readonly op: string; readonly text: string };
  transfer: { readonly direction: string; readonly size: number; readonly duration_ns: number };
  error: { readonly error: string; readonly message: string; readonly phase: string };
  'cache.cleared': { readonly count: number };
  'trace.evicted': { readonly trace: number; readonly reason: string };
  'timing.measured': {
    readonly eager_ns: Quartiles;
    readonly graph_ns: Quartiles;
    readonly phases: Readonly<Record<string, number>>;
    readonly speedup: number;
    readonly break_even: number | null;
  };
}

/** The name of an event type. */
export type EventType = keyof EventFields;

/** The event of one type, or any event of several. */
export type EventOf<T extends EventType> = T extends EventType
  ? Header & { readonly type: T } & EventFields[T]
  : never;

/** Any event. */
export type TraceEvent = EventOf<EventType>;

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
  readonly scope: string;
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
}

/** Totals of one signature's calls. */
export interface CallTotals {
  readonly count: number;
  readonly timed: number;
  readonly timed_ns: number;
}

/** What every message and every snapshot says about its sender; `time_ns` is the kernel's clock then. */
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

/** The events `first`…`last`, and the graphs they name that were not sent before. */
export interface Batch extends Sender {
  readonly kind: 'batch';
  readonly batch: number;
  readonly first: number;
  readonly last: number;
  readonly events: readonly TraceEvent[];
  readonly graphs: ReadonlyMap<string, Graph>;
  /** How many events were of a type or form that this front end does not know. */
  readonly skipped: number;
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
