/** Graph size: nodes before → after the passes, for each signature in trace order, and pass by pass for the selected one. */

import { count, duration } from '../format';
import { distinctParts, Signature, signaturesOf, State, TracedFunction } from '../store';
import { h, svg } from './common/dom';
import { messageBox } from './common/empty';
import { signatureLine, wholeText } from './common/signature';
import { t } from '../words';

/** The state of the view. */
export interface SizeInput {
  readonly state: State;
  readonly owner: TracedFunction | null;
  readonly selected: Signature | null;
}

type Sized = Signature & { readonly size: NonNullable<Signature['size']> };

/** Signatures in the table, newest; the chart shows as many. */
const MAX_ROWS = 100;

/** Bars with a number below them, at most. */
const MAX_TICKS = 12;

/** Size of the chart's own coordinate system. */
const CHART = { width: 480, height: 130, left: 34, right: 8, top: 10, bottom: 20 };

/** The chart and tables of graph sizes. */
export class SizeView {
  constructor(private readonly _select: (signatureId: string) => void) {
    this.element = h('div', { class: 'tracefn-view', attrs: { 'data-tracefn': 'size' } });
  }

  readonly element: HTMLElement;

  update({ state, owner, selected }: SizeInput): void {
    const all = owner ? signaturesOf(state, owner).filter(isSized) : [];
    const shown = all.slice(-MAX_ROWS);
    const key = JSON.stringify([owner?.id, selected?.id, shown.map(item => [item.id, item.size.hash, item.retrace?.seq])]);
    if (key === this._shown) {
      return;
    }
    this._shown = key;
    if (shown.length === 0) {
      this.element.replaceChildren(
        messageBox({
          title: t`No graph yet`,
          text: t`The size of each graph, before and after the passes, shows here once a function is traced.`
        })
      );
      return;
    }
    const parts: Node[] = [
      h('h3', { class: 'tracefn-heading', text: t`Nodes per trace of ${owner?.name ?? ''}` }),
      this._chart(shown, selected),
      this._table(shown, selected)
    ];
    if (selected && isSized(selected) && selected.size.passes.length > 0) {
      parts.push(
        h('h3', { class: 'tracefn-heading', text: t`Passes of trace #${selected.trace}` }),
        passTable(selected)
      );
    }
    const focused = this.element.contains(document.activeElement);
    this.element.replaceChildren(...parts);
    if (focused) {
      this.element.querySelector<HTMLElement>('[tabindex="0"]')?.focus(); // the row that was chosen with the keys
    }
  }

  dispose(): void {
    this.element.remove();
  }

  private _chart(items: readonly Sized[], selected: Signature | null): Element {
    const { width, height, left, right, top, bottom } = CHART;
    const most = Math.max(1, ...items.map(({ size }) => Math.max(size.before, size.after)));
    const step = (width - left - right) / items.length;
    const y = (value: number): number => top + (height - top - bottom) * (1 - value / most);
    const bar = Math.min(26, step * 0.7);
    const bars = items.map((item, i) => {
      const x = left + step * (i + 0.5);
      const { before, after } = item.size;
      return svg(
        'g',
        {
          class: 'tracefn-size-bar',
          attrs: { 'data-selected': String(item.id === selected?.id) },
          on: { click: () => this._select(item.id) }
        },
        svg('title', { text: t`#${item.trace}: ${before} → ${after} nodes` }),
        rect('tracefn-before', x - bar / 2, y(before), bar, height - bottom - y(before)),
        rect('tracefn-after', x - bar / 2, y(after), bar, height - bottom - y(after)),
        i % Math.ceil(items.length / MAX_TICKS) === 0 &&
          label(x, height - 6, `#${item.trace}`, 'middle')
      );
    });
    return svg(
      'svg',
      {
        class: 'tracefn-chart',
        attrs: {
          viewBox: `0 0 ${width} ${height}`,
          role: 'img',
          'aria-label': t`Nodes before and after the passes, one bar per trace; the table below holds the numbers`
        }
      },
      ...[0, 0.5, 1].map(part =>
        svg(
          'g',
          {},
          svg('path', {
            class: 'tracefn-grid',
            attrs: { d: `M${left} ${y(most * part)}H${width - right}` }
          }),
          label(left - 5, y(most * part) + 3, count(Math.round(most * part)), 'end')
        )
      ),
      ...bars
    );
  }

  private _table(items: readonly Sized[], selected: Signature | null): HTMLElement {
    const parts = distinctParts(items);
    const rows = items.map((item, i) => {
      const whole = wholeText(item);
      const text = signatureLine();
      text.update(parts[i] ?? []);
      return h(
        'tr',
        {
          attrs: {
            'data-selected': String(item.id === selected?.id),
            'aria-current': item.id === selected?.id || null,
            'data-tracefn': 'size-row',
            tabindex: item.id === (selected?.id ?? items[0]?.id) ? 0 : -1
          },
          on: { click: () => this._select(item.id), keydown: rowKeys }
        },
        h('td', { text: `#${item.trace}` }),
        h('td', { class: 'tracefn-table-signature', title: whole, attrs: { 'aria-label': whole.replaceAll('\n', ', ') } }, text.element),
        h('td', { class: 'tracefn-right', text: `${count(item.size.before)} → ${count(item.size.after)}` }),
        h('td', { class: 'tracefn-right', text: change(item.size.before, item.size.after) })
      );
    });
    return table([t`trace`, t`signature`, t`nodes`, t`change`], rows.reverse());
  }

  private _shown = '';
}

function passTable(signature: Sized): HTMLElement {
  const rows = signature.size.passes.map(pass =>
    h(
      'tr',
      {},
      h('td', { text: pass.name }),
      h('td', { class: 'tracefn-right', text: `${count(pass.before)} → ${count(pass.after)}` }),
      h('td', { class: 'tracefn-right', text: change(pass.before, pass.after) }),
      h('td', { class: 'tracefn-right', text: duration(pass.duration_ns) })
    )
  );
  return table([t`pass`, t`nodes`, t`change`, t`time`], rows);
}

/** A table with a head. */
export function table(heads: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  return h(
    'table',
    { class: 'tracefn-table' },
    h('thead', {}, h('tr', {}, ...heads.map(text => h('th', { text, attrs: { scope: 'col' } })))),
    h('tbody', {}, ...rows)
  );
}

function change(before: number, after: number): string {
  if (before === after || before === 0) {
    return '·';
  }
  const percent = Math.round(((after - before) / before) * 100);
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}

function isSized(signature: Signature): signature is Sized {
  return signature.size !== null;
}

function rect(name: string, x: number, y: number, width: number, height: number): SVGElement {
  return svg('rect', { class: name, attrs: { x, y, width, height: Math.max(0.5, height), rx: 2 } });
}

function label(x: number, y: number, text: string, anchor: string): SVGElement {
  return svg('text', { class: 'tracefn-axis', text, attrs: { x, y, 'text-anchor': anchor } });
}

/** Keys of a row: up and down go to the next ones, Enter and Space choose it. */
function rowKeys(event: KeyboardEvent): void {
  const row = event.currentTarget as HTMLElement;
  const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
  if (next instanceof HTMLElement) {
    next.focus();
  } else if (event.key === 'Enter' || event.key === ' ') {
    row.click();
  } else {
    return;
  }
  event.preventDefault();
}
