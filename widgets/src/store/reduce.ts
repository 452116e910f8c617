/** One event → the state after it. An event about a trace whose start was never seen changes nothing. */

import { EventOf, TraceEvent } from '../protocol';
import { fallBack, keep, MAX_SIGNATURES, ownerOf } from './eager';
import { runAgain, tracesIn } from './runs';
import { Signature, State } from './state';

/** Apply one event to the state, in place. */
export function reduce(state: State, event: TraceEvent): void {
  state.last = Math.max(state.last, event.seq);
  if (event.type === 'trace.started') {
    startTrace(state, event);
    return;
  }
  if (event.type === 'cache.cleared') {
    dropTraces(state, event);
    return;
  }
  if (event.type === 'cell.started') {
    runAgain(state, event);
    return;
  }
  if (event.type === 'fallback') {
    fallBack(state, event);
    return;
  }
  const signature = event.signature === null ? undefined : state.signatures.get(event.signature);
  switch (event.type) {
    case 'trace.phase':
      if (signature) {
        signature.phases = { ...signature.phases, [event.phase]: event.duration_ns };
        if (signature.status !== 'tracing') {
          signature.totalNs = Math.max(signature.totalNs, sum(signature.phases)); // the first run is told of after the trace
        }
      }
      break;
    case 'trace.finished':
      if (signature) {
        state.tracing.delete(signature.id);
        signature.status = event.ok ? 'ready' : 'failed';
        signature.phases = { ...signature.phases, ...event.phases };
        // One figure for the cost of a first call, that of the kernel's explanations: all its phases.
        signature.totalNs = Math.max(event.total_ns, sum(signature.phases));
      }
      break;
    case 'retrace.explained':
      explain(state, event, signature);
      break;
    case 'graph.built':
      if (signature) {
        signature.size = {
          hash: event.graph_hash,
          before: event.nodes_before,
          after: event.nodes_after,
          passes: event.passes,
          timeNs: event.time_ns,
          raised: event.raised
        };
        signature.verdict = event.verdict === '' ? null : { kind: event.verdict, sameAs: event.same_as };
      }
      break;
    case 'trace.evicted':
      if (signature) {
        signature.status = 'dropped';
      }
      break;
    case 'plan.build':
      if (event.signature !== null) {
        state.builds.delete(event.signature); // waiting builds stand in the order in which they were asked for
        if (event.state !== 'gone') {
          state.builds.set(event.signature, { building: event.state === 'building', sinceNs: event.time_ns });
        }
      }
      break;
    case 'plan.ready':
      if (event.plan === 'native') {
        state.builds.delete(event.signature ?? '');
      }
      if (signature) {
        // A native program from disk, until the process has built its own, is in use once.
        signature.plans = [
          ...signature.plans.filter(plan => plan.plan !== event.plan),
          {
            plan: event.plan,
            device: event.device,
            source: event.source,
            durationNs: event.duration_ns,
            size: event.size
          }
        ];
      }
      break;
    case 'plan.kept':
      state.builds.delete(event.signature ?? '');
      if (signature) {
        signature.kept = event.reason;
      }
      break;
    case 'calls': {
      const called = signature ?? state.eager.get(event.signature ?? '');
      if (called) {
        called.calls = { count: event.count, timed: event.timed, timed_ns: event.timed_ns };
      }
      break;
    }
    case 'timing.measured':
      if (signature) {
        signature.timing = event;
      }
      break;
    case 'profile.measured':
      if (signature) {
        signature.profile = event;
      }
      break;
    case 'sweep.measured':
      if (signature) {
        signature.sweep = event;
      }
      break;
    case 'trace.kept': // the files of later processes are nothing that this one shows
      break;
    case 'transfer':
      state.transfers.count += 1;
      state.transfers.size += event.size;
      state.transfers.durationNs += event.duration_ns;
      break;
    case 'error':
      if (signature) {
        signature.error = event;
      }
      keep(state.notices, event);
      break;
    case 'side_effect':
    case 'autograph.fallback':
    case 'numerics':
      keep(state.notices, event);
      break;
  }
}

function startTrace(state: State, event: EventOf<'trace.started'>): void {
  const { function: functionId, signature: id } = event;
  if (functionId === null || id === null) {
    return;
  }
  const owner = ownerOf(state, functionId, event);
  if (!state.signatures.has(id)) {
    owner.signatures.push(id);
  }
  tracesIn(state, event.cell ?? event.location?.cell ?? null);
  state.tracing.add(id);
  state.signatures.set(id, {
    id,
    functionId,
    trace: event.trace,
    text: event.signature_text,
    hash: event.signature_hash,
    arguments: event.arguments,
    location: event.location,
    cell: event.cell ?? event.location?.cell ?? null,
    startedNs: event.time_ns,
    status: 'tracing',
    totalNs: 0,
    phases: {},
    retrace: null,
    size: null,
    verdict: null,
    plans: [],
    kept: '',
    calls: { count: 0, timed: 0, timed_ns: 0 },
    timing: null,
    profile: null,
    sweep: null,
    error: null
  });
  forgetOldest(state);
}

function sum(phases: Readonly<Record<string, number>>): number {
  return Object.values(phases).reduce((all, ns) => all + ns, 0);
}

function forgetOldest(state: State): void {
  const { functions, signatures } = state;
  const [oldest] = signatures.values();
  if (signatures.size <= MAX_SIGNATURES || !oldest) {
    return;
  }
  signatures.delete(oldest.id);
  const owner = functions.get(oldest.functionId);
  for (const { forgotten } of owner ? [state, owner] : [state]) {
    forgotten.traces += 1;
    forgotten.calls += oldest.calls.count;
    forgotten.costNs += oldest.totalNs;
  }
  owner?.signatures.splice(owner.signatures.indexOf(oldest.id), 1);
  if (owner?.signatures.length === 0 && owner.eager.length === 0) {
    functions.delete(owner.id);
  }
}

function explain(
  state: State,
  event: EventOf<'retrace.explained'>,
  signature: Signature | undefined
): void {
  if (event.function === null || event.signature === null) {
    return;
  }
  const retrace = {
    seq: event.seq,
    functionId: event.function,
    signatureId: event.signature,
    trace: event.trace,
    nearest: event.nearest,
    nearestSignature: event.nearest_signature,
    causes: event.causes,
    text: event.text,
    location: event.location ?? signature?.location ?? null,
    cell: signature?.cell ?? event.location?.cell ?? null
  };
  if (signature) {
    signature.retrace = retrace;
  }
  keep(state.retraces, retrace);
  state.counted += 1;
}

function dropTraces(state: State, event: EventOf<'cache.cleared'>): void {
  const owner = event.function === null ? undefined : state.functions.get(event.function);
  for (const id of owner?.signatures ?? []) {
    const signature = state.signatures.get(id);
    if (signature?.status === 'ready') {
      signature.status = 'dropped';
    }
  }
  for (const id of owner?.eager ?? []) {
    const calls = state.eager.get(id);
    if (calls) {
      calls.dropped = true;
    }
  }
}
