/**
 * Untrusted JSON → the types of `protocol.ts`. Tolerant where the protocol asks for it: unknown fields are ignored, unknown
 * event types and events that lack a field are skipped and counted, another protocol version is reported and never thrown.
 */

import { asHeader, READERS } from './events';
import { asDimension, asLocation } from './records';
import {
  Batch,
  CallTotals,
  EventType,
  Flow,
  Graph,
  GraphNode,
  GraphPart,
  PROTOCOL_VERSION,
  PushMessage,
  Sender,
  Snapshot,
  Sums,
  TraceEvent
} from './types';
import { asFields, asList, asNumber, asRecord, asText, attempt, fail, Fields, orElse, orNull } from './reading';

/** A message made for another protocol version: nothing in it can be trusted to mean what it used to. */
export interface Incompatible {
  readonly kind: 'incompatible';
  readonly protocol: number;
  readonly version: string;
}

/** The totals of the calls of a signature. */
function asTotals(value: unknown): CallTotals {
  const data = asFields(value);
  return {
    count: asNumber(data.count),
    timed: asNumber(data.timed),
    timed_ns: asNumber(data.timed_ns)
  };
}

function asSums(value: unknown): Sums {
  const data = asFields(value);
  return { traces: asNumber(data.traces), retraces: asNumber(data.retraces), cost_ns: asNumber(data.cost_ns) };
}

/** The sums of traces that were left out, by the ids of their functions; nothing where they are not of the known form. */
export function decodeLeftOut(value: unknown): ReadonlyMap<string, Sums> {
  return new Map(Object.entries(attempt(() => asRecord(value ?? {}, asSums)) ?? {}));
}

/** One event, or null where its type, version or form is not known here. */
export function decodeEvent(value: unknown): TraceEvent | null {
  return attempt(() => {
    const data = asFields(value);
    const type = asText(data.type);
    if (data.v !== PROTOCOL_VERSION || !Object.hasOwn(READERS, type)) {
      return fail('unknown');
    }
    return { ...READERS[type as EventType](data), ...asHeader(data), type } as TraceEvent;
  });
}

/** The events of a list that are known here, and the number of those that are not. */
export function decodeEvents(values: unknown): { events: TraceEvent[]; skipped: number } {
  const list = Array.isArray(values) ? values : [];
  const events = list.map(decodeEvent).filter(event => event !== null);
  return { events, skipped: list.length - events.length };
}

/** What most nodes have for attributes and for bodies. */
const NONE: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>);

function isNone(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
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
    attrs: isNone(data.attrs) ? NONE : asRecord(data.attrs, String),
    bodies: isNone(data.bodies) ? NONE : asRecord(data.bodies, asGraph),
    flow: orNull(data.flow ?? null, asFlow),
    scope: typeof data.scope === 'string' ? data.scope : '',
    file: orNull(data.file, asText),
    line: orNull(data.line, asNumber),
    cell: orNull(data.cell, asText),
    cell_number: orNull(data.cell_number, asNumber),
    ...(data.back_of ? { back_of: asBackOf(data.back_of) } : {})
  };
}

function asBackOf(value: unknown): { scope: string; op: string } {
  const { scope, op } = asFields(value);
  return { scope: asText(scope), op: asText(op) };
}

function asFlow(value: unknown): Flow {
  const data = asFields(value);
  return {
    feeds: asRecord(data.feeds, feeds => asList(feeds, id => orNull(id, asText))),
    carried: asRecord(data.carried, range => {
      const [first = 0, count = 0] = asList(range, asNumber);
      return [first, count] as const;
    }),
    rounds: asText(data.rounds),
    results: orElse(data.results, names => asList(names, asText), [])
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
    nodes: asList(data.nodes, asNode),
    sites: asRecord(data.sites ?? {}, asLocation)
  };
}

/** A graph, or null where it is not of the known form. */
export function decodeGraph(value: unknown): Graph | null {
  return attempt(() => asGraph(value));
}

/** A graph or a part of it, or null where it is not of the known form. */
export function decodePart(value: unknown): GraphPart | null {
  return attempt(() => {
    const { first, left } = asFields(value);
    return { graph: asGraph(value), first: orElse(first, asNumber, 0), left: orElse(left, asNumber, 0) };
  });
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
        return {
          kind: 'batch',
          ...head,
          batch: asNumber(data.batch),
          first: asNumber(data.first),
          last: asNumber(data.last),
          ...decodeEvents(data.events),
          graphs: Object.values(asFields(data.graphs ?? {})).map(decodePart).filter(part => part !== null),
          leftOut: decodeLeftOut(data.left_out)
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

/** Untrusted JSON → the graphs that are in it by their hashes; those of a form that is not known are left out. */
export function decodeGraphs(graphs: unknown): Graph[] {
  return Object.values(graphs ?? {})
    .map(decodeGraph)
    .filter(graph => graph !== null);
}
