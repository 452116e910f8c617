/**
* Two graphs side by side, with marks on added, removed and changed nodes. They are laid out as one, so that equal nodes stand
 * opposite each other; they open, pan and zoom as one. Where there is no room for two, they are one picture.
 */

import { Folded, LayoutEngine, Merged, merged, Scene, sideOf } from '../../layout';
import { Graph, GraphDiff } from '../../protocol';
import { button, h } from '../common/dom';
import { icon } from '../common/icons';
import { Drawing } from '../graph/drawing';
import { Difference, edgeKey, Marks, NO_MARKS } from '../graph/renderer';
import { Hit, Stage } from '../graph/stage';
import { Transform } from '../graph/viewport';
import { t } from '../../words';

/** Below this width (px) both graphs are one picture. */
const NARROW = 520;

/** The two graphs. */
export class DiffView {
  constructor(createEngine: () => LayoutEngine) {
    this._drawing = new Drawing(createEngine(), {
      clicked: hit => this._clicked(hit),
      part: scene => this._split(scene),
      placed: () => this._mark(),
      moved: transform => this._follow(this._earlier, transform)
    });
    this._earlier = new Stage(
      Drawing.fonts,
      hit => this._clicked(hit),
      transform => this._follow(this._drawing.stage, transform)
    );
    this._titles = [h('div', { class: 'tracefn-diff-title' }), h('div', { class: 'tracefn-diff-title' })];
    this._left = h('div', { class: 'tracefn-diff-side', attrs: { 'data-side': 0 } }, this._titles[0], this._earlier.element);
    const right = h('div', { class: 'tracefn-diff-side', attrs: { 'data-side': 1 } }, this._titles[1], this._drawing.stage.element, this._drawing.notice);
    for (const [stage, which] of [[this._earlier, t`The earlier graph`], [this._drawing.stage, t`The new graph`]] as const) {
      stage.element.setAttribute('aria-label', t`${which}. Arrow keys pan both, plus and minus zoom, 0 fits. What differs is listed below.`);
      stage.element.addEventListener('keydown', event => this._keydown(event));
    }
    this.element = h(
      'div',
      { class: 'tracefn-diff', attrs: { role: 'group', 'aria-label': t`Two graphs side by side`, 'data-tracefn': 'diff' } },
      this._left,
      right,
      h(
        'div',
        { class: 'tracefn-diff-tools' },
        button({ name: t`Zoom in` }, () => this._drawing.stage.viewport.zoom(1.25), icon('plus')),
        button({ name: t`Zoom out` }, () => this._drawing.stage.viewport.zoom(0.8), icon('minus')),
        button({ name: t`Fit both` }, () => this._drawing.stage.fit(0), icon('fit'))
      )
    );
    this._resize = new ResizeObserver(() => this._choose());
    this._resize.observe(this.element);
  }

  readonly element: HTMLElement;

  /** Show graph `b` beside the earlier graph `a`. */
  show(a: Graph, b: Graph, titles: readonly [string, string], diff: GraphDiff): void {
    this._diff = diff;
    this._merged = merged(a, b, diff);
    this._names = titles;
    this._selected = null;
    this._choose();
    this._drawing.show(this._merged.graph);
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._mark();
  }

  dispose(): void {
    this._resize.disconnect();
    this._drawing.dispose();
    this._earlier.dispose();
    this.element.remove();
  }

  /** One picture or two, by the room that there is. */
  private _choose(): void {
    const isOne = this.element.clientWidth > 0 && this.element.clientWidth < NARROW;
    const [earlier, now] = this._names;
    this._titles[0].textContent = earlier;
    this._titles[1].textContent = isOne ? `${earlier} → ${now}` : now;
    if (isOne !== this._left.hidden) {
      this._left.hidden = isOne;
      this._show();
    }
  }

  /** The right side's part of a scene; the left side is given its own. */
  private _split(scene: Scene): Scene {
    this._scene = scene;
    const { folded } = this._drawing;
    if (!folded || !this._merged || this._left.hidden) {
      return scene;
    }
    this._earlier.show(sideOf(scene, folded, this._merged, 0));
    this._earlier.viewport.set(this._drawing.stage.viewport.transform);
    return sideOf(scene, folded, this._merged, 1);
  }

  /** Show the scene again, now on one stage or two. */
  private _show(): void {
    if (this._scene) {
      this._drawing.stage.show(this._split(this._scene));
      this._drawing.stage.fit();
      this._mark();
    }
  }

  private _follow(other: Stage | undefined, transform: Transform): void {
    if (other && !this._following) {
      this._following = true;
      other.viewport.set(transform);
      this._following = false;
    }
  }

  private _clicked(hit: Hit): void {
    if ((hit.kind === 'box' || hit.kind === 'cluster') && this._drawing.groups.has(hit.id)) {
      void this._drawing.toggle(hit.id);
      return;
    }
    this._selected = hit.kind === 'box' ? hit.id : null;
    this._mark();
  }

  private _mark(): void {
    const { folded, stage } = this._drawing;
    if (folded && this._diff && this._merged) {
      const selected = this._selected === null ? null : (folded.boxOf.get(this._selected) ?? this._selected);
      const marks: Marks = { ...NO_MARKS, selected, changes: changesIn(folded, this._diff, this._merged) };
      stage.mark(marks);
      this._earlier.mark(marks);
    }
  }

  private _keydown(event: KeyboardEvent): void {
    const { stage } = this._drawing;
    const { viewport } = stage;
    const pan = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (pan) {
      viewport.pan(pan[0] ?? 0, pan[1] ?? 0);
    } else if (event.key === '+' || event.key === '=') {
      viewport.zoom(1.25);
    } else if (event.key === '-') {
      viewport.zoom(0.8);
    } else if (event.key === '0') {
      stage.fit(0);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private readonly _drawing: Drawing;
  private readonly _earlier: Stage;
  private readonly _left: HTMLElement;
  private readonly _titles: readonly [HTMLElement, HTMLElement];
  private readonly _resize: ResizeObserver;
  private _names: readonly [string, string] = ['', ''];
  private _diff: GraphDiff | null = null;
  private _merged: Merged | null = null;
  private _scene: Scene | null = null;
  private _following = false;
  private _selected: string | null = null;
}

/** The differences, by box and edge. A closed group in which something differs is changed, or reshaped if that is all. */
export function changesIn(folded: Folded, diff: GraphDiff, { graph, ofEarlier, removed }: Merged): Map<string, Difference> {
  const found = new Map<string, Difference>();
  const mark = (node: string, change: Difference): void => {
    const box = folded.boxOf.get(node);
    if (box !== undefined) {
      const inGroup = change === 'reshaped' && (found.get(box) ?? change) === change ? change : 'changed';
      found.set(box, box === node ? change : inGroup);
    }
  };
  const markEdge = (from: string, to: string, change: Difference): void => {
    const ends = [folded.boxOf.get(from), folded.boxOf.get(to)];
    if (ends[0] !== undefined && ends[1] !== undefined && ends[0] !== ends[1]) {
      found.set(edgeKey(ends[0], ends[1]), change);
    }
  };
  const reshaped = new Set(diff.reshaped);
  diff.changed.forEach(({ a, b }) => mark(ofEarlier.get(a) ?? b, reshaped.has(a) ? 'reshaped' : 'changed'));
  removed.forEach(node => mark(node, 'removed'));
  diff.added.forEach(node => mark(node, 'added'));
  diff.added_edges.forEach(([from, to]) => markEdge(from, to, 'added'));
  graph.edges?.forEach(([from, to]) => markEdge(from, to, 'removed'));
  return found;
}
