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

/** The nodes that a search found, and the one it stands at. */
export class Hits {
  /** The nodes found, in program order. */
  ids: readonly string[] = [];
  /** Which of them the search stands at, from 0. */
  at = 0;

  /** Search these nodes; the search stands at the first hit. */
  find(nodes: readonly GraphNode[], query: string): void {
    this.ids = searchNodes(nodes, query);
    this.at = 0;
  }

  /** These nodes were found in another way. */
  take(ids: readonly string[]): void {
    this.ids = ids;
    this.at = 0;
  }

  /** The node it stands at. */
  get current(): string | null {
    return this.ids[this.at] ?? null;
  }

  /** Go to the next or previous hit, around the ends; to the current one while another node is selected. */
  step(by: 1 | -1, selected: string | null): string | null {
    const { length } = this.ids;
    if (length > 0 && selected === this.current) {
      this.at = (this.at + by + length) % length;
    }
    return this.current;
  }
}
