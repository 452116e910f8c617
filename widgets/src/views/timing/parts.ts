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
  const { eager_ns: eager, graph_ns: graph, speedup, break_even: breakEven, tier, before_native_ns: before, made } = timing;
  const faster = speedup >= 1;
  const isApart = eager[0] > graph[2] || graph[0] > eager[2];
  return [
    h(
      'p',
      { class: 'tracefn-verdict', attrs: { 'data-tracefn': 'verdict' } },
      h('strong', {
        class: !isApart ? '' : faster ? 'tracefn-good' : 'tracefn-bad',
        text: isApart
          ? t`${significant(faster ? speedup : 1 / speedup)}× ${faster ? t`faster` : t`slower`} than eager`
          : t`As fast as eager, within the spread`
      }),
      breakEven === null
        ? t` · tracing never pays for itself`
        : t` · tracing pays for itself after ${counted(breakEven, 'call')}`
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
      ? [h('p', { class: 'tracefn-note', text: stopgapText(timing, before) })]
      : [])
  ];
}

/** What the program is for that runs before native code, and when tracing would have paid for itself with it alone. */
function stopgapText({ eager_ns: eager, phases }: EventOf<'timing.measured'>, before: Quartiles): string {
  const first = Object.values(phases).reduce((sum, ns) => sum + ns, 0);
  const gain = eager[1] - before[1];
  const calls = gain > 0 && eager[0] > before[2] ? Math.max(1, Math.ceil((first - before[1]) / gain)) : null;
  const pays = calls === null ? t`never pays for itself` : t`pays for itself after ${counted(calls, 'call')}`;
  return t`The NumPy program runs until native code is built; later calls run that. With the NumPy program alone, tracing ${pays}.`;
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
