/** The times of a graph's nodes in a call, by its profile. */

import { duration, partText } from '../../format';
import { EventOf } from '../../protocol';
import { t } from '../../words';

/** The time of a node: its share, where a kernel computes `others` as well, and its part of the call. */
export interface NodeTime {
  readonly ns: number;
  readonly part: number;
  readonly others: number;
}

/** By the ids of nodes. */
export type Times = ReadonlyMap<string, NodeTime>;

/** The times that a profile gives. That of a kernel is shared evenly among its nodes, as it is among lines. */
export function timesOf({ steps, others: rest, total_ns: total }: EventOf<'profile.measured'>): Times {
  const found = new Map<string, NodeTime>();
  for (const { nodes, ns } of [...steps, ...rest]) {
    for (const id of nodes) {
      const before = found.get(id);
      const sum = (before?.ns ?? 0) + ns / nodes.length;
      found.set(id, { ns: sum, part: sum / total, others: Math.max(before?.others ?? 0, nodes.length - 1) });
    }
  }
  return found;
}

/** A time in words: `3.50 µs, 35 % of the call`. */
export function timeText({ ns, part, others }: NodeTime): string {
  const share = others > 0 ? t`, its share of a kernel with ${others} other${others > 1 ? 's' : ''}` : '';
  return t`${duration(ns)}, ${partText(part)} of the call${share}`;
}
