/** The program that runs a signature, as text: what tracing made of the code. */

import { counted, duration } from '../format';
import { Plan, Signature } from '../store';
import { button, h } from './dom';
import { messageBox } from './empty';
import { icon } from './icons';
import { highlight } from './python';

/** Longer programs are cut: the rest is copied with the button. */
const MAX_LINES = 3000;

/** The programs of one signature, newest first. */
export class SourceView {
  constructor() {
    this.element = h('div', { class: 'tracefn-view', attrs: { 'data-tracefn': 'source' } });
  }

  readonly element: HTMLElement;

  update(signature: Signature | null): void {
    const plans = signature?.plans ?? [];
    if (signature === this._signature && plans.length === this._count) {
      return;
    }
    this._signature = signature;
    this._count = plans.length;
    if (plans.length === 0) {
      this.element.replaceChildren(
        messageBox({
          title: 'No program yet',
          text: 'The NumPy program made from the selected signature shows here.'
        })
      );
      return;
    }
    this.element.replaceChildren(
      ...[...plans].reverse().flatMap((plan, i) => this._plan(plan, i === 0))
    );
  }

  dispose(): void {
    this.element.remove();
  }

  private _plan(plan: Plan, current: boolean): Node[] {
    const lines = plan.source.replace(/\n$/, '').split('\n');
    const code = h('code', { class: 'tracefn-code', attrs: { 'data-tracefn': 'program' } });
    for (const line of lines.slice(0, MAX_LINES)) {
      code.append(h('span', { class: 'tracefn-code-line' }, ...highlight(line)));
    }
    const state = current ? 'in use' : 'replaced';
    return [
      h(
        'div',
        { class: 'tracefn-source-head' },
        h('h3', { class: 'tracefn-heading', text: `${plan.plan} program on ${plan.device}` }),
        h('span', {
          class: 'tracefn-note',
          text: `${state} · ${counted(lines.length, 'line')} · made in ${duration(plan.durationNs)}`
        }),
        button(
          { name: 'Copy the program', hook: 'copy-program' },
          () => void navigator.clipboard?.writeText(plan.source),
          icon('copy')
        )
      ),
      h('pre', { class: 'tracefn-pre', attrs: { tabindex: 0 } }, code),
      ...(lines.length > MAX_LINES
        ? [h('p', { class: 'tracefn-more', text: `${lines.length - MAX_LINES} more lines` })]
        : [])
    ];
  }

  private _signature: Signature | null | undefined;
  private _count = 0;
}
