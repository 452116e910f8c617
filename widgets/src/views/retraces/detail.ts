/** One retrace, or eager calls, explained: the difference, whether it was needless, its cost, its guards, and the change to make. */

import { decodeExplanation, decodeWhatIf, Explanation, WhatIf } from '../../protocol';
import { counted, duration } from '../../format';
import { retracesOf, State } from '../../store';
import { button, h, setText } from '../common/dom';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { placeLink } from '../common/place';
import { phaseParts } from '../timing/parts';
import { DiffSection } from './diff_section';
import { FixSection } from './fix';
import { compared, differences, eagerParts, rests, verdictText, whatIfTable } from './parts';
import { TraceRow } from './rows';
import { t } from '../../words';

/** Choosing with the arrow keys passes rows by: only one on which the choice rests this long (ms) is asked about. */
const REST = 120;

/** The detail; empty and hidden without a retrace. */
export class RetraceDetail {
  constructor(
    private readonly _host: Host,
    private readonly _select: (signatureId: string) => void,
    private readonly _close: () => void
  ) {
    this._headline = h('p', { class: 'tracefn-headline', attrs: { 'data-tracefn': 'headline' } });
    this._verdict = h('p', { class: 'tracefn-retrace-judged', attrs: { 'data-tracefn': 'retrace-verdict' } });
    this._history = h('p', { class: 'tracefn-history', attrs: { 'data-tracefn': 'history' } });
    this._note = h('p', { class: 'tracefn-note', attrs: { role: 'status', 'data-tracefn': 'explain-note' } });
    this._fix = new FixSection(_host, () => this._ask());
    this._graphs = new DiffSection(_host);
    this.element = h('div', {
      class: 'tracefn-retrace-detail',
      attrs: { role: 'region', 'aria-label': t`Why it was traced again`, 'data-tracefn': 'retrace-detail' }
    });
    this.element.hidden = true;
  }

  readonly element: HTMLElement;

  /** Show a row, or nothing. The kernel is asked again only for another retrace. */
  update(state: State, row: TraceRow | null): void {
    const retrace = row?.retrace ?? null;
    const fresh = retrace !== (this._row?.retrace ?? null);
    this._row = row;
    this.element.hidden = row === null;
    if (!row) {
      clearTimeout(this._timer);
      return;
    }
    const settled = JSON.stringify([row.costNs, row.signature?.verdict, row.signature?.status, row.eager?.calls, row.earlier]);
    if (fresh) {
      this.element.scrollTop = 0;
      this._explanation = null;
      this._whatIf = null;
      this._problem = null;
      clearTimeout(this._timer);
      this._timer = setTimeout(() => this._ask(), REST);
    } else if (settled !== this._settled && row.costNs !== null) {
      this._ask(); // the kernel knows more at the end of the trace
    }
    if (fresh || settled !== this._settled) {
      this._settled = settled;
      this._draw(row);
    }
    setText(this._history, row.earlier ? historyText(state, row) : ''); // it goes on counting while the cell runs
    if (row.eager) {
      return;
    }
    this._graphs.update(state, row);
    this._fix.update(state, row, this._explanation, this._whatIf);
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._graphs.restyle();
  }

  dispose(): void {
    clearTimeout(this._timer);
    this._asked = null;
    this._graphs.dispose();
    this.element.remove();
  }

  private _draw(row: TraceRow): void {
    const { retrace, name, signature, costNs, eager } = row;
    if (eager) {
      setText(this._headline, t`${name} runs eagerly: ${eager.text}`);
      this.element.replaceChildren(
        h(
          'div',
          { class: 'tracefn-detail-head' },
          h('h3', { class: 'tracefn-heading tracefn-detail-title', text: name }),
          placeLink(this._host, eager.location),
          button({ name: t`Close (Escape)`, hook: 'close-retrace' }, () => this._close(), icon('close'))
        ),
        this._headline,
        ...eagerParts(eager)
      );
      return;
    }
    const { _explanation: explanation, _whatIf: whatIf } = this;
    const verdict = verdictText(signature?.verdict ?? null);
    setText(this._headline, explanation ? reasonOf(explanation) : t`${name} retraced (#${retrace.trace}): ${retrace.text}`);
    const tone = verdict?.needless ? 'tracefn-bad' : 'tracefn-good';
    this._verdict.replaceChildren(...(verdict ? [h('strong', { class: tone, text: verdict.word }), verdict.text] : []));
    setText(this._note, this._noteText(row));
    this._note.hidden = this._note.textContent === '';
    const error = signature?.error ?? null;
    this.element.replaceChildren(
      h(
        'div',
        { class: 'tracefn-detail-head' },
        h('h3', { class: 'tracefn-heading tracefn-detail-title', text: `${name} #${retrace.trace}` }),
        placeLink(this._host, retrace.location),
        h('span', { class: 'tracefn-note', text: costNs === null ? '…' : duration(costNs) }),
        button({ name: t`Close (Escape)`, hook: 'close-retrace' }, () => this._close(), icon('close'))
      ),
      this._headline,
      ...(row.earlier ? [this._history] : []),
      ...(error ? [h('p', { class: 'tracefn-bad', text: `${error.error}: ${error.message}` })] : []),
      this._verdict,
      this._note,
      this._fix.element,
      ...differences(retrace, trace => this._selectTrace(trace)),
      ...(explanation ? compared(explanation.earlier) : []),
      ...phaseParts(explanation?.phases ?? signature?.phases ?? {}),
      this._graphs.element,
      ...(whatIf ? whatIfTable(whatIf) : []),
      ...(explanation ? rests(explanation) : [])
    );
  }

  private _noteText({ signature }: TraceRow): string {
    if (this._problem !== null) {
      return this._problem;
    }
    if (!this._host.ask || this._explanation || signature?.status === 'failed') {
      return '';
    }
    return t`Asking the kernel for the whole explanation… It may answer only at the end of a running cell.`;
  }

  private _ask(): void {
    const { _row: row, _host: host } = this;
    // A trace that failed was not kept: the event has all that is known of it.
    if (!row || !host.ask || row.signature === null || row.signature.status === 'failed') {
      return;
    }
    const { functionId, trace } = row.retrace;
    const asked = (this._asked = {});
    Promise.all([host.ask('explain', { function: functionId, trace }), host.ask('what_if', { function: functionId })]).then(
      ([explanation, whatIf]) => this._answered(asked, decodeExplanation(explanation), decodeWhatIf(whatIf), null),
      error => this._answered(asked, null, null, t`The kernel could not explain more: ${(error as Error).message}`)
    );
  }

  private _answered(asked: object, explanation: Explanation | null, whatIf: WhatIf | null, problem: string | null): void {
    if (asked === this._asked && this._row) {
      this._explanation = explanation;
      this._whatIf = whatIf;
      this._problem = problem;
      this._draw(this._row);
      this._fix.update(null, this._row, explanation, whatIf);
    }
  }

  private _selectTrace(trace: number): void {
    const id = this._row?.retrace.signatureId.replace(/\d+$/, String(trace));
    if (id !== undefined) {
      this._select(id);
    }
  }

  private _headline: HTMLElement;
  private _verdict: HTMLElement;
  private _note: HTMLElement;
  private _history: HTMLElement;
  private _fix: FixSection;
  private _graphs: DiffSection;
  private _row: TraceRow | null = null;
  private _explanation: Explanation | null = null;
  private _whatIf: WhatIf | null = null;
  private _problem: string | null = null;
  private _settled = '';
  private _asked: object | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
}

/** The outcome of a retrace of an earlier run. */
function historyText(state: State, { retrace }: TraceRow): string {
  const { cell } = retrace;
  const run = cell === null ? undefined : state.runs.get(cell);
  const now = cell === null ? 0 : retracesOf(state, cell);
  const made = now === 0 ? t`retraced nothing: fixed` : t`made ${counted(now, 'retrace')}`;
  return t`Of an earlier run: cell [${run?.number ?? '?'}] has run again since, and ${made}.`;
}

/** The headline without verdict and fix, which have their own places here. */
function reasonOf({ headline, verdict }: Explanation): string {
  const end = verdict === '' ? -1 : headline.indexOf(`. ${verdict}`);
  return end < 0 ? headline : headline.slice(0, end + 1);
}
