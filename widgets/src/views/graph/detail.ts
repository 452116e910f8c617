/** Everything about one node, or one group: what it computes, its type, where it comes from, where it goes. */

import { bytesOf, bytesText, counted, typeText } from '../../format';
import { controlId, familyOf, Group, groupName, summary, titleOf } from '../../layout';
import { Graph, GraphNode, Location } from '../../protocol';
import { button, h } from '../common/dom';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { placeLink } from '../common/place';
import { Drawing } from './drawing';

/** Consumers beyond this many are only counted. */
const MAX_LINKS = 12;

/** What the panel can ask the graph view to do. */
export interface DetailActions {
  show(nodeId: string): void;
  close(): void;
  toggle(groupId: string): void;
  /** What a node takes in a call, in words; null where that is not known. */
  timeOf?(nodeId: string): string | null;
}

/** The group of a branch or loop. */
export interface Holds {
  readonly group: Group;
  readonly expanded: boolean;
}

/** A new element about the node or group of this id in a drawing; null where there is none. */
export function detailOf(host: Host, drawing: Drawing, id: string, actions: DetailActions): HTMLElement | null {
  const { folded, groups } = drawing;
  const group = groups.get(id);
  // A result's box stands for the value it returns.
  const found = drawing.find(group?.node?.id ?? folded?.values.get(id) ?? id);
  if (found) {
    const control = groups.get(controlId(found.node)) ?? null;
    const holds = control && { group: control, expanded: drawing.isExpanded(control.id) };
    return nodeDetail(host, found.graph, found.node, holds, actions);
  }
  return group ? groupDetail(group, drawing.isExpanded(group.id), actions) : null;
}

/** A new element about a node of a graph or body; `holds` is the group of a branch or loop. */
export function nodeDetail(
  host: Host,
  graph: Graph,
  node: GraphNode,
  holds: Holds | null,
  actions: DetailActions
): HTMLElement {
  const users = graph.nodes.filter(other => other.inputs.includes(node.id));
  const byId = new Map(graph.nodes.map(other => [other.id, other]));
  const inputs = node.inputs.map(id => byId.get(id));
  const rows: [string, Node | string][] = [['op', node.op]];
  if (node.call !== '') {
    rows.push(['call', mono(node.call)]);
  }
  if (node.kind !== 'nothing') {
    rows.push(['dtype', mono(node.dtype ?? 'several')]);
    rows.push(['shape', mono(node.shape ? `(${node.shape.map(dim => dim ?? 'any').join(', ')}${node.shape.length === 1 ? ',' : ''})` : 'several')]);
  }
  const bytes = bytesOf(node.dtype, node.shape);
  if (bytes !== null) {
    rows.push(['bytes', bytesText(node.dtype, node.shape)]);
  }
  const time = actions.timeOf?.(node.id) ?? null;
  if (time !== null) {
    rows.push(['time', time]);
  }
  if (node.kind !== 'array' && node.kind !== 'nothing') {
    rows.push(['kind', node.kind]);
  }
  if (holds) {
    rows.push(...groupRows(holds, actions));
  }
  for (const [key, value] of Object.entries(node.attrs).filter(([key]) => !Object.hasOwn(node.bodies, key))) {
    rows.push([/^\d+$/.test(key) ? `argument ${key}` : key, mono(value)]);
  }
  if (node.scope !== '') {
    rows.push(['scope', node.scope]);
  }
  rows.push(['inputs', links(inputs, actions)]);
  rows.push(['used by', usedBy(graph, node, users, actions)]);
  const place = placeOf(node);
  if (place) {
    rows.push(['source', placeLink(host, place)]);
  }
  return frame(titleOf(node), familyOf(node), [node.id, typeText(node.dtype, node.shape)].filter(Boolean).join(' · '), rows, actions);
}

/** A new element about a group. */
function groupDetail(group: Group, expanded: boolean, actions: DetailActions): HTMLElement {
  const rows = groupRows({ group, expanded }, actions);
  return frame(groupName(group), 'group', KINDS[group.kind], rows, actions);
}

const KINDS: Readonly<Record<Group['kind'], string>> = {
  root: 'the whole graph',
  scope: 'a traced call',
  range: 'a stretch of the program',
  control: 'a branch or loop',
  body: 'the body of a branch or loop',
  repeat: 'neighbours that compute the same',
  tree: 'values from outside, by the container that holds them'
};

function groupRows({ group, expanded }: Holds, actions: DetailActions): [string, Node | string][] {
  const name = expanded ? 'Collapse' : 'Expand';
  const props = { name, text: name, class: 'tracefn-button-text', hook: 'toggle-group' };
  return [
    ['holds', summary(group)],
    ['', button(props, () => actions.toggle(group.id))]
  ];
}

/** Where a node was made, or null where that is not known. */
export function placeOf(node: GraphNode): Location | null {
  return node.line === null
    ? null
    : { file: node.file ?? '', line: node.line, cell: node.cell, cell_number: node.cell_number };
}

/** A new element with a title and named rows. */
export function frame(
  title: string,
  family: string,
  subtitle: string,
  rows: readonly [string, Node | string][],
  actions: DetailActions
): HTMLElement {
  return h(
    'section',
    {
      class: 'tracefn-detail',
      attrs: { 'aria-label': `Detail of ${title}`, 'data-tracefn': 'detail', 'data-family': family }
    },
    h(
      'header',
      { class: 'tracefn-detail-head' },
      h('span', { class: 'tracefn-family-dot' }),
      h('strong', { class: 'tracefn-detail-title', text: title }),
      h('span', { class: 'tracefn-note', text: subtitle }),
      button({ name: 'Close the detail', hook: 'close-detail' }, () => actions.close(), icon('close'))
    ),
    h(
      'dl',
      { class: 'tracefn-properties' },
      ...rows.flatMap(([key, value]) => [
        h('dt', { text: key }),
        h('dd', { attrs: { 'data-property': key } }, value)
      ])
    )
  );
}

function mono(text: string): HTMLElement {
  return h('span', { class: 'tracefn-mono', text });
}

function usedBy(
  graph: Graph,
  node: GraphNode,
  users: readonly GraphNode[],
  actions: DetailActions
): HTMLElement {
  const element = links(users, actions);
  const results = graph.outputs.flatMap((id, i) => (id === node.id ? [i] : []));
  if (results.length > 0) {
    if (users.length === 0) {
      element.replaceChildren();
    }
    element.append(
      h('span', { text: graph.outputs.length > 1 ? `result ${results.join(', ')}` : 'result' })
    );
  }
  return element;
}

/** Nodes as links to them. */
export function links(nodes: readonly (GraphNode | undefined)[], actions: DetailActions): HTMLElement {
  const element = h('span', { class: 'tracefn-links' });
  for (const node of nodes.slice(0, MAX_LINKS)) {
    if (node) {
      element.append(
        h('button', {
          class: 'tracefn-link tracefn-mono',
          text: `${node.op === 'constant' ? (node.attrs.value ?? node.call) : titleOf(node)} ${typeText(node.dtype, node.shape)}`,
          title: node.call,
          attrs: { type: 'button' },
          on: { click: () => actions.show(node.id) }
        })
      );
    }
  }
  if (nodes.length > MAX_LINKS) {
    element.append(h('span', { text: `and ${counted(nodes.length - MAX_LINKS, 'more node')}` }));
  }
  if (nodes.length === 0) {
    element.append(h('span', { class: 'tracefn-note', text: 'none' }));
  }
  return element;
}
