/** Calls that run eagerly in the tree of functions: how they are called, why they are not traced, calls, cost. */

import { count, counted, duration, placeText } from '../../format';
import { calledWith, EagerCalls, eagerNs } from '../../store';
import { h, Row, setAttr, setText } from '../common/dom';
import { Table } from './table';
import { t } from '../../words';

/** A row of calls that run eagerly. */
export function eagerRow(item: EagerCalls, table: Table): Row<EagerCalls> {
  const badge = h('span', { class: 'tracefn-badge' });
  const calls = h('span', { class: 'tracefn-cell-number tracefn-calls' });
  const cost = h('span', {
    class: 'tracefn-cell-number tracefn-cost',
    title: t`what one call takes, as far as some that were timed tell`
  });
  const which = calledWith(item);
  const element = h(
    'div',
    {
      class: 'tracefn-signature tracefn-eager',
      attrs: { role: 'treeitem', 'aria-level': 2, tabindex: -1, 'data-tracefn': 'eager-calls', 'data-signature': item.signatureId },
      on: { click: () => table.select(item.signatureId) }
    },
    h('span', { class: 'tracefn-trace-number', text: '–' }),
    h(
      'span',
      { class: 'tracefn-signature-text', title: `${which}\n${reasonOf(item)}` },
      h('span', { text: which }),
      h('span', {
        class: 'tracefn-eager-reason',
        text: reasonOf(item),
        attrs: { 'data-reason': `${item.error} ${item.location ? placeText(item.location) : item.text}` }
      })
    ),
    calls,
    cost,
    badge
  );
  return {
    element,
    update: ({ calls: totals, dropped }) => {
      const ns = eagerNs(item);
      setText(calls, totals.count === 0 ? '' : `${count(totals.count)}×`);
      setAttr(calls, 'title', counted(totals.count, 'call'));
      setText(cost, ns === null ? '' : duration(ns));
      setText(badge, dropped ? t`dropped` : t`eager`);
      setAttr(badge, 'data-kind', dropped ? 'quiet' : 'new');
      setAttr(element, 'data-status', dropped ? 'dropped' : 'eager');
    }
  };
}

/** Hides the reasons of rows that are those of the row above. */
export function sayOnce(reasons: Iterable<HTMLElement>): void {
  let above: string | null = '';
  for (const reason of reasons) {
    const key = reason.dataset.reason ?? '';
    reason.hidden = key === above;
    above = key;
  }
}

/** Why calls run eagerly, with the line. */
export function reasonOf({ location, text }: EagerCalls): string {
  return location ? `${placeText(location)}: ${text}` : text;
}
