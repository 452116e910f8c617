/** The outcome of tracing: the function line by line, and the program that runs a signature. */

import { counted, duration } from '../format';
import { Graph, Location } from '../protocol';
import { Plan, Signature } from '../store';
import { button, h } from './common/dom';
import { messageBox } from './common/empty';
import { Host } from './common/host';
import { icon } from './common/icons';
import { highlight } from './common/python';
import { StagingView } from './staging';
import { t } from '../words';

/** Longer programs are cut: the rest is copied with the button. */
const MAX_LINES = 3000;

const NO_PLANS: Plan[] = [];

/** One signature: the treatment of the lines of its function, and its programs, newest first. */
export class SourceView {
  /** `show` goes to the nodes that a line made. */
  constructor(host: Host, show: (line: Location) => void = () => undefined) {
    this._staging = new StagingView(host, show);
    this._programs = h('div');
    this.element = h('div', { class: 'tracefn-view', attrs: { 'data-tracefn': 'source' } }, this._staging.element, this._programs);
  }

  readonly element: HTMLElement;

  update(signature: Signature | null, defined: Location | null, graph: Graph | null = null): void {
    this._staging.update(signature, defined, graph);
    const plans = signature?.plans ?? NO_PLANS;
    const kept = signature?.kept ?? '';
    const failed = signature?.status === 'failed';
    if (signature === this._signature && plans === this._plans && kept === this._kept && failed === this._failed) {
      return;
    }
    this._signature = signature;
    this._plans = plans;
    this._kept = kept;
    this._failed = failed;
    if (plans.length === 0) {
      this._programs.replaceChildren(
        messageBox(
          failed
            ? { title: t`No program`, text: t`The trace failed: Graph and Notices show where.` }
            : { title: t`No program yet`, text: t`The NumPy program made from the selected signature shows here.` }
        )
      );
      return;
    }
    this._programs.replaceChildren(
      ...(kept === ''
        ? []
        : [h('p', { class: 'tracefn-note', attrs: { 'data-tracefn': 'plan-kept' }, text: t`No native program: ${kept}.` })]),
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
    const state = current ? t`in use` : t`replaced`;
    return [
      h(
        'div',
        { class: 'tracefn-source-head' },
        h('h3', { class: 'tracefn-heading', text: t`${plan.plan} program on ${plan.device}` }),
        h('span', {
          class: 'tracefn-note',
          text: [
            state,
            counted(lines.length, 'line'),
            ...(plan.size === 0 ? [] : [t`${(plan.size / 1000).toFixed(1)} kB of machine code`]),
            plan.durationNs === 0 ? t`made before, with a trace that was kept` : t`made in ${duration(plan.durationNs)}`
          ].join(' · ')
        }),
        button(
          { name: t`Copy the program`, hook: 'copy-program' },
          () => void navigator.clipboard?.writeText(plan.source),
          icon('copy')
        )
      ),
      h('pre', { class: 'tracefn-pre', attrs: { tabindex: 0 } }, code),
      ...(lines.length > MAX_LINES
        ? [h('p', { class: 'tracefn-more', text: t`${lines.length - MAX_LINES} more lines` })]
        : [])
    ];
  }

  private _staging: StagingView;
  private _programs: HTMLElement;
  private _signature: Signature | null | undefined;
  private _plans: Plan[] = NO_PLANS;
  private _kept = '';
  private _failed = false;
}
