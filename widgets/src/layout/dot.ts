/**
 * What is drawn → DOT text for Graphviz. It holds sizes and numbers only: names and labels, which come from users, never
 * enter it. Box `i` of the folded graph is `b<i>`, edge `i` carries `class="<i>"`, cluster `i` is `cluster_<i>`.
 */

import { Cluster, Folded, LABELLED_EDGES } from './fold';
import { Size, TextMeasure } from './measure';

/** DOT text and the things its numbers stand for. */
export interface DotText {
  readonly dot: string;
  readonly sizes: readonly Size[];
  readonly clusters: readonly Cluster[];
  readonly labelled: boolean;
}

/** Write the DOT text. */
export function toDot(folded: Folded, measure: TextMeasure): DotText {
  const sizes = folded.boxes.map(box => measure.box(box));
  const index = new Map(folded.boxes.map((box, i) => [box.id, i]));
  const labelled = folded.edges.length <= LABELLED_EDGES;
  const large = folded.boxes.length > 500;
  const clusters: Cluster[] = [];
  const lines = [
    'digraph {',
    // A bound on the search: without one, an unlucky large graph takes seconds for a difference nobody sees.
    `graph [rankdir=TB nodesep=0.22 ranksep=${labelled ? 0.2 : 0.35}${large ? ' nslimit=2' : ''}]`,
    'node [shape=box fixedsize=true label=""]',
    'edge [arrowhead=none]'
  ];
  writeCluster(folded.root);
  folded.edges.forEach((edge, i) => {
    const from = index.get(edge.from);
    const to = index.get(edge.to);
    const label = labelled && edge.label !== '' ? ` ${labelOf(measure.label(edge.label))}` : '';
    lines.push(`b${from} -> b${to} [class="${i}"${label}]`);
  });
  lines.push('}');
  return { dot: lines.join('\n'), sizes, clusters, labelled };

  function writeCluster(cluster: Cluster): void {
    for (const id of cluster.boxes) {
      const i = index.get(id) as number;
      const size = sizes[i] as Size;
      lines.push(`b${i} [width=${inches(size.width)} height=${inches(size.height)}]`);
    }
    for (const inner of cluster.clusters) {
      const title = measure.label(inner.group.label);
      lines.push(`subgraph cluster_${clusters.length} {`);
      lines.push(`graph [margin=10 ${labelOf({ ...title, width: title.width + 30, height: 20 })}]`);
      clusters.push(inner);
      writeCluster(inner);
      lines.push('}');
    }
  }
}

/** An empty label of a given size. */
function labelOf({ width, height }: Size): string {
  const size = `width="${width}" height="${height}"`;
  return `label=<<table border="0" cellborder="0" cellspacing="0" cellpadding="0" fixedsize="true" ${size}><tr><td></td></tr></table>>`;
}

function inches(px: number): string {
  return (px / 72).toFixed(3);
}
