/** Other notices for the user: side effects that ran while tracing, fallbacks, numerical warnings, errors. */

import { placeText } from '../format';
import { EventOf } from '../protocol';
import { Notice, State } from '../store';
import { h, KeyedRows, Row } from './common/dom';
import { messageBox } from './common/empty';
import { Host } from './common/host';
import { placeLink } from './common/place';
import { t } from '../words';

/** More than this are not listed. */
const MAX_ROWS = 300;

/** The list of notices, newest first. */
export class NoticesView {
  constructor(
    private readonly _host: Host,
    private readonly _select: (signatureId: string) => void
  ) {
    const list = h('ol', {
      class: 'tracefn-notices',
      attrs: { 'data-tracefn': 'notices', 'aria-label': t`Notices, newest first` }
    });
    this._empty = messageBox({
      title: t`Nothing to report`,
      text: t`Side effects while tracing, calls that run eagerly, numerical warnings and errors show here.`
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
    this._state = state;
    this._rows.update(state.notices.slice(-MAX_ROWS).reverse());
    this._empty.hidden = state.notices.length > 0;
  }

  dispose(): void {
    this.element.remove();
  }

  private _row(notice: Notice): Row<Notice> {
    const { title, lines, remedy } = describe(notice);
    const element = h(
      'li',
      { class: 'tracefn-notice', attrs: { 'data-tracefn': 'notice', 'data-kind': notice.type } },
      h(
        'div',
        { class: 'tracefn-notice-head' },
        h('span', { class: 'tracefn-notice-title', text: title }),
        ...this._about(notice),
        placeLink(this._host, (notice.type === 'error' && notice.raised) || notice.location)
      ),
      ...lines.filter(text => text !== '').map(text => h('p', { class: 'tracefn-cause', text })),
      remedy !== undefined && remedy !== '' && h('p', { class: 'tracefn-cause tracefn-remedy', text: remedy, attrs: { 'data-tracefn': 'remedy' } })
    );
    return { element, update: () => undefined };
  }

  /** The function that a notice is about, and its trace where it has one: a click selects it. */
  private _about({ function: owner, signature: id, type }: Notice): HTMLElement[] {
    if (owner === null) {
      return [];
    }
    const name = this._state?.functions.get(owner)?.name ?? owner.replace(/#\d+$/, '');
    const trace = this._state?.signatures.get(id ?? '')?.trace;
    if (id === null || (trace === undefined && type !== 'fallback')) {
      return [h('span', { class: 'tracefn-notice-about', text: name, attrs: { 'data-tracefn': 'about' } })];
    }
    return [
      h('button', {
        class: 'tracefn-link tracefn-notice-about',
        text: trace === undefined ? name : `${name} #${trace}`,
        title: t`Select it`,
        attrs: { type: 'button', 'data-tracefn': 'about' },
        on: { click: () => this._select(id) }
      })
    ];
  }

  private _state: State | null = null;
  private _empty: HTMLElement;
  private _rows: KeyedRows<Notice>;
}

/** A notice in words: the event, details, and the advice. */
interface Told {
  readonly title: string;
  readonly lines: readonly string[];
  readonly remedy?: string;
}

function describe(notice: Notice): Told {
  switch (notice.type) {
    case 'error':
      return {
        title: t`${notice.error} during ${notice.phase}`,
        lines: [notice.message, notice.note, notice.raised && notice.location ? t`Called at ${placeText(notice.location)}` : '']
      };
    case 'side_effect':
      return { title: t`Ran while tracing only: ${notice.kind}`, lines: [notice.text], remedy: notice.alternative };
    case 'autograph.fallback':
      return {
        title: t`Not staged: ${notice.construct}`,
        lines: [notice.cause, notice.ran_instead && t`Ran instead: ${notice.ran_instead}`],
        remedy: remedyOf(notice)
      };
    case 'fallback':
      return { title: t`Runs eagerly`, lines: [notice.reason], remedy: notice.fix };
    case 'numerics':
      return { title: t`${notice.kind} in ${notice.op}`, lines: [notice.text] };
  }
}

/** The advice for a construct that was not staged. */
function remedyOf({ construct, cause }: EventOf<'autograph.fallback'>): string {
  if (/loop$/.test(construct)) {
    return t`To keep it one loop in the graph, loop over an array (np.asarray(items)) or over range(n) of a traced n.`;
  }
  if (/marked/.test(cause)) {
    return t`It is marked so: no change is needed if it has no control flow on traced values.`;
  }
  return t`Define it with def in a cell or a module, where its source can be read, or use tracefn.cond and tracefn.while_loop in it.`;
}
