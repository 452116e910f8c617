/**
 * Untrusted JSON → the types of `protocol.ts`. Tolerant where the protocol asks for it: unknown fields are ignored, unknown
 * event types and events that lack a field are skipped and counted, another protocol version is reported and never thrown.
 */

import { asHeader, READERS } from './events';
import { decodePart } from './graphs';
import {
  Batch,
  CallTotals,
  EventType,
  PROTOCOL_VERSION,
  PushMessage,
  Sender,
  Snapshot,
  Sums,
  TraceEvent
} from './types';
import { asFields, asNumber, asRecord, asText, attempt, fail, Fields, orNull } from './reading';

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
          leftOut: decodeLeftOut(data.left_out),
          current: data.current === true
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
