/** The boxes marked together with one: its other half, forward or backward. */

import { allNodes } from '../../layout';
import { GraphNode } from '../../protocol';
import type { Drawing } from './drawing';

/** The boxes with the partners of the nodes of a box, or of an open group. */
export function pairedWith(drawing: Drawing, id: string): ReadonlySet<string> {
  const { folded, groups, facts } = drawing;
  const pairs = facts.pairs();
  const group = groups.get(id);
  const boxes = new Set<string>();
  const nodes = group ? allNodes(group) : [{ id }];
  for (const node of pairs.forward.size > 0 ? nodes : []) {
    for (const other of partnersOf(drawing, node.id)) {
      boxes.add(folded?.boxOf.get(other.id) ?? '');
    }
  }
  nodes.forEach(node => boxes.delete(folded?.boxOf.get(node.id) ?? ''));
  return boxes;
}

/** The forward nodes of a backward node, or the backward nodes of a forward node. */
export function partnersOf(drawing: Drawing, id: string): readonly GraphNode[] {
  const { forward, backward } = drawing.facts.pairs();
  return forward.get(id) ?? backward.get(id) ?? [];
}
