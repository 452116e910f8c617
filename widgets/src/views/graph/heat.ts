/** Colour by time: how much of a call's time is spent in each box of a drawing, once the call was profiled. */

import { duration, partText } from '../../format';
import { Folded } from '../../layout';
import { EventOf } from '../../protocol';
import { button, h, setAttr } from '../common/dom';
import { icon } from '../common/icons';

/** The least part of the time of each level of heat, from 1 on; without time it is 0. */
export const LEVELS: readonly number[] = [0, 0.01, 0.03, 0.1, 0.3];

/** The heat of one graph. */
export class Heat {
  constructor(changed: () => void) {
    this.toggle = button(
      { name: 'Colour by time', hook: 'heat', pressed: false },
      () => {
        this._on = !this._on;
        this._show();
        changed();
      },
      icon('heat')
    );
    this.legend = h('div', { class: 'tracefn-heat-legend', attrs: { 'data-tracefn': 'heat-legend' } });
    this._show();
  }

  /** The button in the toolbar; hidden while there is no profile. */
  readonly toggle: HTMLButtonElement;

  /** What the colours say. */
  readonly legend: HTMLElement;

  /** Take a profile, or none. Whether the drawing has to be marked anew. */
  offer(profile: EventOf<'profile.measured'> | null): boolean {
    if (profile?.seq === this._profile?.seq) {
      return false;
    }
    this._profile = profile;
    this._show();
    return this._on;
  }

  /** The level of heat of each box that has some; undefined where boxes have their usual colours. */
  levels(folded: Folded | null): ReadonlyMap<string, number> | undefined {
    const { _profile: profile } = this;
    if (!this._on || !profile || !folded) {
      return undefined;
    }
    const spent = new Map<string, number>();
    for (const { nodes, ns } of profile.steps) {
      // A step of several nodes, as a kernel is, heats each box that it has a part in.
      for (const box of new Set(nodes.flatMap(id => boxOf(folded, id)))) {
        spent.set(box, (spent.get(box) ?? 0) + ns);
      }
    }
    return new Map([...spent].map(([box, ns]) => [box, levelOf(ns / profile.total_ns)]));
  }

  /** The time of a node in words; null where it is not known. */
  timeOf(nodeId: string): string | null {
    const steps = this._profile?.steps.filter(({ nodes }) => nodes.includes(nodeId)) ?? [];
    if (!this._profile || steps.length === 0) {
      return null;
    }
    const ns = steps.reduce((sum, step) => sum + step.ns, 0);
    const others = new Set(steps.flatMap(({ nodes }) => nodes)).size - 1;
    const together = others > 0 ? `, together with ${others} other${others > 1 ? 's' : ''} in one kernel` : '';
    return `${duration(ns)}, ${partText(ns / this._profile.total_ns)} of the call${together}`;
  }

  private _show(): void {
    const { _profile: profile, _on: on } = this;
    this.toggle.hidden = profile === null;
    setAttr(this.toggle, 'aria-pressed', String(on));
    this.legend.hidden = !on || profile === null;
    if (profile) {
      const levels = LEVELS.map((least, i) =>
        h(
          'li',
          { attrs: { 'data-heat': i + 1 } },
          h('span', { class: 'tracefn-heat-swatch', attrs: { 'aria-hidden': 'true' } }),
          i === 0 ? `< ${partText(LEVELS[1] ?? 0)}` : `≥ ${partText(least)}`
        )
      );
      this.legend.replaceChildren(
        h('span', { text: `Part of ${duration(profile.graph_ns[1])} a call` }),
        h('ul', { attrs: { 'aria-label': 'Colours by the part of the time' } }, ...levels)
      );
    }
  }

  private _profile: EventOf<'profile.measured'> | null = null;
  private _on = false;
}

/** The level of a part of the time: from 1 to 5, 0 for nothing. */
export function levelOf(part: number): number {
  return part > 0 ? LEVELS.filter(least => part >= least).length : 0;
}

function boxOf(folded: Folded, nodeId: string): string[] {
  const box = folded.boxOf.get(nodeId);
  return box === undefined ? [] : [box];
}
