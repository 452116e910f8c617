/** The kernel's answers to questions about retraces (`docs/protocol.md`), and untrusted JSON → their types. */

import { asGraph } from './graphs';
import { asCause, asLocation } from './records';
import { Cause, Graph, Location } from './types';
import { asFields, asList, asNumber, asRecord, asText, attempt, Fields, orNull } from './reading';

/** An earlier trace that a call was compared with. */
export interface Compared {
  readonly trace: number;
  readonly signature: string;
  /** `kept`, or how it went: evicted, removed, cleared, creating. */
  readonly state: string;
  readonly causes: readonly Cause[];
}

/** A change that was proved to avoid traces. */
export interface Fix {
  /** input_signature, reduce_retracing, cast, outside (a value to assign, which is not written), hoist or static. */
  readonly kind: string;
  /** The argument of the decorator, or the value to pass; empty where the change is not one line. */
  readonly code: string;
  readonly text: string;
  readonly short: string;
  /** Paths of arguments → the values to pass for them. */
  readonly casts: Readonly<Record<string, string>>;
  readonly before: number;
  readonly after: number;
  /** Why it is not proved by tracing the function so; empty where it is. */
  readonly unverified: string;
}

/** A place outside its arguments that a trace uses, and how: by reference, guard, identity, constant or store. */
export interface OutsideRead {
  readonly path: string;
  readonly how: string;
  readonly value: string;
  /** The parts of it that have changed since the trace, and are not compared at calls; empty where nothing is known to. */
  readonly changed: string;
  /** The accesses of calls: read, written or both. */
  readonly use: string;
}

/** Why a trace was made: the answer to `explain`. */
export interface Explanation {
  /** Trace, cost, place and reason, then verdict and fix, in one line. */
  readonly headline: string;
  /** The verdict in words, as the headline has it; empty for a first trace. */
  readonly verdict: string;
  readonly signature: string;
  readonly phases: Readonly<Record<string, number>>;
  /** Every earlier trace, the nearest first. */
  readonly earlier: readonly Compared[];
  readonly fix: Fix | null;
  /** The usual advice, where no change is proved; empty where nothing is known. */
  readonly hint: string;
  readonly relaxed: readonly Cause[];
  readonly reads: readonly OutsideRead[];
  /** Effects that happened only while tracing. */
  readonly frozen: readonly string[];
}

/** The outcome of the calls under one policy. `changes` is empty where the results stay as they are. */
export interface Outcome {
  readonly policy: string;
  readonly arguments: readonly string[];
  readonly traces: number;
  readonly saved_ns: number;
  readonly changes: readonly string[];
  /** Why the function could not be traced so, to prove it; empty where it was. */
  readonly unverified: string;
}

/** Among the `changes` of a policy that the function was not traced with yet. */
export const NOT_TRIED = 'it was not tried';

/** The answer to `what_if`. */
export interface WhatIf {
  readonly traces: number;
  readonly calls: number;
  readonly cost_ns: number;
  readonly outcomes: readonly Outcome[];
}

/** How graph b differs from graph a: the answer to `graph_diff`. Nodes are named by their ids. */
export interface GraphDiff {
  /** Nodes of a → those that stand for them in b. */
  readonly same: Readonly<Record<string, string>>;
  readonly changed: readonly { readonly a: string; readonly b: string; readonly what: string }[];
  /** Which of the changed nodes, by their ids in a, differ in shapes alone. */
  readonly reshaped: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly added_edges: readonly (readonly [string, string])[];
  readonly removed_edges: readonly (readonly [string, string])[];
}

/** One line of a staging report; number 0 for lines elsewhere. */
export interface StagedLine {
  readonly number: number;
  readonly mark: string;
  readonly nodes: number;
  readonly source: string;
  readonly ns: number;
}

/** Another function of the user's that a trace came through, which begins at the location. */
export interface StagedFunction {
  readonly name: string;
  readonly location: Location;
  readonly lines: readonly StagedLine[];
}

/** The treatment of the lines of a traced function, and of others that the trace came through. */
export interface Staging {
  readonly lines: readonly StagedLine[];
  readonly functions: readonly StagedFunction[];
}

/** A step from the traced graph to native code, and how many nodes the graph has after it. */
export interface StageName {
  readonly name: string;
  readonly nodes: number;
}

/** One such step: its graph, and that as Python or LLVM code. */
export interface StageGraph extends StageName {
  readonly text: string;
  readonly graph: Graph;
}

/** The answer to `explain`, or null where it is of another form. */
export function decodeExplanation(value: unknown): Explanation | null {
  return attempt(() => {
    const data = asFields(value);
    return {
      headline: asText(data.headline),
      verdict: orNull(data.verdict, verdict => asText(asFields(verdict).text)) ?? '',
      signature: asText(data.signature),
      phases: asRecord(data.phases, asNumber),
      earlier: asList(data.earlier, asCompared),
      fix: orNull(data.fix, asFix),
      hint: asText(data.hint ?? ''),
      relaxed: asList(data.relaxed, asCause),
      reads: asList(data.reads, asRead),
      frozen: asList(data.frozen, asText)
    };
  });
}

/** The answer to `what_if`, or null where it is of another form. */
export function decodeWhatIf(value: unknown): WhatIf | null {
  return attempt(() => {
    const data = asFields(value);
    return {
      traces: asNumber(data.traces),
      calls: asNumber(data.calls),
      cost_ns: asNumber(data.cost_ns),
      outcomes: asList(data.outcomes, asOutcome)
    };
  });
}

/** The answer to `graph_diff`, or null where it is of another form. */
export function decodeGraphDiff(value: unknown): GraphDiff | null {
  return attempt(() => {
    const data = asFields(value);
    return {
      same: asRecord(data.same, asText),
      changed: asList(data.changed, asChange),
      reshaped: asList(data.reshaped ?? [], asText),
      added: asList(data.added, asText),
      removed: asList(data.removed, asText),
      added_edges: asList(data.added_edges, asEdge),
      removed_edges: asList(data.removed_edges, asEdge)
    };
  });
}

/** The answer to `staging`, or null where it is of another form. */
export function decodeStaging(value: unknown): Staging | null {
  return attempt(() => {
    const { lines, functions } = asFields(value);
    return { lines: asList(lines, asStagedLine), functions: asList(functions, asStagedFunction) };
  });
}

/** The answer to `stages`, or null where it is of another form. */
export function decodeStages(value: unknown): StageName[] | null {
  return attempt(() => asList(value, asStageName));
}

/** The answer to `stage`, or null where it is of another form. */
export function decodeStage(value: unknown): StageGraph | null {
  return attempt(() => {
    const data = asFields(value);
    return { ...asStageName(value), text: asText(data.text), graph: asGraph(data.graph) };
  });
}

/** The answer to `kernels`: the kernel of each node by the node's id; null where it is of another form. */
export function decodeKernels(value: unknown): ReadonlyMap<string, string> | null {
  return attempt(() => new Map(Object.entries(asRecord(asFields(value).nodes, asText))));
}

/** The answer to `write_fix`: the new source of cells by their ids; null where it is of another form. */
export function decodeWritten(value: unknown): Readonly<Record<string, string>> | null {
  return attempt(() => asRecord(asFields(value).cells, asText));
}

function asCompared(value: unknown): Compared {
  const data = asFields(value);
  return {
    trace: asNumber(data.trace),
    signature: asText(data.signature),
    state: asText(data.state),
    causes: asList(data.causes, asCause)
  };
}

function asFix(value: unknown): Fix {
  const data = asFields(value);
  return {
    ...texts(data, 'kind', 'code', 'text', 'short'),
    casts: asRecord(data.casts ?? {}, asText),
    before: asNumber(data.before),
    after: asNumber(data.after),
    unverified: asText(data.unverified ?? '')
  };
}

function asRead(value: unknown): OutsideRead {
  const data = asFields(value);
  return { ...texts(data, 'path', 'how', 'value'), changed: asText(data.changed ?? ''), use: asText(data.use ?? 'read') };
}

function asOutcome(value: unknown): Outcome {
  const data = asFields(value);
  return {
    policy: asText(data.policy),
    arguments: asList(data.arguments, asText),
    traces: asNumber(data.traces),
    saved_ns: asNumber(data.saved_ns),
    changes: asList(data.changes, asText),
    unverified: asText(data.unverified ?? '')
  };
}

function asChange(value: unknown): { a: string; b: string; what: string } {
  const [a = '', b = '', what = ''] = asList(value, asText);
  return { a, b, what };
}

function asEdge(value: unknown): [string, string] {
  const [from = '', to = ''] = asList(value, asText);
  return [from, to];
}

function asStageName(value: unknown): StageName {
  const data = asFields(value);
  return { name: asText(data.name), nodes: asNumber(data.nodes) };
}

function asStagedLine(value: unknown): StagedLine {
  const data = asFields(value);
  return {
    ...texts(data, 'mark', 'source'),
    number: asNumber(data.number),
    nodes: asNumber(data.nodes),
    ns: asNumber(data.ns)
  };
}

function asStagedFunction(value: unknown): StagedFunction {
  const data = asFields(value);
  return { name: asText(data.name), location: asLocation(data.location), lines: asList(data.lines, asStagedLine) };
}

/** Several texts of an object. */
function texts<K extends string>(data: Fields, ...names: K[]): Record<K, string> {
  return Object.fromEntries(names.map(name => [name, asText(data[name])])) as Record<K, string>;
}

/** The HTML in the answer to `report`. */
export function asReport(value: unknown): string {
  return asText(asFields(value).html);
}
