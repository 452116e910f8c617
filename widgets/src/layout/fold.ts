/**
 * A graph and the set of expanded groups → the boxes, clusters and edges that are drawn. Everything under a collapsed group
 * is one box; edges between the same two boxes are one edge; constants of one element are written into their consumers.
 */

import { cut, counted, typeText } from '../format';
import { Graph, GraphNode } from '../protocol';
import { everyGraph, everyNode, resultId } from './bodies';
import { connect, Edge } from './edges';
import { Family, familyOf } from './families';
import { chipsOf } from './chips';
import { allNodes, Group, groupName, isGroup } from './groups';

/** What is drawn as one box: a node, a collapsed group, or one of the graph's results. */
export interface Box {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly family: Family;
  readonly node: GraphNode | null;
  readonly group: Group | null;
  /** The node or group that a chip stands for where it is used. */
  readonly chipOf?: string;
}

/** An expanded group, drawn as a frame around its members. */
export interface Cluster {
  readonly group: Group;
  readonly boxes: string[];
  readonly clusters: Cluster[];
}

/** What is drawn. */
export interface Folded {
  readonly boxes: readonly Box[];
  readonly root: Cluster;
  readonly edges: readonly Edge[];
  /** Whether types stand beside the edges; where there are too many edges for that, boxes tell them. */
  readonly labelled: boolean;
  /** Id of a node or result → the box it is drawn in. Constants written into their consumers have none. */
  readonly boxOf: ReadonlyMap<string, string>;
  /** Id of a result → the value that it is. */
  readonly values: ReadonlyMap<string, string>;
}

/** With more edges than this, types are written into the boxes and not beside the edges, which keeps the layout fast. */
export const LABELLED_EDGES = 90;

/** What is drawn of the graph. */
export function fold(graph: Graph, root: Group, expanded: ReadonlySet<string>): Folded {
  const inlined = inlineConstants(graph);
  const boxes: Box[] = [];
  const boxOf = new Map<string, string>();
  const values = new Map(
    everyGraph(graph).flatMap(inner => inner.graph.outputs.map((value, i) => [resultId(inner.base, i), value]))
  );
  const cluster = walk(root);
  const chips = chipsOf(graph, root, boxOf, connect(graph, boxOf, values));
  const clusterOf = new Map(everyCluster(cluster).flatMap(each => each.boxes.map(id => [id, each] as const)));
  const edges = connect(graph, boxOf, values, chips.chipOf);
  const used = new Set(edges.map(({ from }) => from));
  for (const { box, at } of chips.boxes) {
    if (used.has(box.id)) {
      addBox(clusterOf.get(at) ?? cluster, box);
    }
  }
  const labelled = edges.length <= LABELLED_EDGES;
  return { boxes: labelled ? boxes : boxes.map(withType), root: cluster, edges, labelled, boxOf, values };

  function walk(group: Group): Cluster {
    const frame: Cluster = { group, boxes: [], clusters: [] };
    for (const child of group.children) {
      if (isGroup(child)) {
        if (expanded.has(child.id)) {
          frame.clusters.push(walk(child));
        } else {
          addBox(frame, groupBox(child));
          insideOf(child).forEach(id => boxOf.set(id, child.id));
        }
      } else if (!inlined.has(child.id)) {
        addBox(frame, nodeBox(child, inlined));
        boxOf.set(child.id, child.id);
      }
    }
    for (const box of resultBoxes(group.id, group.graph?.outputs ?? [])) {
      addBox(frame, box);
      boxOf.set(box.id, box.id);
    }
    return frame;
  }

  function addBox(frame: Cluster, box: Box): void {
    frame.boxes.push(box.id);
    boxes.push(box);
  }
}

/** A cluster and all in it. */
function everyCluster(cluster: Cluster): Cluster[] {
  return [cluster, ...cluster.clusters.flatMap(everyCluster)];
}

/** The ids of all nodes and results in a group. */
function insideOf(group: Group): string[] {
  const results = (group.graph?.outputs ?? []).map((_, index) => resultId(group.id, index));
  return [...group.children.flatMap(child => (isGroup(child) ? insideOf(child) : [child.id])), ...results];
}

/** Constants of one element that are no result: id → their text. */
function inlineConstants(graph: Graph): Map<string, string> {
  const outputs = new Set(everyGraph(graph).flatMap(inner => inner.graph.outputs));
  const inlined = new Map<string, string>();
  for (const node of everyNode(graph)) {
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
  const type = node && box.chipOf === undefined && node.op !== 'constant' ? typeText(node.dtype, node.shape) : '';
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
  const named = Object.entries(node.attrs).filter(([key]) => !POSITION.test(key) && !Object.hasOwn(node.bodies, key));
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
  if (group.kind === 'tree') {
    return {
      id: group.id,
      title: cut(group.label.replace(/^(global|closure) /, ''), 32),
      detail: counted(group.count, 'array'),
      family: 'source',
      node: null,
      group
    };
  }
  return {
    id: group.id,
    title: cut(groupName(group), 32),
    detail: cut(summary(group), 36),
    family: group.node ? 'control' : 'group',
    node: null,
    group
  };
}

/** The most frequent ops of a group: `40 nodes: add ×20, tanh ×20`; of a branch or loop the sizes of its bodies. */
export function summary(group: Group): string {
  if (group.kind === 'control') {
    const bodies = group.children.filter(isGroup);
    if (bodies.length > 2) {
      return `${bodies.length} branches: ${counted(group.count - 1, 'node')}`;
    }
    return bodies.map(({ label, count }) => `${label}: ${counted(count, 'node')}`).join(', ');
  }
  if (group.kind === 'repeat') {
    return `${counted(group.count / group.children.length, 'node')} each`;
  }
  const counts = new Map<string, number>();
  for (const { op } of allNodes(group)) {
    counts.set(op, (counts.get(op) ?? 0) + 1);
  }
  const common = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 2);
  const ops = common.map(([op, times]) => (times > 1 ? `${op} ×${times}` : op)).join(', ');
  return `${counted(group.count, 'node')}: ${ops}`;
}

/** The boxes of what a graph or body returns. */
function resultBoxes(base: string, outputs: readonly string[]): Box[] {
  return outputs.map((_, index) => ({
    id: resultId(base, index),
    title: outputs.length > 1 ? `result ${index}` : 'result',
    detail: '',
    family: 'output',
    node: null,
    group: null
  }));
}
