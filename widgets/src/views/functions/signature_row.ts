/** One signature in the tree of functions: its number, its distinct parts, calls, cost. */

import { count, counted, duration } from '../../format';
import { Part, Signature } from '../../store';
import { h, Row, setAttr, setText } from '../common/dom';
import { icon } from '../common/icons';
import { signatureLine, wholeText } from '../common/signature';
import { Table } from './table';
import { t } from '../../words';

/** One signature and its visible parts. */
export interface Listed {
  readonly signature: Signature;
  readonly parts: readonly Part[];
  readonly needless: boolean;
}

/** A row of one signature. */
export function signatureRow(signature: Signature, table: Table): Row<Listed> {
  const { id } = signature;
  const whole = wholeText(signature);
  const text = signatureLine(whole);
  const badge = h('span', { class: 'tracefn-badge' });
  const ring = mark('tracefn-ring', 'needless-trace', t`needless: one graph could have served`);
  const bolt = mark('tracefn-native', 'native', t`runs as native code`);
  bolt.append(icon('bolt'));
  const calls = h('span', { class: 'tracefn-cell-number tracefn-calls' });
  const cost = h('span', { class: 'tracefn-cell-number tracefn-cost' });
  const element = h(
    'div',
    {
      class: 'tracefn-signature',
      attrs: {
        role: 'treeitem',
        'aria-level': 2,
        tabindex: -1,
        'data-tracefn': 'signature',
        'data-signature': id
      },
      on: { click: () => table.select(id) }
    },
    h('span', { class: 'tracefn-trace-number', text: `#${signature.trace}` }),
    text.element,
    calls,
    cost,
    h('span', { class: 'tracefn-marks' }, bolt, ring, badge)
  );
  let shown = '';
  return {
    element,
    update: ({ signature: item, parts, needless }) => {
      const native = item.status === 'ready' && item.plans[item.plans.length - 1]?.plan === 'native';
      const [said, kind] = badgeOf(item, table);
      const isSelected = item.id === table.selected;
      const shows = JSON.stringify([native, needless, parts, isSelected, item.status, said, item.calls.count, item.totalNs]);
      if (shows === shown) {
        return;
      }
      shown = shows;
      ring.hidden = !needless;
      bolt.hidden = !native;
      text.update(parts);
      setAttr(element, 'aria-selected', String(isSelected));
      setAttr(element, 'data-status', item.status);
      setText(badge, said);
      setAttr(badge, 'data-kind', kind);
      setAttr(badge, 'title', kind === 'new' ? t`traced last` : null);
      badge.hidden = said === '';
      setText(calls, item.calls.count === 0 ? '' : `${count(item.calls.count)}×`);
      setAttr(calls, 'title', counted(item.calls.count, 'call'));
      setText(cost, item.status === 'tracing' ? '…' : duration(item.totalNs));
      setAttr(cost, 'title', t`what the first call cost: trace, passes, program and first run`);
    }
  };
}

/** A sign without a text, whose meaning is its title and its name. */
function mark(className: string, hook: string, means: string): HTMLElement {
  return h('span', { class: className, title: means, attrs: { role: 'img', 'aria-label': means, 'data-tracefn': hook } });
}

/** The text of a badge, and its kind. */
function badgeOf(signature: Signature, { newest }: Table): [string, string] {
  if (signature.status === 'failed') {
    return [t`failed`, 'error'];
  }
  if (signature.status === 'dropped') {
    return [t`dropped`, 'quiet'];
  }
  if (signature.status === 'tracing') {
    return [t`tracing`, 'busy'];
  }
  return signature.id === newest ? [t`newest`, 'new'] : ['', ''];
}
