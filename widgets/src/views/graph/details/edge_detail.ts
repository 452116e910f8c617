/** Everything about one edge: the values that flow along it, their producers, and their consumers. */

import { bytesOf, bytesText, counted, typeText } from '../../../format';
import { Edge, groupName, titleOf } from '../../../layout';
import { h } from '../../common/dom';
import { DetailActions, frame, links, resultsText } from './detail';
import { Drawing } from '../drawing';
import { later, t } from '../../../words';

/** Values beyond this many are only counted. */
const MAX_VALUES = 12;

/** A new element about an edge of a drawing. */
export function edgeDetail(drawing: Drawing, edge: Edge, actions: DetailActions): HTMLElement {
  const rows: [string, Node | string][] = [];
  for (const value of edge.values.slice(0, MAX_VALUES)) {
    const found = drawing.find(drawing.folded?.values.get(value) ?? value);
    if (found) {
      const { node, graph } = found;
      const users = graph.nodes.filter(({ inputs }) => inputs.includes(node.id));
      const results = graph.outputs.filter(id => id === node.id).length;
      rows.push(
        [later`value`, h('span', { class: 'tracefn-mono', text: typeText(node.dtype, node.shape) || resultsText(node, users) || t`several` })],
        [later`bytes`, bytesText(node.dtype, node.shape)],
        [later`made by`, links([node], actions)],
        [later`used by`, h('span', {}, links(users, actions), results > 0 && t` and as a result`)]
      );
    }
  }
  const left = edge.values.length - MAX_VALUES;
  if (left > 0) {
    rows.push(['', counted(left, 'more value')]);
  }
  const title = `${boxTitle(drawing, edge.from)} → ${boxTitle(drawing, edge.to)}`;
  return frame(title, 'output', counted(edge.values.length, 'value'), rows, actions);
}

/** The values along an edge, on one line: for a tooltip. */
export function edgeText(drawing: Drawing, edge: Edge): string {
  const title = `${boxTitle(drawing, edge.from)} → ${boxTitle(drawing, edge.to)}`;
  const [value] = edge.values;
  const node = value === undefined ? undefined : drawing.find(drawing.folded?.values.get(value) ?? value)?.node;
  const type = edge.values.length > 1 ? counted(edge.values.length, 'value') : node ? typeText(node.dtype, node.shape) : '';
  const known = edge.values.length === 1 && node && bytesOf(node.dtype, node.shape) !== null;
  return [title, [type, known ? bytesText(node.dtype, node.shape) : ''].filter(text => text !== '').join(', ')].filter(text => text !== '').join('\n');
}

function boxTitle(drawing: Drawing, id: string): string {
  const group = drawing.groups.get(id);
  const box = drawing.stage.scene?.boxes.get(id)?.box;
  const found = drawing.find(id);
  return box?.title ?? (group ? groupName(group) : found ? titleOf(found.node) : id);
}
