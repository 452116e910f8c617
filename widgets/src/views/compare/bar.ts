/** The comparison of the graph that is drawn with another one: of any signature of any function, or of the step before. */

import { Graph } from '../../protocol';
import { definitions, Signature, signaturesOf, signatureText, State } from '../../store';
import { cut } from '../../format';
import { button, h } from '../common/dom';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { Comparison, GraphRef, Side } from './comparison';
import { t } from '../../words';

/** The value of the option that stands for the step before. */
const STEP = 'step';

/** Graphs of one function that are listed, the newest. */
const MAX_LISTED = 200;

/** The graphs of one definition of a function. */
interface Listed {
  readonly name: string;
  readonly label: string;
  readonly signatures: readonly Signature[];
}

/** The drawn graph, and how to name it and the step before it to the kernel. */
export interface Drawn {
  readonly graph: Graph;
  readonly title: string;
  readonly ref: GraphRef;
  readonly before: { readonly title: string; readonly ref: GraphRef } | null;
}

/** The bar and the comparison, hidden until it is asked for. */
export class Compare {
  /** `opened` is called with true when the comparison replaces the drawing, and with false when the drawing is back. */
  constructor(
    private readonly _host: Host,
    private readonly _opened: (open: boolean) => void
  ) {
    this._select = h('select', {
      class: 'tracefn-steps-select',
      attrs: { 'aria-label': t`Compare with`, 'data-tracefn': 'compare-with' },
      on: { change: () => this._choose() }
    });
    this._comparison = new Comparison(_host);
    this.toggle = button({ name: t`Compare with another graph`, hook: 'compare', pressed: false }, () => this._open(this.element.hidden), icon('compare'));
    this.element = h(
      'div',
      { class: 'tracefn-compare', attrs: { role: 'group', 'aria-label': t`Comparison` } },
      h('div', { class: 'tracefn-options-bar' }, h('label', {}, t`compare with `, this._select)),
      this._comparison.element
    );
    this.element.hidden = true;
    this.toggle.hidden = true;
  }

  readonly element: HTMLElement;

  /** The button that opens and closes it. */
  readonly toggle: HTMLButtonElement;

  /** Whether it stands in the place of the drawing. */
  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** All graphs that there are can be chosen. They are listed while it is open. */
  offer(state: State): void {
    this._state = state;
    this._refresh();
  }

  /** The graph that is drawn. */
  show(drawn: Drawn | null): void {
    this._drawn = drawn;
    this._refresh();
    this._draw();
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._comparison.restyle();
  }

  dispose(): void {
    this._comparison.dispose();
  }

  private _open(open: boolean): void {
    this.element.hidden = !open;
    this.toggle.setAttribute('aria-pressed', String(open));
    this._opened(open);
    this._refresh();
    this._draw();
  }

  /** The choice stays for the next graphs, or the next steps; these are compared with the one before otherwise. */
  private _choose(): void {
    this._chosen = this._select.value;
    this._atStep = Boolean(this._drawn?.before);
    this._draw();
  }

  private _refresh(): void {
    this.toggle.hidden = !this._host.ask || !this._drawn || !(this._drawn.before || hasTwoGraphs(this._state));
    if (this.toggle.hidden && this.isOpen) {
      this._open(false);
    } else if (this.isOpen) {
      this._fill();
    }
  }

  /** List the graphs, those of earlier definitions of a function, from before its cell was edited, after the newest. */
  private _fill(): void {
    this._groups = this._state ? groupsOf(this._state) : [];
    const { _chosen: chosen } = this;
    const before = this._drawn?.before;
    const key = JSON.stringify([before?.title, this._groups.map(({ label, signatures }) => [label, signatures.map(({ id }) => id)])]);
    if (key !== this._listed) {
      this._listed = key;
      const options = this._groups.map(({ label, signatures }) =>
        h('optgroup', { attrs: { label } }, ...signatures.map(each => h('option', { text: textOf(label, each), attrs: { value: each.id } })))
      );
      this._select.replaceChildren(...(before ? [h('option', { text: t`the step before: ${before.title}`, attrs: { value: STEP } })] : []), ...options);
    }
    const all = this._groups.flatMap(({ signatures }) => signatures);
    const stays = Boolean(before) === this._atStep && all.some(({ id }) => id === chosen);
    this._select.value = stays ? chosen : before ? STEP : (this._nearest()?.id ?? all[0]?.id ?? '');
  }

  /** What differs least from the drawn graph by its name: its signature before the cell was edited, another one, another function. */
  private _nearest(): Signature | undefined {
    const isOther = ({ size }: Signature): boolean => size?.hash !== this._drawn?.ref;
    const all = this._groups.flatMap(group => group.signatures.map(each => ({ group, each })));
    const drawn = all.find(({ each }) => !isOther(each));
    const others = all.filter(({ each }) => isOther(each));
    const ofFunction = others.filter(({ group }) => group.name === drawn?.group.name);
    const before = ofFunction.find(({ each }) => drawn && signatureText(each) === signatureText(drawn.each));
    const ofDefinition = others.filter(({ group }) => group === drawn?.group);
    return (before ?? ofDefinition.pop() ?? ofFunction[0] ?? others.pop())?.each;
  }

  private _draw(): void {
    const { _drawn: drawn, _select: select } = this;
    if (!this.isOpen || !drawn) {
      return;
    }
    const chosen = this._groups.flatMap(({ label, signatures }) => signatures.map(each => ({ label, each }))).find(({ each }) => each.id === select.value);
    const other: Side | null =
      select.value === STEP && drawn.before
        ? { ...drawn.before, graph: null }
        : chosen
          ? { title: textOf(chosen.label, chosen.each), ref: chosen.each.size?.hash ?? '', graph: null }
          : null;
    if (other) {
      void this._comparison.show(other, drawn);
    }
  }

  private _select: HTMLSelectElement;
  private _comparison: Comparison;
  private _state: State | null = null;
  private _groups: readonly Listed[] = [];
  private _drawn: Drawn | null = null;
  private _listed = '';
  private _chosen = '';
  private _atStep = false;
}

/** Whether there is another graph than the one that is drawn. */
function hasTwoGraphs(state: State | null): boolean {
  let found = 0;
  for (const signature of state?.signatures.values() ?? []) {
    found += isThere(signature) ? 1 : 0;
    if (found === 2) {
      return true;
    }
  }
  return false;
}

function isThere({ size, status }: Signature): boolean {
  return size !== null && status === 'ready';
}

function groupsOf(state: State): Listed[] {
  const groups: Listed[] = [];
  for (const { newest, earlier } of definitions(state)) {
    [newest, ...earlier].forEach((item, i) => {
      const signatures = signaturesOf(state, item).filter(isThere).slice(-MAX_LISTED);
      if (signatures.length > 0) {
        groups.push({ name: item.name, label: i === 0 ? item.name : t`${item.name}, earlier definition ${earlier.length - i + 1}`, signatures });
      }
    });
  }
  return groups;
}

function textOf(label: string, signature: Signature): string {
  return `${label} #${signature.trace} ${cut(signatureText(signature), 40)}`;
}
