/** The change that avoids traces: as code, proved by replay, written into the notebook with a button. */

import { decodeWritten, Explanation, Fix, NOT_TRIED, WhatIf } from '../../protocol';
import { placeText } from '../../format';
import { Location } from '../../protocol';
import { State } from '../../store';
import { button, h } from '../common/dom';
import { Cells, Host } from '../common/host';
import { highlight } from '../common/python';
import { TraceRow } from './rows';
import { t } from '../../words';

/** The section. It asks the owner to explain again once a change was looked for. */
export class FixSection {
  constructor(
    private readonly _host: Host,
    private readonly _again: () => void
  ) {
    this._said = h('p', { class: 'tracefn-fix-said', attrs: { role: 'status', 'data-tracefn': 'fix-said' } });
    this.element = h('section', { class: 'tracefn-fix', attrs: { 'aria-label': t`What to change`, 'data-tracefn': 'fix' } });
  }

  readonly element: HTMLElement;

  /** Show the facts about a retrace. A state of null leaves the places as they are. */
  update(state: State | null, row: TraceRow, explanation: Explanation | null, whatIf: WhatIf | null): void {
    if (state) {
      this._defined = state.functions.get(row.retrace.functionId)?.defined ?? null;
    }
    const fix = explanation?.fix ?? null;
    if (row.retrace !== this._row?.retrace) {
      this._searched = false;
    }
    this._row = row;
    const key = JSON.stringify([row.retrace.seq, fix, explanation?.hint, whatIf, this._defined, row.earlier]);
    if (key === this._shown) {
      return;
    }
    this._shown = key;
    this._say('');
    // A retrace of an earlier run may be fixed already.
    const hint = row.earlier ? '' : (explanation?.hint ?? '');
    const none = whatIf && (whatIf.outcomes.length > 0 || hint !== '') && !row.earlier ? this._none(whatIf, hint) : [];
    this.element.replaceChildren(...(fix ? this._fix(fix) : none));
    this.element.append(this._said);
    this.element.dataset.found = String(fix !== null);
    this.element.hidden = this.element.childElementCount < 2;
  }

  private _fix(fix: Fix): Node[] {
    const parts: Node[] = [
      h(
        'p',
        { class: 'tracefn-fix-title', attrs: { 'data-tracefn': 'fix-title' } },
        h('strong', { text: t`${fix.before} traces → ${fix.after}` }),
        t` with ${fix.short}`
      ),
      h('p', { class: 'tracefn-note', text: `${adviceOf(fix)}. ${proofOf(fix)}`, attrs: { 'data-tracefn': 'fix-proof' } })
    ];
    if (fix.code !== '') {
      const code = h('code', {}, ...highlight(isArgument(fix) ? `@tracefn.function(${fix.code})` : fix.code));
      const buttons = [
        button({ name: t`Copy`, text: t`Copy`, class: 'tracefn-button-text', hook: 'copy-fix' }, () => this._copy(fix.code))
      ];
      if (fix.kind !== 'outside' && this._host.cells && this._host.ask) {
        buttons.unshift(mainButton(t`Write it into the notebook`, 'write-fix', () => void this._write(fix)));
      }
      parts.push(
        h('pre', { class: 'tracefn-pre tracefn-fix-code', attrs: { tabindex: 0, 'data-tracefn': 'fix-code' } }, code),
        h('div', { class: 'tracefn-fix-buttons' }, ...buttons)
      );
    }
    return parts;
  }

  private _none({ outcomes }: WhatIf, hint: string): Node[] {
    const untried = outcomes.some(({ changes }) => changes.length === 1 && changes[0] === NOT_TRIED);
    const { findFix } = this._host;
    const advice = hint === '' ? [] : [h('p', { class: 'tracefn-fix-title', text: t`What usually helps: ${hint}`, attrs: { 'data-tracefn': 'hint' } })];
    if (!untried || !findFix || this._searched) {
      const told = untried && !findFix;
      const text = told
        ? t`No change was tried yet: ${this._row?.name}.explain() in a cell does, and shows the one that is proved.`
        : t`No change is proved to avoid it and give the same results.`;
      return [...advice, h('p', { class: 'tracefn-note', text })];
    }
    const find = mainButton(t`Find the change that avoids retraces`, 'find-fix', () => {
      find.disabled = true;
      this._searched = true;
      this._say(t`Tracing the function once more, to prove it…`);
      findFix(this._row?.retrace.functionId ?? '').then(
        () => this._again(),
        error => this._say(t`It could not be looked for: ${(error as Error).message}`)
      );
    });
    const text = t`To prove a change, the function is traced once more, and the trace thrown away.`;
    return [...advice, h('p', { class: 'tracefn-note', text }), find];
  }

  private async _write(fix: Fix): Promise<void> {
    const { cells, ask } = this._host;
    const row = this._row;
    const notebook = this._notebook(fix, row);
    if (!cells || !ask || !row) {
      return;
    }
    if (!notebook) {
      const place = this._defined ?? row.retrace.location;
      const where = place ? placeText(place) : t`a file`;
      this._say(t`${row.name} is defined in ${where}, in no cell of an open notebook: copy the change.`);
      return;
    }
    try {
      const answer = await ask('write_fix', { function: row.retrace.functionId, cells: notebook.sources });
      const places = notebook.write(decodeWritten(answer) ?? {});
      this._say(t`Written into ${places}. Run what has changed to use it; Ctrl+Z in a cell takes it back.`);
    } catch (error) {
      this._say((error as Error).message);
    }
  }

  /** The notebook in which to write: that of the function, or, for casts, that of the call. */
  private _notebook(fix: Fix, row: TraceRow | null): Cells | null {
    const places = fix.kind === 'cast' ? [row?.retrace.location, this._defined] : [this._defined];
    const known = places.filter((place): place is Location => place !== null && place !== undefined && place.cell !== null);
    return known.map(place => this._host.cells?.(place) ?? null).find(found => found !== null) ?? null;
  }

  private _copy(code: string): void {
    navigator.clipboard?.writeText(code).then(
      () => this._say(t`Copied.`),
      () => this._say(t`The browser did not let it be copied: select the code and copy it.`)
    );
  }

  private _say(text: string): void {
    this._said.textContent = text;
    this._said.hidden = text === '';
  }

  private _said: HTMLElement;
  private _row: TraceRow | null = null;
  private _defined: Location | null = null;
  private _searched = false;
  private _shown = '';
}

function mainButton(name: string, hook: string, onClick: () => void): HTMLButtonElement {
  return button({ name, text: name, class: 'tracefn-button-text tracefn-button-main', hook }, onClick);
}

/** Whether the code is an argument of the decorator. */
function isArgument({ kind }: Fix): boolean {
  return kind === 'input_signature' || kind === 'reduce_retracing';
}

/** The evidence for it. */
function proofOf({ unverified }: Fix): string {
  return unverified === ''
    ? t`Proved by replaying the calls.`
    : t`Keys and graphs of the calls so far agree; the function was not traced so to prove it: ${unverified}.`;
}

/** The advice, without the code that stands below it. */
function adviceOf(fix: Fix): string {
  if (!isArgument(fix)) {
    return `${fix.text.charAt(0).toUpperCase()}${fix.text.slice(1)}`;
  }
  const casts = Object.entries(fix.casts).map(([path, code]) => t`${path} as ${code}`);
  return t`Declare the function so${casts.length > 0 ? t`, and pass ${casts.join(', ')}` : ''}`;
}
