/** Draws a scene as SVG: sharp, themed by CSS, readable by screen readers. For up to about 1500 elements. */

import { counted, typeText } from '../../format';
import { isBackward, PADDING, PlacedBox, PlacedCluster, PlacedEdge, Point, Scene } from '../../layout';
import { h, setAttr, svg } from '../common/dom';
import { edgeKey, edgeLook, Renderer, Shown, TIP, tipOf } from './renderer';
import { Transform } from './viewport';
import { t } from '../../words';

/** In px: the distance of a frame's head from the visible edge, about the width of a letter, and that of the rest. */
const HEAD = { edge: 4, letter: 7, margin: 34 };

/** Numbers the drawings, so that ids of their elements differ on one page. */
let drawings = 0;

/** The SVG renderer. */
export class SvgRenderer implements Renderer {
  constructor() {
    drawings += 1;
    this._prefix = `tracefn-drawing-${drawings}`;
    this._layer = svg('g');
    this.drawing = svg(
      'svg',
      { class: 'tracefn-drawing', attrs: { 'data-tracefn': 'drawing' } },
      this._layer
    );
    this.element = h('div', { class: 'tracefn-canvas' }, this.drawing);
  }

  readonly element: HTMLElement;

  /** The SVG element itself. */
  readonly drawing: SVGSVGElement;

  draw(scene: Scene): void {
    this._boxes.clear();
    this._edges = scene.edges.map(edge => ({ edge, element: drawEdge(edge) }));
    const boxes = [...scene.boxes.values()].map((placed, i) => {
      const element = drawBox(placed, `${this._prefix}-${i}`);
      this._boxes.set(placed.box.id, element);
      return element;
    });
    this._frames = scene.clusters.map(frame => ({ frame, head: drawHead(frame) }));
    this._clusters = new Map(this._frames.map(({ frame, head }) => [frame.group.id, drawCluster(frame, head)]));
    this._layer.replaceChildren(
      ...this._clusters.values(),
      ...this._edges.map(({ element }) => element),
      ...boxes
    );
    setAttr(this.drawing, 'data-boxes', boxes.length);
  }

  mark(marks: Shown): void {
    const { selected, matches, current, changes, lit, lines, paired } = marks;
    for (const [id, element] of this._boxes) {
      setAttr(element, 'data-selected', id === selected || null);
      setAttr(element, 'data-match', id === current ? 'current' : matches.has(id) || null);
      setAttr(element, 'data-change', changes.get(id));
      setAttr(element, 'data-line', lines.has(id) || null);
      setAttr(element, 'data-paired', paired.has(id) || null);
      setAttr(element, 'data-lit', lit.ancestors.has(id) ? 'ancestor' : lit.descendants.has(id) ? 'descendant' : null);
    }
    for (const [id, element] of this._clusters) {
      setAttr(element, 'data-selected', id === selected || null);
    }
    for (const { edge, element } of this._edges) {
      const { from, to } = edge.edge;
      setAttr(element, 'data-look', edgeLook(marks, from, to));
      setAttr(element, 'data-change', changes.get(edgeKey(from, to)));
    }
  }

  colour(colours: ReadonlyMap<string, string> | null): void {
    for (const [id, element] of this._boxes) {
      const colour = colours?.get(id);
      setAttr(element, 'data-coloured', colour !== undefined);
      element.style.setProperty('--tf-family', colour === undefined ? '' : `var(${colour})`);
    }
  }

  move({ scale, x, y }: Transform): void {
    this._layer.setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
    // The title of a frame that begins beyond the left edge stays in sight.
    for (const { frame: { title, rect: [left, , width] }, head } of this._frames) {
      const room = Math.max(0, width - HEAD.margin - HEAD.letter * title.length);
      const shift = Math.min(room, Math.max(0, HEAD.edge - x / scale - left));
      setAttr(head, 'transform', shift > 0 ? `translate(${shift} 0)` : null);
    }
  }

  /** The id of a box's element, for `aria-activedescendant`. */
  elementId(boxId: string | null): string | null {
    return boxId === null ? null : (this._boxes.get(boxId)?.id ?? null);
  }

  dispose(): void {
    this.element.remove();
  }

  private _prefix: string;
  private _layer: SVGGElement;
  private _boxes = new Map<string, SVGGElement>();
  private _edges: { edge: PlacedEdge; element: SVGGElement }[] = [];
  private _clusters = new Map<string, SVGGElement>();
  private _frames: { frame: PlacedCluster; head: SVGGElement }[] = [];
}

/** A drawing of its own, in its own size. */
export function standalone(scene: Scene): SvgRenderer {
  const renderer = new SvgRenderer();
  renderer.draw(scene);
  const [width, height] = [Math.ceil(scene.width + 16), Math.ceil(scene.height + 16)];
  renderer.move({ scale: 1, x: 8, y: 8 });
  setAttr(renderer.drawing, 'width', width);
  setAttr(renderer.drawing, 'height', height);
  setAttr(renderer.drawing, 'viewBox', `0 0 ${width} ${height}`);
  return renderer;
}

function drawBox({ box, rect: [x, y, width, height] }: PlacedBox, id: string): SVGGElement {
  const { node, group } = box;
  const name = node
    ? [box.title, node.op === box.title ? '' : node.op, typeText(node.dtype, node.shape)]
    : [box.title, group ? t`group of ${counted(group.count, 'node')}` : ''];
  const chip = box.chipOf !== undefined;
  const shape = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: chip ? height / 2 : 5 };
  return svg(
    'g',
    {
      class: chip ? 'tracefn-box tracefn-chip' : 'tracefn-box',
      attrs: {
        id,
        role: 'img',
        'aria-label': name.filter(part => part !== '').join(', '),
        transform: `translate(${x} ${y})`,
        'data-family': box.family,
        'data-tracefn': chip ? 'chip' : group ? 'group' : 'node',
        'data-node': box.id,
        'data-backward': group !== null && isBackward(group)
      }
    },
    group && svg('rect', { class: 'tracefn-box-behind', attrs: { ...shape, x: 3.5, y: 3.5 } }),
    svg('rect', { class: 'tracefn-box-back', attrs: shape }),
    svg('rect', { class: 'tracefn-box-face', attrs: shape }),
    !chip && svg('rect', {
      class: 'tracefn-box-bar',
      attrs: { x: 4, y: 5, width: 3, height: height - 10, rx: 1.5 }
    }),
    svg('text', {
      class: 'tracefn-box-title',
      text: box.title,
      attrs: { x: PADDING.left, y: chip ? PADDING.chip : PADDING.title }
    }),
    box.detail !== '' &&
      svg('text', {
        class: 'tracefn-box-detail',
        text: box.detail,
        attrs: { x: PADDING.left, y: PADDING.detail }
      }),
    group &&
      svg('path', {
        class: 'tracefn-box-sign',
        attrs: { d: `M${width - 16} 13h8m-4 -4v8` }
      })
  );
}

function drawCluster({ group, rect: [x, y, width, height] }: PlacedCluster, head: SVGGElement): SVGGElement {
  return svg(
    'g',
    { class: 'tracefn-cluster', attrs: { 'data-tracefn': 'cluster', 'data-node': group.id, 'data-backward': isBackward(group) } },
    svg('rect', { attrs: { x, y, width, height, rx: 8 } }),
    head
  );
}

/** The sign and the title of a frame. */
function drawHead({ title, rect: [x, y] }: PlacedCluster): SVGGElement {
  return svg(
    'g',
    {},
    svg('path', { class: 'tracefn-box-sign', attrs: { d: `M${x + 9} ${y + 13}h8` } }),
    svg('text', {
      class: 'tracefn-cluster-title',
      text: title,
      attrs: { x: x + 22, y: y + 17 }
    })
  );
}

function drawEdge(edge: PlacedEdge): SVGGElement {
  const tip = tipOf(edge.points);
  const degrees = ((tip?.angle ?? 0) * 180) / Math.PI;
  return svg(
    'g',
    {
      class: 'tracefn-edge',
      attrs: { 'data-tracefn': 'edge', 'data-back': edge.edge.back, 'data-edge': edgeKey(edge.edge.from, edge.edge.to) }
    },
    svg('path', { class: 'tracefn-edge-line', attrs: { d: pathOf(edge.points) } }),
    tip &&
      svg('path', {
        class: 'tracefn-edge-tip',
        attrs: {
          d: `M0 0L${-TIP} ${-TIP / 2}V${TIP / 2}Z`,
          transform: `translate(${tip.at[0]} ${tip.at[1]}) rotate(${degrees})`
        }
      }),
    edge.label &&
      svg('text', {
        class: 'tracefn-edge-label',
        text: edge.edge.label,
        attrs: { x: edge.label[0], y: edge.label[1] + 3.5 }
      })
  );
}

function pathOf(points: readonly Point[]): string {
  const [start, ...rest] = points;
  if (!start) {
    return '';
  }
  return `M${start.join(' ')}C${rest.map(point => point.join(' ')).join(' ')}`;
}
