/** The columns of the table of retraces, which of them a filter lets through, and in which order. */

import { placeText } from '../../format';
import { EagerCalls, isCleared, isEarlier, Retrace, Signature, State } from '../../store';
import { toCsv } from '../common/csv';
import { CauseFamily, causeKey, familiesOf } from './causes';

/** A retrace with its trace and function. */
export interface TraceRow {
  readonly retrace: Retrace;
  readonly signature: Signature | null;
  /** Set where calls run eagerly instead of being traced again. */
  readonly eager: EagerCalls | null;
  /** The function's name, and the key that its definitions share. */
  readonly name: string;
  readonly functionKey: string;
  readonly families: readonly CauseFamily[];
  /** The time of the first call, in ns; null before its end. */
  readonly costNs: number | null;
  /** Whether one graph could have served; null before that is known. */
  readonly needless: boolean | null;
  /** Whether its cell has run again since. */
  readonly earlier: boolean;
}

/** Which retraces are listed. An empty or null field lets all through. */
export interface Filter {
  readonly text: string;
  readonly functionKey: string | null;
  readonly families: ReadonlySet<CauseFamily>;
  readonly needlessOnly: boolean;
  /** The signatures of one bar of the timeline. */
  readonly signatures: ReadonlySet<string> | null;
  /** One cause, whatever the function (`causeKey`). */
  readonly cause: string | null;
  /** Whether those of earlier runs of their cells are listed, too. */
  readonly earlierToo: boolean;
}

/** The order of the table. */
export type Order = 'newest' | 'cost';

/** The rows of all retraces and eager calls, oldest first, without those that were cleared away. */
export function rowsOf(state: State): TraceRow[] {
  const all: Retrace[] = [...state.retraces, ...state.eager.values()].filter(retrace => !isCleared(state, retrace));
  if (state.eager.size > 0) {
    all.sort((a, b) => a.seq - b.seq);
  }
  return all.map(retrace => rowOf(state, retrace));
}

/** The row of one retrace. */
export function rowOf(state: State, retrace: Retrace): TraceRow {
  const known = state.signatures.get(retrace.signatureId) ?? null;
  // The number of a trace that failed is given again: the signature is then that of the next one.
  const signature = known?.retrace?.seq === retrace.seq ? known : null;
  const owner = state.functions.get(retrace.functionId);
  const eager = state.eager.get(retrace.signatureId) ?? null;
  return {
    retrace,
    signature,
    eager,
    name: owner?.name ?? retrace.functionId,
    functionKey: owner?.key ?? retrace.functionId,
    families: familiesOf(retrace),
    costNs: eager ? eager.traceNs : signature && signature.status !== 'tracing' ? signature.totalNs : null,
    needless: signature?.verdict ? signature.verdict.kind !== 'different' : null,
    earlier: isEarlier(state, retrace)
  };
}

/** Rows as CSV, with the cost in ns. */
export function rowsCsv(rows: readonly TraceRow[]): string {
  const head = ['function', 'trace', 'why', 'causes', 'needless', 'runs eagerly', 'call', 'cost_ns'];
  return toCsv(
    head,
    rows.map(({ retrace, name, families, needless, eager, costNs }) => [
      ...[name, retrace.trace, retrace.text, families.join(' '), needless, eager !== null],
      ...[retrace.location && placeText(retrace.location), costNs]
    ])
  );
}

/** The rows that a filter lets through, in the order asked for. */
export function selectRows(rows: readonly TraceRow[], filter: Filter, order: Order): TraceRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(word => word !== '');
  const found = rows.filter(row => passes(row, filter) && words.every(word => haystack(row).includes(word)));
  found.reverse();
  return order === 'cost' ? found.sort((a, b) => (b.costNs ?? 0) - (a.costNs ?? 0)) : found;
}

function passes({ retrace, functionKey, families, needless, earlier }: TraceRow, filter: Filter): boolean {
  return (
    (!earlier || filter.earlierToo) &&
    (filter.functionKey === null || filter.functionKey === functionKey) &&
    (filter.families.size === 0 || families.some(family => filter.families.has(family))) &&
    (filter.cause === null || retrace.causes.some(cause => causeKey(cause) === filter.cause)) &&
    (!filter.needlessOnly || needless === true) &&
    (filter.signatures === null || filter.signatures.has(retrace.signatureId))
  );
}

function haystack({ retrace, name }: TraceRow): string {
  const place = retrace.location ? placeText(retrace.location) : '';
  return `${name} #${retrace.trace} ${retrace.text} ${place}`.toLowerCase();
}
