/** Horizontal bars made of plain elements: the small chart that needs no library and reads as a list. */

import { h } from './dom';

/** One bar: its name, its length, the text beside it, and which of the colours it has. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly text: string;
  readonly kind?: 'eager' | 'graph' | 'phase';
}

/** Bars on a common scale. */
export function bars(label: string, items: readonly Bar[]): HTMLElement {
  const most = Math.max(...items.map(item => item.value), Number.MIN_VALUE);
  return h(
    'dl',
    { class: 'tracefn-bars', attrs: { 'aria-label': label } },
    ...items.flatMap(item => {
      const bar = h('span', {
        class: 'tracefn-bar',
        attrs: { 'data-kind': item.kind ?? 'phase', 'aria-hidden': 'true' }
      });
      bar.style.width = `${(item.value / most) * 100}%`;
      return [
        h('dt', { text: item.name }),
        h(
          'dd',
          {},
          h('span', { class: 'tracefn-bar-track' }, bar),
          h('span', { class: 'tracefn-bar-text', text: item.text })
        )
      ];
    })
  );
}
