/** A graph as a file: its drawing as SVG, or its nodes as CSV, those of bodies included. */

import { everyNode, Scene } from '../../layout';
import { placeText, typeText } from '../../format';
import { Graph } from '../../protocol';
import { toCsv } from '../common/csv';
import { download } from '../common/download';
import { placeOf } from './detail';
import { toSvgText } from './export';

/** Offer the drawing as a download, in the style of `place`; the table where there is no drawing. */
export function saveGraph(graph: Graph | null, scene: Scene | null, place: HTMLElement): void {
  const name = graph?.name.replace(/\W+/g, '_');
  if (graph && scene) {
    download(`${name}.svg`, toSvgText(scene, place), 'image/svg+xml');
  } else if (graph) {
    download(`${name}.csv`, nodesCsv(graph), 'text/csv');
  }
}

/** One row for each node. */
export function nodesCsv(graph: Graph): string {
  const rows = everyNode(graph).map(node => {
    const place = placeOf(node);
    return [node.id, node.op, node.call, typeText(node.dtype, node.shape), node.kind, node.inputs.join(' '), node.scope, place && placeText(place)];
  });
  return toCsv(['node', 'op', 'call', 'type', 'kind', 'inputs', 'scope', 'line'], rows);
}
