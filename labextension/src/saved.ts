/**
 * Widgets of tracefn in notebooks that are opened again: their saved content shows while no kernel has them.
 *
 * A widget's output names its model, which the kernel has. Without it JupyterLab shows an error, although there is HTML beside it.
 * Notebooks that were executed without a front end have no model.
 */

import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { PanelLayout, Widget } from '@lumino/widgets';

/** Marks outputs of which the HTML shows the same as the widget (`widgets/tracefn_widgets/bundle.py`). */
const SAVED = 'application/vnd.tracefn.saved+json';
const WIDGET = 'application/vnd.jupyter.widget-view+json';
const HTML = 'text/html';

/** Before the renderer of widgets, whose rank is -10. */
const RANK = -20;

/** How long (ms) a widget may take to show, before its saved content shows in its place. */
const PATIENCE = 600;

type Rendermime = NotebookPanel['content']['rendermime'];
type Renderer = ReturnType<Rendermime['createRenderer']>;
type Model = Parameters<Renderer['renderModel']>[0];

/** Show saved content in all notebooks. */
export function showSaved(notebooks: INotebookTracker): void {
  notebooks.widgetAdded.connect((_, { content: { rendermime } }) => {
    const createRenderer = (): SavedWidget => new SavedWidget(rendermime);
    rendermime.addFactory({ safe: true, mimeTypes: [SAVED], createRenderer }, RANK);
  });
}

/** One output: the widget, or its saved content. */
class SavedWidget extends Widget {
  constructor(private readonly _rendermime: Rendermime) {
    super();
    this.layout = new PanelLayout();
    this.addClass('tracefn-saved-widget');
  }

  async renderModel(model: Model): Promise<void> {
    const saved = this._add(HTML);
    if (model.trusted && WIDGET in model.data && this._rendermime.mimeTypes.includes(WIDGET)) {
      const live = this._add(WIDGET);
      // Until then, and if it never comes, it is a text that says so.
      const choose = (): void => {
        const isThere = live.node.childElementCount > 0;
        saved.setHidden(isThere);
        live.setHidden(!isThere);
      };
      saved.hide();
      this._observer = new MutationObserver(choose);
      this._observer.observe(live.node, { childList: true });
      this._timer = setTimeout(choose, PATIENCE);
      void live.renderModel(model); // waits for the model
    }
    await saved.renderModel(model);
  }

  override dispose(): void {
    clearTimeout(this._timer);
    this._observer?.disconnect();
    super.dispose();
  }

  private _add(mimeType: string): Renderer {
    const renderer = this._rendermime.createRenderer(mimeType);
    (this.layout as PanelLayout).addWidget(renderer);
    return renderer;
  }

  private _observer: MutationObserver | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
