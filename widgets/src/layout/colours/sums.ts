/** The times of kinds of operations and of the user's functions in a call: the times of nodes, added up. */

import { EventOf, Graph } from '../../protocol';
import { everyGraph } from '../bodies';
import { stackOf } from '../stack';
import { timesOf } from './times';

/** The unit of a sum: the nodes of one op, or those that one function of the user's makes itself. */
export type SumBy = 'op' | 'function';

/** A sum; `nodes` have the most time first. */
export interface TimeSum {
  readonly name: string;
  readonly ns: number;
  readonly nodes: readonly string[];
}

/** The sums of a profile over the nodes of its graph, whose bodies have ids of their own (`withBodies`), the largest first. */
export function timeSums(profile: EventOf<'profile.measured'>, graph: Graph, by: SumBy): TimeSum[] {
  const times = timesOf(profile);
  const found = new Map<string, { id: string; ns: number }[]>();
  for (const { graph: part } of everyGraph(graph)) {
    for (const node of part.nodes) {
      const time = times.get(node.id);
      if (time) {
        const name = by === 'op' ? node.op : (stackOf(graph.name, part, node)[0]?.name ?? graph.name);
        const nodes = found.get(name) ?? [];
        nodes.push({ id: node.id, ns: time.ns });
        found.set(name, nodes);
      }
    }
  }
  return [...found]
    .map(([name, nodes]) => ({
      name,
      ns: nodes.reduce((sum, { ns }) => sum + ns, 0),
      nodes: nodes.sort((a, b) => b.ns - a.ns).map(({ id }) => id)
    }))
    .sort((a, b) => b.ns - a.ns);
}
