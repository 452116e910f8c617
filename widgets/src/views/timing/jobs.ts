/** The buttons that have the kernel time a signature: no code to type, and no arguments. */

import { Signature } from '../../store/index';
import { button, h, setText } from '../common/dom';
import { Host } from '../common/host';
import { t } from '../../words';

/** Something that the kernel can time. */
export interface Job {
  /** Its state, and the text before the reason where it failed. */
  readonly busy: string;
  readonly failed: string;
  /** Undefined where nothing can do it. */
  readonly run: ((functionId: string, trace: number) => Promise<void>) | undefined;
}

/** One that has a button. */
export interface ButtonJob extends Job {
  /** The text of the button, at first and where it was done before. */
  readonly name: string;
  readonly again: string;
  readonly hook: string;
  readonly isDone: (signature: Signature) => boolean;
}

/** Runs one job at a time, on one signature. */
export class Jobs {
  constructor(
    private readonly _host: Host,
    private readonly _jobs: readonly ButtonJob[]
  ) {
    this._buttons = _jobs.map(job =>
      button({ name: job.name, text: job.name, class: 'tracefn-button-text tracefn-button-main', hook: job.hook }, () => this.start(job))
    );
    this._stop = button({ name: t`Stop`, text: t`Stop`, class: 'tracefn-button-text', hook: 'stop-measuring' }, () => {
      void this._host.interrupt?.();
    });
    this._said = h('span', { class: 'tracefn-note', attrs: { role: 'status', 'data-tracefn': 'measuring' } });
    this._bar = h('progress', { attrs: { 'aria-label': t`Being timed`, 'data-tracefn': 'measuring-bar' } });
    this.element = h('div', { class: 'tracefn-measure' }, ...this._buttons, this._stop, this._said, this._bar);
    this._show();
  }

  readonly element: HTMLElement;

  /** Called when a job starts and ends. */
  changed: () => void = () => undefined;

  /** The job that runs, and the id of the signature that it runs on. */
  get running(): { readonly job: Job; readonly id: string } | null {
    return this._running;
  }

  /** Offer to time a signature; a job under way for another one goes on. */
  offer(signature: Signature | null): void {
    // After a restart another trace may have the same id.
    if (signature?.id !== this._signature?.id || signature?.startedNs !== this._signature?.startedNs) {
      this._error = '';
    }
    this._signature = signature;
    this._show();
  }

  /** Start a job on the signature that is offered, if none is under way. */
  start(job: Job): void {
    const { _signature: signature } = this;
    if (!signature || !job.run || this._running !== null) {
      return;
    }
    this._running = { job, id: signature.id };
    this._error = '';
    this._show();
    this.changed();
    job.run(signature.functionId, signature.trace).then(
      () => this._ended(''),
      (error: unknown) => this._ended(`${job.failed}: ${(error as Error).message}`)
    );
  }

  private _ended(error: string): void {
    this._error = error;
    this._running = null;
    this._show();
    this.changed();
  }

  private _show(): void {
    const { _running: running, _signature: signature } = this;
    this.element.hidden = signature === null || (running === null && this._jobs.every(job => job.run === undefined));
    this._jobs.forEach((job, i) => {
      const element = this._buttons[i] as HTMLButtonElement;
      element.hidden = job.run === undefined;
      element.disabled = running !== null;
      setText(element, signature && job.isDone(signature) && running?.job !== job ? job.again : job.name);
    });
    this._bar.hidden = !this._jobs.some(job => job === running?.job);
    this._stop.hidden = running === null || this._host.interrupt === undefined;
    const busy = running?.id === signature?.id ? running?.job.busy : t`Another signature is being measured.`;
    setText(this._said, running ? (busy ?? '') : this._error);
  }

  private _buttons: HTMLButtonElement[];
  private _stop: HTMLButtonElement;
  private _said: HTMLElement;
  private _bar: HTMLElement;
  private _signature: Signature | null = null;
  private _running: { readonly job: Job; readonly id: string } | null = null;
  private _error = '';
}
