/** The line above the views: the number of traces, and their cost. */

import { count, counted, duration } from '../format';
import { isNeedless } from './functions/listing';
import { countNow, definitions, State } from '../store';
import { t } from '../words';

/** The text of the line. */
export function summaryText(state: State): string {
  let cost = state.forgotten.costNs;
  for (const signature of state.signatures.values()) {
    cost += signature.totalNs;
  }
  for (const { traceNs } of state.eager.values()) {
    cost += traceNs;
  }
  const now = countNow(state);
  const needless = [...state.signatures.values()].filter(signature => isNeedless(state, signature)).length;
  const earlier = state.counted - now;
  const parts = [
    counted(definitions(state).length, 'function'),
    counted(state.forgotten.traces + state.signatures.size, 'trace'),
    [
      counted(now, 'retrace'),
      ...(needless > 0 ? [t`${count(needless)} needless`] : []),
      ...(earlier > 0 ? [t`${count(earlier)} before`] : [])
    ].join(', '),
    t`${duration(cost)} tracing`
  ];
  if (state.eager.size > 0) {
    let calls = 0;
    for (const item of state.eager.values()) {
      calls += item.calls.count;
    }
    parts.push(counted(calls, 'eager call'));
  }
  if (state.skipped > 0) {
    parts.push(t`${counted(state.skipped, 'event')} of an unknown type`);
  }
  if (state.dropped > 0) {
    parts.push(t`${counted(state.dropped, 'older event')} let go`);
  }
  return parts.join(' · ');
}
