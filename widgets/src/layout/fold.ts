/**
 * A graph and the set of expanded groups → the boxes, clusters and edges that are drawn. Everything under a collapsed group
 * is one box; edges between the same two boxes are one edge; constants of one element are written into their consumers.
 */

import { cut, counted, typeText } from '../format';
import { Graph, GraphNode } from '../protocol';
import { Family, familyOf } from './families';
import { allGroups, allNodes, Group, isGroup } from './groups';

/** What is drawn as one box: a node, a collapsed group, or one of the graph's results. */
export interface Box {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly family: Family;
  readonly node: GraphNode | null;
  readonly group: Group | null;
}

/** An expanded group, drawn as a frame around its members. */
export interface Cluster {
  readonly group: Group;
  readonly boxes: string[];
  readonly clusters: Cluster[];
}

/** One or more values that flow from one box to another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  label: string;
  readonly values: string[];
}

/** What is drawn. */
export interface Folded {
  readonly boxes: readonly Box[];
  readonly root: Cluster;
  readonly edges: readonly Edge[];
  /** Whether types stand beside the edges; where there are too many edges for that, boxes tell them. */
  readonly labelled: boolean;
  /** Node id → the box it is drawn in. Constants written into their consumers have none. */
  readonly boxOf: ReadonlyMap<string, string>;
}

/** More boxes than this are never drawn at once. */
export const MAX_BOXES = 1200;

/** Up to this many boxes a graph is shown with all groups open. */
export const OPEN_BOXES = 320;

/** With more edges than this, types are written into the boxes and not beside the edges, which keeps the layout fast. */
export const LABELLED_EDGES = 90;

/** The groups open at first: level by level, as long as the whole level fits. Ranges stay closed: that is what they are for. */
export function firstExpanded(root: Group): Set<string> {
  const expanded = new Set<string>();
  let visible = root.children.length;
  const scopes = (group: Group): Group[] => group.children.filter(isGroup).filter(isScope);
  let level = scopes(root);
  while (level.length > 0) {
    visible += level.reduce((sum, group) => sum + group.children.length - 1, 0);
    if (visible > OPEN_BOXES) {
      break;
    }
    level.forEach(group => expanded.add(group.id));
    level = level.flatMap(scopes);
  }
  return expanded;
}

/** Open or close a group; what was opened longest ago closes when too much would be visible. */
export function toggle(root: Group, expanded: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(expanded);
  if (next.delete(id)) {
    return next;
  }
  next.add(id);
  const keep = new Set([id, ...ancestors(root, id)]);
  for (const candidate of expanded) {
    if (visibleCount(root, next) <= MAX_BOXES) {
      break;
    }
    if (!keep.has(candidate)) {
      next.delete(candidate);
    }
  }
  return next;
}

/** As many groups open as may be drawn at once, outer before inner. `left` counts those that stay closed. */
export function expandAll(root: Group): { expanded: Set<string>; left: number } {
  const expanded = new Set<string>();
  let visible = root.children.length;
  let left = 0;
  const waiting = root.children.filter(isGroup);
  for (let group = waiting.shift(); group; group = waiting.shift()) {
    if (visible + group.children.length - 1 > MAX_BOXES) {
      left += 1;
      continue;
    }
    visible += group.children.length - 1;
    expanded.add(group.id);
    waiting.push(...group.children.filter(isGroup));
  }
  return { expanded, left };
}

/** The ids of the groups around a node or group, outermost first. */
export function ancestors(root: Group, id: string): string[] {
  for (const child of root.children) {
    if (child.id === id) {
      return [];
    }
    if (isGroup(child) && contains(child, id)) {
      return [child.id, ...ancestors(child, id)];
    }
  }
  return [];
}

/** What is drawn of the graph. */
export function fold(graph: Graph, root: Group, expanded: ReadonlySet<string>): Folded {
  const inlined = inlineConstants(graph);
  const boxes: Box[] = [];
  const boxOf = new Map<string, string>();
  const cluster = walk(root);
  const outputs = outputBoxes(graph);
  outputs.forEach(box => {
    boxes.push(box);
    cluster.boxes.push(box.id);
  });
  const edges = connect(graph, boxOf, outputs);
  const labelled = edges.length <= LABELLED_EDGES;
  return { boxes: labelled ? boxes : boxes.map(withType), root: cluster, edges, labelled, boxOf };

  function walk(group: Group): Cluster {
    const frame: Cluster = { group, boxes: [], clusters: [] };
    for (const child of group.children) {
      if (isGroup(child)) {
        if (expanded.has(child.id)) {
          frame.clusters.push(walk(child));
        } else {
          addBox(frame, groupBox(child));
          allNodes(child).forEach(node => boxOf.set(node.id, child.id));
        }
      } else if (!inlined.has(child.id)) {
        addBox(frame, nodeBox(child, inlined));
        boxOf.set(child.id, child.id);
      }
    }
    return frame;
  }

  function addBox(frame: Cluster, box: Box): void {
    frame.boxes.push(box.id);
    boxes.push(box);
  }
}

function isScope({ kind }: Group): boolean {
  return kind === 'scope';
}

function contains(group: Group, id: string): boolean {
  return group.children.some(child => child.id === id || (isGroup(child) && contains(child, id)));
}

function visibleCount(root: Group, expanded: ReadonlySet<string>): number {
  return root.children.reduce(
    (sum, child) =>
      sum + (isGroup(child) && expanded.has(child.id) ? visibleCount(child, expanded) : 1),
    0
  );
}

/** Constants of one element that are no result: id → their text. */
function inlineConstants(graph: Graph): Map<string, string> {
  const outputs = new Set(graph.outputs);
  const inlined = new Map<string, string>();
  for (const node of graph.nodes) {
    const single = node.shape === null || node.shape.every(dim => dim === 1);
    if (node.op === 'constant' && single && !outputs.has(node.id)) {
      inlined.set(node.id, node.attrs.value ?? node.call);
    }
  }
  return inlined;
}

function nodeBox(node: GraphNode, inlined: ReadonlyMap<string, string>): Box {
  return {
    id: node.id,
    title: cut(titleOf(node), 32),
    detail: cut(detailOf(node, inlined), 36),
    family: familyOf(node),
    node,
    group: null
  };
}

function withType(box: Box): Box {
  const { node } = box;
  const type = node && node.op !== 'constant' ? typeText(node.dtype, node.shape) : '';
  return type === '' ? box : { ...box, detail: cut(`${type} ${box.detail}`.trim(), 30) };
}

/** The name a node goes by: that of an input or captured value, else its op. */
export function titleOf(node: GraphNode): string {
  if (node.op === 'input') {
    return node.attrs.name ?? node.attrs.path ?? node.id;
  }
  if (node.op === 'capture') {
    return node.attrs.path ?? node.id;
  }
  return node.op;
}

function detailOf(node: GraphNode, inlined: ReadonlyMap<string, string>): string {
  if (node.op === 'constant') {
    return node.attrs.value ?? node.call;
  }
  if (node.op === 'input' || node.op === 'capture') {
    return node.op === 'capture' ? 'captured' : '';
  }
  const named = Object.entries(node.attrs).filter(([key]) => !POSITION.test(key));
  return [argumentList(node, inlined), ...named.map(([key, value]) => `${key}=${value}`)]
    .filter(part => part !== '')
    .join(' ');
}

/** The name of an attribute that is a positional argument: its place. */
const POSITION = /^\d+$/;

/** The positional arguments, where one of them is a fixed value: `(·, 0.5)`; a dot stands for what an edge brings. */
function argumentList(node: GraphNode, inlined: ReadonlyMap<string, string>): string {
  const fixed = Object.entries(node.attrs).filter(([key]) => POSITION.test(key));
  if (fixed.length === 0 && !node.inputs.some(id => inlined.has(id))) {
    return '';
  }
  const list = node.inputs.map(id => inlined.get(id) ?? '·');
  // Ascending, so that each is put where it stands in the end.
  for (const [key, value] of fixed.sort((a, b) => Number(a[0]) - Number(b[0]))) {
    list.splice(Number(key), 0, value);
  }
  return `(${list.join(', ')})`;
}

function groupBox(group: Group): Box {
  return {
    id: group.id,
    title: cut(group.kind === 'range' ? `nodes ${group.label}` : group.label, 32),
    detail: cut(summary(group), 36),
    family: 'group',
    node: null,
    group
  };
}

/** The most frequent ops of a group: `40 nodes: add ×20, tanh ×20`. */
export function summary(group: Group): string {
  const counts = new Map<string, number>();
  for (const { op } of allNodes(group)) {
    counts.set(op, (counts.get(op) ?? 0) + 1);
  }
  const common = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 2);
  const ops = common.map(([op, times]) => (times > 1 ? `${op} ×${times}` : op)).join(', ');
  return `${counted(group.count, 'node')}: ${ops}`;
}

function outputBoxes(graph: Graph): Box[] {
  return graph.outputs.map((_, index) => ({
    id: `output:${index}`,
    title: graph.outputs.length > 1 ? `result ${index}` : 'result',
    detail: '',
    family: 'output',
    node: null,
    group: null
  }));
}

function connect(
  graph: Graph,
  boxOf: ReadonlyMap<string, string>,
  outputs: readonly Box[]
): Edge[] {
  const types = new Map(graph.nodes.map(node => [node.id, typeText(node.dtype, node.shape)]));
  const edges = new Map<string, Edge>();
  const link = (value: string, to: string | undefined): void => {
    const from = boxOf.get(value);
    if (from === undefined || to === undefined || from === to) {
      return;
    }
    const key = JSON.stringify([from, to]);
    const edge = edges.get(key);
    if (!edge) {
      edges.set(key, { from, to, label: types.get(value) ?? '', values: [value] });
    } else if (!edge.values.includes(value)) {
      edge.values.push(value);
      edge.label = counted(edge.values.length, 'value');
    }
  };
  for (const node of graph.nodes) {
    node.inputs.forEach(input => link(input, boxOf.get(node.id)));
  }
  graph.outputs.forEach((value, index) => link(value, outputs[index]?.id));
  return [...edges.values()];
}

/** The groups of a tree by id. */
export function groupsById(root: Group): Map<string, Group> {
  return new Map(allGroups(root).map(group => [group.id, group]));
}
