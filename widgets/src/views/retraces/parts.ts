/** The parts of an explanation as elements: differences, earlier traces, what-if table, and the guards of a trace. */

import { Compared, Explanation, NOT_TRIED, Outcome, OutsideRead, WhatIf } from '../../protocol';
import { counted, duration } from '../../format';
import { Cause } from '../../protocol';
import { calledWith, EagerCalls, eagerNs, Retrace, Verdict } from '../../store';
import { h } from '../common/dom';
import { table } from '../size';
import { later, t, translated } from '../../words';

/** Earlier traces that are shown before the rest is asked for. */
const MAX_COMPARED = 100;

/** How a thing was read, in words. */
const HOW: Readonly<Record<string, string>> = {
  'by reference': later`read at every call`,
  guard: later`another value retraces`,
  identity: later`another object retraces`,
  constant: later`its content is in the graph; a change retraces`,
  store: later`written at every call`
};

/** The verdict in words; null before there is one. */
export function verdictText(verdict: Verdict | null): { needless: boolean; word: string; text: string } | null {
  if (!verdict) {
    return null;
  }
  const same = t`: the same graph as #${verdict.sameAs ?? '?'}`;
  const texts: Record<string, string> = {
    nothing: same,
    numbers: t`${same} but for the numbers in it`,
    shapes: t`${same} but for lengths`
  };
  const text = texts[verdict.kind];
  return text === undefined
    ? { needless: false, word: t`Needed`, text: t`: another graph than those before` }
    : { needless: true, word: t`Needless`, text };
}

/** The advice for eager calls, their signatures, and their cost. */
export function eagerParts(eager: EagerCalls): HTMLElement[] {
  const { fix, traceNs, calls, dropped } = eager;
  const each = eagerNs(eager);
  const rows: [string, string][] = [
    [t`calls`, calledWith(eager)],
    [t`so far`, `${counted(calls.count, 'call')}${dropped ? t`, until the cache was cleared` : ''}`],
    [t`each takes`, each === null ? '' : t`${duration(each)}, as eager code does`],
    [t`in all`, each === null || calls.count < 2 ? '' : duration(each * calls.count)],
    [t`the attempt to trace took`, traceNs > 0 ? duration(traceNs) : '']
  ];
  return [
    ...(fix === ''
      ? []
      : [
          h(
            'section',
            { class: 'tracefn-fix', attrs: { 'data-found': 'true', 'data-tracefn': 'eager-fix' } },
            h('h3', { class: 'tracefn-heading', text: t`To have it run as a graph` }),
            h('p', { class: 'tracefn-fix-title', text: fix })
          )
        ]),
    h('h3', { class: 'tracefn-heading', text: t`What it costs` }),
    h(
      'table',
      { class: 'tracefn-table', attrs: { 'data-tracefn': 'eager-costs' } },
      h(
        'tbody',
        {},
        ...rows
          .filter(([, text]) => text !== '')
          .map(([name, text]) => h('tr', {}, h('th', { text: name, attrs: { scope: 'row' } }), h('td', { text })))
      )
    )
  ];
}

/** Every differing leaf, old and new, against the nearest earlier trace. */
export function differences({ causes, nearest, text }: Retrace, select: (trace: number) => void): HTMLElement[] {
  const heading = h(
    'h3',
    { class: 'tracefn-heading' },
    t`What differs from the nearest earlier trace, `,
    h('button', {
      class: 'tracefn-link',
      text: `#${nearest}`,
      title: t`Select trace #${nearest}`,
      attrs: { type: 'button', 'data-tracefn': 'nearest' },
      on: { click: () => select(nearest) }
    })
  );
  return [heading, causes.length > 0 ? causeTable(causes) : h('p', { class: 'tracefn-cause', text })];
}

/** Causes, a row each. */
function causeTable(causes: readonly Cause[]): HTMLElement {
  const rows = causes.map(({ path, kind, old, new: now, dimension, text }) =>
    h(
      'tr',
      { title: text, attrs: { 'data-tracefn': 'difference' } },
      h('td', { class: 'tracefn-mono', text: path || '·' }),
      h('td', { text: dimension === null ? kind : `${kind} ${dimension}` }),
      h(
        'td',
        { class: 'tracefn-mono tracefn-change' },
        ...(old === '' && now === ''
          ? [text]
          : [h('del', { text: old || t`none` }), ' → ', h('ins', { text: now || t`none` })])
      )
    )
  );
  return table([t`argument`, t`in`, t`old → new`], rows);
}

/** All earlier traces, the nearest first, each with all its differences. */
export function compared(earlier: readonly Compared[]): HTMLElement[] {
  if (earlier.length < 2) {
    return [];
  }
  const items = earlier.slice(0, MAX_COMPARED).map(({ trace, signature, state, causes }) =>
    h(
      'li',
      { attrs: { 'data-tracefn': 'compared' } },
      h('span', { class: 'tracefn-mono', text: `#${trace} `, title: signature }),
      h('span', { text: causes.map(({ text }) => text).join('; ') || t`something outside changed` }),
      state !== 'kept' && h('span', { class: 'tracefn-note', text: ` (${state})` })
    )
  );
  const left = earlier.length - items.length;
  return [
    fold(
      t`Compared with all ${counted(earlier.length, 'earlier trace')}, the nearest first`,
      h('ol', { class: 'tracefn-compared' }, ...items),
      left > 0 && h('p', { class: 'tracefn-note', text: t`${left} more, farther away` })
    )
  ];
}

function changesOf({ changes, unverified }: Outcome): string {
  const none = unverified === '' ? t`nothing` : t`nothing so far (not tried: ${unverified})`;
  return changes.map(change => (change === NOT_TRIED ? t`not tried yet` : change)).join('; ') || none;
}

/** The outcome under other policies. */
export function whatIfTable({ traces, calls, cost_ns: cost, outcomes }: WhatIf): HTMLElement[] {
  if (outcomes.length === 0) {
    return [];
  }
  const rows = outcomes.map(outcome =>
    h(
      'tr',
      { attrs: { 'data-tracefn': 'what-if-row' } },
      h('td', { text: outcome.policy }),
      h('td', { class: 'tracefn-mono', text: outcome.arguments.join(', ') }),
      h('td', { class: 'tracefn-right', text: `${traces} → ${outcome.traces}` }),
      h('td', { class: 'tracefn-right', text: duration(outcome.saved_ns) }),
      h('td', { text: changesOf(outcome) })
    )
  );
  return [
    h('h3', { class: 'tracefn-heading', text: t`What if?` }),
    h('p', {
      class: 'tracefn-note',
      text: t`As is: ${counted(traces, 'trace')} in ${counted(calls, 'call')}, ${duration(cost)}`
    }),
    table([t`policy`, t`arguments`, t`traces`, t`saved`, t`would change`], rows)
  ];
}

/** The state that a trace depends on outside its arguments, its open lengths, and effects that happened only while tracing. */
export function rests({ reads, relaxed, frozen }: Explanation): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (relaxed.length > 0) {
    parts.push(h('h3', { class: 'tracefn-heading', text: t`Left open` }), list(relaxed.map(({ text }) => text)));
  }
  if (reads.length > 0) {
    parts.push(
      h('h3', { class: 'tracefn-heading', text: t`State outside the arguments` }),
      table([t`name`, t`what`, t`how`], reads.map(readRow))
    );
  }
  if (frozen.length > 0) {
    parts.push(h('h3', { class: 'tracefn-heading', text: t`Happened only while tracing` }), list(frozen));
  }
  return parts;
}

function readRow({ path, how, value, changed, use }: OutsideRead): HTMLElement {
  const told = translated(HOW[how] ?? how) + (use === 'both' ? t`; written at every call` : '');
  return h(
    'tr',
    { attrs: { 'data-tracefn': 'read' } },
    h('td', { class: 'tracefn-mono', text: path }),
    h('td', { class: 'tracefn-mono', text: value }),
    h('td', { text: changed === '' ? told : t`${told}; changed since the trace, and not compared: ${changed}` })
  );
}

function list(texts: readonly string[]): HTMLElement {
  return h('ul', { class: 'tracefn-plain-list' }, ...texts.map(text => h('li', { text })));
}

/** A part that opens and closes. */
export function fold(title: string, ...children: (Node | false)[]): HTMLDetailsElement {
  return h('details', { class: 'tracefn-fold' }, h('summary', { class: 'tracefn-heading', text: title }), ...children);
}
