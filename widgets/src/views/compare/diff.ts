/** Two graphs side by side, with what was added, removed and changed marked; they pan and zoom as one. */

import { Folded, LayoutEngine } from '../../layout';
import { Graph, GraphDiff } from '../../protocol';
import { button, h } from '../common/dom';
import { icon } from '../common/icons';
import { Drawing } from '../graph/drawing';
import { Difference, edgeKey, NO_MARKS } from '../graph/renderer';
import { Hit } from '../graph/stage';

/** One side. */
interface Side {
  readonly drawing: Drawing;
  readonly title: HTMLElement;
  readonly element: HTMLElement;
}

/** The two graphs. */
export class DiffView {
  constructor(createEngine: () => LayoutEngine) {
    this._sides = [this._side(createEngine(), 0), this._side(createEngine(), 1)];
    this.element = h(
      'div',
      { class: 'tracefn-diff', attrs: { role: 'group', 'aria-label': 'Two graphs side by side', 'data-tracefn': 'diff' } },
      this._sides[0].element,
      this._sides[1].element,
      h(
        'div',
        { class: 'tracefn-diff-tools' },
        button({ name: 'Zoom in' }, () => this._sides[0].drawing.stage.viewport.zoom(1.25), icon('plus')),
        button({ name: 'Zoom out' }, () => this._sides[0].drawing.stage.viewport.zoom(0.8), icon('minus')),
        button({ name: 'Fit both' }, () => this._fit(), icon('fit'))
      )
    );
  }

  readonly element: HTMLElement;

  /** Show graph `b` beside the earlier graph `a`. */
  show(a: Graph, b: Graph, titles: readonly [string, string], diff: GraphDiff): void {
    this._diff = diff;
    this._placed = new Set();
    this._sides.forEach(({ drawing, title }, i) => {
      title.textContent = titles[i] ?? '';
      drawing.show(i === 0 ? a : b);
    });
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._mark();
  }

  dispose(): void {
    this._sides.forEach(({ drawing }) => drawing.dispose());
    this.element.remove();
  }

  private _side(engine: LayoutEngine, index: 0 | 1): Side {
    const drawing = new Drawing(engine, {
      clicked: (hit, twice) => this._clicked(index, hit, twice),
      placed: () => {
        this._placed.add(index);
        this._mark();
        if (this._placed.size === 2 && !this._following) {
          this._fit(false);
        }
      },
      moved: transform => {
        if (!this._following && this._placed.size === 2) {
          this._following = true;
          this._sides[1 - index]?.drawing.stage.viewport.set(transform);
          this._following = false;
        }
      }
    });
    const { element: stage } = drawing.stage;
    stage.addEventListener('keydown', event => this._keydown(index, event));
    const which = index === 0 ? 'The earlier graph' : 'The new graph';
    stage.setAttribute('aria-label', `${which}. Arrow keys pan both, plus and minus zoom, 0 fits. What differs is listed below.`);
    const title = h('div', { class: 'tracefn-diff-title' });
    const element = h('div', { class: 'tracefn-diff-side', attrs: { 'data-side': index } }, title, stage, drawing.notice);
    return { drawing, title, element };
  }

  /** Both are seen, the larger one from its beginning or whole; the scale is that of the one that needs more room. */
  private _fit(whole = true): void {
    const [left, right] = this._sides;
    const room = ({ drawing }: Side): number => {
      const { scene, element } = drawing.stage;
      return Math.max((scene?.width ?? 0) / element.clientWidth, (scene?.height ?? 0) / element.clientHeight);
    };
    (room(left) >= room(right) ? left : right).drawing.stage.fit(whole);
  }

  private _clicked(index: 0 | 1, hit: Hit, twice: boolean): void {
    const { drawing } = this._sides[index];
    if (twice) {
      return;
    }
    if ((hit.kind === 'box' || hit.kind === 'cluster') && drawing.groups.has(hit.id)) {
      void drawing.toggle(hit.id);
      return;
    }
    this._selected = hit.kind === 'box' ? this._pair(index, hit.id) : [null, null];
    this._mark();
  }

  /** A node and the one that stands for it on the other side. */
  private _pair(index: 0 | 1, id: string): [string | null, string | null] {
    const same = Object.entries(this._diff?.same ?? {});
    const found = same.find(pair => pair[index] === id);
    return found ?? (index === 0 ? [id, null] : [null, id]);
  }

  private _mark(): void {
    this._sides.forEach(({ drawing }, i) => {
      const { folded } = drawing;
      if (folded && this._diff) {
        const selected = this._selected[i] ?? null;
        drawing.stage.mark({
          ...NO_MARKS,
          selected: selected === null ? null : (folded.boxOf.get(selected) ?? null),
          changes: changesIn(folded, this._diff, i === 0 ? 'a' : 'b')
        });
      }
    });
  }

  private _keydown(index: 0 | 1, event: KeyboardEvent): void {
    const { viewport } = this._sides[index].drawing.stage;
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
      this._fit();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private _sides: readonly [Side, Side];
  private _diff: GraphDiff | null = null;
  private _placed = new Set<number>();
  private _following = false;
  private _selected: readonly [string | null, string | null] = [null, null];
}

/** What differs on one side, by box and edge. A closed group in which something differs is changed, or reshaped if that is all. */
export function changesIn(folded: Folded, diff: GraphDiff, side: 'a' | 'b'): Map<string, Difference> {
  const found = new Map<string, Difference>();
  const mark = (node: string, change: Difference): void => {
    const box = folded.boxOf.get(node);
    if (box !== undefined) {
      const inGroup = change === 'reshaped' && (found.get(box) ?? change) === change ? change : 'changed';
      found.set(box, box === node ? change : inGroup);
    }
  };
  const reshaped = new Set(diff.reshaped);
  diff.changed.forEach(each => mark(each[side], reshaped.has(each.a) ? 'reshaped' : 'changed'));
  const change = side === 'a' ? 'removed' : 'added';
  diff[change].forEach(node => mark(node, change));
  for (const [from, to] of diff[`${change}_edges`]) {
    const ends = [folded.boxOf.get(from), folded.boxOf.get(to)];
    if (ends[0] !== undefined && ends[1] !== undefined && ends[0] !== ends[1]) {
      found.set(edgeKey(ends[0], ends[1]), change);
    }
  }
  return found;
}
