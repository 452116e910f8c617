/** The button that has the kernel time a signature: no code to type, and no arguments. */

import { Signature } from '../../store/index';
import { button, h, setText } from '../common/dom';
import { Host } from '../common/host';

/** Measures one signature at a time. */
export class Measure {
  constructor(private readonly _host: Host) {
    this._button = button({ name: 'Measure', text: 'Measure', class: 'tracefn-button-text tracefn-button-main', hook: 'measure' }, () => this._start());
    this._stop = button({ name: 'Stop', text: 'Stop', class: 'tracefn-button-text', hook: 'stop-measuring' }, () => {
      void this._host.interrupt?.();
    });
    this._said = h('span', { class: 'tracefn-note', attrs: { role: 'status', 'data-tracefn': 'measuring' } });
    this.element = h('div', { class: 'tracefn-measure' }, this._button, this._stop, this._said);
    this._show();
  }

  readonly element: HTMLElement;

  /** Offer to measure a signature; what is under way for another one goes on. */
  offer(signature: Signature | null): void {
    if (signature?.id !== this._signature?.id) {
      this._error = '';
    }
    this._signature = signature;
    this._show();
  }

  private _start(): void {
    const { _signature: signature } = this;
    const { measure } = this._host;
    if (!signature || !measure || this._running !== null) {
      return;
    }
    this._running = signature.id;
    this._error = '';
    this._show();
    measure(signature.functionId, signature.trace).then(
      () => this._ended(''),
      (error: unknown) => this._ended((error as Error).message)
    );
  }

  private _ended(error: string): void {
    this._error = error === '' ? '' : `It was not measured: ${error}`;
    this._running = null;
    this._show();
  }

  private _show(): void {
    const isRunning = this._running !== null;
    this.element.hidden = this._signature === null || this._host.measure === undefined;
    this._button.disabled = isRunning;
    setText(this._button, this._signature?.timing && !isRunning ? 'Measure again' : 'Measure');
    this._stop.hidden = !isRunning || this._host.interrupt === undefined;
    const running =
      this._running === this._signature?.id
        ? 'Measuring eager code, the NumPy program and native code…'
        : 'Another signature is being measured.';
    setText(this._said, isRunning ? running : this._error);
  }

  private _button: HTMLButtonElement;
  private _stop: HTMLButtonElement;
  private _said: HTMLElement;
  private _signature: Signature | null = null;
  private _running: string | null = null;
  private _error = '';
}
