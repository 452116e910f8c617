/** A folded graph with positions: all that a renderer needs. */

import { DotText } from './dot';
import { Edge } from './edges';
import { Box, Folded } from './fold';
import { Group } from './grouping/groups';
import type { Look } from './look';
import { Placement, Point, Rect } from './placement';

/** A box and where it is drawn. */
export interface PlacedBox {
  readonly box: Box;
  readonly rect: Rect;
}

/** An edge and its curve: start, then Bézier triples. */
export interface PlacedEdge {
  readonly edge: Edge;
  readonly points: readonly Point[];
  /** Centre of the label; null where the edge has none. */
  readonly label: Point | null;
}

/** An expanded group's frame. */
export interface PlacedCluster {
  readonly group: Group;
  readonly title: string;
  readonly rect: Rect;
}

/** A drawing, in px. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  /** Where edges lead. */
  readonly direction: Look['direction'];
  readonly boxes: ReadonlyMap<string, PlacedBox>;
  readonly edges: readonly PlacedEdge[];
  readonly clusters: readonly PlacedCluster[];
}

/** Put the parts together. */
export function toScene(folded: Folded, text: DotText, placement: Placement, direction: Look['direction'] = 'down'): Scene {
  const boxes = new Map<string, PlacedBox>();
  folded.boxes.forEach((box, i) => {
    const [x, y] = placement.boxes[i] ?? [0, 0];
    const { width, height } = text.sizes[i] ?? { width: 0, height: 0 };
    boxes.set(box.id, { box, rect: [x - width / 2, y - height / 2, width, height] });
  });
  return {
    width: placement.width,
    height: placement.height,
    direction,
    boxes,
    edges: folded.edges.map((edge, i) => ({
      edge,
      points: edge.back ? [...(placement.edges[i] ?? [])].reverse() : (placement.edges[i] ?? []),
      label: placement.labels[i] ?? null
    })),
    clusters: text.clusters.map(({ group, title }, i) => ({
      group,
      title,
      rect: placement.clusters[i] ?? [0, 0, 0, 0]
    }))
  };
}
