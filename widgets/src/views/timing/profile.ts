/** A profile as elements: shares, memory, and the slowest steps with links to their node and line. */

import { byteText, count, counted, duration, partText } from '../../format';
import { EventOf, ProfileStep } from '../../protocol';
import { h } from '../common/dom';
import { Host } from '../common/host';
import { placeLink } from '../common/place';

/** The kinds of work, in words. */
export const KINDS: Readonly<Record<string, string>> = {
  kernel: 'native kernels',
  linalg: 'BLAS and LAPACK',
  numpy: 'NumPy steps',
  copy: 'copies',
  python: 'Python'
};

/** Steps in the table. */
const SHOWN = 10;

/** What a profile's links need. */
export interface ProfileLinks {
  readonly host: Host;
  /** Show a node in the graph; undefined where there is none. */
  readonly showNode?: ((nodeId: string) => void) | undefined;
}

/** All parts of one profile. */
export function profileParts(profile: EventOf<'profile.measured'>, links: ProfileLinks): Node[] {
  const { tier, graph_ns: graph, eager_ns: eager, runs, steps, steps_count: all, made } = profile;
  const slowest = [...steps].sort((a, b) => b.ns - a.ns).slice(0, SHOWN);
  const peak = steps.find(step => step.peak === profile.peak && step.peak > 0);
  const whole = `${duration(graph[1])} a call as ${tier}, ${duration(eager[1])} eager · medians of ${counted(runs, 'run')}`;
  return [
    h('h3', { class: 'tracefn-heading', text: 'Where the time goes' }),
    h('p', { class: 'tracefn-note', text: whole, attrs: { 'data-tracefn': 'profile' } }),
    shares(profile),
    ...(peak
      ? [
          h(
            'p',
            { class: 'tracefn-note', attrs: { 'data-tracefn': 'peak' } },
            `Memory in use, at most: ${byteText(profile.peak)}, in `,
            stepName(peak, links)
          )
        ]
      : []),
    table(profile, slowest, links),
    ...(all > slowest.length ? [note(`The ${slowest.length} slowest of ${counted(all, 'step')}.`)] : []),
    ...(made.length > 0 ? [note(`With made-up values for ${made.join(', ')}: the arrays of the call are gone.`)] : [])
  ];
}

/** One bar of all shares, and what they are. */
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
      `${KINDS[kind] ?? kind} ${partText(part)}`
    )
  );
  return h('div', { class: 'tracefn-shares', attrs: { 'data-tracefn': 'shares' } }, bar, h('ul', { attrs: { 'aria-label': 'Shares of the time' } }, ...items));
}

function table(profile: EventOf<'profile.measured'>, slowest: readonly ProfileStep[], links: ProfileLinks): HTMLElement {
  const heads = ['time', 'share', 'step'].map(text => h('th', { text, attrs: { scope: 'col' } }));
  const most = Math.max(1, ...slowest.map(({ ns }) => ns));
  const rows = slowest.map(step => {
    const bar = h('span', { class: 'tracefn-staging-bar', attrs: { 'aria-hidden': 'true' } });
    bar.style.width = `${(step.ns / most) * 100}%`;
    return h(
      'tr',
      { attrs: { 'data-tracefn': 'profile-step', 'data-work': step.kind } },
      h('td', { class: 'tracefn-right tracefn-staging-time' }, bar, h('span', { text: duration(step.ns) })),
      h('td', { class: 'tracefn-right', text: partText(step.ns / profile.total_ns) }),
      h(
        'td',
        { class: 'tracefn-profile-name' },
        h('span', { class: 'tracefn-work-dot', title: KINDS[step.kind] ?? step.kind, attrs: { role: 'img', 'aria-label': KINDS[step.kind] ?? step.kind } }),
        stepName(step, links),
        h(
          'div',
          { class: 'tracefn-step-about' },
          placeLink(links.host, step.location),
          step.rounds > 1 && h('span', { text: `×${count(step.rounds)}` }),
          h('span', { text: `${byteText(step.memory)} in use` }),
          step.peak === profile.peak && h('span', { class: 'tracefn-badge', text: 'peak' })
        )
      )
    );
  });
  return h(
    'table',
    { class: 'tracefn-table tracefn-profile-steps', attrs: { 'aria-label': 'The slowest steps' } },
    h('thead', {}, h('tr', {}, ...heads)),
    h('tbody', {}, ...rows)
  );
}

/** The text of a step, which leads to its node. */
function stepName({ text, nodes }: ProfileStep, { showNode }: ProfileLinks): HTMLElement {
  const [first] = nodes;
  if (first === undefined || !showNode) {
    return h('code', { class: 'tracefn-mono tracefn-step-name', text, title: text });
  }
  return h('button', {
    class: 'tracefn-link tracefn-mono tracefn-step-name',
    text,
    title: `${text}\nShow it in the graph`,
    attrs: { type: 'button', 'data-tracefn': 'show-node' },
    on: { click: () => showNode(first) }
  });
}

function note(text: string): HTMLElement {
  return h('p', { class: 'tracefn-note', text });
}
