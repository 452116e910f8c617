/** The item in the status bar: the number of retraces, or the work under way; a click opens the panel. */

import { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { counted, countNow, h, Progress, progressText, setText } from '@tracefn/widgets';
import { ITracefnPanel } from './tokens';

/** The status bar item. */
export class RetraceStatus extends Widget {
  constructor(
    private readonly _panel: ITracefnPanel,
    trans: TranslationBundle,
    open: () => void
  ) {
    const text = h('button', {
      class: 'jp-TracefnStatus-text',
      title: trans.__('Open the tracefn panel'),
      attrs: { type: 'button', 'data-tracefn': 'status' },
      on: { click: open }
    });
    const stop = h('button', {
      class: 'jp-TracefnStatus-stop',
      text: trans.__('stop'),
      title: trans.__('Stop compiling: the NumPy program stays'),
      attrs: { type: 'button', 'data-tracefn': 'status-stop' },
      on: { click: () => this._stopBuild() }
    });
    super({ node: h('div', { class: 'jp-TracefnStatus' }, text, stop) });
    this._text = text;
    this._button = stop;
    _panel.modelChanged.connect(this._follow, this);
    this._follow();
  }

  /** Show the work under way instead of the number of retraces. */
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
    setText(this._text, `tracefn: ${text}`);
    this._button.hidden = first?.background !== true;
  }

  private _stopBuild(): void {
    const [first] = this._progress;
    if (first) {
      // It fails where the kernel goes away, and the build with it.
      this._panel.model?.ask('stop_build', { signature: first.signature.id }).catch(() => undefined);
    }
  }

  private readonly _text: HTMLElement;
  private readonly _button: HTMLElement;

  private _progress: readonly Progress[] = [];
  private _stop: () => void = () => undefined;
}
