/** Horizontal bars made of plain elements: the small chart that needs no library and reads as a list. */

import { h } from './dom';

/** One bar: its name, its length, the text beside it, which of the colours it has, and values that are dots on it. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly text: string;
  readonly kind?: 'eager' | 'graph' | 'phase';
  readonly dots?: readonly number[];
}

/** Bars on a common scale. */
export function bars(label: string, items: readonly Bar[]): HTMLElement {
  const most = Math.max(...items.flatMap(({ value, dots = [] }) => [value, ...dots]), Number.MIN_VALUE);
  const dot = (value: number): HTMLElement => {
    const element = h('span', { class: 'tracefn-bar-dot', attrs: { 'aria-hidden': 'true' } });
    element.style.left = `${(value / most) * 100}%`;
    return element;
  };
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
          h('span', { class: 'tracefn-bar-track' }, bar, ...(item.dots ?? []).map(dot)),
          h('span', { class: 'tracefn-bar-text', text: item.text })
        )
      ];
    })
  );
}
