/** The nodes of a graph as CSV, those of bodies included. */

import { everyNode, stackOf } from '../../layout';
import { placeText, typeText } from '../../format';
import { Graph } from '../../protocol';
import { toCsv } from '../common/csv';

/** One row for each node. */
export function nodesCsv(graph: Graph): string {
  const rows = everyNode(graph).map(node => {
    const place = stackOf(graph.name, graph, node)[0]?.place;
    return [node.id, node.op, node.call, typeText(node.dtype, node.shape), node.kind, node.inputs.join(' '), node.scope, place ? placeText(place) : null];
  });
  return toCsv(['node', 'op', 'call', 'type', 'kind', 'inputs', 'scope', 'line'], rows);
}
