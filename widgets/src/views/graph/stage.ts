/** The drawing surface: shows a scene, SVG or canvas by its size, pans, zooms, and reports clicks. */

import { Edge, Fonts, Rect, Scene } from '../../layout';
import { h, setAttr, setText } from '../common/dom';
import { CanvasRenderer } from './canvas_renderer';
import { Minimap } from './minimap';
import { edgeAt, Lit, litFrom, NOTHING_LIT } from './edge_hits';
import { edgeKey, inside, Marks, NO_MARKS, Renderer } from './renderer';
import { fullestStart } from './start';
import { SvgRenderer } from './svg_renderer';
import { Transform, Viewport } from './viewport';
import { t } from '../../words';

/** With more boxes and edges than this a scene is drawn on a canvas. */
export const SVG_ELEMENTS = 1500;

/** The target of a click: a box, the title of an expanded group, an edge, or nothing. */
export type Hit =
  | { readonly kind: 'box'; readonly id: string }
  | { readonly kind: 'cluster'; readonly id: string }
  | { readonly kind: 'edge'; readonly id: string; readonly edge: Edge }
  | { readonly kind: 'nothing' };

/** The questions of a stage about the graph that it shows. */
export interface Known {
  /** The values along an edge, in words. */
  edge(edge: Edge): string;
  /** The boxes that are marked together with a box or frame. */
  paired(id: string): ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** How near the pointer has to be to an edge, in px of the screen. */
const EDGE_REACH = 6;

/** The stage. */
export class Stage {
  constructor(
    private readonly _fonts: Fonts,
    private readonly _clicked: (hit: Hit) => void,
    moved: (transform: Transform) => void = () => undefined,
    private readonly _known: Known = { edge: () => '', paired: () => NONE }
  ) {
    this.element = h('div', {
      class: 'tracefn-stage',
      attrs: {
        role: 'application',
        tabindex: 0,
        'aria-label': t`Graph. Arrow keys move between nodes, Enter opens the detail, plus and minus zoom, 0 fits, ? lists all keys.`,
        'data-tracefn': 'stage'
      }
    });
    this.viewport = new Viewport(this.element, transform => {
      this._renderer?.move(transform);
      this._minimap?.move(transform);
      moved(transform);
    });
    this.element.addEventListener('click', event => this._click(event));
    this.element.addEventListener('pointermove', event => {
      const hit = this._hit(event.clientX, event.clientY);
      this.element.style.cursor = hit.kind === 'nothing' ? '' : 'pointer';
      this._hover(hit.kind === 'edge' && event.buttons === 0 ? hit : null, event);
      this._pair(hit.kind === 'box' || hit.kind === 'cluster' ? hit.id : null);
    });
    this.element.addEventListener('pointerleave', () => {
      this._hover(null);
      this._pair(null);
    });
    this._tooltip = h('div', { class: 'tracefn-edge-tooltip', attrs: { 'data-tracefn': 'edge-tooltip', 'aria-hidden': 'true' } });
    this._tooltip.hidden = true;
    this.element.append(this._tooltip);
    this._minimap = new Minimap(this.element, () => this.viewport);
    this.element.append(this._minimap.element);
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
    this._hovered = null;
    this._pointed = null;
    this._tooltip.hidden = true;
    this._minimap?.show(scene);
    if (!scene) {
      this._renderer?.dispose();
      this._renderer = null;
      return;
    }
    const large = scene.boxes.size + scene.edges.length > SVG_ELEMENTS;
    if (!this._renderer || large !== this._renderer instanceof CanvasRenderer) {
      this._renderer?.dispose();
      this._renderer = large ? new CanvasRenderer(this._fonts) : new SvgRenderer();
      this.element.prepend(this._renderer.element);
    }
    this._renderer.draw(scene);
    this._renderer.colour(this._colours);
    this._renderer.move(this.viewport.transform);
  }

  /** Mark boxes. */
  mark(marks: Marks): void {
    this._marks = marks;
    this._paired = this._pairsNow();
    this._lit = this._scene ? litFrom(this._scene, marks.selected) : NOTHING_LIT;
    this._drawMarks();
    const active =
      this._renderer instanceof SvgRenderer ? this._renderer.elementId(marks.selected) : null;
    setAttr(this.element, 'aria-activedescendant', active);
  }

  /** Give boxes other colours than those of their families: CSS variables by their ids. */
  colour(colours: ReadonlyMap<string, string> | null): void {
    this._colours = colours;
    this._renderer?.colour(colours);
    this._minimap?.colour(colours);
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._minimap?.restyle();
    this._drawMarks();
  }

  /** Fit the scene to the stage: whole, if the scale is this large. */
  fit(least?: number): void {
    const scene = this._scene;
    if (scene) {
      const start = (across: number, along: number): number => fullestStart(scene, across, along);
      this.viewport.fit(scene.width, scene.height, { start, direction: scene.direction, least });
    }
  }

  /** Whether a drawing of this size is too wide to be read, or read `easily`, on the stage, which may have no size yet. */
  isCut({ width, height }: { readonly width: number; readonly height: number }, direction: Scene['direction'], easily: boolean): boolean {
    return this.element.clientWidth > 0 && this.viewport.isCut(width, height, direction, easily);
  }

  /** Bring a box or frame into sight; `zoom`, so that its text can be read; `whole`, if all of it can be seen. */
  reveal(id: string | null, zoom: boolean, whole = false): void {
    const rect = id === null ? null : this.rectOf(id);
    if (rect && (!whole || this.viewport.hasRoomFor(rect))) {
      this.viewport.reveal(rect, zoom);
    }
  }

  /** The rectangle of a box or of an expanded group. */
  rectOf(id: string): Rect | null {
    const cluster = this._scene?.clusters.find(({ group }) => group.id === id);
    return this._scene?.boxes.get(id)?.rect ?? cluster?.rect ?? null;
  }

  dispose(): void {
    this.viewport.dispose();
    this._minimap?.dispose();
    this._renderer?.dispose();
    this.element.remove();
  }

  /** The second click of a double click does nothing: it would close what the first has opened. */
  private _click(event: MouseEvent): void {
    if (!this.viewport.dragged && event.detail < 2) {
      this._clicked(this._hit(event.clientX, event.clientY));
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
    const { scale } = this.viewport.transform;
    const edge = this._scene && edgeAt(this._scene, x, y, EDGE_REACH / scale)?.edge;
    return edge ? { kind: 'edge', id: edgeKey(edge.from, edge.to), edge } : { kind: 'nothing' };
  }

  /** Show the values along the edge under the pointer. */
  private _hover(hit: Extract<Hit, { kind: 'edge' }> | null, event?: PointerEvent): void {
    if (hit && event) {
      const box = this.element.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      this._tooltip.style.left = `${Math.max(4, Math.min(x + 12, box.width - 220))}px`;
      this._tooltip.style.top = `${y > box.height - 60 ? y - 44 : y + 14}px`;
    }
    if ((hit?.id ?? null) !== this._hovered) {
      this._hovered = hit?.id ?? null;
      setText(this._tooltip, hit ? this._known.edge(hit.edge) : '');
      this._tooltip.hidden = !hit || this._tooltip.textContent === '';
      this._drawMarks();
    }
  }

  /** Mark the partners of the box under the pointer, or of the selected one. */
  private _pair(id: string | null): void {
    if (id !== this._pointed) {
      this._pointed = id;
      const before = this._paired;
      this._paired = this._pairsNow();
      if (before.size > 0 || this._paired.size > 0) {
        this._drawMarks();
      }
    }
  }

  private _pairsNow(): ReadonlySet<string> {
    const id = this._pointed ?? this._marks.selected;
    return id === null ? NONE : this._known.paired(id);
  }

  private _drawMarks(): void {
    this._renderer?.mark({ ...this._marks, hovered: this._hovered, lit: this._lit, paired: this._paired });
  }

  private _minimap: Minimap | null = null;
  private _tooltip: HTMLElement;
  private _marks: Marks = NO_MARKS;
  private _colours: ReadonlyMap<string, string> | null = null;
  private _lit: Lit = NOTHING_LIT;
  private _hovered: string | null = null;
  private _pointed: string | null = null;
  private _paired = NONE;

  private _renderer: Renderer | null = null;
  private _scene: Scene | null = null;
}
