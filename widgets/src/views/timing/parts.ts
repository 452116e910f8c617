/** The parts of a timing as elements: verdict, eager against graph, phases. */

import { counted, duration, significant } from '../../format';
import { EventOf, Quartiles } from '../../protocol';
import { PHASES } from '../../store/index';
import { bars } from '../common/bars';
import { h } from '../common/dom';
import { later, t, translated } from '../../words';

const PHASE_NAMES: Readonly<Record<string, string>> = {
  bind: later`bind`,
  taken_over: later`taken over`,
  rewrite: later`rewrite`,
  trace: later`trace`,
  passes: later`passes`,
  program: later`program`,
  first_run: later`first run`
};

/** All parts of one measurement. */
export function timingParts(timing: EventOf<'timing.measured'>): Node[] {
  return [...comparison(timing), ...phaseParts(timing.phases)];
}

/** Which is faster, by how much, and the medians with their quartiles. */
export function comparison(timing: EventOf<'timing.measured'>): Node[] {
  const { eager_ns: eager, graph_ns: graph, speedup, differs, tier, before_native_ns: before, made } = timing;
  const faster = speedup >= 1;
  return [
    h(
      'p',
      { class: 'tracefn-verdict', attrs: { 'data-tracefn': 'verdict' } },
      h('strong', {
        class: !differs ? '' : faster ? 'tracefn-good' : 'tracefn-bad',
        text: differs
          ? t`${significant(faster ? speedup : 1 / speedup)}× ${faster ? t`faster` : t`slower`} than eager`
          : t`As fast as eager, within the spread`
      }),
      t` · tracing ${paysText(timing.break_even)}`
    ),
    bars(t`Eager against graph, median of one call`, [
      { name: t`eager`, value: eager[1], text: quartileText(eager), kind: 'eager', dots: eager },
      ...(before ? [{ name: t`NumPy program`, value: before[1], text: quartileText(before), kind: 'graph' as const, dots: before }] : []),
      { name: tier, value: graph[1], text: quartileText(graph), kind: 'graph', dots: graph }
    ]),
    ...(made.length > 0
      ? [h('p', { class: 'tracefn-note', text: t`With made-up values for ${made.join(', ')}: the arrays of the call are gone.` })]
      : []),
    ...(before
      ? [h('p', { class: 'tracefn-note', text: stopgapText(timing) })]
      : [])
  ];
}

/** What the program is for that runs before native code, and when tracing would have paid for itself with it alone. */
function stopgapText({ break_even_before_native: calls }: EventOf<'timing.measured'>): string {
  return t`The NumPy program runs until native code is built; later calls run that. With the NumPy program alone, tracing ${paysText(calls)}.`;
}

function paysText(calls: number | null): string {
  return calls === null ? t`never pays for itself` : t`pays for itself after ${counted(calls, 'call')}`;
}

/** The phases of the first call, as bars; nothing where none is known. */
export function phaseParts(phases: Readonly<Record<string, number>>): Node[] {
  const known = Object.keys(phases);
  const names = [
    ...PHASES.filter(name => known.includes(name)),
    ...known.filter(name => !PHASES.some(phase => phase === name))
  ];
  if (names.length === 0) {
    return [];
  }
  return [
    h('h3', { class: 'tracefn-heading', text: t`First call, phase by phase` }),
    bars(
      t`Phases of the first call`,
      names.map(name => ({
        name: phaseName(name),
        value: phases[name] ?? 0,
        text: duration(phases[name] ?? 0)
      }))
    )
  ];
}

function quartileText([low, median, high]: Quartiles): string {
  return `${duration(median)}  (${duration(low)} – ${duration(high)})`;
}

/** A phase in words. */
function phaseName(phase: string): string {
  return translated(PHASE_NAMES[phase] ?? phase.replace('_', ' '));
}
