/** Above the graph of a trace that failed, or of which a call has raised: the error, the line that raised it, and the node. */

import { cut } from '../../format';
import { Folded } from '../../layout';
import { Signature } from '../../store';
import { button, h } from '../common/dom';
import { Host } from '../common/host';
import { placeLink } from '../common/place';
import { Change, NO_MARKS } from './renderer';
import { t } from '../../words';

/** Longer messages are cut: all of it is under Notices. */
const MAX_TEXT = 240;

/** One line, hidden where nothing was raised. */
export class Failure {
  /** `show` goes to a node; `changed` is told when another one is to be marked. */
  constructor(
    private readonly _host: Host,
    private readonly _show: (nodeId: string) => void,
    private readonly _changed: () => void
  ) {
    this.element = h('div', { class: 'tracefn-failure', attrs: { role: 'status', 'data-tracefn': 'failure' } });
    this.element.hidden = true;
  }

  readonly element: HTMLElement;

  /** The node that raised; null where none did. */
  get node(): string | null {
    return this._signature?.size?.raised ?? this._error?.node ?? null;
  }

  /** Marks the box of that node, or of the closed group that it is in. */
  marks(folded: Folded | null): ReadonlyMap<string, Change> {
    const box = folded?.boxOf.get(this.node ?? '');
    return box === undefined ? NO_MARKS.changes : new Map([[box, 'failed']]);
  }

  update(signature: Signature | null): void {
    const hasRaised = signature?.status === 'failed' || signature?.error?.phase === 'call';
    const failed = hasRaised && signature.size ? signature : null;
    if (failed === this._signature && (failed?.error ?? null) === this._error) {
      return;
    }
    this._signature = failed;
    this._error = failed?.error ?? null;
    this.element.hidden = this._error === null;
    const { _error: error, node } = this;
    if (error) {
      this.element.replaceChildren(
        h('strong', { text: error.phase === 'call' ? t`A call raised ${error.error}` : error.error }),
        h('span', { class: 'tracefn-failure-text', text: cut(error.message.split('\n')[0] ?? '', MAX_TEXT), title: error.message }),
        ...(error.note === '' ? [] : [h('span', { class: 'tracefn-failure-text', text: cut(error.note.split('\n')[0] ?? '', MAX_TEXT), title: error.note, attrs: { 'data-tracefn': 'failure-note' } })]),
        placeLink(this._host, error.raised ?? error.location),
        ...(node === null ? [] : [this._button(node)])
      );
    }
    this._changed();
  }

  private _button(node: string): HTMLElement {
    const props = { name: t`Show the node that raised`, text: t`Show the node`, class: 'tracefn-button-text', hook: 'show-raised' };
    return button(props, () => this._show(node));
  }

  private _signature: Signature | null = null;
  private _error: Signature['error'] = null;
}
