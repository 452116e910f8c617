/** The steps from the traced graph to native code: one is chosen at a time, its graph drawn and its text shown. */

import { decodeStage, decodeStages, StageName } from '../../protocol';
import { counted } from '../../format';
import { Graph } from '../../protocol';
import { Signature } from '../../store';
import { button, h, setText } from '../common/dom';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { highlight } from '../common/python';
import type { GraphRef } from '../compare/comparison';
import { t } from '../../words';

/** The text of a step that is no Python. */
const LLVM = /^(define|declare) /m;

/** Longer texts are cut. */
const MAX_LINES = 3000;

/** A step that is shown: its name, its id in the kernel, and the one before it. */
export interface Step {
  readonly title: string;
  readonly ref: Exclude<GraphRef, string>;
  readonly before: Omit<Step, 'before'> | null;
}

/** A bar below the toolbar, hidden until it is asked for. */
export class Steps {
  /** `show` draws the graph of a step; null goes back to the graph that runs. */
  constructor(
    private readonly _host: Host,
    private readonly _show: (graph: Graph | null, step: Step | null) => void
  ) {
    this._select = h('select', {
      class: 'tracefn-steps-select',
      attrs: { 'aria-label': t`Step`, 'data-tracefn': 'step' },
      on: { change: () => void this._choose(this._select.selectedIndex) }
    });
    this._note = h('span', { class: 'tracefn-note', attrs: { role: 'status', 'data-tracefn': 'step-note' } });
    this._code = h('code', { class: 'tracefn-code', attrs: { 'data-tracefn': 'step-text' } });
    this.toggle = button(
      { name: t`Step through the passes`, hook: 'steps', pressed: false },
      () => (this.element.hidden ? this._open() : this.close()),
      icon('steps')
    );
    this.element = h(
      'div',
      { class: 'tracefn-steps', attrs: { role: 'group', 'aria-label': t`Steps to native code` } },
      h(
        'div',
        { class: 'tracefn-steps-bar' },
        button({ name: t`Step before`, hook: 'step-before' }, () => this._move(-1), icon('left')),
        this._select,
        button({ name: t`Step after`, hook: 'step-after' }, () => this._move(1), icon('right')),
        this._note
      ),
      h(
        'details',
        { class: 'tracefn-steps-text' },
        h('summary', { text: t`As text` }),
        h('pre', { class: 'tracefn-pre', attrs: { tabindex: 0 } }, this._code)
      )
    );
    this.element.hidden = true;
    this.toggle.hidden = true;
  }

  readonly element: HTMLElement;

  /** The button that opens and closes the bar. */
  readonly toggle: HTMLButtonElement;

  /** Offer the steps of a trace, where the kernel can be asked for them. */
  offer(signature: Signature | null): void {
    const trace = signature?.status === 'ready' && this._host.ask ? signature : null;
    if (trace?.id !== this._trace?.id) {
      this.close();
    }
    this._trace = trace;
    this.toggle.hidden = trace === null;
  }

  /** Show the graph that runs again. */
  close(): void {
    if (!this.element.hidden) {
      this.element.hidden = true;
      this.toggle.setAttribute('aria-pressed', 'false');
      this._asked += 1;
      this._show(null, null);
    }
  }

  /** Answers that arrive from now on change nothing. */
  dispose(): void {
    this._asked += 1;
  }

  private _open(): void {
    this.element.hidden = false;
    this.toggle.setAttribute('aria-pressed', 'true');
    this._select.replaceChildren();
    this._code.replaceChildren();
    void this._ask('stages', {}, answer => {
      this._stages = decodeStages(answer) ?? [];
      this._select.replaceChildren(
        ...this._stages.map(({ name, nodes }) => h('option', { text: `${name} (${counted(nodes, 'node')})` }))
      );
      void this._choose(0);
    });
  }

  private _move(by: 1 | -1): void {
    const at = this._select.selectedIndex + by;
    if (at >= 0 && at < this._stages.length) {
      void this._choose(at);
    }
  }

  private _choose(at: number): Promise<void> {
    const { name } = this._stages[at] ?? {};
    this._select.selectedIndex = at;
    return this._ask('stage', { name }, answer => {
      const stage = decodeStage(answer);
      if (stage) {
        const lines = stage.text.replace(/\n$/, '').split('\n').slice(0, MAX_LINES);
        const shown = (line: string): Node[] => (LLVM.test(stage.text) ? [document.createTextNode(line)] : highlight(line));
        this._code.replaceChildren(...lines.map(line => h('span', { class: 'tracefn-code-line' }, ...shown(line))));
        this._show(stage.graph, this._step(at));
      }
    });
  }

  private _step(at: number): Step | null {
    const [before, now] = [this._stages[at - 1], this._stages[at]];
    const { functionId = '', trace = 0 } = this._trace ?? {};
    const named = ({ name }: StageName): Omit<Step, 'before'> => ({ title: name, ref: { function: functionId, trace, name } });
    return now ? { ...named(now), before: before ? named(before) : null } : null;
  }

  /** Ask about the trace. Only the answer to the last question counts. */
  private async _ask(query: string, fields: object, take: (answer: unknown) => void): Promise<void> {
    const { ask } = this._host;
    const trace = this._trace;
    if (!ask || !trace) {
      return;
    }
    const asked = (this._asked += 1);
    setText(this._note, t`asking the kernel…`);
    let note = '';
    try {
      const answer = await ask(query, { function: trace.functionId, trace: trace.trace, ...fields });
      if (asked === this._asked) {
        take(answer);
      }
    } catch (error) {
      note = error instanceof Error ? error.message : String(error);
    }
    if (asked === this._asked) {
      setText(this._note, note);
    }
  }

  private _select: HTMLSelectElement;
  private _note: HTMLElement;
  private _code: HTMLElement;
  private _trace: Signature | null = null;
  private _stages: readonly StageName[] = [];
  private _asked = 0;
}
