/**
 * Untrusted JSON → the types of `protocol.ts`. Tolerant where the protocol asks for it: unknown fields are ignored, unknown
 * event types and events that lack a field are skipped and counted, another protocol version is reported and never thrown.
 */

import {
  Argument,
  Batch,
  CallTotals,
  Cause,
  Dimension,
  EventType,
  Graph,
  GraphNode,
  Location,
  PassCount,
  PROTOCOL_VERSION,
  PushMessage,
  Sender,
  Snapshot,
  TraceEvent
} from './protocol';
import { asFields, asList, asNumber, asRecord, asText, attempt, fail, Fields, orNull } from './reading';

/** A message made for another protocol version: nothing in it can be trusted to mean what it used to. */
export interface Incompatible {
  readonly kind: 'incompatible';
  readonly protocol: number;
  readonly version: string;
}

function asDimension(value: unknown): Dimension {
  return value === null || typeof value === 'number' || typeof value === 'string'
    ? value
    : fail('dimension');
}

/** A place in the code. */
export function asLocation(value: unknown): Location {
  const data = asFields(value);
  return {
    file: asText(data.file),
    line: asNumber(data.line),
    cell: orNull(data.cell, asText),
    cell_number: orNull(data.cell_number, asNumber)
  };
}

function asArgument(value: unknown): Argument {
  const data = asFields(value);
  return {
    path: asText(data.path),
    kind: asText(data.kind),
    text: asText(data.text),
    dtype: orNull(data.dtype, asText),
    shape: orNull(data.shape, shape => asList(shape, asDimension))
  };
}

/** One difference. */
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

function asPassCount(value: unknown): PassCount {
  const data = asFields(value);
  return {
    name: asText(data.name),
    before: asNumber(data.before),
    after: asNumber(data.after),
    duration_ns: asNumber(data.duration_ns)
  };
}

function asQuartiles(value: unknown): [number, number, number] {
  const [low, median, high] = asList(value, asNumber);
  return low === undefined || median === undefined || high === undefined
    ? fail('quartiles')
    : [low, median, high];
}

/** How the own fields of each event type are read. */
const READERS: { [T in EventType]: (data: Fields) => object } = {
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
  'trace.phase': data => ({
    phase: asText(data.phase),
    duration_ns: asNumber(data.duration_ns)
  }),
  'trace.finished': data => ({
    ok: data.ok === true,
    total_ns: asNumber(data.total_ns),
    phases: asRecord(data.phases, asNumber)
  }),
  'retrace.explained': data => ({
    trace: asNumber(data.trace),
    nearest: asNumber(data.nearest),
    nearest_signature: asText(data.nearest_signature),
    causes: asList(data.causes, asCause),
    text: asText(data.text)
  }),
  'graph.built': data => ({
    graph_hash: asText(data.graph_hash),
    nodes_before: asNumber(data.nodes_before),
    nodes_after: asNumber(data.nodes_after),
    passes: asList(data.passes, asPassCount),
    verdict: typeof data.verdict === 'string' ? data.verdict : '',
    same_as: orNull(data.same_as, asNumber),
    memory: typeof data.memory === 'number' ? data.memory : 0
  }),
  'plan.ready': data => ({
    plan: asText(data.plan),
    device: asText(data.device),
    source: asText(data.source),
    duration_ns: asNumber(data.duration_ns),
    size: asNumber(data.size)
  }),
  'plan.kept': data => ({
    plan: asText(data.plan),
    reason: asText(data.reason),
    duration_ns: asNumber(data.duration_ns)
  }),
  calls: data => ({ ...asTotals(data) }),
  side_effect: data => ({
    kind: asText(data.kind),
    text: asText(data.text),
    alternative: asText(data.alternative)
  }),
  'autograph.fallback': data => ({
    construct: asText(data.construct),
    cause: asText(data.cause),
    ran_instead: asText(data.ran_instead)
  }),
  fallback: data => ({
    attempt: orNull(data.attempt, asText),
    error: asText(data.error),
    reason: asText(data.reason),
    fix: asText(data.fix),
    signature_text: asText(data.signature_text),
    trace_ns: asNumber(data.trace_ns),
    eager_ns: asNumber(data.eager_ns)
  }),
  numerics: data => ({
    kind: asText(data.kind),
    op: asText(data.op),
    text: asText(data.text)
  }),
  transfer: data => ({
    direction: asText(data.direction),
    size: asNumber(data.size),
    duration_ns: asNumber(data.duration_ns)
  }),
  error: data => ({
    error: asText(data.error),
    message: asText(data.message),
    phase: asText(data.phase)
  }),
  'cache.cleared': data => ({ count: asNumber(data.count) }),
  'trace.evicted': data => ({ trace: asNumber(data.trace), reason: asText(data.reason) }),
  'timing.measured': data => ({
    eager_ns: asQuartiles(data.eager_ns),
    graph_ns: asQuartiles(data.graph_ns),
    phases: asRecord(data.phases, asNumber),
    speedup: asNumber(data.speedup),
    break_even: orNull(data.break_even, asNumber)
  })
};

function asTotals(value: unknown): CallTotals {
  const data = asFields(value);
  return {
    count: asNumber(data.count),
    timed: asNumber(data.timed),
    timed_ns: asNumber(data.timed_ns)
  };
}

/** One event, or null where its type, version or form is not known here. */
export function decodeEvent(value: unknown): TraceEvent | null {
  return attempt(() => {
    const data = asFields(value);
    const type = asText(data.type);
    if (data.v !== PROTOCOL_VERSION || !Object.hasOwn(READERS, type)) {
      return fail('unknown');
    }
    return {
      ...READERS[type as EventType](data),
      type,
      v: PROTOCOL_VERSION,
      seq: asNumber(data.seq),
      time_ns: asNumber(data.time_ns),
      engine: typeof data.engine === 'string' ? data.engine : 'tracefn',
      function: orNull(data.function, asText),
      signature: orNull(data.signature, asText),
      location: orNull(data.location, asLocation)
    } as TraceEvent;
  });
}

/** The events of a list that are known here, and the number of those that are not. */
export function decodeEvents(values: unknown): { events: TraceEvent[]; skipped: number } {
  const list = Array.isArray(values) ? values : [];
  const events = list.map(decodeEvent).filter(event => event !== null);
  return { events, skipped: list.length - events.length };
}

function asNode(value: unknown): GraphNode {
  const data = asFields(value);
  return {
    id: asText(data.id),
    op: asText(data.op),
    call: typeof data.call === 'string' ? data.call : '',
    inputs: asList(data.inputs, asText),
    dtype: orNull(data.dtype, asText),
    shape: orNull(data.shape, shape => asList(shape, asDimension)),
    kind: typeof data.kind === 'string' ? data.kind : 'array',
    attrs: asRecord(data.attrs ?? {}, String),
    bodies: asRecord(data.bodies ?? {}, asGraph),
    scope: typeof data.scope === 'string' ? data.scope : '',
    file: orNull(data.file, asText),
    line: orNull(data.line, asNumber),
    cell: orNull(data.cell, asText),
    cell_number: orNull(data.cell_number, asNumber)
  };
}

/** Untrusted JSON → a graph. Throws where it is of another form. */
export function asGraph(value: unknown): Graph {
  const data = asFields(value);
  return {
    hash: asText(data.hash),
    name: asText(data.name),
    inputs: asList(data.inputs, asText),
    outputs: asList(data.outputs, asText),
    nodes: asList(data.nodes, asNode)
  };
}

/** A graph, or null where it is not of the known form. */
export function decodeGraph(value: unknown): Graph | null {
  return attempt(() => asGraph(value));
}

/** A message of the events comm, the news that it is for another protocol version, or null where it is neither. */
export function decodeMessage(value: unknown): PushMessage | Incompatible | null {
  return attempt(() => {
    const data = asFields(value);
    const other = incompatible(data);
    if (other) {
      return other;
    }
    const head = asSender(data);
    switch (data.kind) {
      case 'hello':
        return { kind: 'hello', ...head, last: asNumber(data.last) };
      case 'batch': {
        const graphs = asRecord(data.graphs ?? {}, decodeGraph);
        const known = Object.entries(graphs).filter(([, graph]) => graph !== null);
        return {
          kind: 'batch',
          ...head,
          batch: asNumber(data.batch),
          first: asNumber(data.first),
          last: asNumber(data.last),
          ...decodeEvents(data.events),
          graphs: new Map(known as [string, Graph][])
        } satisfies Batch;
      }
      case 'keyframe':
        return {
          kind: 'keyframe',
          ...head,
          last: asNumber(data.last),
          totals: new Map(Object.entries(asRecord(data.totals ?? {}, asTotals)))
        };
      default:
        return fail('kind');
    }
  });
}

/** The answer to the query `snapshot`. */
export function decodeSnapshot(value: unknown): Snapshot | Incompatible | null {
  return attempt(() => {
    const data = asFields(value);
    return (
      incompatible(data) ?? {
        ...asSender(data),
        last: asNumber(data.last),
        dropped: asNumber(data.dropped),
        ...decodeEvents(data.events)
      }
    );
  });
}

function asSender(data: Fields): Sender {
  return {
    session: asText(data.session),
    version: asText(data.version),
    time_ns: orNull(data.time_ns, asNumber)
  };
}

function incompatible(data: Fields): Incompatible | null {
  if (data.protocol === PROTOCOL_VERSION) {
    return null;
  }
  const version = typeof data.version === 'string' ? data.version : 'unknown';
  return { kind: 'incompatible', protocol: asNumber(data.protocol), version };
}
