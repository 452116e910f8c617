/** The place below a drawing where what is selected is explained, and where a screen reader is told of it. */

import { counted, typeText } from '../../format';
import { Edge } from '../../layout';
import { h, setText } from '../common/dom';
import { Host } from '../common/host';
import { DetailActions, detailOf } from './detail';
import { Drawing } from './drawing';
import { edgeDetail, edgeText } from './edge_detail';

/** The detail of one drawing. */
export class DetailPane {
  constructor(
    private readonly _host: Host,
    private readonly _drawing: Drawing,
    private readonly _actions: DetailActions
  ) {}

  readonly element = h('div', { class: 'tracefn-detail-place' });

  /** Read aloud as it changes. */
  readonly live = h('div', { class: 'tracefn-offscreen', attrs: { 'aria-live': 'polite' } });

  get isOpen(): boolean {
    return this.element.childElementCount > 0;
  }

  /** Explain a node or group; nothing where there is none of that id. */
  show(id: string | null): void {
    const detail = detailOf(this._host, this._drawing, id ?? '', this._actions);
    this.element.replaceChildren(...(detail ? [detail] : []));
  }

  /** Explain an edge. */
  showEdge(edge: Edge): void {
    this.element.replaceChildren(edgeDetail(this._drawing, edge, this._actions));
    setText(this.live, edgeText(this._drawing, edge));
  }

  /** Say which box is selected. */
  announce(id: string | null): void {
    const box = this._drawing.stage.scene?.boxes.get(id ?? '')?.box;
    const parts = box?.node
      ? [box.title, typeText(box.node.dtype, box.node.shape), counted(box.node.inputs.length, 'input')]
      : [box?.title, box?.detail];
    setText(this.live, parts.filter(part => part !== undefined && part !== '').join(', '));
  }
}
