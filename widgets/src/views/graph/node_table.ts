/** The nodes of a graph as CSV, those of bodies included. */

import { everyNode } from '../../layout';
import { placeText, typeText } from '../../format';
import { Graph } from '../../protocol';
import { toCsv } from '../common/csv';
import { placeOf } from './detail';

/** One row for each node. */
export function nodesCsv(graph: Graph): string {
  const rows = everyNode(graph).map(node => {
    const place = placeOf(node);
    return [node.id, node.op, node.call, typeText(node.dtype, node.shape), node.kind, node.inputs.join(' '), node.scope, place && placeText(place)];
  });
  return toCsv(['node', 'op', 'call', 'type', 'kind', 'inputs', 'scope', 'line'], rows);
}
