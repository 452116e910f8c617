/** Finding nodes: by name, body, op, type, scope, attribute or call. */

import { typeText } from '../../format';
import { nameParts, titleOf } from '../../layout';
import { GraphNode } from '../../protocol';

/** The ids of the nodes that hold every word of the query, in program order. */
export function searchNodes(nodes: readonly GraphNode[], query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(word => word !== '');
  if (words.length === 0) {
    return [];
  }
  return nodes
    .filter(node => {
      const { name, bodies } = nameParts(node.id);
      const text = [
        name,
        ...bodies,
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
