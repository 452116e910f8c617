/** The parts of a merged drawing by side: the earlier graph on the left, the new one on the right, each in its place. */

import { everyNode, everyGraph, resultId } from '../bodies';
import type { Folded } from '../fold';
import type { Merged } from './merge';
import type { Rect } from '../placement';
import type { PlacedBox, PlacedEdge, Scene } from '../scene';

/** The earlier graph, or the new one. */
export type Side = 0 | 1;

/** The part of a scene that is one of the two graphs; positions stay as they are. */
export function sideOf(scene: Scene, { boxOf }: Folded, { graph, removed, added, newEdges, counts }: Merged, side: Side): Scene {
  const foreign = side === 0 ? added : removed;
  const isOwn = (id: string): boolean => !foreign.has(id);
  const own = new Set<string>();
  const nodes = everyNode(graph);
  for (const { id } of nodes) {
    const box = isOwn(id) ? boxOf.get(id) : undefined;
    if (box !== undefined) {
      own.add(box);
    }
  }
  for (const { base, graph: part } of everyGraph(graph)) {
    part.outputs.slice(0, base === '' ? counts[side] : undefined).forEach((_, i) => own.add(boxOf.get(resultId(base, i)) ?? ''));
  }
  // An edge between boxes goes where all that flows along it is of the other side.
  const [here, elsewhere] = [new Set<string>(), new Set<string>()];
  const others = new Set((side === 0 ? newEdges : (graph.edges ?? [])).map(([from, to]) => key(from, to)));
  const note = (from: string, to: string): void => {
    const isHere = isOwn(from) && isOwn(to) && !others.has(key(from, to));
    (isHere ? here : elsewhere).add(key(boxOf.get(from), boxOf.get(to)));
  };
  nodes.forEach(({ id, inputs }) => inputs.forEach(input => note(input, id)));
  graph.edges?.forEach(([from, to]) => note(from, to));
  const stands = new Set(scene.edges.filter(({ edge }) => own.has(edge.to)).map(({ edge }) => edge.from));
  const boxes = new Map<string, PlacedBox>();
  for (const [id, { box, rect }] of scene.boxes) {
    if (box.chipOf !== undefined ? isOwn(box.node?.id ?? '') && stands.has(id) : own.has(id)) {
      boxes.set(id, { box: side === 0 && box.before ? { ...box.before, id } : box, rect });
    }
  }
  const edges = scene.edges.filter(({ edge: { from, to } }) => {
    return boxes.has(from) && boxes.has(to) && (here.has(key(from, to)) || !elsewhere.has(key(from, to)));
  });
  const withLabels = (placed: PlacedEdge): PlacedEdge =>
    side === 0 && placed.edge.before !== undefined ? { ...placed, edge: { ...placed.edge, label: placed.edge.before } } : placed;
  const clusters = scene.clusters.filter(({ rect }) => [...boxes.values()].some(({ rect: [x, y] }) => isIn(rect, x, y)));
  return { ...scene, boxes, edges: edges.map(withLabels), clusters };
}

function isIn([left, top, width, height]: Rect, x: number, y: number): boolean {
  return x >= left && y >= top && x <= left + width && y <= top + height;
}

function key(from: string | undefined, to: string | undefined): string {
  return `${from}\n${to}`;
}
