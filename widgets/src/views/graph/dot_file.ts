/** A graph as it is drawn, as DOT text with names and types, for Graphviz and others. */

import { Cluster, Folded, Look } from '../../layout';

/** The DOT text of the drawing. */
export function dotFile({ boxes, root, edges }: Folded, direction: Look['direction'] = 'down'): string {
  const byId = new Map(boxes.map(box => [box.id, box]));
  const lines = ['digraph {', `  rankdir=${direction === 'down' ? 'TB' : 'LR'}`, '  node [shape=box fontname="sans-serif"]', '  edge [fontsize=10]'];
  let clusters = 0;
  write(root, '  ');
  for (const { from, to, label, back } of edges) {
    lines.push(`  ${quoted(from)} -> ${quoted(to)} [label=${quoted(label)}${back ? ' style=dashed constraint=false' : ''}]`);
  }
  lines.push('}', '');
  return lines.join('\n');

  function write(cluster: Cluster, indent: string): void {
    for (const id of cluster.boxes) {
      const box = byId.get(id);
      const label = [box?.title ?? id, box?.detail ?? ''].filter(text => text !== '').join('\n');
      const shape = box?.chipOf !== undefined ? ' style=rounded' : box?.group ? ' shape=box3d' : '';
      lines.push(`${indent}${quoted(id)} [label=${quoted(label)}${shape}]`);
    }
    for (const inner of cluster.clusters) {
      lines.push(`${indent}subgraph cluster_${clusters++} {`, `${indent}  label=${quoted(inner.title)}`);
      write(inner, `${indent}  `);
      lines.push(`${indent}}`);
    }
  }
}

/** A text as DOT writes it. It comes from users: nothing in it ends the quotes. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
