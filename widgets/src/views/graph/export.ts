/** A drawing as files: all of it as SVG, PNG and DOT, and its nodes as a table. */

import { Scene } from '../../layout';
import { h } from '../common/dom';
import { svgText } from '../common/picture';
import { FileKind, picturesOf, SaveMenu } from '../common/save_menu';
import { dotFile } from './dot_file';
import type { Drawing } from './drawing';
import { nodesCsv } from './node_table';
import { standalone } from './svg_renderer';

/** The SVG text of a scene, in the style of `place`, an element of the page. */
export function toSvgText(scene: Scene, place: HTMLElement): string {
  const { element, drawing } = standalone(scene);
  const hidden = h('div', { class: 'tracefn-measuring' }, element);
  place.append(hidden);
  try {
    return svgText(drawing, place);
  } finally {
    hidden.remove();
  }
}

/** The menu that saves a drawing, in the style of `place`. */
export function saveMenuOf(drawing: Drawing, place: () => HTMLElement): SaveMenu {
  return new SaveMenu(() => filesOf(drawing, place()), () => drawing.graph?.name ?? '');
}

function filesOf({ stage: { scene }, graph, folded, look }: Drawing, place: HTMLElement): FileKind[] {
  return graph && scene && folded
    ? [
        ...picturesOf(() => toSvgText(scene, place)),
        { name: 'DOT', make: () => dotFile(folded, look.direction) },
        { name: 'CSV', make: () => nodesCsv(graph) }
      ]
    : [];
}
