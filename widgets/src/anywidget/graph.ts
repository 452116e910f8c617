/**
 * The anywidget that shows one graph.
 *
 * Traits (all synced, Python → front end):
 * - `graph`: dict, a graph in the JSON form of `docs/protocol.md` (`Graph.to_json()`); `{}` shows an empty state.
 * - `height`: int, the height in px (say 480).
 *
 * Files: `_esm = static/graph.js`, `_css = static/tracefn.css`.
 */

import type { AnyModel, Render } from '@anywidget/types';
import { decodeGraph } from '../protocol';
import { h } from '../views/common/dom';
import { GraphView } from '../views/graph/view';
import { t } from '../words';
import { createEngine } from './engine';

interface Traits {
  graph: unknown;
  height: number;
}

const render: Render<Traits> = ({ model, el }) => {
  const view = new GraphView({ createEngine });
  const root = h('div', { class: 'tracefn tracefn-widget' }, view.element);
  el.append(root);
  const draw = (): void => {
    root.style.height = `${model.get('height') ?? 480}px`;
    view.update(decodeGraph(model.get('graph')), {
      title: t`No graph`,
      text: t`There is nothing to show.`
    });
  };
  return listen(model, ['graph', 'height'], draw, () => {
    view.dispose();
    root.remove();
  });
};

function listen(
  model: AnyModel<Traits>,
  names: readonly (keyof Traits)[],
  draw: () => void,
  dispose: () => void
): () => void {
  names.forEach(name => model.on(`change:${name}`, draw));
  draw();
  return () => {
    names.forEach(name => model.off(`change:${name}`, draw));
    dispose();
  };
}

export default { render };
