/** A `fallback` event → the state after it: the trace that failed gives its place to the calls that run eagerly. */

import { EventOf, Location } from '../protocol';
import { State, TracedFunction } from './state';

/** Notices and retraces beyond this many are let go, oldest first. */
export const MAX_LISTED = 2000;

/** Signatures beyond this many are let go, oldest first: as many as the kernel keeps, so that a reload shows no fewer. */
export const MAX_SIGNATURES = 2000;

/** The first facts about a function. */
interface Described {
  readonly function_key: string;
  readonly function_name: string;
  readonly defined: Location | null;
}

/** The function of that id, made if need be. */
export function ownerOf(state: State, id: string, described: Described): TracedFunction {
  let owner = state.functions.get(id);
  if (!owner) {
    owner = {
      id,
      key: described.function_key,
      name: described.function_name,
      defined: described.defined,
      signatures: [],
      eager: [],
      forgotten: { traces: 0, calls: 0, costNs: 0 }
    };
    state.functions.set(id, owner);
  }
  return owner;
}

/** Apply the event, in place. */
export function fallBack(state: State, event: EventOf<'fallback'>): void {
  const { function: functionId, signature: id, attempt } = event;
  if (functionId === null || id === null) {
    return;
  }
  const name = functionId.replace(/#\d+$/, '');
  const owner = ownerOf(state, functionId, { function_key: name, function_name: name, defined: null });
  const failed = attempt === null ? undefined : state.signatures.get(attempt);
  if (attempt !== null) {
    forget(state, owner, attempt);
  }
  owner.eager.push(id);
  state.eager.set(id, {
    seq: event.seq,
    functionId,
    signatureId: id,
    trace: 0,
    nearest: 0,
    nearestSignature: '',
    causes: [{ path: '', kind: 'eager', old: '', new: '', text: event.reason, dimension: null }],
    text: event.reason,
    location: event.location,
    cell: failed?.cell ?? event.location?.cell ?? null,
    calledWith: event.signature_text,
    error: event.error,
    fix: event.fix,
    traceNs: event.trace_ns,
    firstNs: event.eager_ns,
    calls: { count: event.eager_ns > 0 ? 1 : 0, timed: 0, timed_ns: 0 },
    dropped: false
  });
  const [oldest] = state.eager.values();
  if (state.eager.size > MAX_SIGNATURES && oldest) {
    const { eager } = state.functions.get(oldest.functionId) ?? owner;
    eager.splice(eager.indexOf(oldest.signatureId), 1);
    state.eager.delete(oldest.signatureId);
  }
  if (!state.notices.some(notice => notice.type === 'fallback' && isSame(notice, event))) {
    keep(state.notices, event);
  }
}

/** Whether two say the same of one function: of several signatures it is one notice. */
function isSame(one: EventOf<'fallback'>, other: EventOf<'fallback'>): boolean {
  const key = ({ function: owner, error, location, reason }: EventOf<'fallback'>): string =>
    JSON.stringify([owner, error, location ?? reason]);
  return key(one) === key(other);
}

/** Leaves nothing of a trace that failed, whose number the next one gets. */
function forget(state: State, owner: TracedFunction, attempt: string): void {
  const failed = state.signatures.get(attempt);
  if (failed?.status !== 'failed') {
    return;
  }
  state.signatures.delete(attempt);
  owner.signatures.splice(owner.signatures.indexOf(attempt), 1);
  const { retrace, error } = failed;
  state.counted -= remove(state.retraces, retrace) ? 1 : 0;
  remove(state.notices, error);
}

function remove<T>(list: T[], item: T | null): boolean {
  const index = item === null ? -1 : list.lastIndexOf(item);
  if (index >= 0) {
    list.splice(index, 1);
  }
  return index >= 0;
}

/** Adds to a list that has an end. */
export function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MAX_LISTED) {
    list.splice(0, list.length - MAX_LISTED);
  }
}
