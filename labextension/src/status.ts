/** The item in the status bar: how many retraces there were, or what is under way; a click opens the panel. */

import { Widget } from '@lumino/widgets';
import { counted, countNow, h, Progress, progressText, setText } from '@tracefn/widgets';
import { ITracefnPanel } from './tokens';

/** The status bar item. */
export class RetraceStatus extends Widget {
  constructor(
    private readonly _panel: ITracefnPanel,
    open: () => void
  ) {
    const node = h('button', {
      class: 'jp-TracefnStatus',
      title: 'Open the tracefn panel',
      attrs: { type: 'button', 'data-tracefn': 'status' },
      on: { click: open }
    });
    super({ node });
    _panel.modelChanged.connect(this._follow, this);
    this._follow();
  }

  /** Show what is under way instead of the number of retraces. */
  showProgress(progress: readonly Progress[]): void {
    this._progress = progress;
    this._draw();
  }

  private _follow(): void {
    this._stop();
    const { model } = this._panel;
    model?.changed.connect(this._draw, this);
    this._stop = () => model?.changed.disconnect(this._draw, this);
    this._draw();
  }

  private _draw(): void {
    const state = this._panel.model?.store.state;
    const [first] = this._progress;
    this.setHidden(!state || state.functions.size === 0);
    const text = first ? progressText(first) : counted(state ? countNow(state) : 0, 'retrace');
    setText(this.node, `tracefn: ${text}`);
  }

  private _progress: readonly Progress[] = [];
  private _stop: () => void = () => undefined;
}
