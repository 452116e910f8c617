/** Spans of time: the tracks that they are drawn on, those within a stretch of time, and their sums. */

import { Span } from '../../protocol';
import { later, translated } from '../../words';

/** A stretch of time, in ns. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** One track with its spans, by their start. */
export interface Track {
  readonly name: string;
  /** How many levels of bands it has. */
  readonly levels: number;
  readonly spans: readonly Span[];
}

/** The kinds of spans in words. */
const KINDS: Readonly<Record<string, string>> = {
  cell: later`cells`,
  calls: later`calls`,
  trace: later`traces`,
  bind: later`binding`,
  taken_over: later`taken over`,
  rewrite: later`rewriting`,
  tracing: later`tracing`,
  passes: later`passes`,
  program: later`programs`,
  first_run: later`first runs`,
  compile: later`native code`
};

/** A kind of spans in words; `other` where it has none. */
export function kindText(kind: string, other = kind): string {
  const text = KINDS[kind];
  return text === undefined ? other : translated(text);
}

/** The name of a span: of a phase, its work. */
export function nameOf({ name, kind, level }: Span): string {
  return level > 0 && kind !== 'calls' ? kindText(kind, name) : name;
}

/** The tracks: cells first, native code last, functions by their first trace. */
export function tracksOf(spans: readonly Span[]): Track[] {
  const byName = new Map<string, Span[]>();
  for (const span of spans) {
    byName.set(span.track, [...(byName.get(span.track) ?? []), span]);
  }
  const rank = (name: string): number => (name === 'cells' ? 0 : name === 'native code' ? 2 : 1);
  return [...byName]
    .map(([name, members]) => ({ name, levels: Math.max(...members.map(({ level }) => level)) + 1, spans: members }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** The name of a track: a function by its name, without the number that tells it from others of that name. */
export function titleOf({ name }: Track): string {
  return name.replace(/#\d+$/, '');
}

/** All the time there is. */
export function wholeRange(spans: readonly Span[]): Range {
  let [from, to] = [Infinity, -Infinity];
  for (const { start, end } of spans) {
    from = Math.min(from, start);
    to = Math.max(to, end);
  }
  return from < to ? { from, to } : { from: 0, to: 1 };
}

/** Zoom around a place, which stays where it is; never beyond all the time there is, nor closer than 100 ns. */
export function zoomed({ from, to }: Range, factor: number, at: number, whole: Range): Range {
  const width = Math.min(whole.to - whole.from, Math.max(100, (to - from) / factor));
  const part = (at - from) / (to - from);
  return within({ from: at - part * width, to: at + (1 - part) * width }, whole);
}

/** Move by a part of the width. */
export function panned({ from, to }: Range, part: number, whole: Range): Range {
  const by = (to - from) * part;
  return within({ from: from + by, to: to + by }, whole);
}

function within({ from, to }: Range, whole: Range): Range {
  const by = Math.max(0, whole.from - from) - Math.max(0, to - whole.to);
  return { from: from + by, to: to + by };
}

/** Whether a span has a text in its name, kind, track, or details. */
export function matches({ name, kind, track, details }: Span, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  return wanted === '' || [name, kindText(kind), track, ...Object.values(details)].join(' ').toLowerCase().includes(wanted);
}

/** The spans that lie in a range, in part or whole. */
export function inRange(spans: readonly Span[], { from, to }: Range): Span[] {
  return spans.filter(({ start, end }) => start < to && end > from);
}

/** The time of each kind of spans within a range, in ns, the longest first. */
export function totalsOf(spans: readonly Span[], { from, to }: Range): [kind: string, ns: number, count: number][] {
  const sums = new Map<string, [number, number]>();
  for (const { kind, start, end, ns } of spans) {
    const part = end > start ? Math.max(0, Math.min(to, end) - Math.max(from, start)) / (end - start) : 1;
    const [sum, count] = sums.get(kind) ?? [0, 0];
    sums.set(kind, [sum + ns * part, count + 1]);
  }
  return [...sums].map(([kind, [sum, count]]) => [kind, sum, count] as [string, number, number]).sort((a, b) => b[1] - a[1]);
}
