/** The line above all views: how much was traced, and the button that saves a report of it. */

import { cut } from '../format';
import { State } from '../store';
import { button, h, setText } from './common/dom';
import { download } from './common/download';
import { Host } from './common/host';
import { summaryText } from './summary';
import { t } from '../words';

/** The line. */
export class SummaryLine {
  constructor(private readonly _host: Host) {
    this._text = h('span', { class: 'tracefn-summary-text', attrs: { 'data-tracefn': 'summary' } });
    const props = { name: t`Save a report: all of this as one HTML file`, text: t`Report`, class: 'tracefn-button-text', hook: 'save-report' };
    this._button = button(props, () => void this._save());
    this._button.hidden = !_host.report;
    this.element = h('div', { class: 'tracefn-summary' }, this._text, this._button);
  }

  readonly element: HTMLElement;

  update(state: State): void {
    setText(this._text, summaryText(state));
  }

  private async _save(): Promise<void> {
    const { report } = this._host;
    if (!report) {
      return;
    }
    this._button.disabled = true;
    try {
      download('tracefn_report.html', await report(), 'text/html');
      this._button.title = '';
    } catch (error) {
      this._button.title = cut(t`No report: ${String(error)}`, 300);
    } finally {
      this._button.disabled = false;
    }
  }

  private readonly _text: HTMLElement;
  private readonly _button: HTMLButtonElement;
}
