/** The line with long work that is under way; builds in the background can be stopped there. */

import { Progress, progressText } from '../store';
import { button, h, setText } from './common/dom';
import { t } from '../words';

/** Hidden while nothing takes long. */
export class ProgressLine {
  /** `stop` cancels the build of a signature. Without it, there is no button. */
  constructor(private readonly _stop?: (signatureId: string) => void) {
    this._text = h('span');
    const props = { name: t`Stop compiling: the NumPy program stays`, text: t`stop`, class: 'tracefn-link', hook: 'stop-build' };
    this._button = button(props, () => this._clicked());
    this._button.hidden = true;
    this.element = h(
      'div',
      { class: 'tracefn-progress', attrs: { role: 'status', 'data-tracefn': 'progress' } },
      this._text,
      this._button
    );
    this.element.hidden = true;
  }

  readonly element: HTMLElement;

  show(progress: readonly Progress[]): void {
    this._building = progress.find(({ background }) => background)?.signature.id ?? null;
    this.element.hidden = progress.length === 0;
    this._button.hidden = this._building === null || !this._stop;
    setText(this._text, progress.map(progressText).join(' · '));
  }

  private _clicked(): void {
    if (this._building !== null) {
      this._stop?.(this._building);
    }
  }

  private readonly _text: HTMLElement;
  private readonly _button: HTMLButtonElement;
  private _building: string | null = null;
}
