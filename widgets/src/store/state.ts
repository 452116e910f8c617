/** The state that events add up to: functions, their signatures, retraces and notices. Plain data; `reduce.ts` fills it. */

import {
  Argument,
  CallTotals,
  Cause,
  EventOf,
  Graph,
  Location,
  PassCount
} from '../protocol';
import { CellRun, CellStart } from './runs';

/** The size of a signature's graph, before and after the passes, and the graph's hash. */
export interface GraphSize {
  readonly hash: string;
  readonly before: number;
  readonly after: number;
  readonly passes: readonly PassCount[];
  readonly timeNs: number;
  /** The node that raised, where the trace failed at one. */
  readonly raised: string | null;
}

/** The difference of a graph from those of earlier traces: see `graph.built`. */
export interface Verdict {
  readonly kind: string;
  /** The number of the trace that could have served, or null. */
  readonly sameAs: number | null;
}

/** A program that ran or runs a signature; the newest is in use. */
export interface Plan {
  readonly plan: string;
  readonly device: string;
  readonly source: string;
  readonly durationNs: number;
  /** Bytes of machine code in it. */
  readonly size: number;
}

/** Why a signature was traced although earlier ones exist. */
export interface Retrace {
  readonly seq: number;
  readonly functionId: string;
  readonly signatureId: string;
  readonly trace: number;
  readonly nearest: number;
  readonly nearestSignature: string;
  readonly causes: readonly Cause[];
  readonly text: string;
  readonly location: Location | null;
  /** The id of the cell that ran; null where that is not known. */
  readonly cell: string | null;
}

/** Calls that run the Python function itself: their entry among the retraces, and their cost. */
export interface EagerCalls extends Retrace {
  /** Which calls: a signature, or `any` for all that no trace fits. */
  readonly calledWith: string;
  readonly error: string;
  /** The advice; empty where there is none. */
  readonly fix: string;
  /** The time of the attempt to trace; 0 where there was none. */
  readonly traceNs: number;
  /** The time of the first of the calls; 0 where that is not known. */
  readonly firstNs: number;
  calls: CallTotals;
  /** Whether `clear_cache()` has let it go: the calls are traced again. */
  dropped: boolean;
}

/** One trace of a function. */
export interface Signature {
  readonly id: string;
  readonly functionId: string;
  readonly trace: number;
  readonly text: string;
  readonly hash: string;
  readonly arguments: readonly Argument[];
  readonly location: Location | null;
  /** The id of the cell that ran: the call may stand in another, or in a module. */
  readonly cell: string | null;
  readonly startedNs: number;
  /** `tracing` until it finished; `dropped` after `clear_cache()`. */
  status: 'tracing' | 'ready' | 'failed' | 'dropped';
  totalNs: number;
  phases: Record<string, number>;
  retrace: Retrace | null;
  size: GraphSize | null;
  /** Null for a first trace, and before the graph is built. */
  verdict: Verdict | null;
  plans: Plan[];
  /** Why there is no native program; empty where there is one, or where none was tried. */
  kept: string;
  calls: CallTotals;
  timing: EventOf<'timing.measured'> | null;
  profile: EventOf<'profile.measured'> | null;
  sweep: EventOf<'sweep.measured'> | null;
  error: EventOf<'error'> | null;
}

/** Sums over signatures that are too many to be kept. */
export interface Forgotten {
  traces: number;
  calls: number;
  costNs: number;
}

/** One traced function: a new definition, even of the same name, is a new one with the same `key`. */
export interface TracedFunction {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly defined: Location | null;
  readonly signatures: string[];
  /** The ids of eager calls. */
  readonly eager: string[];
  readonly forgotten: Forgotten;
}

/** Something the user should know that is about no retrace. */
export type Notice = EventOf<'side_effect' | 'autograph.fallback' | 'fallback' | 'numerics' | 'error'>;

/** Bytes and time moved between devices, summed over all `transfer` events. */
export interface TransferTotals {
  count: number;
  size: number;
  durationNs: number;
}

/** A native program that is made in the background. */
export interface Build {
  /** Whether it is being built; it waits for another one otherwise. */
  readonly building: boolean;
  /** When that began, by the kernel's clock. */
  readonly sinceNs: number;
}

/** Everything that is shown. */
export interface State {
  readonly functions: Map<string, TracedFunction>;
  readonly signatures: Map<string, Signature>;
  readonly eager: Map<string, EagerCalls>;
  readonly graphs: Map<string, Graph>;
  /** The hashes of graphs that were asked for and that the kernel no longer has. */
  readonly goneGraphs: Set<string>;
  readonly retraces: Retrace[];
  /** How many retraces there were, with those that are too many to be kept. */
  counted: number;
  readonly forgotten: Forgotten;
  readonly notices: Notice[];
  readonly transfers: TransferTotals;
  /** The ids of signatures whose first call is under way. */
  readonly tracing: Set<string>;
  /** Native programs that wait or are built, by signature. */
  readonly builds: Map<string, Build>;
  /** Where cells began to run again that have not traced since, by their ids. */
  readonly starts: Map<string, CellStart>;
  /** The latest runs of cells that traced again, by their ids. */
  readonly runs: Map<string, CellRun>;
  /** The execution counts of cells that ran again as they were, by the names that their code was compiled under. */
  readonly numbers: Map<string, number>;
  /** Retraces up to this `seq` were cleared away by the user. */
  cleared: number;
  /** The page's clock (ms of `performance.now()`) when the kernel's stood at 0; null before it is known. */
  clockMs: number | null;
  /** The kernel's clock when all events up to then had arrived, as far as that is known. */
  currentNs: number;
  /** `seq` of the newest event seen. */
  last: number;
  /** Events of types this front end does not know. */
  skipped: number;
  /** Events that the kernel's memory bound had let go before they were asked for. */
  dropped: number;
}

/** The state before any event. */
export function emptyState(): State {
  return {
    functions: new Map(),
    signatures: new Map(),
    eager: new Map(),
    graphs: new Map(),
    goneGraphs: new Set(),
    retraces: [],
    counted: 0,
    forgotten: { traces: 0, calls: 0, costNs: 0 },
    notices: [],
    transfers: { count: 0, size: 0, durationNs: 0 },
    tracing: new Set(),
    builds: new Map(),
    starts: new Map(),
    runs: new Map(),
    numbers: new Map(),
    cleared: 0,
    clockMs: null,
    currentNs: 0,
    last: 0,
    skipped: 0,
    dropped: 0
  };
}
