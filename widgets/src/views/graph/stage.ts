/** The drawing surface: shows a scene, SVG or canvas by its size, pans, zooms, and says what was clicked. */

import { Fonts, Rect, Scene } from '../../layout';
import { h, setAttr } from '../common/dom';
import { CanvasRenderer } from './canvas_renderer';
import { topmost } from './navigate';
import { inside, Marks, Renderer } from './renderer';
import { SvgRenderer } from './svg_renderer';
import { Transform, Viewport } from './viewport';

/** With more boxes and edges than this a scene is drawn on a canvas. */
export const SVG_ELEMENTS = 1500;

/** What a click met: a box, the title of an expanded group, or nothing. */
export type Hit =
  | { readonly kind: 'box'; readonly id: string }
  | { readonly kind: 'cluster'; readonly id: string }
  | { readonly kind: 'nothing' };

/** The stage. */
export class Stage {
  constructor(
    private readonly _fonts: Fonts,
    private readonly _clicked: (hit: Hit, twice: boolean) => void,
    moved: (transform: Transform) => void = () => undefined
  ) {
    this.element = h('div', {
      class: 'tracefn-stage',
      attrs: {
        role: 'application',
        tabindex: 0,
        'aria-label': 'Graph. Arrow keys move between nodes, Enter opens the detail, plus and minus zoom, 0 fits.',
        'data-tracefn': 'stage'
      }
    });
    this.viewport = new Viewport(this.element, transform => {
      this._renderer?.move(transform);
      moved(transform);
    });
    this.element.addEventListener('click', event => this._click(event, false));
    this.element.addEventListener('dblclick', event => this._click(event, true));
    this.element.addEventListener('pointermove', event => {
      const hit = this._hit(event.clientX, event.clientY);
      this.element.style.cursor = hit.kind === 'nothing' ? '' : 'pointer';
    });
  }

  readonly element: HTMLElement;
  readonly viewport: Viewport;

  /** The scene shown. */
  get scene(): Scene | null {
    return this._scene;
  }

  /** Show a scene; the viewport stays as it is. */
  show(scene: Scene | null): void {
    this._scene = scene;
    if (!scene) {
      this._renderer?.dispose();
      this._renderer = null;
      return;
    }
    const large = scene.boxes.size + scene.edges.length > SVG_ELEMENTS;
    if (!this._renderer || large !== this._renderer instanceof CanvasRenderer) {
      this._renderer?.dispose();
      this._renderer = large ? new CanvasRenderer(this._fonts) : new SvgRenderer();
      this.element.append(this._renderer.element);
    }
    this._renderer.draw(scene);
    this._renderer.move(this.viewport.transform);
  }

  /** Mark boxes. */
  mark(marks: Marks): void {
    this._renderer?.mark(marks);
    const active =
      this._renderer instanceof SvgRenderer ? this._renderer.elementId(marks.selected) : null;
    setAttr(this.element, 'aria-activedescendant', active);
  }

  /** Fit the scene to the stage. */
  fit(whole = false): void {
    if (this._scene) {
      const { width, height } = this._scene;
      const first = this.rectOf(topmost(this._scene) ?? '');
      this.viewport.fit(width, height, first ? first[0] + first[2] / 2 : width / 2, whole);
    }
  }

  /** The rectangle of a box or of an expanded group. */
  rectOf(id: string): Rect | null {
    const cluster = this._scene?.clusters.find(({ group }) => group.id === id);
    return this._scene?.boxes.get(id)?.rect ?? cluster?.rect ?? null;
  }

  dispose(): void {
    this.viewport.dispose();
    this._renderer?.dispose();
    this.element.remove();
  }

  private _click(event: MouseEvent, twice: boolean): void {
    if (!this.viewport.dragged) {
      this._clicked(this._hit(event.clientX, event.clientY), twice);
    }
  }

  private _hit(clientX: number, clientY: number): Hit {
    const [x, y] = this.viewport.toDrawing(clientX, clientY);
    for (const { box, rect } of this._scene?.boxes.values() ?? []) {
      if (inside(rect, x, y)) {
        return { kind: 'box', id: box.chipOf ?? box.id };
      }
    }
    // Inner groups come after outer ones: the last that holds the point is the innermost.
    for (const { group, rect } of [...(this._scene?.clusters ?? [])].reverse()) {
      const title: Rect = [rect[0], rect[1], rect[2], 26];
      if (inside(title, x, y)) {
        return { kind: 'cluster', id: group.id };
      }
    }
    return { kind: 'nothing' };
  }

  private _renderer: Renderer | null = null;
  private _scene: Scene | null = null;
}
