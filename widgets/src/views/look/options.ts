/** How the graph is drawn: a bar with the folding of equal rounds, the kind of frames, colours and direction; and the legend. */

import { COLOURINGS, colouringOf, Facts, GROUPINGS, LegendEntry, Look, PassChange, timesOf } from '../../layout';
import { decodeGraphDiff, decodeKernels, Graph, GraphDiff } from '../../protocol';
import { Signature } from '../../store';
import { button, h, setAttr, setText } from '../common/dom';
import { Host } from '../common/host';
import { icon } from '../common/icons';
import { Choices } from './choices';
import { Drawing } from '../graph/drawing';
import { Legend } from './legend';
import type { Step } from '../graph/steps';
import { later, t, translated } from '../../words';

const FRAMES: Readonly<Record<Look['by'], string>> = { call: later`call`, line: later`source line`, kernel: later`kernel` };

/** The bar below the toolbar, hidden until it is asked for. */
export class Options {
  /** `changed` is called when the graph is drawn in another way. */
  constructor(
    private readonly _host: Host,
    private readonly _drawing: Drawing,
    private readonly _changed: () => void
  ) {
    this._choices = _host.choices ?? new Choices();
    this._fold = button({ name: t`Fold equal rounds (r)`, text: t`Fold equal rounds`, class: 'tracefn-button-text', hook: 'fold', pressed: false }, () =>
      this.toggleFolding()
    );
    this._direction = button({ name: t`Left to right (d)`, text: t`Left to right`, class: 'tracefn-button-text', hook: 'direction', pressed: false }, () =>
      this.toggleDirection()
    );
    this._by = select(t`Frames by`, 'group-by', GROUPINGS.map(name => [name, translated(FRAMES[name])]), by => this._choose({ by: by as Look['by'] }));
    this._colour = select(t`Colour by`, 'colour-by', COLOURINGS.map(({ name, label }) => [name, translated(label)]), colour => this._choose({ colour }));
    this._note = h('span', { class: 'tracefn-note', attrs: { role: 'status', 'data-tracefn': 'options-note' } });
    this.toggle = button({ name: t`How it is drawn`, hook: 'options', pressed: false }, () => this._open(this._bar.hidden), icon('options'));
    this._bar = h(
      'div',
      { class: 'tracefn-options-bar' },
      h('label', {}, t`frames by `, this._by),
      h('label', {}, t`colour by `, this._colour),
      this._fold,
      this._direction,
      this._note
    );
    this._bar.hidden = true;
    this._legend = new Legend();
    this.element = h(
      'div',
      { class: 'tracefn-options', attrs: { role: 'group', 'aria-label': t`How it is drawn` } },
      this._bar,
      this._legend.element
    );
    this._legend.element.hidden = true;
    void this._choices.ready.then(() => this._apply());
  }

  readonly element: HTMLElement;

  /** The button that opens and closes the bar. */
  readonly toggle: HTMLButtonElement;

  /** How a graph is to be drawn. */
  lookOf(graph: Graph): Look {
    return this._choices.of(graph);
  }

  /** A graph is drawn: that which `signature` runs, or a step on the way to its program. */
  offer(graph: Graph | null, signature: Signature | null, step: Step | null): void {
    this._graph = graph;
    this._step = step;
    this._asked += 1;
    this._profile = null; // a new drawing has no times
    this._known = ''; // nor anything else that was asked for
    this.follow(signature);
    this._show();
  }

  /** The graph is drawn already. The trace that runs it may be another one, after a restart or an edit, or may have got ready or times. */
  follow(signature: Signature | null): void {
    const { id = '', startedNs = 0, status = '' } = signature ?? {};
    const known = `${id} ${startedNs} ${status}`;
    this._signature = signature;
    if (known !== this._known) {
      this._known = known;
      this._learn();
    }
    this._time(signature);
  }

  /** The times of the nodes were measured, or are of another graph: steps on the way to the program have no times. */
  private _time(signature: Signature | null): void {
    const profile = this._step ? null : (signature?.profile ?? null);
    if (profile !== this._profile) {
      this._profile = profile;
      void this._drawing.learn({ times: profile ? timesOf(profile) : new Map() }).then(() => this._changed());
      this._show();
    }
  }

  /** The drawing has these colours. */
  showLegend(legend: readonly LegendEntry[]): void {
    this._legend.update(legend);
    this._show();
  }

  /** Fold or unfold equal rounds. */
  toggleFolding(): void {
    this._choose({ fold: this._isFolded ? 'unfold' : 'fold' });
  }

  /** Draw downwards, or to the right. */
  toggleDirection(): void {
    this._choose({ direction: this._drawing.look.direction === 'down' ? 'right' : 'down' });
  }

  /** Draw a value as chips where it is used, or once, with edges. */
  pin(value: string, isChip: boolean): void {
    this._choose({ pins: { ...this._drawing.look.pins, [value]: isChip } });
  }

  private get _isFolded(): boolean {
    const { fold } = this._drawing.look;
    return fold === 'fold' || (fold === 'auto' && [...this._drawing.groups.values()].some(({ repeat }) => repeat));
  }

  private _open(open: boolean): void {
    this._bar.hidden = !open;
    this.toggle.setAttribute('aria-pressed', String(open));
    this._show();
  }

  private _choose(change: Partial<Look>): void {
    if (this._graph) {
      this._choices.choose(this._graph, change);
      this._apply();
    }
  }

  private _apply(): void {
    const look = this._graph && this._choices.of(this._graph);
    if (look && JSON.stringify(look) !== JSON.stringify(this._drawing.look)) {
      void this._drawing.restructure(look).then(() => this._changed());
      this._show();
      this._learn();
    }
  }

  private _show(): void {
    const { look, facts } = this._drawing;
    const lacks = colouringOf(look.colour).lacks?.(facts) ?? '';
    this._fold.setAttribute('aria-pressed', String(this._isFolded));
    this._direction.setAttribute('aria-pressed', String(look.direction === 'right'));
    this._by.value = look.by;
    this._colour.value = colouringOf(look.colour).name;
    this._legend.element.hidden = lacks !== '' || (this._bar.hidden && look.colour === 'family');
    setText(this._note, this._said || lacks);
    setAttr(this._note, 'hidden', this._note.textContent === '');
  }

  /** Ask for facts about nodes that the drawing shows and that are not known: their kernels, or the changes of the pass. */
  private _learn(): void {
    const { look, facts } = this._drawing;
    const { _signature: signature, _step: step } = this;
    this._said = '';
    if ((look.by === 'kernel' || look.colour === 'kernel') && facts.kernels.size === 0 && !step && signature?.status === 'ready') {
      this._ask('kernels', { function: signature.functionId, trace: signature.trace }, answer => ({
        kernels: decodeKernels(answer) ?? facts.kernels
      }));
    } else if (look.colour === 'pass' && facts.changes === null && step?.before) {
      this._ask('graph_diff', { a: step.before.ref, b: step.ref }, answer => ({ changes: changesOf(decodeGraphDiff(answer)) }));
    }
  }

  private _ask(query: string, fields: Readonly<Record<string, unknown>>, take: (answer: unknown) => Partial<Facts>): void {
    const asked = (this._asked += 1);
    this._said = t`asking the kernel…`;
    this._show();
    this._host
      .ask?.(query, fields)
      .then(
        answer => {
          if (asked === this._asked) {
            this._said = '';
            void this._drawing.learn(take(answer)).then(() => this._changed());
          }
        },
        (error: unknown) => {
          this._said = error instanceof Error ? error.message : String(error);
        }
      )
      .finally(() => this._show());
  }

  private _choices: Choices;
  private _bar: HTMLElement;
  private _fold: HTMLButtonElement;
  private _direction: HTMLButtonElement;
  private _by: HTMLSelectElement;
  private _colour: HTMLSelectElement;
  private _note: HTMLElement;
  private _legend: Legend;
  private _graph: Graph | null = null;
  private _signature: Signature | null = null;
  private _step: Step | null = null;
  private _profile: Signature['profile'] = null;
  private _known = '';
  private _said = '';
  private _asked = 0;
}

function select(name: string, hook: string, options: readonly (readonly [string, string])[], chosen: (value: string) => void): HTMLSelectElement {
  const element = h(
    'select',
    { class: 'tracefn-steps-select', attrs: { 'aria-label': name, 'data-tracefn': hook }, on: { change: () => chosen(element.value) } },
    ...options.map(([value, text]) => h('option', { text, attrs: { value } }))
  );
  return element;
}

/** The changes of a pass, by the nodes that it gives. */
function changesOf(diff: GraphDiff | null): ReadonlyMap<string, PassChange> {
  const changed = (diff?.changed ?? []).map(({ b }) => [b, 'changed'] as const);
  return new Map<string, PassChange>([...changed, ...(diff?.added ?? []).map(id => [id, 'added'] as const)]);
}
