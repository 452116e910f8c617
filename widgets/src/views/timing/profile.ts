/** A profile as elements: shares, memory, and the slowest steps, with links to nodes and lines. */

import { bytesWords, count, counted, duration, partText } from '../../format';
import { SumBy, timeSums } from '../../layout';
import { EventOf, Graph, ProfileStep } from '../../protocol';
import { button, h } from '../common/dom';
import { Host } from '../common/host';
import { placeLink } from '../common/place';
import { later, t, translated } from '../../words';

/** The kinds of work, in words. */
const KINDS: Readonly<Record<string, string>> = {
  kernel: later`native kernels`,
  linalg: later`BLAS and LAPACK`,
  numpy: later`NumPy steps`,
  copy: later`copies`,
  python: later`Python`
};

function kindText(kind: string): string {
  return translated(KINDS[kind] ?? kind);
}

/** Rows of the table. */
const SHOWN = 10;

/** The kinds of rows of the table. */
export type ProfileBy = 'step' | 'line' | SumBy;

const BY: readonly (readonly [ProfileBy, string])[] = [
  ['step', later`step`],
  ['op', later`operation`],
  ['function', later`function`],
  ['line', later`line`]
];

/** The targets of a profile's links. */
export interface ProfileLinks {
  readonly host: Host;
  /** The graph whose nodes were timed, with bodies that have ids of their own; null while it is not there. */
  readonly graph: Graph | null;
  readonly by: ProfileBy;
  readonly choose: (by: ProfileBy) => void;
  /** Show a node in the graph; undefined where there is none. */
  readonly showNode?: ((nodeId: string) => void) | undefined;
}

/** All parts of one profile. */
export function profileParts(profile: EventOf<'profile.measured'>, links: ProfileLinks): Node[] {
  const { tier, graph_ns: graph, eager_ns: eager, runs, steps, made } = profile;
  const peak = steps.find(step => step.peak === profile.peak && step.peak > 0);
  const whole = t`${duration(graph[1])} a call as ${tier}, ${duration(eager[1])} eager · medians of ${counted(runs, 'run')}`;
  return [
    h('h3', { class: 'tracefn-heading', text: t`Where the time goes` }),
    h('p', { class: 'tracefn-note', text: whole, attrs: { 'data-tracefn': 'profile' } }),
    shares(profile),
    ...(peak
      ? [
          h(
            'p',
            { class: 'tracefn-note', attrs: { 'data-tracefn': 'peak' } },
            t`Memory in use, at most: ${bytesWords(profile.peak)}, in `,
            stepName(peak, links)
          )
        ]
      : []),
    switchOf(links),
    ...rowsBy(profile, links),
    ...(made.length > 0 ? [note(t`With made-up values for ${made.join(', ')}: the arrays of the call are gone.`)] : [])
  ];
}

/** Buttons that choose the kind of rows. */
function switchOf({ by, choose }: ProfileLinks): HTMLElement {
  const buttons = BY.map(([name, text]) =>
    button({ name: translated(text), text: translated(text), class: 'tracefn-button-text', hook: `profile-by-${name}`, pressed: name === by }, () => choose(name))
  );
  return h('div', { class: 'tracefn-profile-by', attrs: { role: 'group', 'aria-label': t`Rows of the profile` } }, t`by`, ' ', ...buttons);
}

function rowsBy(profile: EventOf<'profile.measured'>, links: ProfileLinks): Node[] {
  const { by, graph } = links;
  if (by === 'step') {
    const slowest = [...profile.steps].sort((a, b) => b.ns - a.ns).slice(0, SHOWN);
    return [table(profile, slowest, links), ...rest(slowest.length, profile.steps_count, counted(profile.steps_count, 'step'))];
  }
  if (by === 'line') {
    const slowest = [...profile.lines].sort((a, b) => b.graph_ns - a.graph_ns).slice(0, SHOWN);
    const rows = slowest.map(({ location, graph_ns: ns, eager_ns: eager }) => ({
      ns,
      name: placeLink(links.host, location),
      about: eager > 0 ? t`${duration(eager)} eager` : ''
    }));
    return [sumsTable(rows, profile, t`line`), ...rest(slowest.length, profile.lines.length, counted(profile.lines.length, 'line'))];
  }
  if (!graph) {
    return [note(t`The graph is not there yet.`)];
  }
  const sums = timeSums(profile, graph, by);
  const rows = sums.slice(0, SHOWN).map(({ name, ns, nodes }) => ({
    ns,
    name: stepName({ text: name, nodes }, links),
    about: counted(nodes.length, 'node')
  }));
  const [noun, all] = by === 'op' ? [t`operation`, counted(sums.length, 'operation')] : [t`function`, counted(sums.length, 'function')];
  return [sumsTable(rows, profile, noun), ...rest(rows.length, sums.length, all)];
}

/** Says how many rows are not shown. */
function rest(shown: number, of: number, all: string): Node[] {
  return of > shown ? [note(t`The ${shown} slowest of ${all}.`)] : [];
}

/** One bar of all shares, and their legend. */
function shares({ shares: parts }: EventOf<'profile.measured'>): HTMLElement {
  const known = Object.entries(parts).sort(([, a], [, b]) => b - a);
  const bar = h('div', { class: 'tracefn-shares-bar', attrs: { 'aria-hidden': 'true' } });
  for (const [kind, part] of known) {
    const piece = h('span', { class: 'tracefn-share', attrs: { 'data-work': kind } });
    piece.style.flexGrow = String(part);
    bar.append(piece);
  }
  const items = known.map(([kind, part]) =>
    h(
      'li',
      { attrs: { 'data-work': kind } },
      h('span', { class: 'tracefn-work-dot', attrs: { 'aria-hidden': 'true' } }),
      `${kindText(kind)} ${partText(part)}`
    )
  );
  return h('div', { class: 'tracefn-shares', attrs: { 'data-tracefn': 'shares' } }, bar, h('ul', { attrs: { 'aria-label': t`Shares of the time` } }, ...items));
}

function table(profile: EventOf<'profile.measured'>, slowest: readonly ProfileStep[], links: ProfileLinks): HTMLElement {
  const most = Math.max(1, ...slowest.map(({ ns }) => ns));
  const rows = slowest.map(step =>
    h(
      'tr',
      { attrs: { 'data-tracefn': 'profile-step', 'data-work': step.kind } },
      ...timeCells(step.ns, most, profile),
      h(
        'td',
        { class: 'tracefn-profile-name' },
        h('span', { class: 'tracefn-work-dot', title: kindText(step.kind), attrs: { role: 'img', 'aria-label': kindText(step.kind) } }),
        stepName(step, links),
        h(
          'div',
          { class: 'tracefn-step-about' },
          placeLink(links.host, step.location),
          step.rounds > 1 && h('span', { text: `×${count(step.rounds)}` }),
          h('span', { text: t`${bytesWords(step.memory)} in use` }),
          step.peak === profile.peak && h('span', { class: 'tracefn-badge', text: t`peak` })
        )
      )
    )
  );
  return tableOf(t`The slowest steps`, t`step`, rows);
}

/** A row of steps whose times are summed. */
interface SumRow {
  readonly ns: number;
  readonly name: HTMLElement;
  readonly about: string;
}

function sumsTable(sums: readonly SumRow[], profile: EventOf<'profile.measured'>, noun: string): HTMLElement {
  const most = Math.max(1, ...sums.map(({ ns }) => ns));
  const rows = sums.map(({ ns, name, about }) =>
    h(
      'tr',
      { attrs: { 'data-tracefn': 'profile-sum' } },
      ...timeCells(ns, most, profile),
      h('td', {}, name, ' ', h('span', { class: 'tracefn-step-about', text: about }))
    )
  );
  return tableOf(t`What takes longest`, noun, rows);
}

/** A time with a bar behind it, and its share of the call. */
function timeCells(ns: number, most: number, { total_ns: total }: EventOf<'profile.measured'>): HTMLElement[] {
  const bar = h('span', { class: 'tracefn-staging-bar', attrs: { 'aria-hidden': 'true' } });
  bar.style.width = `${(ns / most) * 100}%`;
  return [
    h('td', { class: 'tracefn-right tracefn-staging-time' }, bar, h('span', { text: duration(ns) })),
    h('td', { class: 'tracefn-right', text: partText(ns / total) })
  ];
}

function tableOf(label: string, noun: string, rows: readonly HTMLElement[]): HTMLElement {
  const heads = [t`time`, t`share`, noun].map(text => h('th', { text, attrs: { scope: 'col' } }));
  return h(
    'table',
    { class: 'tracefn-table tracefn-profile-steps', attrs: { 'aria-label': label } },
    h('thead', {}, h('tr', {}, ...heads)),
    h('tbody', {}, ...rows)
  );
}

/** The text of a step, which leads to its node. */
function stepName({ text, nodes }: Pick<ProfileStep, 'text' | 'nodes'>, { showNode }: ProfileLinks): HTMLElement {
  const [first] = nodes;
  if (first === undefined || !showNode) {
    return h('code', { class: 'tracefn-mono tracefn-step-name', text, title: text });
  }
  return h('button', {
    class: 'tracefn-link tracefn-mono tracefn-step-name',
    text,
    title: t`${text}\nShow it in the graph`,
    attrs: { type: 'button', 'data-tracefn': 'show-node' },
    on: { click: () => showNode(first) }
  });
}

function note(text: string): HTMLElement {
  return h('p', { class: 'tracefn-note', text });
}
