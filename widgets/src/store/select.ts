/** Questions about a state that more than one view asks. */

import { Argument } from '../protocol';
import { EagerCalls, Forgotten, Signature, State, TracedFunction } from './state';
import { t } from '../words';

/** All definitions of one function: the newest, and the earlier ones that a re-run cell has replaced. */
export interface Definitions {
  readonly newest: TracedFunction;
  readonly earlier: readonly TracedFunction[];
}

/** Functions by key, in the order of their first trace, redefinitions folded together. */
export function definitions(state: State): Definitions[] {
  const byKey = new Map<string, TracedFunction[]>();
  for (const item of state.functions.values()) {
    const group = byKey.get(item.key);
    if (group) {
      group.push(item);
    } else {
      byKey.set(item.key, [item]);
    }
  }
  return [...byKey.values()].map(group => ({
    newest: group[group.length - 1] as TracedFunction,
    earlier: group.slice(0, -1).reverse()
  }));
}

/** The signatures of a function, in trace order. */
export function signaturesOf(state: State, item: TracedFunction): Signature[] {
  return item.signatures.flatMap(id => state.signatures.get(id) ?? []);
}

/** The calls of a function that run eagerly, in the order in which they were met. */
export function eagerOf(state: State, item: TracedFunction): EagerCalls[] {
  return item.eager.flatMap(id => state.eager.get(id) ?? []);
}

/** The time of one eager call, in ns; null where that is not known. */
export function eagerNs({ calls, firstNs }: EagerCalls): number | null {
  return calls.timed > 0 ? calls.timed_ns / calls.timed : firstNs || null;
}

/** Which calls run eagerly, in words. */
export function calledWith({ calledWith: text }: EagerCalls): string {
  return text === 'any' ? t`all calls that no trace fits` : text || '()';
}

/** Arguments, each as a text; equal neighbours in one container are one, with their number: `xs[…]: float64 ×8`. */
export function argumentRuns(leaves: readonly Argument[]): string[] {
  const runs: { path: string; container: string; text: string; times: number }[] = [];
  for (const { path, text } of leaves) {
    const [container = path] = /^[^[.]*/.exec(path) ?? [];
    const last = runs[runs.length - 1];
    if (last?.container === container && last.text === text) {
      last.times += 1;
    } else {
      runs.push({ path, container, text, times: 1 });
    }
  }
  return runs.map(({ path, container, text, times }) =>
    times > 1 ? `${container}[…]: ${text} ×${times}` : `${path}: ${text}`
  );
}

/** The arguments of a signature on one line. */
export function signatureText(signature: Signature): string {
  return argumentRuns(signature.arguments).join(', ') || signature.text || '()';
}

/** Sums over the signatures given, eager calls, and forgotten traces. */
export function totals(
  signatures: readonly Signature[],
  eager: readonly EagerCalls[],
  forgotten: Forgotten
): {
  traces: number;
  calls: number;
  costNs: number;
} {
  let { calls, costNs } = forgotten;
  for (const signature of signatures) {
    calls += signature.calls.count;
    costNs += signature.totalNs;
  }
  for (const item of eager) {
    calls += item.calls.count;
    costNs += item.traceNs;
  }
  return { traces: forgotten.traces + signatures.length, calls, costNs };
}

/** The name of a signature across page reloads and kernel restarts. */
export interface SignatureName {
  readonly functionKey: string;
  readonly signatureHash: string;
}

/** The stable name of a signature. */
export function nameOf(state: State, signature: Signature): SignatureName {
  return {
    functionKey: state.functions.get(signature.functionId)?.key ?? '',
    signatureHash: signature.hash
  };
}

/** The newest signature of that name, or null. */
export function findByName(state: State, name: SignatureName): Signature | null {
  let found: Signature | null = null;
  for (const signature of state.signatures.values()) {
    if (
      signature.hash === name.signatureHash &&
      state.functions.get(signature.functionId)?.key === name.functionKey
    ) {
      found = signature;
    }
  }
  return found;
}

/** The signature of a function that was traced last, in its newest definition that has one; null where there is none. */
export function newestOf(state: State, functionKey: string): Signature | null {
  let newest: Signature | null = null;
  for (const { key, signatures } of state.functions.values()) {
    const last = key === functionKey ? state.signatures.get(signatures[signatures.length - 1] ?? '') : undefined;
    newest = last ?? newest;
  }
  return newest;
}

/** Whether a signature belongs to the newest definition of its function. */
export function isCurrent(state: State, signature: Signature): boolean {
  const key = state.functions.get(signature.functionId)?.key;
  let newest: string | undefined;
  for (const item of state.functions.values()) {
    if (item.key === key) {
      newest = item.id;
    }
  }
  return newest === signature.functionId;
}

/** The signature that was traced last, or null before the first. */
export function newestSignature(state: State): Signature | null {
  let newest: Signature | null = null;
  for (const signature of state.signatures.values()) {
    newest = signature;
  }
  return newest;
}

/** The tier of a signature now, in a word: `native`, `NumPy`, or why nothing does; empty before there is a program. */
export function tierOf({ status, plans }: Signature): string {
  if (status !== 'ready') {
    return { tracing: t`tracing`, failed: t`failed`, dropped: t`dropped` }[status];
  }
  const plan = plans[plans.length - 1];
  if (!plan) {
    return '';
  }
  const name = { native: t`native`, numpy: 'NumPy' }[plan.plan] ?? plan.plan;
  return plan.device === 'cpu' ? name : t`${name} on ${plan.device}`;
}
