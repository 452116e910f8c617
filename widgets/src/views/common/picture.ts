/** The content of a page as files: its drawing as SVG and PNG, its tables as CSV. */

import { toRgba } from './colour';
import { toCsv } from './csv';

/** Properties that CSS gives and a file has to carry itself. */
const SHAPE_PROPERTIES = ['display', 'stroke-width', 'stroke-linecap', 'stroke-dasharray', 'opacity'];
const TEXT_PROPERTIES = ['font-family', 'font-size', 'font-weight', 'text-anchor', 'paint-order'];

/** Pixels of a PNG to one of the page, where that gives no more than MAX_PIXELS. */
const SHARPNESS = 2;
const MAX_PIXELS = 16_000_000;

/** The first drawing of a page that shows; icons are none. */
export function drawingOf(page: HTMLElement): SVGSVGElement | null {
  return [...page.querySelectorAll<SVGSVGElement>('svg:not(.tracefn-icon)')].find(found => found.getBoundingClientRect().width > 0) ?? null;
}

/** The SVG text of a drawing in the page. It looks outside as it does there, on the background of `place`. */
export function svgText(drawing: SVGSVGElement, place: HTMLElement): string {
  const [copy, ...above] = layersOf(drawing).map(styled) as [SVGSVGElement, ...SVGSVGElement[]];
  above.forEach(layer => copy.append(...layer.childNodes));
  const { width, height } = drawing.getBoundingClientRect();
  copy.setAttribute('width', String(Math.ceil(width)));
  copy.setAttribute('height', String(Math.ceil(height)));
  copy.style.backgroundColor = backgroundOf(place);
  return new XMLSerializer().serializeToString(copy);
}

/** A drawing and those that lie on it: Plotly has its legend and the titles of the axes there. */
function layersOf(drawing: SVGSVGElement): SVGSVGElement[] {
  const at = drawing.getBoundingClientRect();
  const others = [...(drawing.parentElement?.querySelectorAll<SVGSVGElement>(':scope > svg') ?? [])].filter(other => {
    const { left, top, width } = other.getBoundingClientRect();
    return other !== drawing && left === at.left && top === at.top && width === at.width;
  });
  return [drawing, ...others];
}

/** A copy that carries its colours and fonts itself. */
function styled(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const parts = [drawing, copy].map(each => [...each.querySelectorAll<SVGElement>('rect, path, text, circle')]);
  parts[0]?.forEach((part, i) => style(parts[1]?.[i] as SVGElement, part, getComputedStyle(part)));
  return copy;
}

function style(copy: SVGElement, part: SVGElement, found: CSSStyleDeclaration): void {
  for (const name of [...SHAPE_PROPERTIES, ...(part instanceof SVGTextElement ? TEXT_PROPERTIES : [])]) {
    copy.setAttribute(name, found.getPropertyValue(name));
  }
  paint(copy, 'fill', found);
  paint(copy, 'stroke', found);
}

/** Give a part its colour in the form that every SVG reader knows. */
function paint(part: Element, name: 'fill' | 'stroke', found: CSSStyleDeclaration): void {
  const colour = found.getPropertyValue(name);
  if (colour === 'none') {
    part.setAttribute(name, 'none');
    return;
  }
  const [r, g, b, alpha] = toRgba(colour);
  const opacity = alpha * Number(found.getPropertyValue(`${name}-opacity`));
  part.setAttribute(name, `rgb(${r},${g},${b})`);
  part.setAttribute(`${name}-opacity`, opacity.toFixed(3));
}

/** The colour behind an element: its own, or that of the nearest one around it that has one. */
function backgroundOf(place: HTMLElement): string {
  for (let at: HTMLElement | null = place; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (toRgba(backgroundColor)[3] > 0) {
      return backgroundColor;
    }
  }
  return '';
}

/** The picture of an SVG text, as sharp as a screen of twice the pixels shows it. */
export async function pngOf(text: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const scale = Math.min(SHARPNESS, Math.sqrt(MAX_PIXELS / (width * height)));
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob(made => (made ? resolve(made) : reject(new Error('no picture')))));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The tables, bars and notices of a page that show. */
function tablesOf(page: HTMLElement): HTMLElement[] {
  return [...page.querySelectorAll<HTMLElement>('table, dl.tracefn-bars, [data-tracefn=notices]')].filter(found => found.closest('[hidden]') === null);
}

/** Whether a page has rows for CSV. */
export function hasRows(page: HTMLElement): boolean {
  return tablesOf(page).some(found => found.querySelector('tr, dt, [data-tracefn=notice]') !== null);
}

/** The tables, bars and notices of a page as CSV, with an empty line between them; empty where it has none. */
export function csvText(page: HTMLElement): string {
  return tablesOf(page)
    .map(rowsIn)
    .filter(rows => rows.length > 0)
    .map(([head = [], ...rows]) => toCsv(head, rows))
    .join('\r\n');
}

function rowsIn(found: HTMLElement): string[][] {
  if (found instanceof HTMLTableElement) {
    return [...found.rows].map(row => textsOf(row.cells));
  }
  if (found.tagName === 'DL') {
    return [...found.querySelectorAll('dt')].map(name => textsOf([name, name.nextElementSibling as Element]));
  }
  return [...found.querySelectorAll('[data-tracefn=notice]')].map(notice => textsOf(notice.children));
}

function textsOf(cells: Iterable<Element>): string[] {
  return [...cells].map(cell => textOf(cell, ' '));
}

/** The text of an element, with spaces where its parts stand apart in the page: those of a cell, and of a row without text between them. */
function textOf(element: Element, between = getComputedStyle(element).display.endsWith('flex') ? ' ' : ''): string {
  const parts = [...element.childNodes].map(part => (part instanceof Element ? textOf(part) : (part.textContent ?? '')));
  const texts = between === '' ? parts : parts.map(part => part.trim()).filter(part => part !== '');
  return texts.join(between);
}
