/** The calls and rounds in frames elsewhere that read a value: as many edges as there are of them would run along these frames. */

import type { Cluster } from './fold';

/** The largest number of frames and closed groups, side by side in one frame around them, in which `users` of a value of `owner` stand. */
export type ReadersIn = (owner: string, users: readonly string[]) => number;

/** What tells of a drawing's boxes, some of which are `closed` groups, how many calls or rounds read one. */
export function readersIn(root: Cluster, closed: ReadonlySet<string>): ReadersIn {
  const around = new Map<string, readonly string[]>();
  const walk = (cluster: Cluster, outer: readonly string[]): void => {
    cluster.boxes.forEach(box => around.set(box, closed.has(box) ? [...outer, box] : outer));
    cluster.clusters.forEach(inner => walk(inner, [...outer, inner.group.id]));
  };
  walk(root, []);
  return (owner, users) => {
    const depth = around.get(owner)?.length ?? 0;
    const parts = new Map<string, Set<string>>();
    for (const user of users) {
      const path = around.get(user) ?? [];
      path.slice(depth + 1).forEach((part, i) => {
        const frame = path[depth + i] as string;
        parts.set(frame, (parts.get(frame) ?? new Set()).add(part));
      });
    }
    return Math.max(0, ...[...parts.values()].map(each => each.size));
  };
}
