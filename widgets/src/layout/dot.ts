/**
* Boxes and edges → DOT text for Graphviz. It holds sizes and numbers only: names and labels, which come from users, never
 * enter it. Box `i` of the folded graph is `b<i>`, edge `i` carries `class="<i>"`, cluster `i` is `cluster_<i>`.
 */

import { Edge } from './edges';
import { isSource } from './families';
import { Cluster, Folded } from './fold';
import type { Look } from './look';
import { Size, TextMeasure } from './measure';
import { inRows } from './rows';
import { inColumns, straysAbove } from './strays';

/** DOT text and the things its numbers stand for. */
export interface DotText {
  readonly dot: string;
  readonly sizes: readonly Size[];
  readonly clusters: readonly Cluster[];
}

/** Edges between what is computed are straighter than those from outside: a chain does not wander off to the side of its chips. */
const STRAIGHT = ' weight=4';

/** How strongly boxes are kept in one row: more than by any edge that leads out of it. */
const IN_ROW = 100;

/** Write the DOT text. */
export function toDot(folded: Folded, measure: TextMeasure, direction: Look['direction'] = 'down'): DotText {
  const sizes = folded.boxes.map(box => measure.box(box));
  const index = new Map(folded.boxes.map((box, i) => [box.id, i]));
  const { labelled } = folded;
  const clusters: Cluster[] = [];
  const lines = [
    'digraph {',
    `graph [rankdir=${direction === 'down' ? 'TB' : 'LR'} newrank=true nodesep=0.22 ranksep=${labelled ? 0.2 : 0.35} ${effort(folded, index)}]`,
    'node [shape=box fixedsize=true label=""]',
    'edge [arrowhead=none]'
  ];
  const edges = edgesByCluster(folded);
  const rows = rowsOf(folded);
  const outside = new Set(folded.boxes.filter(({ node }) => node && isSource(node)).map(({ id }) => id));
  writeCluster(folded.root);
  for (const [above, below] of [...(labelled ? straysAbove(folded) : []), ...inColumns(folded)]) {
    lines.push(`b${index.get(above)} -> b${index.get(below)} [style=invis]`);
  }
  for (const [left, right] of inRows(folded)) {
    lines.push(`b${index.get(left)} -> b${index.get(right)} [style=invis minlen=0 weight=${IN_ROW}]`);
  }
  lines.push('}');
  return { dot: lines.join('\n'), sizes, clusters };

  function writeCluster(cluster: Cluster): void {
    for (const id of cluster.boxes) {
      const i = index.get(id) as number;
      const size = sizes[i] as Size;
      lines.push(`b${i} [width=${inches(size.width)} height=${inches(size.height)}]`);
    }
    for (const inner of cluster.clusters) {
      const title = measure.label(inner.title);
      lines.push(`subgraph cluster_${clusters.length} {`);
      lines.push(`graph [margin=10 ${labelOf({ ...title, width: title.width + 30, height: 20 })}]`);
      clusters.push(inner);
      writeCluster(inner);
      lines.push('}');
    }
    for (const i of edges.get(cluster) ?? []) {
      const edge = folded.edges[i] as Edge;
      const [from, to] = [`b${index.get(edge.from)}`, `b${index.get(edge.to)}`];
      const longer = [edge.label, edge.before ?? ''].sort((a, b) => b.length - a.length)[0] as string;
      const label = labelled && longer !== '' ? ` ${labelOf(measure.label(longer))}` : '';
      // A back edge is laid out the other way round, at the side of its ends, so that it turns no order upside down.
      const side = direction === 'down' ? 'e' : 's';
      const straight = outside.has(edge.from) ? '' : STRAIGHT;
      const line = edge.back ? `${to} -> ${from} [class="${i}" tailport=${side} headport=${side}` : `${from} -> ${to} [class="${i}"${label}${straight}${rows.get(edge) ?? ''}`;
      lines.push(`${line}]`);
    }
  }
}

/** More values than this from outside that go to one box stand in several rows, so that they do not take all of the width. */
const MAX_ROW = 4;

/** So many of them stand in each of several rows: edges pass beside them. */
const ROW = 3;

/** How far the boxes stand away from which such edges come. */
function rowsOf({ boxes, edges }: Folded): Map<Edge, string> {
  const reached = new Set(edges.map(({ to }) => to));
  const used = new Map<string, number>();
  edges.forEach(({ from }) => used.set(from, (used.get(from) ?? 0) + 1));
  const alone = new Set(boxes.filter(({ id, group }) => !group && !reached.has(id) && used.get(id) === 1).map(({ id }) => id));
  const into = new Map<string, Edge[]>();
  for (const edge of edges) {
    if (alone.has(edge.from) && !edge.back) {
      into.set(edge.to, [...(into.get(edge.to) ?? []), edge]);
    }
  }
  const far = new Map<Edge, string>();
  for (const row of into.values()) {
    const rows = row.length > MAX_ROW ? Math.ceil(row.length / ROW) : 1;
    row.forEach((edge, i) => i % rows > 0 && far.set(edge, ` minlen=${1 + (i % rows)}`));
  }
  return far;
}

/** The numbers of the edges of each cluster: an edge stands in the innermost one around both its ends, and its label with it. */
function edgesByCluster({ root, edges }: Folded): Map<Cluster, number[]> {
  const around = new Map<string, readonly Cluster[]>();
  const walk = (cluster: Cluster, outer: readonly Cluster[]): void => {
    const path = [...outer, cluster];
    cluster.boxes.forEach(id => around.set(id, path));
    cluster.clusters.forEach(inner => walk(inner, path));
  };
  walk(root, []);
  const found = new Map<Cluster, number[]>();
  edges.forEach(({ from, to }, i) => {
    const [a, b] = [around.get(from) ?? [root], around.get(to) ?? [root]];
    const common = a.filter((cluster, depth) => cluster === b[depth]);
    const inner = common[common.length - 1] as Cluster;
    found.set(inner, [...(found.get(inner) ?? []), i]);
  });
  return found;
}

/** Edges that together pass more rows than this get less search; more than the second number, straight lines, too. */
const LONG = [800, 2500] as const;

/**
 * How hard Graphviz may try. Its time goes into edges that pass many rows: a drawing of 300 boxes takes 40 ms or 14 s by
 * nothing but that.
 */
function effort({ boxes, edges }: Folded, index: ReadonlyMap<string, number>): string {
  const rows = boxes.map(() => 0);
  // Boxes stand in program order, so that the row of an edge's start is known before that of its end.
  const ends = edges
    .map(({ from, to, back }) => (back ? [to, from] : [from, to]))
    .map(ids => [index.get(ids[0] as string) as number, index.get(ids[1] as string) as number] as const)
    .sort((a, b) => a[1] - b[1]);
  for (const [from, to] of ends) {
    rows[to] = Math.max(rows[to] as number, (rows[from] as number) + 1);
  }
  const passed = ends.reduce((sum, [from, to]) => sum + (rows[to] as number) - (rows[from] as number), 0);
  if (passed <= LONG[0]) {
    return '';
  }
  return `nslimit=0.1 nslimit1=0.1${passed > LONG[1] ? ' splines=line' : ''}`;
}

/** An empty label of a given size. */
function labelOf({ width, height }: Size): string {
  const size = `width="${width}" height="${height}"`;
  return `label=<<table border="0" cellborder="0" cellspacing="0" cellpadding="0" fixedsize="true" ${size}><tr><td></td></tr></table>>`;
}

function inches(px: number): string {
  return (px / 72).toFixed(3);
}
