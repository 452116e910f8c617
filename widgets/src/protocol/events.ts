/**
 * The events: their types, and how they are read from untrusted JSON. Made by `tools/protocol.py` from
 * `kernel_side/tracefn/events/types.py`.
 */

import { asFlag, asList, asNumber, asRecord, asText, Fields, orElse, orNull } from './reading';
import {
  asLocation,
  Location,
  asArgument,
  Argument,
  asCause,
  Cause,
  asPassCount,
  PassCount,
  asProfileStep,
  ProfileStep,
  asProfileTime,
  ProfileTime,
  asProfileLine,
  ProfileLine,
  asSweepPoint,
  SweepPoint,
  asQuartiles,
  Quartiles
} from './records';

/** The protocol version that these types describe. */
export const PROTOCOL_VERSION = 1;

/** The header that every event carries. */
export interface Header {
  readonly v: number;
  readonly seq: number;
  readonly time_ns: number;
  readonly engine: string;
  readonly function: string | null;
  readonly signature: string | null;
  readonly location: Location | null;
}

/** The header of an event. */
export function asHeader(data: Fields): Header {
  return {
    v: PROTOCOL_VERSION,
    seq: asNumber(data.seq),
    time_ns: asNumber(data.time_ns),
    engine: orElse(data.engine, asText, 'tracefn'),
    function: orNull(data.function, asText),
    signature: orNull(data.signature, asText),
    location: orNull(data.location, asLocation)
  };
}

/** The fields of each event type, beside its header. */
export interface EventFields {
  /** A call found no signature that fits: a trace begins. `location` is the call site, `defined` the function's `def`. */
  'trace.started': {
    readonly function_name: string;
    readonly function_key: string;
    readonly defined: Location | null;
    readonly trace: number;
    readonly signature_text: string;
    readonly signature_hash: string;
    readonly arguments: readonly Argument[];
    readonly cell: string | null;
  };
  /** A notebook cell runs again in which functions were traced before, or that places in events are in. `cell` is its id, `number` its execution count. Places in the code compiled under the name `file` are in the cell as it is now. */
  'cell.started': {
    readonly cell: string;
    readonly number: number;
    readonly file: string;
  };
  /** One phase of a first call ended. `phase` is bind, rewrite, trace, passes, program or first_run; or bind, taken_over and first_run, where the trace was made by an earlier process or for other objects. */
  'trace.phase': {
    readonly phase: string;
    readonly duration_ns: number;
  };
  /** A trace ended: `ok` is False when it raised (an `error` event says how) and nothing was kept. `replayed` are the signatures of functions whose graphs were there already, so that a derivative did not run their Python again. */
  'trace.finished': {
    readonly ok: boolean;
    readonly total_ns: number;
    readonly phases: Readonly<Record<string, number>>;
    readonly replayed: readonly string[];
  };
  /** Why trace number `trace` was made although earlier traces exist: all differences from the nearest of them. */
  'retrace.explained': {
    readonly trace: number;
    readonly nearest: number;
    readonly nearest_signature: string;
    readonly causes: readonly Cause[];
    readonly text: string;
  };
  /** A graph is ready. `graph` is the graph itself; its JSON form travels beside the events, once per `graph_hash`, which is made when it is first asked for; `known_hash` is that of a graph that is let go. */
  'graph.built': {
    readonly nodes_before: number;
    readonly nodes_after: number;
    readonly passes: readonly PassCount[];
    readonly verdict: string;
    readonly same_as: number | null;
    readonly memory: number;
    readonly graph_hash: string;
    readonly raised: string | null;
  };
  /** A trace was kept on disk for later processes, or, where not `kept`, it could not be: `reason` says why. */
  'trace.kept': {
    readonly kept: boolean;
    readonly reason: string;
  };
  /** A native program for the signature waits to be built (`state` is 'queued'), is being built ('building'), or is no longer wanted ('gone'). `plan.ready` or `plan.kept` ends it. */
  'plan.build': {
    readonly state: string;
  };
  /** A program that can run the signature is ready and in use. `plan` is 'numpy' or 'native', `source` its text; `size` is the bytes of machine code in it. */
  'plan.ready': {
    readonly plan: string;
    readonly device: string;
    readonly source: string;
    readonly duration_ns: number;
    readonly size: number;
  };
  /** There is no faster program for the signature: `plan` stays in use. `reason` says why, `duration_ns` is the time spent on finding out. */
  'plan.kept': {
    readonly plan: string;
    readonly reason: string;
    readonly duration_ns: number;
  };
  /** Totals of a signature since it was made: `count` calls; `timed` of them were timed and took `timed_ns` in all. */
  'calls': {
    readonly count: number;
    readonly timed: number;
    readonly timed_ns: number;
  };
  /** Python code with an effect ran while tracing and will not run at later calls. */
  'side_effect': {
    readonly kind: string;
    readonly text: string;
    readonly alternative: string;
  };
  /** A construct could not be staged. */
  'autograph.fallback': {
    readonly construct: string;
    readonly cause: string;
    readonly ran_instead: string;
  };
  /** Calls of a signature run the Python function itself, as no trace could be made for them. */
  'fallback': {
    readonly attempt: string | null;
    readonly error: string;
    readonly reason: string;
    readonly fix: string;
    readonly signature_text: string;
    readonly trace_ns: number;
    readonly eager_ns: number;
  };
  /** A NaN, an Inf or a floating-point warning was seen while running. */
  'numerics': {
    readonly kind: string;
    readonly op: string;
    readonly text: string;
  };
  /** Data moved between devices. `direction` is 'to_device' or 'to_host', `size` is in bytes. */
  'transfer': {
    readonly direction: string;
    readonly size: number;
    readonly duration_ns: number;
  };
  /** Something raised. `error` is the class name; `phase` says where (a phase's name, or 'call'). `raised` is the line of the user's code that raised, where `location` is that of the call. `node` is the id of the node that raised, where a call of a cached trace did and it is known: `loop/body/node` in a body of control flow. `note` has the notes of the error, one a line: the types that met, `matmul of float64[3], float64[4, 4]`. */
  'error': {
    readonly error: string;
    readonly message: string;
    readonly phase: string;
    readonly note: string;
    readonly raised: Location | null;
    readonly node: string | null;
  };
  /** `count` traces of the function were dropped by `clear_cache()`. */
  'cache.cleared': {
    readonly count: number;
  };
  /** Trace number `trace` was dropped and its memory freed. `reason` is `max_traces=…` or `evict()`. */
  'trace.evicted': {
    readonly trace: number;
    readonly reason: string;
  };
  /** Eager against graph, measured. Times are ns for one call: (lower quartile, median, upper quartile). `tier` names the program of the graph that was timed, `before_native_ns` has the times of the NumPy program that ran before it. `made` names arguments in whose place others of their dtype and shape were given. */
  'timing.measured': {
    readonly eager_ns: Quartiles;
    readonly graph_ns: Quartiles;
    readonly phases: Readonly<Record<string, number>>;
    readonly speedup: number;
    readonly differs: boolean;
    readonly break_even: number | null;
    readonly tier: string;
    readonly before_native_ns: Quartiles | null;
    readonly break_even_before_native: number | null;
    readonly made: readonly string[];
  };
  /** Where the time and memory of a call go. `eager_ns` and `graph_ns` are the times of the whole call (lower quartile, median, upper quartile), `tier` names the program, `runs` is how often it ran with clocks. `shares` are parts of `total_ns` by the kind of work. `steps` are the slowest of `steps_count`, and the one with the most memory; of the `others` there is the time. `peak` is the most memory in use, in bytes. `made` is as in `timing.measured`. */
  'profile.measured': {
    readonly tier: string;
    readonly eager_ns: Quartiles;
    readonly graph_ns: Quartiles;
    readonly runs: number;
    readonly total_ns: number;
    readonly shares: Readonly<Record<string, number>>;
    readonly steps: readonly ProfileStep[];
    readonly steps_count: number;
    readonly others: readonly ProfileTime[];
    readonly lines: readonly ProfileLine[];
    readonly peak: number;
    readonly made: readonly string[];
  };
  /** Times over sizes, told after each size: `points` are those so far, of `total`. `lengths` says which lengths are the size. `growth` has by tier (eager, numpy, native) how its time grows, in words, `crossing` from which size on a graph is faster than eager code, and `crosses` that size, where there is one. `left_out` are sizes that would have taken too long. `made` is as in `timing.measured`. */
  'sweep.measured': {
    readonly lengths: string;
    readonly points: readonly SweepPoint[];
    readonly total: number;
    readonly growth: Readonly<Record<string, string>>;
    readonly crossing: Readonly<Record<string, string>>;
    readonly crosses: Readonly<Record<string, number>>;
    readonly left_out: readonly number[];
    readonly made: readonly string[];
  };
}

/** How the own fields of each event type are read. */
export const READERS: { readonly [T in keyof EventFields]: (data: Fields) => EventFields[T] } = {
  'trace.started': data => ({
    function_name: asText(data.function_name),
    function_key: asText(data.function_key),
    defined: orNull(data.defined, asLocation),
    trace: asNumber(data.trace),
    signature_text: asText(data.signature_text),
    signature_hash: asText(data.signature_hash),
    arguments: asList(data.arguments, asArgument),
    cell: orNull(data.cell, asText)
  }),
  'cell.started': data => ({
    cell: asText(data.cell),
    number: asNumber(data.number),
    file: orElse(data.file, asText, '')
  }),
  'trace.phase': data => ({
    phase: asText(data.phase),
    duration_ns: asNumber(data.duration_ns)
  }),
  'trace.finished': data => ({
    ok: asFlag(data.ok),
    total_ns: asNumber(data.total_ns),
    phases: asRecord(data.phases, asNumber),
    replayed: orElse(data.replayed, value => asList(value, asText), [])
  }),
  'retrace.explained': data => ({
    trace: asNumber(data.trace),
    nearest: asNumber(data.nearest),
    nearest_signature: asText(data.nearest_signature),
    causes: asList(data.causes, asCause),
    text: asText(data.text)
  }),
  'graph.built': data => ({
    nodes_before: asNumber(data.nodes_before),
    nodes_after: asNumber(data.nodes_after),
    passes: asList(data.passes, asPassCount),
    verdict: orElse(data.verdict, asText, ''),
    same_as: orNull(data.same_as, asNumber),
    memory: orElse(data.memory, asNumber, 0),
    graph_hash: asText(data.graph_hash),
    raised: orNull(data.raised, asText)
  }),
  'trace.kept': data => ({
    kept: asFlag(data.kept),
    reason: asText(data.reason)
  }),
  'plan.build': data => ({
    state: asText(data.state)
  }),
  'plan.ready': data => ({
    plan: asText(data.plan),
    device: asText(data.device),
    source: asText(data.source),
    duration_ns: asNumber(data.duration_ns),
    size: orElse(data.size, asNumber, 0)
  }),
  'plan.kept': data => ({
    plan: asText(data.plan),
    reason: asText(data.reason),
    duration_ns: asNumber(data.duration_ns)
  }),
  'calls': data => ({
    count: asNumber(data.count),
    timed: asNumber(data.timed),
    timed_ns: asNumber(data.timed_ns)
  }),
  'side_effect': data => ({
    kind: asText(data.kind),
    text: asText(data.text),
    alternative: asText(data.alternative)
  }),
  'autograph.fallback': data => ({
    construct: asText(data.construct),
    cause: asText(data.cause),
    ran_instead: asText(data.ran_instead)
  }),
  'fallback': data => ({
    attempt: orNull(data.attempt, asText),
    error: asText(data.error),
    reason: asText(data.reason),
    fix: asText(data.fix),
    signature_text: asText(data.signature_text),
    trace_ns: asNumber(data.trace_ns),
    eager_ns: asNumber(data.eager_ns)
  }),
  'numerics': data => ({
    kind: asText(data.kind),
    op: asText(data.op),
    text: asText(data.text)
  }),
  'transfer': data => ({
    direction: asText(data.direction),
    size: asNumber(data.size),
    duration_ns: asNumber(data.duration_ns)
  }),
  'error': data => ({
    error: asText(data.error),
    message: asText(data.message),
    phase: asText(data.phase),
    note: orElse(data.note, asText, ''),
    raised: orNull(data.raised, asLocation),
    node: orNull(data.node, asText)
  }),
  'cache.cleared': data => ({
    count: asNumber(data.count)
  }),
  'trace.evicted': data => ({
    trace: asNumber(data.trace),
    reason: asText(data.reason)
  }),
  'timing.measured': data => ({
    eager_ns: asQuartiles(data.eager_ns),
    graph_ns: asQuartiles(data.graph_ns),
    phases: asRecord(data.phases, asNumber),
    speedup: asNumber(data.speedup),
    differs: asFlag(data.differs),
    break_even: orNull(data.break_even, asNumber),
    tier: orElse(data.tier, asText, 'NumPy program'),
    before_native_ns: orNull(data.before_native_ns, asQuartiles),
    break_even_before_native: orNull(data.break_even_before_native, asNumber),
    made: orElse(data.made, value => asList(value, asText), [])
  }),
  'profile.measured': data => ({
    tier: asText(data.tier),
    eager_ns: asQuartiles(data.eager_ns),
    graph_ns: asQuartiles(data.graph_ns),
    runs: asNumber(data.runs),
    total_ns: asNumber(data.total_ns),
    shares: asRecord(data.shares, asNumber),
    steps: asList(data.steps, asProfileStep),
    steps_count: asNumber(data.steps_count),
    others: asList(data.others, asProfileTime),
    lines: asList(data.lines, asProfileLine),
    peak: asNumber(data.peak),
    made: orElse(data.made, value => asList(value, asText), [])
  }),
  'sweep.measured': data => ({
    lengths: asText(data.lengths),
    points: asList(data.points, asSweepPoint),
    total: asNumber(data.total),
    growth: asRecord(data.growth, asText),
    crossing: asRecord(data.crossing, asText),
    crosses: asRecord(data.crosses, asNumber),
    left_out: orElse(data.left_out, value => asList(value, asNumber), []),
    made: orElse(data.made, value => asList(value, asText), [])
  })
};
