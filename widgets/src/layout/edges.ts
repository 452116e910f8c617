/** The edges between drawn boxes: the values that flow between them, into expanded branches and loops and out of them. */

import { counted, typeText } from '../format';
import { Graph, GraphNode } from '../protocol';
import { bodyId, everyGraph, resultId, TEST } from './bodies';
import type { Steps } from './slices';
import type { StandIns } from './stand_ins';

/** One or more values that flow from one box to another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** The label that it had, where it is another one. */
  readonly before?: string;
  readonly values: readonly string[];
  /** Whether it leads to the next round: to boxes before it. */
  readonly back?: boolean;
}

/** Nodes looked at between two rests. */
const SOME_NODES = 500;

/** The sources of edges. */
export interface Drawn {
  readonly graph: Graph;
  /** Its nodes and those of bodies, by id. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Node or result → the box that it is drawn in. */
  readonly boxOf: ReadonlyMap<string, string>;
  /** Result → the value that it is. */
  readonly values: ReadonlyMap<string, string>;
  readonly standIns: StandIns;
}

/**
 * The edges between boxes. The node of an expanded branch or loop hands its inputs to its bodies, and its users have their
 * values from their results. An edge from one copy of a repeat to the next leads back to the one that is drawn.
 */
export function* connect(drawn: Drawn): Steps<Edge[]> {
  const { graph, nodes, boxOf, standIns: { copies } } = drawn;
  const edges = new EdgeSet(drawn);
  let count = 0;
  for (const { base, graph: part } of everyGraph(graph)) {
    for (const node of part.nodes) {
      const to = boxOf.get(node.id);
      for (const input of node.inputs) {
        const home = boxOf.get(input);
        if (home === input) {
          sources(input, node).forEach(id => link(id, node.id));
        } else if (home !== undefined && to !== undefined) {
          join(input, home, node.id, to); // most values: drawn in the box of a group
        }
      }
      for (const name in node.bodies) {
        const body = node.bodies[name] as Graph;
        const starts = body.inputs.length > 0 ? body.inputs : [resultId(bodyId(node, name), 0)];
        starts.forEach(id => link(node.id, id));
      }
      if ((count += 1) % SOME_NODES === 0) {
        yield;
      }
    }
    part.outputs.forEach((id, index) => link(id, resultId(base, index)));
    part.carries?.forEach((id, index) => {
      if (id !== null) {
        link(resultId(base, index), id, true);
      }
    });
  }
  graph.edges?.forEach(([from, to]) => link(from, to));
  return edges.all();

  /** Where the value of a node that has a box of its own comes from for one that uses it. */
  function sources(id: string, user: GraphNode): string[] {
    const node = nodes.get(id);
    const bodies = Object.entries(node?.bodies ?? {});
    if (!node || bodies.length === 0) {
      return [id];
    }
    return bodies
      .filter(([name]) => name !== TEST)
      .flatMap(([name, body]) =>
        body.outputs.flatMap((_, index) =>
          user.op !== 'item' || user.attrs.index === String(index) ? [resultId(bodyId(node, name), index)] : []
        )
      );
  }

  function link(value: string, user: string, isCarried = false): void {
    const [home, to] = [boxOf.get(value), boxOf.get(user)];
    if (home !== undefined && to !== undefined) {
      join(value, home, user, to, isCarried);
    }
  }

  function join(value: string, home: string, user: string, to: string, isCarried = false): void {
    const back = isCarried ? home !== to : isOfCopyBefore(value, user);
    if (home !== to || back) {
      edges.add(value, home, to, back);
    }
  }

  function isOfCopyBefore(value: string, user: string): boolean {
    const from = copies.get(value);
    const to = from && copies.get(user);
    for (let i = 0; from && to && i < from.length; i += 2) {
      for (let j = 0; j < to.length; j += 2) {
        if (from[i] === to[j] && from[i + 1] !== to[j + 1]) {
          return true;
        }
      }
    }
    return false;
  }
}

/**
 * Edges between boxes and chips: `chipsAt` gives, of a box, the values for which chips stand there, and the ids of these. Edges to
 * boxes without chips, which may be of very many values, stay as they are.
 */
export function withChips(drawn: Drawn, edges: readonly Edge[], chipsAt: (to: string) => ReadonlyMap<string, string> | undefined): Edge[] {
  const found = new EdgeSet(drawn);
  for (const edge of edges) {
    const chips = edge.back ? undefined : chipsAt(edge.to);
    if (chips) {
      edge.values.forEach(value => found.add(value, chips.get(value) ?? edge.from, edge.to, false));
    } else {
      found.keep(edge);
    }
  }
  return found.all();
}

/** The values on an edge. */
interface Line {
  readonly from: string;
  readonly to: string;
  readonly back: boolean;
  readonly values: Set<string>;
}

/** Edges by their ends. */
class EdgeSet {
  constructor(private readonly _drawn: Drawn) {}

  /** A value flows from one box to another. */
  add(value: string, from: string, to: string, back: boolean): void {
    const ends = back ? this._back : this._there;
    let lines = ends.get(from);
    if (!lines) {
      lines = new Map();
      ends.set(from, lines);
    }
    let line = lines.get(to);
    if (!line) {
      line = { from, to, back, values: new Set() };
      lines.set(to, line);
      this._lines.push(line);
    }
    line.values.add(value);
  }

  /** An edge that has all its values: no other leads from and to the same. */
  keep(edge: Edge): void {
    this._lines.push(edge);
  }

  /** All of them, in the order in which their first values came. */
  all(): Edge[] {
    return this._lines.map(line => ('label' in line ? line : this._edge(line)));
  }

  private _edge({ from, to, back, values }: Line): Edge {
    const [first = ''] = values;
    const count = back ? 1 : this._countStems(values);
    const label = back ? '' : count > 1 ? counted(count, 'value') : this._typeOf(first);
    const before = back || count > 1 ? label : this._typeOf(first, this._drawn.graph.before);
    return { from, to, label, values: [...values], ...(back ? { back } : {}), ...(before === label ? {} : { before }) };
  }

  /** How many different values these are: the same value of all rounds counts once. */
  private _countStems(values: ReadonlySet<string>): number {
    const { nodes } = this._drawn.standIns;
    const stems = new Set<string>();
    values.forEach(value => stems.add(nodes.get(value) ?? value));
    return stems.size;
  }

  private _typeOf(value: string, before?: ReadonlyMap<string, GraphNode>): string {
    const id = this._drawn.values.get(value) ?? value;
    const node = before?.get(id) ?? this._drawn.nodes.get(id);
    return node ? typeText(node.dtype, node.shape) : '';
  }

  private readonly _lines: (Line | Edge)[] = [];
  private readonly _there = new Map<string, Map<string, Line>>();
  private readonly _back = new Map<string, Map<string, Line>>();
}
