/** Two graphs as one: nodes that correspond in them are one node, so that it has one place, and one frame to open and close. */

import { Graph, GraphDiff, GraphNode } from '../../protocol';
import { everyNode, join, resultId, withBodies } from '../bodies';

/** The graph of both, and the parts that are in one of them alone; ids are those of `withBodies`. */
export interface Merged {
  readonly graph: Graph;
  /** Node of the earlier graph → node of the merged one. Those of the new graph keep their names. */
  readonly ofEarlier: ReadonlyMap<string, string>;
  readonly removed: ReadonlySet<string>;
  readonly added: ReadonlySet<string>;
  /** Edges of the new graph alone; those of the earlier one alone are the merged graph's `edges`. */
  readonly newEdges: GraphDiff['added_edges'];
  /** How many results each of the two has. */
  readonly counts: readonly [number, number];
}

/** The new graph `b` with the nodes that only the earlier graph `a` has. */
export function merged(a: Graph, b: Graph, diff: GraphDiff): Merged {
  const pairs = new Map(Object.entries(diff.same));
  const ofEarlier = new Map<string, string>();
  const removed = new Set<string>();
  const whole = both(a, b, '', '');
  const earlier = new Map(everyNode(withBodies(a)).map(node => [node.id, node]));
  const nameOf = (id: string): string => ofEarlier.get(id) ?? id;
  const before = new Map(
    diff.changed.flatMap(({ a: id }) => {
      const node = earlier.get(id);
      return node ? [[nameOf(id), { ...node, id: nameOf(id), inputs: node.inputs.map(nameOf) }] as const] : [];
    })
  );
  const results = b.outputs.flatMap((value, i) => {
    const was = a.outputs[i];
    return was === undefined || nameOf(was) === value ? [] : [{ was: nameOf(was), value, id: resultId('', i) }];
  });
  const edges = [
    ...diff.removed_edges.map(([from, to]) => [nameOf(from), nameOf(to)] as const),
    ...results.map(({ was, id }) => [was, id] as const)
  ];
  const graph = { ...whole, before, edges };
  const newEdges = [...diff.added_edges, ...results.map(({ value, id }) => [value, id] as const)];
  return { graph, ofEarlier, removed, added: new Set(diff.added), newEdges, counts: [a.outputs.length, b.outputs.length] };

  /** Bodies that stand for each other are merged, too. */
  function both(one: Graph, other: Graph, base: string, otherBase: string): Graph {
    const names = new Map(one.nodes.map(({ id }) => [id, nameIn(id, base, otherBase)]));
    const name = (id: string): string => names.get(id) ?? id;
    names.forEach((now, id) => ofEarlier.set(join(base, id), join(otherBase, now)));
    const own = new Set(other.nodes.map(({ id }) => id));
    const after = new Map<string, GraphNode[]>();
    const partners = new Map<string, GraphNode>();
    let last = '';
    for (const node of one.nodes) {
      if (own.has(name(node.id))) {
        last = name(node.id);
        partners.set(last, node);
      } else {
        const list = after.get(last) ?? [];
        list.push({ ...node, id: name(node.id), inputs: node.inputs.map(name) });
        after.set(last, list);
        leave(node, join(base, node.id), join(otherBase, name(node.id)));
      }
    }
    const withEarlier = (node: GraphNode): GraphNode => {
      const partner = partners.get(node.id);
      return partner && Object.keys(node.bodies).length > 0 ? { ...node, bodies: bodiesOf(partner, node, base, otherBase) } : node;
    };
    const more = one.outputs.slice(other.outputs.length).map(name);
    return {
      ...other,
      inputs: [...other.inputs, ...one.inputs.map(name).filter(id => !other.inputs.includes(id))],
      outputs: base === '' ? [...other.outputs, ...more] : other.outputs,
      nodes: [...(after.get('') ?? []), ...other.nodes.flatMap(node => [withEarlier(node), ...(after.get(node.id) ?? [])])]
    };
  }

  function bodiesOf(one: GraphNode, other: GraphNode, base: string, otherBase: string): GraphNode['bodies'] {
    return Object.fromEntries(
      Object.entries(other.bodies).map(([name, body]) => {
        const partner = one.bodies[name];
        return [name, partner ? both(partner, body, join(join(base, one.id), name), join(join(otherBase, other.id), name)) : body];
      })
    );
  }

  /** The name of an earlier graph's node among those of the new one. */
  function nameIn(id: string, base: string, otherBase: string): string {
    const partner = pairs.get(join(base, id));
    const prefix = otherBase === '' ? '' : `${otherBase}/`;
    return partner?.startsWith(prefix) && !partner.slice(prefix.length).includes('/') ? partner.slice(prefix.length) : `−${id}`;
  }

  /** A node that is in the earlier graph alone, with all in it. */
  function leave(node: GraphNode, path: string, now: string): void {
    removed.add(now);
    ofEarlier.set(path, now);
    for (const [name, body] of Object.entries(node.bodies)) {
      body.nodes.forEach(inner => leave(inner, join(join(path, name), inner.id), join(join(now, name), inner.id)));
    }
  }
}
