/** One graph in the main area, where it has more room than in the panel. */

import { MainAreaWidget } from '@jupyterlab/apputils';
import { JSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import { GraphView, Host, Signature } from '@tracefn/widgets';
import { tracefnIcon } from './icon';
import { tabId } from './tabs';
import { IKernelModel } from './tokens';

/**
 * A new main area widget that shows the graph of a signature, expanded as `folds` says, with its steps. It stays as it is when the
 * kernel goes.
 */
export function graphTab(model: IKernelModel, signature: Signature, host: Host, folds?: ReadonlySet<string>): Widget {
  const ask: Host['ask'] = (query, fields) => model.ask(query, fields as JSONObject);
  const view = new GraphView({ ...host, ask, popOut: undefined });
  if (folds && signature.size) {
    view.folds.set(signature.size.hash, folds);
  }
  const content = new Widget();
  content.addClass('jp-TracefnGraph');
  content.addClass('tracefn');
  content.node.append(view.element);
  const widget = new MainAreaWidget({ content });
  widget.id = tabId(signature);
  widget.title.label = `${nameOf(model, signature)} #${signature.trace}`;
  widget.title.caption = signature.text;
  widget.title.icon = tracefnIcon;
  widget.title.closable = true;
  const show = (): void => {
    const graph = model.store.state.graphs.get(signature.size?.hash ?? '') ?? null;
    if (graph) {
      view.update(graph, { title: '', text: '' }, signature, model.store.state);
    }
  };
  model.changed.connect(show);
  content.disposed.connect(() => {
    model.changed.disconnect(show);
    view.dispose();
  });
  show();
  return widget;
}

function nameOf(model: IKernelModel, signature: Signature): string {
  return model.store.state.functions.get(signature.functionId)?.name ?? signature.functionId;
}
