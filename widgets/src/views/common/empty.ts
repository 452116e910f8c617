/** The text of a view that has nothing to show yet, with the way to change that. */

import { h } from './dom';
import { t } from '../../words';

/** A title, a sentence, and optionally code to type. */
export interface Message {
  readonly title: string;
  readonly text: string;
  readonly code?: string;
  readonly tone?: 'quiet' | 'busy' | 'warning';
}

/** A new element for a message. */
export function messageBox(message: Message, hook = 'empty'): HTMLElement {
  return h(
    'div',
    {
      class: `tracefn-empty tracefn-empty-${message.tone ?? 'quiet'}`,
      attrs: { role: 'status', 'data-tracefn': hook }
    },
    h('p', { class: 'tracefn-empty-title', text: message.title }),
    h('p', { class: 'tracefn-empty-text', text: message.text }),
    message.code !== undefined && h('pre', { class: 'tracefn-empty-code', text: message.code })
  );
}

/** Shown before the first trace. */
export const nothingTraced = (): Message => ({
  title: t`No traced function yet`,
  text: t`Decorate a function with @tracefn.function and call it, or start a cell with %%tracefn.`,
  code: 'import tracefn\n\n@tracefn.function\ndef f(x):\n    return (x + 1) * 2'
});
