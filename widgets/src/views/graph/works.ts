/** Work for a drawing, of which the newest alone is wanted, and the line that says so where it takes long or fails. */

import { cut } from '../../format';
import { Superseded } from '../../layout';
import { h, setText } from '../common/dom';
import { t } from '../../words';

/** A layout that takes longer than this (ms) says so. */
const SLOW = 400;

/** Runs one work after another. */
export class Works {
  constructor() {
    this.notice = h('div', { class: 'tracefn-stage-notice', attrs: { role: 'status' } });
    this.notice.hidden = true;
  }

  /** A line above the drawing, hidden while there is nothing to say. */
  readonly notice: HTMLElement;

  /** Show a line, for some ms or until the next one. */
  say(text: string | null, ms?: number): void {
    clearTimeout(this._timer);
    this.notice.hidden = text === null;
    setText(this.notice, text ?? '');
    if (ms !== undefined) {
      this._timer = setTimeout(() => this.say(null), ms);
    }
  }

  /** Do work that newer work may replace: `check` throws then. Says so where it takes long, and reports errors. */
  async run(work: (check: () => void) => Promise<void>): Promise<void> {
    const number = (this._newest += 1);
    const check = (): void => {
      if (number !== this._newest) {
        throw new Superseded();
      }
    };
    let said = false;
    const slow = setTimeout(() => {
      said = true;
      this.say(t`Laying out the graph…`);
    }, SLOW);
    try {
      await work(check);
      if (said) {
        this.say(null);
      }
    } catch (error) {
      if (!(error instanceof Superseded)) {
        this.say(t`The graph could not be laid out (${cut(String(error), 200)}). The table shows all of it.`);
      }
    } finally {
      clearTimeout(slow);
    }
  }

  /** Nothing is wanted any more. */
  cancel(): void {
    this._newest += 1;
  }

  dispose(): void {
    clearTimeout(this._timer);
  }

  private _newest = 0;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}
