/** The retraces in the main area, where they have more room than in the panel. */

import { MainAreaWidget } from '@jupyterlab/apputils';
import { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { emptyState, renumber, RetracesView, t } from '@tracefn/widgets';
import { tracefnIcon } from './icon';
import { TracefnPanel } from './panel';
import { RETRACES_ID } from './tabs';
import { IKernelModel } from './tokens';

/** It shows the same as the panel: the retraces of the current notebook's kernel. A row chosen here is chosen there. */
export class RetracesTab extends Widget {
  constructor(private readonly _panel: TracefnPanel) {
    super();
    this.addClass('jp-TracefnRetraces');
    this.addClass('tracefn');
    this._view = new RetracesView({ ...this._panel.host, popOutRetraces: undefined }, id => this._panel.select(id));
    this.node.append(this._view.element);
    this._panel.modelChanged.connect(this._follow, this);
    this._follow();
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._view.restyle();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._panel.modelChanged.disconnect(this._follow, this);
      this._model?.changed.disconnect(this._draw, this);
      this._view.dispose();
      super.dispose();
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._draw();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._draw();
  }

  private _follow(): void {
    this._model?.changed.disconnect(this._draw, this);
    this._model = this._panel.model;
    this._view.reset();
    this._model?.changed.connect(this._draw, this);
    this._draw();
  }

  private _draw(): void {
    if (this.isVisible) {
      this._view.update(this._model?.store.state ?? this._none);
      renumber(this._view.element);
    }
  }

  private _view: RetracesView;
  private _model: IKernelModel | null = null;
  private _none = emptyState();
}

/** A new main area widget with the retraces. */
export function retracesTab(panel: TracefnPanel): MainAreaWidget<RetracesTab> {
  const widget = new MainAreaWidget({ content: new RetracesTab(panel) });
  widget.id = RETRACES_ID;
  widget.title.label = t`Retraces`;
  widget.title.caption = t`tracefn: why functions of the current notebook were traced again`;
  widget.title.icon = tracefnIcon;
  widget.title.closable = true;
  return widget;
}
