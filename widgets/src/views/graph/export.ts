/** A drawing as files: all of it as SVG, PNG and DOT, and its nodes as a table. */

import { Scene } from '../../layout';
import { Graph } from '../../protocol';
import { Signature } from '../../store';
import { t } from '../../words';
import { h } from '../common/dom';
import { svgText } from '../common/picture';
import { FileKind, picturesOf, SaveMenu } from '../common/save_menu';
import { dotFile } from './dot_file';
import type { Drawing } from './drawing';
import { nodesCsv } from './node_table';
import type { Step } from './steps';
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

/** The name of a graph's file: files of two signatures, or of two steps, have names of their own. */
export function fileName(graph: Graph | null, signature: Signature | null, step: Step | null): string {
  return `${graph?.name ?? ''} ${signature?.trace ?? ''} ${step?.title ?? t`Graph`}`;
}

/** The menu that saves a drawing, in the style of `place`, under `name`. */
export function saveMenuOf(drawing: Drawing, place: () => HTMLElement, name: () => string): SaveMenu {
  return new SaveMenu(() => filesOf(drawing, place()), name);
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
