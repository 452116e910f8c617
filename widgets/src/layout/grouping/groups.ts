/**
 * The group tree of a graph: the parts that can be collapsed into one box.
 *
 * A group is a maximal run of nodes, in program order, under one scope: one call of a function. Runs are convex (nothing
 * outside lies between two nodes of a run), so that graphs of collapsed groups stay acyclic. Flat stretches that no layout
 * engine could draw fold by the patterns that repeat in them; the rest is cut into artificial ranges, which are runs, too. A branch
 * or loop is a group of the node itself and one group for each of its bodies.
 */

import { counted } from '../../format';
import { bodyId } from '../bodies';
import { Graph, GraphNode } from '../../protocol';
import { isSource } from '../families';
import { FIRST_LOOK, Look } from '../look';
import { patternsOf } from './patterns';
import { Repeat, RepeatFinder } from './repeats';
import { finish, Steps } from '../slices';
import { findStandIns } from '../stand_ins';
import { Branch, isLeaf, treeOf } from './trees';
import { isLoop, withoutRounds } from './unrolled';

/** How the labels of the rounds of a pattern begin. */
const PATTERN = 'the same ';

/** The label of the frame around the backward pass. */
const BACKWARD_PASS = 'backward pass';

/** A group of nodes and groups, in program order. */
export interface Group {
  /** Stable for one graph: scope and first node. */
  readonly id: string;
  label: string;
  kind: 'root' | 'scope' | 'range' | 'control' | 'body' | 'tree' | 'results' | 'repeat';
  /** The branch or loop that a `control` group stands for. */
  readonly node: GraphNode | null;
  /** The graph whose results a `root` or `body` gives. */
  readonly graph: Graph | null;
  /** The copies that a `repeat` stands for; its children are those of the first copy. */
  repeat: Repeat | null;
  readonly children: Child[];
  /** Nodes in it and in its groups. */
  count: number;
}

/** A member of a group. */
export type Child = GraphNode | Group;

/** More direct children than this are cut into ranges. */
export const MAX_CHILDREN = 400;

/** Nodes looked at between two rests. */
const SOME_NODES = 500;

/** Into how many ranges a group may be cut; the fewer ones where the program hangs together so much that more would be a tangle. */
const RANGES = [40, 24, 16, 12] as const;

/** Nodes in a range, at least. */
const MIN_RANGE = 50;

/** More edges between ranges than this are a tangle. */
const MAX_RANGE_EDGES = 150;

/** Up to this many values from outside stand beside the ranges. */
const MAX_OUTSIDE = 40;

/** Whether a child is a group. */
export function isGroup(child: Child): child is Group {
  return 'children' in child;
}

/** From this many results on, they are folded. */
const MIN_RESULTS = 5;

/** From this many parts of one container on, values from outside are folded. */
const MIN_TREE = 4;

/** The group tree of a graph; its root holds everything. */
export function groupTree(graph: Graph, look: Look = FIRST_LOOK): Group {
  return finish(growGroups(graph, look));
}

/** Make the group tree of a graph. */
export function* growGroups(graph: Graph, look: Look): Steps<Group> {
  const root = yield* grow(newGroup('', graph.name, 'root', { graph }), graph);
  foldTrees(root);
  if (look.fold !== 'unfold') {
    yield* groupPatterns(root);
  }
  yield* settle(root, yield* RepeatFinder.of(root, graph, look.fold));
  yield* findStandIns(root);
  foldResults(root, graph.outputs.length);
  return root;
}

/** The id of the group of a branch or loop. */
export function controlId(node: GraphNode): string {
  return `${node.id}/*`;
}

/** Whether a group is the frame of a backward pass. */
export function isBackward({ label }: Group): boolean {
  return label.endsWith(BACKWARD_PASS);
}

/** Put the nodes of a graph into its group. */
function* grow(root: Group, graph: Graph): Steps<Group> {
  const open: Group[] = [root];
  let ends: readonly number[] = [];
  let before = '';
  for (const [place, node] of graph.nodes.entries()) {
    if (place % SOME_NODES === 0) {
      yield;
    }
    const { scope } = node;
    const here = scope === before ? ends : endsOf(scope);
    const shared = scope === before ? ends.length : sharedSegments(before, scope, here);
    if (isSource(node)) {
      (open[shared] ?? root).children.push(node);
      continue;
    }
    open.length = shared + 1;
    for (let depth = shared; depth < here.length; depth++) {
      const end = here[depth] as number;
      const begin = depth === 0 ? 0 : (here[depth - 1] as number) + 1;
      const group = newGroup(`${scope.slice(0, end)}@${node.id}`, labelOf(scope.slice(begin, end)), 'scope');
      open[depth]?.children.push(group);
      open.push(group);
    }
    ends = here;
    before = scope;
    open[open.length - 1]?.children.push(hasBodies(node) ? yield* controlGroup(node) : node);
  }
  return root;
}

/** Where nodes alone are too many to be drawn: put each round of what repeats among them into a group, so that it folds as calls do. */
function* groupPatterns(group: Group): Steps<void> {
  const { children } = group;
  for (const child of children) {
    if (isGroup(child)) {
      yield* groupPatterns(child);
    }
  }
  const nodes = children.filter((child): child is GraphNode => !isGroup(child) && !isSource(child));
  if (nodes.length <= MAX_CHILDREN || children.some(child => isGroup(child) && child.kind !== 'tree')) {
    return;
  }
  const grouped: Child[] = [];
  let at = 0;
  for (const { start, length, rounds } of yield* patternsOf(nodes)) {
    grouped.push(...nodes.slice(at, start));
    for (at = start; at < start + length * rounds; at += length) {
      const round = newGroup(`${group.id}~${nodes[at]?.id}`, length === 1 ? `${PATTERN}node` : `${PATTERN}${length} nodes`, 'scope');
      nodes.slice(at, at + length).forEach(node => round.children.push(node));
      grouped.push(round);
    }
  }
  const others = children.filter(child => isGroup(child) || isSource(child));
  children.length = 0;
  others.concat(grouped, nodes.slice(at)).forEach(child => children.push(child));
}

/** The name of a call or round: the number of a call is left out, that of a round told. */
function labelOf(segment: string): string {
  const at = segment.indexOf('#');
  const name = at < 0 ? segment : segment.slice(0, at);
  return name === 'round' ? `round ${at < 0 ? 1 : segment.slice(at + 1)}` : name;
}

/** Where each segment of a scope ends. */
function endsOf(scope: string): number[] {
  const ends: number[] = [];
  for (let at = scope.indexOf('/'); at >= 0; at = scope.indexOf('/', at + 1)) {
    ends.push(at);
  }
  return scope === '' ? ends : [...ends, scope.length];
}

/** How many segments, from the first on, two scopes share; `ends` are those of the second. */
function sharedSegments(one: string, other: string, ends: readonly number[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one.charCodeAt(length) === other.charCodeAt(length)) {
    length += 1;
  }
  const end = ends.findIndex(at => at > length || (at < one.length && one[at] !== '/'));
  return end < 0 ? ends.length : end;
}

function hasBodies({ bodies }: GraphNode): boolean {
  for (const _ in bodies) {
    return true;
  }
  return false;
}

/** Put many results into one group. */
function foldResults(root: Group, count: number): void {
  if (count >= MIN_RESULTS) {
    root.children.push({ ...newGroup('results:', 'results', 'results'), count });
  }
}

/** Put the parts of containers among the values from outside into groups. */
function foldTrees(group: Group): void {
  const leaves = group.children.filter(child => !isGroup(child) && isSource(child) && isLeaf(child)) as GraphNode[];
  const folded = new Set<Child>();
  const trees: Group[] = [];
  for (const branch of treeOf(leaves).branches.values()) {
    const tree = treeGroup(branch);
    if (allNodes(tree).length >= MIN_TREE) {
      allNodes(tree).forEach(node => folded.add(node));
      trees.push(tree);
    }
  }
  const rest = group.children.filter(child => !folded.has(child));
  group.children.splice(0, group.children.length, ...trees, ...rest);
}

function treeGroup(branch: Branch): Group {
  const group = newGroup(`tree:${branch.path}`, branch.step, 'tree');
  group.children.push(...[...branch.branches.values()].map(treeGroup), ...branch.leaves);
  return group;
}

function* controlGroup(node: GraphNode): Steps<Group> {
  const rounds = node.flow?.rounds ?? '';
  const label = [node.op, /^\d+$/.test(rounds) ? counted(Number(rounds), 'round') : rounds].filter(part => part !== '').join(' · ');
  const group = newGroup(controlId(node), label, 'control', { node });
  group.children.push(node);
  for (const [name, body] of Object.entries(node.bodies)) {
    group.children.push(yield* grow(newGroup(bodyId(node, name), name, 'body', { graph: body }), body));
  }
  return group;
}

/** All groups of a tree below its root, outer before inner. */
export function allGroups(root: Group): Group[] {
  const inner = root.children.filter(isGroup);
  return inner.flatMap(group => [group, ...allGroups(group)]);
}

/** The groups of a tree by id. */
export function groupsById(root: Group): Map<string, Group> {
  return new Map(allGroups(root).map(group => [group.id, group]));
}

/** All nodes of a group, in program order. */
export function allNodes(group: Group, nodes: GraphNode[] = []): GraphNode[] {
  for (const child of group.children) {
    if (isGroup(child)) {
      allNodes(child, nodes);
    } else {
      nodes.push(child);
    }
  }
  group.repeat?.copies.slice(1).forEach(copy => allNodes(copy, nodes));
  return nodes;
}

function newGroup(
  id: string,
  label: string,
  kind: Group['kind'],
  { node = null, graph = null }: Partial<Pick<Group, 'node' | 'graph'>> = {}
): Group {
  return { id, label, kind, node, graph, repeat: null, children: [], count: 0 };
}

/** Fold repeats, dissolve groups of one, cut groups that are too wide, count nodes. */
function* settle(group: Group, repeats: RepeatFinder): Steps<void> {
  if (group.kind === 'scope' && isLoop(group.label)) {
    const rounds = group.children.filter(child => isGroup(child) && child.label.startsWith('round ')).length;
    group.label += rounds > 1 ? ` · ${rounds} rounds` : '';
  }
  for (const child of group.children) {
    if (isGroup(child) && child.children.some(isGroup)) {
      yield* settle(child, repeats);
    } else if (isGroup(child)) {
      cutWide(child);
    }
    if (repeats.rests.due) {
      yield;
    }
  }
  yield* foldRepeats(group, repeats);
  for (const [index, child] of group.children.entries()) {
    const [only] = isGroup(child) && child.kind === 'scope' ? child.children : [];
    if (only && isGroup(child) && child.children.length === 1) {
      group.children[index] = only;
      if (isBackward(child) && isGroup(only)) {
        only.label += ` · ${BACKWARD_PASS}`;
      }
    }
  }
  cutWide(group);
}

const isPattern = (child: Child): child is Group => isGroup(child) && child.kind === 'scope' && child.label.startsWith(PATTERN);

/** Put neighbours that repeat each other into one group; a loop of such rounds alone is that group. */
function* foldRepeats(group: Group, repeats: RepeatFinder): Steps<void> {
  const runs = yield* repeats.runs(group.children);
  if (!runs.some(run => 'copies' in run || isPattern(run))) {
    return;
  }
  const [only, ...others] = runs.filter(run => 'copies' in run || isGroup(run) || !isSource(run));
  group.children.length = 0;
  if (only && 'copies' in only && others.length === 0 && group.kind === 'scope') {
    group.kind = 'repeat';
    group.label = withoutRounds(group.label) + ` ×${only.copies.length}`;
    runs.forEach(run => 'copies' in run || group.children.push(run)); // sources
    become(group, only);
    return;
  }
  for (const run of runs) {
    if (!('copies' in run)) {
      (isPattern(run) ? run.children : [run]).forEach(child => group.children.push(child)); // a round that is like no other
      continue;
    }
    const [first] = run.copies as [Group];
    const name = first.label.startsWith('round ') ? 'rounds' : first.label;
    const folded = newGroup(`repeat:${first.id}`, `${name} ×${run.copies.length}`, 'repeat');
    become(folded, run);
    cutWide(folded);
    group.children.push(folded);
  }
}

function become(group: Group, repeat: Repeat): void {
  group.repeat = repeat;
  repeat.copies[0]?.children.forEach(child => group.children.push(child));
}

/** Count the nodes of a group; too many children are cut into ranges. */
function cutWide(group: Group): void {
  const copies = group.repeat?.copies.slice(1).reduce((sum, { count }) => sum + count, 0) ?? 0;
  group.count = group.children.reduce((sum, child) => sum + (isGroup(child) ? child.count : 1), copies);
  if (group.children.length > MAX_CHILDREN) {
    const children = ranges(group);
    group.children.length = 0;
    children.forEach(child => group.children.push(child));
  }
}

/** The children cut into ranges of even size; the values from outside stay beside them when they are few. */
function ranges(group: Group): Child[] {
  const outside = group.children.filter(child => !isGroup(child) && isSource(child));
  const kept = outside.length <= MAX_OUTSIDE ? new Set(outside) : new Set<Child>();
  const rest = group.children.filter(child => !kept.has(child));
  const size = rangeSize(rest);
  const cuts: Child[] = [...kept];
  for (let start = 0; start < rest.length; start += size) {
    const part = rest.slice(start, start + size);
    const range = newGroup(`${group.id}#${start}`, `${start + 1}–${start + part.length}`, 'range');
    part.forEach(child => range.children.push(child));
    // A part that is itself too wide is cut again.
    cutWide(range);
    cuts.push(range);
  }
  return cuts;
}

function rangeSize(children: readonly Child[]): number {
  const place = new Map<string, number>();
  children.forEach((child, i) => nodesOf(child).forEach(node => place.set(node.id, i)));
  const links: [number, number][] = [];
  children.forEach((child, i) => {
    for (const node of nodesOf(child)) {
      for (const input of node.inputs) {
        const from = place.get(input);
        if (from !== undefined && from !== i) {
          links.push([from, i]);
        }
      }
    }
  });
  const sizes = RANGES.map(many => Math.max(MIN_RANGE, Math.ceil(children.length / many)));
  const fits = sizes.find(size => {
    const pairs = new Set<number>();
    for (const [from, to] of links) {
      const [a, b] = [Math.floor(from / size), Math.floor(to / size)];
      if (a !== b) {
        pairs.add(a * children.length + b);
      }
    }
    return pairs.size <= MAX_RANGE_EDGES;
  });
  return fits ?? (sizes[sizes.length - 1] as number);
}

function nodesOf(child: Child): readonly GraphNode[] {
  return isGroup(child) ? allNodes(child) : [child];
}
