/** Two graphs compared: drawn side by side, with a legend and a list of the differences. The kernel is asked for the difference. */

import { counted } from '../../format';
import { everyNode, withBodies } from '../../layout';
import { decodeGraph, decodeGraphDiff, decodeStage, Graph, GraphDiff } from '../../protocol';
import { h, setText } from '../common/dom';
import { Host } from '../common/host';
import { Legend } from '../look/legend';
import { Difference } from '../graph/renderer';
import { DiffView } from './diff';
import { later, t, translated } from '../../words';

/** Differences that are listed as text. */
const MAX_LINES = 40;

/** How the kernel knows a graph: by its hash, or as a step of a trace. */
export type GraphRef = string | { readonly function: string; readonly trace: number; readonly name: string };

/** One of the graphs; it is asked for where it is not at hand. */
export interface Side {
  readonly title: string;
  readonly ref: GraphRef;
  readonly graph: Graph | null;
}

const WORDS: Readonly<Record<Difference, string>> = {
  added: later`added`,
  removed: later`removed`,
  changed: later`changed`,
  reshaped: later`the same but for shapes`
};

/** The comparison. */
export class Comparison {
  constructor(private readonly _host: Host) {
    this._note = h('p', { class: 'tracefn-note tracefn-diff-note', attrs: { role: 'status', 'data-tracefn': 'diff-note' } });
    this._lines = h('ul', {
      class: 'tracefn-diff-lines',
      attrs: { 'aria-label': t`Differences`, 'data-tracefn': 'diff-lines', tabindex: 0 }
    });
    this._lines.hidden = true;
    this._place = h('div', { class: 'tracefn-diff-place' });
    this._place.hidden = true;
    this.element = h('div', { class: 'tracefn-comparison' }, this._note, this._legend.element, this._place, this._lines);
    this._legend.element.hidden = true;
  }

  readonly element: HTMLElement;

  /** Compare graph `b` with the earlier graph `a`. */
  async show(a: Side, b: Side): Promise<void> {
    const key = JSON.stringify([a.ref, b.ref]);
    if (key === this._shown) {
      return;
    }
    this._shown = key;
    if (JSON.stringify(a.ref) === JSON.stringify(b.ref)) {
      this.say(t`The same graph, node for node.`);
      return;
    }
    this.say(t`Comparing…`);
    try {
      const [left, right] = await Promise.all([this._fetch(a), this._fetch(b)]);
      const diff = decodeGraphDiff(await this._host.ask?.('graph_diff', { a: a.ref, b: b.ref }));
      if (diff && left && right && key === this._shown) {
        this._draw(left, right, [a.title, b.title], diff);
      }
    } catch (error) {
      if (key === this._shown) {
        this.say(t`They could not be compared: ${error instanceof Error ? error.message : String(error)}`);
        this._shown = '';
      }
    }
  }

  /** Say something in the place of a comparison. */
  say(text: string): void {
    setText(this._note, text);
    this._place.hidden = true;
    this._legend.element.hidden = true;
    this._lines.hidden = true;
  }

  /** Forget the present comparison. */
  clear(): void {
    this._shown = '';
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._view?.restyle();
  }

  dispose(): void {
    this._shown = '';
    this._view?.dispose();
    this.element.remove();
  }

  private async _fetch({ graph, ref }: Side): Promise<Graph | null> {
    const { ask } = this._host;
    if (graph || !ask) {
      return graph;
    }
    return typeof ref === 'string' ? decodeGraph(await ask('graph', { hash: ref })) : (decodeStage(await ask('stage', ref))?.graph ?? null);
  }

  private _draw(a: Graph, b: Graph, titles: readonly [string, string], diff: GraphDiff): void {
    if (!this._view) {
      this._view = new DiffView(() => this._host.createEngine());
      this._place.append(this._view.element);
    }
    const lines = linesOf(a, b, diff);
    const left = lines.length - MAX_LINES;
    this._place.hidden = false;
    this._lines.hidden = lines.length === 0;
    this._lines.replaceChildren(
      ...lines
        .slice(0, MAX_LINES)
        .map(([change, text]) => h('li', { class: 'tracefn-mono', text, attrs: { 'data-change': change } })),
      ...(left > 0 ? [h('li', { class: 'tracefn-note', text: t`${left} more` })] : [])
    );
    const counts = (Object.keys(WORDS) as Difference[]).map(change => {
      const count = lines.filter(([kind]) => kind === change).length;
      return { change, text: `${count} ${translated(WORDS[change])}`, count };
    });
    const found = counts.filter(({ count }) => count > 0);
    setText(this._note, found.length > 0 ? t`${counted(Object.keys(diff.same).length, 'node')} stand for each other` : t`The same nodes.`);
    this._legend.update(found.map(({ change, text }) => ({ colour: `--tf-${change}`, text })));
    this._legend.element.hidden = found.length === 0;
    this._view.show(a, b, titles, diff);
  }

  private _note: HTMLElement;
  private _lines: HTMLElement;
  private _place: HTMLElement;
  private readonly _legend = new Legend();
  private _view: DiffView | null = null;
  private _shown = '';
}

/** The differences as text: the drawing's twin. Nodes that are the same but for shapes come last. */
function linesOf(a: Graph, b: Graph, diff: GraphDiff): [Difference, string][] {
  const calls = (graph: Graph): Map<string, string> => new Map(everyNode(withBodies(graph)).map(({ id, call }) => [id, call]));
  const [before, now] = [calls(a), calls(b)];
  const reshaped = new Set(diff.reshaped);
  const line = ({ a: old, b: id, what }: GraphDiff['changed'][number]): [Difference, string] => {
    return [reshaped.has(old) ? 'reshaped' : 'changed', `~ ${old === id ? id : `${old} → ${id}`}: ${what}`];
  };
  return [
    ...diff.changed.filter(change => !reshaped.has(change.a)).map(line),
    ...diff.removed.map((id): [Difference, string] => ['removed', `− ${id} = ${before.get(id) ?? ''}`]),
    ...diff.added.map((id): [Difference, string] => ['added', `+ ${id} = ${now.get(id) ?? ''}`]),
    ...diff.changed.filter(change => reshaped.has(change.a)).map(line)
  ];
}
