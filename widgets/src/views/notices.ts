/** What else the user should know: side effects that ran while tracing, fallbacks, numerical warnings, errors. */

import { Notice, State } from '../store';
import { h, KeyedRows, Row } from './common/dom';
import { messageBox } from './common/empty';
import { Host } from './common/host';
import { placeLink } from './common/place';

/** More than this are not listed. */
const MAX_ROWS = 300;

/** The list of notices, newest first. */
export class NoticesView {
  constructor(private readonly _host: Host) {
    const list = h('ol', {
      class: 'tracefn-notices',
      attrs: { 'data-tracefn': 'notices', 'aria-label': 'Notices, newest first' }
    });
    this._empty = messageBox({
      title: 'Nothing to report',
      text: 'Side effects while tracing, calls that run eagerly, numerical warnings and errors show here.'
    });
    this.element = h('div', { class: 'tracefn-view' }, list, this._empty);
    this._rows = new KeyedRows(
      list,
      notice => notice,
      notice => this._row(notice)
    );
  }

  readonly element: HTMLElement;

  update(state: State): void {
    this._rows.update(state.notices.slice(-MAX_ROWS).reverse());
    this._empty.hidden = state.notices.length > 0;
  }

  dispose(): void {
    this.element.remove();
  }

  private _row(notice: Notice): Row<Notice> {
    const { title, lines } = describe(notice);
    const element = h(
      'li',
      { class: 'tracefn-notice', attrs: { 'data-tracefn': 'notice', 'data-kind': notice.type } },
      h(
        'div',
        { class: 'tracefn-notice-head' },
        h('span', { class: 'tracefn-notice-title', text: title }),
        placeLink(this._host, notice.location)
      ),
      ...lines.map(text => h('p', { class: 'tracefn-cause', text }))
    );
    return { element, update: () => undefined };
  }

  private _empty: HTMLElement;
  private _rows: KeyedRows<Notice>;
}

function describe(notice: Notice): { title: string; lines: string[] } {
  switch (notice.type) {
    case 'error':
      return { title: `${notice.error} during ${notice.phase}`, lines: [notice.message] };
    case 'side_effect':
      return {
        title: `Ran while tracing only: ${notice.kind}`,
        lines: [notice.text, notice.alternative].filter(text => text !== '')
      };
    case 'autograph.fallback':
      return {
        title: `Not staged: ${notice.construct}`,
        lines: [notice.cause, notice.ran_instead].filter(text => text !== '')
      };
    case 'fallback':
      return {
        title: `Runs eagerly: ${notice.function?.replace(/#\d+$/, '') ?? ''}`,
        lines: [notice.reason, notice.fix].filter(text => text !== '')
      };
    case 'numerics':
      return { title: `${notice.kind} in ${notice.op}`, lines: [notice.text] };
  }
}
