/** A bar between two stacked parts that sets the height of the upper one, by pointer or arrow keys. */

import { h, setAttr } from './dom';
import { t } from '../../words';

/** Height of a step with the arrow keys, in px. */
const STEP = 24;

/** A new bar for the element above it. */
export function splitter(upper: HTMLElement): HTMLElement {
  const tell = (): void => {
    const room = upper.parentElement?.clientHeight ?? 0;
    setAttr(bar, 'aria-valuenow', room > 0 ? Math.round((100 * upper.clientHeight) / room) : 0);
  };
  const resize = (height: number): void => {
    const room = upper.parentElement?.clientHeight ?? Infinity;
    upper.style.flexBasis = `${Math.max(40, Math.min(height, room - 120))}px`;
    upper.style.maxHeight = 'none';
  };
  const bar = h('div', {
    class: 'tracefn-splitter',
    attrs: {
      role: 'separator',
      'aria-orientation': 'horizontal',
      'aria-label': t`Height of the list of functions`,
      'aria-valuenow': 0,
      'aria-valuemin': 0,
      'aria-valuemax': 100,
      tabindex: 0
    },
    on: {
      keydown: event => {
        const by = { ArrowUp: -STEP, ArrowDown: STEP }[event.key];
        if (by !== undefined) {
          resize(upper.clientHeight + by);
          event.preventDefault();
        }
      },
      pointerdown: event => {
        const from = event.clientY - upper.clientHeight;
        const move = (next: PointerEvent): void => resize(next.clientY - from);
        const end = (): void => window.removeEventListener('pointermove', move);
        window.addEventListener('pointermove', move);
        window.addEventListener('pointerup', end, { once: true });
        event.preventDefault();
      }
    }
  });
  // Elements that are gone take their observers along.
  new ResizeObserver(tell).observe(upper);
  return bar;
}
