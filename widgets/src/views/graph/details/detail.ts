/** Everything about one node, or one group: its operation, its type, its source, its consumers. */

import { amountText, bytesOf, bytesText, bytesWords, counted, cut, typeText } from '../../../format';
import {
  colouringOf,
  controlId,
  familyOf,
  Frame,
  Group,
  groupName,
  notesOf,
  resultName,
  Scene,
  stackOf,
  standInsOf,
  summary,
  timeText,
  titleOf
} from '../../../layout';
import { Graph, GraphNode } from '../../../protocol';
import { button, h } from '../../common/dom';
import { Host } from '../../common/host';
import { icon } from '../../common/icons';
import { placeLink } from '../../common/place';
import { Drawing } from '../drawing';
import { kindOf } from './kinds';
import { partnersOf } from '../paired';
import { later, t, translated } from '../../../words';

/** Consumers beyond this many are only counted. */
const MAX_LINKS = 12;

/** Differences of the copies of a repeat beyond this many are only counted. */
const MAX_DIFFERENCES = 6;

/** The actions that the panel can ask of the graph view. */
export interface DetailActions {
  show(nodeId: string): void;
  close(): void;
  toggle(groupId: string): void;
  /** Draw a value as chips where it is used, or once, with edges. */
  pin(value: string, isChip: boolean): void;
}

/** A box or an open frame in a few words, for screen readers. */
export function boxText(scene: Scene | null, id: string | null): string {
  const box = scene?.boxes.get(id ?? '')?.box;
  const frame = scene?.clusters.find(({ group }) => group.id === id);
  const parts = frame
    ? [frame.title, t`open`]
    : box?.node
    ? [box.title, typeText(box.node.dtype, box.node.shape), counted(box.node.inputs.length, 'input')]
    : [box?.title, box?.detail];
  return parts.filter(part => part !== undefined && part !== '').join(', ');
}

/** A new element about the node or group of this id in a drawing; null where there is none. */
export function detailOf(host: Host, drawing: Drawing, id: string, actions: DetailActions): HTMLElement | null {
  const { folded, groups } = drawing;
  const group = groups.get(id);
  // A result's box stands for the value it returns.
  const found = drawing.find(group?.node?.id ?? folded?.values.get(id) ?? id);
  return found ? nodeDetail(host, drawing, found.graph, found.node, actions) : group ? groupDetail(drawing, group, actions) : null;
}

/** A new element about a node of a graph or body. */
function nodeDetail(host: Host, drawing: Drawing, graph: Graph, node: GraphNode, actions: DetailActions): HTMLElement {
  const users = graph.nodes.filter(other => other.inputs.includes(node.id));
  const byId = new Map(graph.nodes.map(other => [other.id, other]));
  const inputs = node.inputs.map(id => byId.get(id));
  const rows: [string, Node | string][] = [[later`op`, node.op]];
  if (node.call !== '') {
    rows.push([later`call`, mono(node.call)]);
  }
  if (node.variable !== '') {
    rows.push([later`variable`, mono(node.variable)]);
  }
  const results = resultsText(node, users);
  if (results !== '') {
    rows.push([later`results`, mono(results)]);
  } else if (node.kind !== 'nothing') {
    rows.push([later`dtype`, mono(node.dtype ?? t`several`)]);
    rows.push([later`shape`, mono(node.shape ? `(${node.shape.map(dim => dim ?? t`any`).join(', ')}${node.shape.length === 1 ? ',' : ''})` : t`several`)]);
  }
  const bytes = bytesOf(node.dtype, node.shape);
  if (bytes !== null) {
    rows.push([later`bytes`, bytesText(node.dtype, node.shape)]);
  }
  const time = drawing.facts.times.get(node.id);
  if (time !== undefined) {
    rows.push([later`time`, timeText(time)]);
  }
  const flops = drawing.facts.flops().get(node.id) ?? 0;
  if (flops > 0) {
    rows.push([later`operations`, t`${amountText(flops, 'flop')}, estimated`]);
  }
  const kernel = drawing.facts.kernels.get(node.id);
  if (kernel !== undefined) {
    rows.push([later`kernel`, kernel]);
  }
  if (node.kind !== 'array' && node.kind !== 'nothing') {
    rows.push([later`kind`, node.kind]);
  }
  const control = drawing.groups.get(controlId(node));
  if (control) {
    rows.push(...groupRows(drawing, control, actions));
  }
  for (const [key, value] of Object.entries(node.attrs).filter(([key]) => !Object.hasOwn(node.bodies, key))) {
    rows.push([/^\d+$/.test(key) ? t`argument ${key}` : key, mono(value)]);
  }
  if (node.scope !== '') {
    rows.push([later`scope`, node.scope]);
  }
  rows.push([later`inputs`, links(inputs, actions)]);
  rows.push([later`used by`, usedBy(graph, node, users, actions)]);
  rows.push(...twinRows(drawing, node, actions));
  const partners = partnersOf(drawing, node.id);
  if (partners.length > 0) {
    rows.push([node.back_of ? later`forward` : later`backward`, links(partners, actions)]);
  }
  const kept = drawing.facts.pairs().kept.get(node.id);
  if (kept !== undefined) {
    rows.push([later`kept`, t`for the backward pass${kept === null ? '' : `, ${bytesWords(kept)}`}`]);
  }
  if (users.length > 1) {
    const isChip = drawing.isChip(node.id);
    const name = isChip ? t`Draw once, with edges (p)` : t`Draw at each use (p)`;
    const props = { name, text: name, class: 'tracefn-button-text', hook: 'pin' };
    rows.push([later`drawn`, h('span', {}, isChip ? t`at each use ` : t`once `, button(props, () => actions.pin(node.id, !isChip)))]);
  }
  const frames = stackOf(drawing.graph?.name ?? '', graph, node);
  if (frames.length > 0) {
    rows.push([later`source`, stack(host, frames)]);
  }
  return frame(titleOf(node), familyOf(node), [node.id, typeText(node.dtype, node.shape)].filter(Boolean).join(' · '), rows, actions);
}

/** The names and types of a node's results that are used, where it has several: `y: float64[3], z: float64`. */
export function resultsText({ dtype, shape }: GraphNode, users: readonly GraphNode[]): string {
  return (dtype === null && shape === null ? users : [])
    .filter(({ op }) => op === 'item')
    .map(({ attrs, ...item }) => `${attrs.variable ?? `[${attrs.index}]`}: ${typeText(item.dtype, item.shape)}`)
    .join(', ');
}

/** The Python stack of a node, the innermost call first; each line is a link to it. */
function stack(host: Host, frames: readonly Frame[]): HTMLElement {
  return h(
    'ol',
    { class: 'tracefn-stack', attrs: { 'aria-label': t`Python stack`, 'data-tracefn': 'stack' } },
    ...frames.map(({ name, place }) => h('li', {}, placeLink(host, place), frames.length > 1 && h('span', { class: 'tracefn-note', text: t` in ${name}` })))
  );
}

/** The nodes that one of a first copy stands for, where copies are folded. */
function twinRows(drawing: Drawing, node: GraphNode, actions: DetailActions): [string, Node | string][] {
  const twins = drawing.root ? standInsOf(drawing.root).twins.get(node.id) : undefined;
  return twins ? [[later`stands for`, links(twins, actions)]] : [];
}

/** A new element about a group. */
function groupDetail(drawing: Drawing, group: Group, actions: DetailActions): HTMLElement {
  return frame(groupName(group), 'group', kindOf(group), groupRows(drawing, group, actions), actions);
}

function groupRows(drawing: Drawing, group: Group, actions: DetailActions): [string, Node | string][] {
  const name = drawing.isExpanded(group.id) ? t`Collapse` : t`Expand`;
  const props = { name, text: name, class: 'tracefn-button-text', hook: 'toggle-group' };
  const rows: [string, Node | string][] = [[later`holds`, summary(group)]];
  for (const [colouring, row] of [['bytes', later`bytes`], ['flops', later`operations`], ['kept', later`kept for the backward pass`]] as const) {
    const sum = notesOf(group, colouringOf(colouring), drawing.facts).get(group.id);
    if (sum !== undefined) {
      rows.push([row, sum]);
    }
  }
  const differences = group.repeat?.differences ?? [];
  for (const { node, what, values } of differences.slice(0, MAX_DIFFERENCES)) {
    rows.push([later`differs`, h('span', {}, t`${what} of ${titleOf(node)}: `, mono(cut(values.join(', '), 200)))]);
  }
  if (differences.length > MAX_DIFFERENCES) {
    rows.push(['', t`and ${counted(differences.length - MAX_DIFFERENCES, 'more difference')}`]);
  } else if (group.repeat && differences.length === 0) {
    rows.push([later`differs`, t`nothing but what comes from the one before`]);
  }
  return [...rows, ['', button(props, () => actions.toggle(group.id))]];
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
      attrs: { 'aria-label': t`Detail of ${title}`, 'data-tracefn': 'detail', 'data-family': family }
    },
    h(
      'header',
      { class: 'tracefn-detail-head' },
      h('span', { class: 'tracefn-family-dot' }),
      h('strong', { class: 'tracefn-detail-title', text: title }),
      h('span', { class: 'tracefn-note', text: subtitle }),
      button({ name: t`Close the detail`, hook: 'close-detail' }, () => actions.close(), icon('close'))
    ),
    h(
      'dl',
      { class: 'tracefn-properties' },
      ...rows.flatMap(([key, value]) => [
        h('dt', { text: translated(key) }),
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
  const results = graph.outputs.flatMap((id, i) => (id === node.id ? [resultName(graph.results ?? [], i, graph.outputs.length)] : []));
  if (results.length > 0) {
    if (users.length === 0) {
      element.replaceChildren();
    }
    element.append(
      h('span', { text: results.join(', ') })
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
    element.append(h('span', { text: t`and ${counted(nodes.length - MAX_LINKS, 'more node')}` }));
  }
  if (nodes.length === 0) {
    element.append(h('span', { class: 'tracefn-note', text: t`none` }));
  }
  return element;
}
