/** Finding nodes: by name, op, type, scope, attribute or call. */

import { typeText } from '../../format';
import { titleOf } from '../../layout';
import { Graph } from '../../protocol';

/** The ids of the nodes that hold every word of the query, in program order. */
export function searchNodes(graph: Graph, query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(word => word !== '');
  if (words.length === 0) {
    return [];
  }
  return graph.nodes
    .filter(node => {
      const text = [
        node.id,
        node.op,
        titleOf(node),
        node.call,
        typeText(node.dtype, node.shape),
        node.scope,
        ...Object.entries(node.attrs).map(([key, value]) => `${key}=${value}`)
      ]
        .join('\n')
        .toLowerCase();
      return words.every(word => text.includes(word));
    })
    .map(node => node.id);
}
