/** The kernel's answer to `timeline` (`docs/protocol.md`), and untrusted JSON → its type. */

import { asFields, asList, asNumber, asRecord, asText, attempt } from './reading';

/** One band of a session's timeline; times in ns of the kernel's clock. */
export interface Span {
  /** `cells`, the id of a function, or `native code`. */
  readonly track: string;
  /** 0, or 1 for a band inside of another. */
  readonly level: number;
  readonly name: string;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** The time that it stands for: that of calls is less than the length of their cell. */
  readonly ns: number;
  /** The id of the trace; empty for cells. */
  readonly signature: string;
  /** Other facts, by name: cause, site, … */
  readonly details: Readonly<Record<string, string>>;
}

/** The answer to `timeline`, or null where it is of another form. */
export function decodeTimeline(value: unknown): Span[] | null {
  return attempt(() => asList(value, asSpan));
}

function asSpan(value: unknown): Span {
  const data = asFields(value);
  const start = asNumber(data.start_ns);
  return {
    track: asText(data.track),
    level: asNumber(data.level),
    name: asText(data.name),
    kind: asText(data.kind),
    start,
    end: start + asNumber(data.length_ns),
    ns: asNumber(data.ns),
    signature: asText(data.signature),
    details: asRecord(data.details, String)
  };
}
