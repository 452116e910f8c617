/**
 * The anywidget that shows one graph.
 *
 * Traits (all synced, Python → front end):
 * - `graph`: dict, a graph in the JSON form of `docs/protocol.md` (`Graph.to_json()`); `{}` shows an empty state.
 * - `title`, `others`: str, and list of {title, graph}: other graphs of the same function, of which one can be chosen.
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
  title: string;
  others: readonly { title: string; graph: unknown }[];
  height: number;
}

const render: Render<Traits> = ({ model, el }) => {
  const view = new GraphView({ createEngine });
  const choice = h('select', {
    class: 'tracefn-graph-choice',
    attrs: { 'aria-label': t`Signature`, 'data-tracefn': 'graph-choice' },
    on: { change: () => show() }
  });
  const root = h('div', { class: 'tracefn tracefn-widget' }, choice, view.element);
  el.append(root);
  const show = (): void => {
    const other = (model.get('others') ?? [])[choice.selectedIndex - 1];
    view.update(decodeGraph(other ? other.graph : model.get('graph')), {
      title: t`No graph`,
      text: t`There is nothing to show.`
    });
  };
  const draw = (): void => {
    root.style.height = `${model.get('height') ?? 480}px`;
    const others = model.get('others') ?? [];
    const titles = [model.get('title') ?? '', ...others.map(({ title }) => title)];
    choice.hidden = others.length === 0;
    choice.replaceChildren(...titles.map(title => h('option', { text: title })));
    show();
  };
  return listen(model, ['graph', 'title', 'others', 'height'], draw, () => {
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
