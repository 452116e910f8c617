/**
 * A graph and the set of expanded groups → the boxes, clusters and edges that are drawn. Everything under a collapsed group
 * is one box; edges between the same two boxes are one edge; constants of one element are written into their consumers.
 */

import { cut, counted, typeText } from '../format';
import { Graph, GraphNode } from '../protocol';
import { everyGraph, everyNode, resultId } from './bodies';
import { connect, Drawn, Edge, withChips } from './edges';
import { Family, familyOf } from './families';
import { chipsOf } from './chips';
import { allNodes, Group, isGroup } from './grouping/groups';
import { groupName } from './grouping/names';
import { FIRST_LOOK, Look } from './look';
import { readersIn } from './readers';
import { finish, Rests, Steps } from './slices';
import { standInsOf } from './stand_ins';
import { spanOf, spanOfPaths } from './grouping/trees';
import { t } from '../words';

/** The content of one box: a node, a collapsed group, or one of the graph's results. */
export interface Box {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly family: Family;
  readonly node: GraphNode | null;
  readonly group: Group | null;
  /** Its text in an earlier graph, where that was something else. */
  readonly before?: Box;
  /** The node or group that a chip stands for where it is used. */
  readonly chipOf?: string;
}

/** An expanded group, drawn as a frame around its members. */
export interface Cluster {
  readonly group: Group;
  /** Its title. */
  readonly title: string;
  readonly boxes: string[];
  readonly clusters: Cluster[];
}

/** The drawn boxes and edges. */
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

/** The drawn part of the graph. `notes` are written on nodes and groups, by id. */
export function fold(
  graph: Graph,
  root: Group,
  expanded: ReadonlySet<string>,
  look: Look = FIRST_LOOK,
  notes: ReadonlyMap<string, string> = new Map()
): Folded {
  return finish(foldSteps(graph, root, expanded, look, notes));
}

/** Find what is drawn of the graph. */
export function* foldSteps(
  graph: Graph,
  root: Group,
  expanded: ReadonlySet<string>,
  { pins }: Look,
  notes: ReadonlyMap<string, string>
): Steps<Folded> {
  const every = everyNode(graph);
  const inlined = inlineConstants(graph, every);
  yield;
  const standIns = standInsOf(root);
  const rests = new Rests();
  const boxes: Box[] = [];
  const boxOf = new Map<string, string>();
  const values = new Map(
    everyGraph(graph).flatMap(inner => inner.graph.outputs.map((value, i) => [resultId(inner.base, i), value]))
  );
  const nodes = new Map(every.map(node => [node.id, node]));
  yield;
  const cluster = yield* walk(root);
  for (const [id, stem] of standIns.nodes) {
    const box = boxOf.get(stem);
    if (box !== undefined) {
      boxOf.set(id, box);
    }
    if (rests.due) {
      yield;
    }
  }
  const drawn: Drawn = { graph, nodes, boxOf, values, standIns };
  const direct = yield* connect(drawn);
  const closed = new Set(boxes.filter(({ group }) => group).map(({ id }) => id));
  const chips = chipsOf(drawn, root, pins, direct, readersIn(cluster, closed));
  yield;
  const edges = withChips(drawn, direct, chips.chipsAt);
  const clusterOf = new Map(everyCluster(cluster).flatMap(each => each.boxes.map(id => [id, each] as const)));
  const used = new Set(edges.map(({ from }) => from));
  for (const { box, at } of chips.boxes) {
    if (used.has(box.id)) {
      addBox(clusterOf.get(at) ?? cluster, box);
    }
  }
  const labelled = edges.length <= LABELLED_EDGES;
  return { boxes: labelled ? boxes : boxes.map(withType), root: cluster, edges, labelled, boxOf, values };

  function* walk(group: Group): Steps<Cluster> {
    const title = [clusterName(group), notes.get(group.id) ?? ''].filter(part => part !== '').join(' · ');
    const frame: Cluster = { group, title, boxes: [], clusters: [] };
    for (const child of group.children) {
      if (isGroup(child)) {
        if (child.kind === 'results') {
          addResults(frame, child);
        } else if (expanded.has(child.id)) {
          frame.clusters.push(yield* walk(child));
        } else {
          addBox(frame, groupBox(child));
          yield* putInto(child, child.id);
        }
      } else if (!inlined.has(child.id)) {
        const box = nodeBox(child, standIns.twins.get(child.id) ?? [child], inlined);
        const before = graph.before?.get(child.id);
        addBox(frame, before ? { ...box, before: nodeBox(before, [before], inlined) } : box);
        boxOf.set(child.id, child.id);
      }
    }
    const hasGroup = group.children.some(child => isGroup(child) && child.kind === 'results');
    for (const box of group.graph && !hasGroup ? resultBoxes(group.id, group.graph, nodes) : []) {
      addBox(frame, box);
      boxOf.set(box.id, box.id);
    }
    return frame;
  }

  /** The results of the whole graph, where they are a group. */
  function addResults(frame: Cluster, group: Group): void {
    const results = resultBoxes('', graph, nodes);
    const open = expanded.has(group.id);
    const inner: Cluster = { group, title: clusterName(group), boxes: [], clusters: [] };
    if (open) {
      frame.clusters.push(inner);
      results.forEach(box => addBox(inner, box));
    } else {
      addBox(frame, groupBox(group));
    }
    results.forEach(({ id }) => boxOf.set(id, open ? id : group.id));
  }

  /** All nodes and results in a closed group are drawn in its box. */
  function* putInto(group: Group, box: string): Steps<void> {
    for (const child of group.children) {
      if (isGroup(child)) {
        yield* putInto(child, box);
      } else {
        boxOf.set(child.id, box);
      }
      if (rests.due) {
        yield;
      }
    }
    group.graph?.outputs.forEach((_, index) => boxOf.set(resultId(group.id, index), box));
  }

  function addBox(frame: Cluster, box: Box): void {
    const note = box.chipOf === undefined ? notes.get(box.id) : undefined;
    frame.boxes.push(box.id);
    boxes.push(note === undefined ? box : { ...box, detail: cut(`${note} ${box.detail}`.trim(), 36) });
  }
}

/** What an open group is called; of a repeat, what differs in it, too. */
function clusterName(group: Group): string {
  const differing = (group.repeat?.differences ?? []).map(({ what, values }) => {
    const span = spanOfPaths(values.map(value => value.replace(/^(global|closure) /, '')));
    return what.startsWith('input ') ? span : `${what} ${span}`;
  });
  const [first = '', ...others] = new Set(differing);
  return first === '' ? groupName(group) : `${groupName(group)} · ${cut(first, 28)}${others.length > 0 ? ' …' : ''}`;
}

/** A cluster and all in it. */
function everyCluster(cluster: Cluster): Cluster[] {
  return [cluster, ...cluster.clusters.flatMap(everyCluster)];
}

/** Constants of one element that are no result: id → their text. */
function inlineConstants(graph: Graph, nodes: readonly GraphNode[]): Map<string, string> {
  const outputs = new Set(everyGraph(graph).flatMap(inner => inner.graph.outputs));
  const inlined = new Map<string, string>();
  for (const node of nodes) {
    const isSingle = node.op === 'constant' && (node.shape === null || node.shape.every(dim => dim === 1));
    if (isSingle && !outputs.has(node.id)) {
      inlined.set(node.id, node.attrs.value ?? node.call);
    }
  }
  return inlined;
}

/** The box of a node; `twins` are all that it stands for. */
function nodeBox(node: GraphNode, twins: readonly GraphNode[], inlined: ReadonlyMap<string, string>): Box {
  return {
    id: node.id,
    title: cut(titleOf(node), 32),
    detail: cut(detailOf(twins, inlined), 36),
    family: familyOf(node),
    node,
    group: null
  };
}

function withType(box: Box): Box {
  const { node } = box;
  const type = node && box.chipOf === undefined && node.op !== 'constant' ? typeText(node.dtype, node.shape) : '';
  return type === '' ? box : { ...box, detail: cut(`${type} ${box.detail}`.trim(), 30), ...(box.before ? { before: withType(box.before) } : {}) };
}

/** The Python function that a node calls, of a call that is no graph: `Series.rolling`; null for any other. */
function calledBy({ attrs }: GraphNode): string | null {
  const text = attrs.step ?? attrs.callback ?? attrs.ufunc ?? '';
  const name = /^<(.+)>$/.exec(text)?.[1];
  return name?.replace(/^operator\./, '').split('.').slice(-2).join('.') ?? null;
}

/** The name a node goes by: that of an input, a captured value or a variable of a loop, the function it calls, else its op. */
export function titleOf(node: GraphNode): string {
  if (node.op === 'input') {
    return node.attrs.name ?? node.attrs.path ?? node.id;
  }
  if (node.op === 'capture') {
    return node.attrs.path ?? node.id;
  }
  return node.attrs.variable ?? calledBy(node) ?? shortOp(node.op);
}

function shortOp(op: string): string {
  return op.replace(/^(operator|lib\.\w+)\./, '');
}

/** What a node does besides its op; where twins differ in that, that of the first and of the last of them. */
function detailOf(twins: readonly GraphNode[], inlined: ReadonlyMap<string, string>): string {
  const [node] = twins as [GraphNode];
  if (node.op === 'constant') {
    return node.attrs.value ?? node.call;
  }
  if (node.op === 'input' || node.op === 'capture') {
    return node.op === 'capture' ? 'captured' : '';
  }
  if (node.attrs.variable !== undefined || node.op === 'list_of') {
    return ''; // the attributes of a list are its type
  }
  if (calledBy(node) !== null) {
    return node.op === 'foreign_ufunc' ? '' : t`in Python`;
  }
  const named = Object.keys(node.attrs).filter(key => !POSITION.test(key) && !Object.hasOwn(node.bodies, key));
  const lists = twins.map(twin => argumentList(twin, inlined));
  const list = (lists[0] ?? []).map((_, i) => spanOf(lists.map(each => each[i] ?? '')));
  return [
    node.back_of ? `∂ ${shortOp(node.back_of.op)}` : '',
    list.length > 0 ? `(${list.join(', ')})` : '',
    ...named.map(key => {
      const text = spanOf(twins.map(({ attrs }) => shortText(attrs[key] ?? '')));
      return key === 'index' && /^(getitem|item$)/.test(node.op) ? `[${text.replaceAll('np.newaxis', 'newaxis')}]` : `${key}=${text}`;
    })
  ]
    .filter(part => part !== '')
    .join(' ');
}

/** The name of an attribute that is a positional argument: its place, or what NumPy calls an operand, which counts from 1. */
const POSITION = /^x?\d+$/;

function placeOf(name: string): number {
  return name.startsWith('x') ? Number(name.slice(1)) - 1 : Number(name);
}

/** An argument as it is written in code: slices with colons, and numbers of many digits with a few. */
function shortText(text: string): string {
  return shortNumber(
    text.replace(/slice\(([^,()]+), ([^,()]+), ([^,()]+)\)/g, (_, ...parts: string[]) =>
      parts.slice(0, parts[2] === 'None' ? 2 : 3).map(part => (part === 'None' ? '' : part)).join(':')
    )
  );
}

function shortNumber(text: string): string {
  const [, digits] = /^np\.float\d+\((-?[\d.e+-]+)\)$/.exec(text) ?? [];
  const number = digits ?? (/^-?\d+\.\d+$/.test(text) ? text : undefined);
  return number !== undefined && number.length > 8 ? ofFewDigits(Number(Number(number).toPrecision(5))) : (digits ?? text);
}

/** A number as it is written shortest: `-1e9`, `0.33333`. */
function ofFewDigits(value: number): string {
  return [String(value), value.toExponential().replace('e+', 'e')].sort((a, b) => a.length - b.length)[0] as string;
}

/** The positional arguments, where one of them is a fixed value: `·` and `0.5`; a dot stands for what an edge brings. */
function argumentList(node: GraphNode, inlined: ReadonlyMap<string, string>): string[] {
  const fixed = Object.entries(node.attrs).filter(([key]) => POSITION.test(key));
  if (fixed.length === 0 && !node.inputs.some(id => inlined.has(id))) {
    return [];
  }
  const list = node.inputs.map(id => inlined.get(id) ?? '·');
  // Ascending, so that each is put where it stands in the end.
  for (const [key, value] of fixed.sort((a, b) => placeOf(a[0]) - placeOf(b[0]))) {
    list.splice(placeOf(key), 0, shortText(value));
  }
  return list;
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
    family: group.node ? 'control' : group.kind === 'results' ? 'output' : 'group',
    node: null,
    group
  };
}

/** The most frequent ops of a group: `40 nodes: add ×20, tanh ×20`; of a branch or loop the sizes of its bodies. */
export function summary(group: Group): string {
  if (group.kind === 'control') {
    const bodies = group.children.filter(isGroup);
    if (bodies.length > 2) {
      return t`${bodies.length} branches: ${counted(group.count - 1, 'node')}`;
    }
    return bodies.map(({ label, count }) => `${label}: ${counted(count, 'node')}`).join(', ');
  }
  if (group.repeat) {
    return `${counted(group.count / group.repeat.copies.length, 'node')} each`;
  }
  if (group.kind === 'results') {
    return counted(group.count, 'value');
  }
  const counts = new Map<string, number>();
  for (const { op } of allNodes(group)) {
    counts.set(op, (counts.get(op) ?? 0) + 1);
  }
  const common = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 2);
  const ops = common.map(([op, times]) => (times > 1 ? `${op} ×${times}` : op)).join(', ');
  return `${counted(group.count, 'node')}: ${ops}`;
}

/** What a result of a graph or body goes by: its place in the value returned, or its variable; else its number. */
export function resultName(results: readonly string[], index: number, count: number): string {
  return (results[index] ?? '').replace(/^(global|closure) /, '') || (count > 1 ? t`result ${index}` : t`result`);
}

/**
 * The boxes of a graph's or body's results; a value that a loop carries to its next round has the name of the variable, a result
 * of the function that of the variable which it was.
 */
function resultBoxes(base: string, { outputs, carries, results = [] }: Graph, nodes: ReadonlyMap<string, GraphNode>): Box[] {
  return outputs.map((value, index) => {
    const next = nodes.get(carries?.[index] ?? '');
    const { variable = '', attrs = {} } = (base === '' && nodes.get(value)) || {};
    return {
      id: resultId(base, index),
      title: cut(next ? titleOf(next) : resultName(results, index, outputs.length), 32),
      detail: cut(variable || (attrs.variable ?? ''), 36),
      family: 'output',
      node: null,
      group: null
    };
  });
}
