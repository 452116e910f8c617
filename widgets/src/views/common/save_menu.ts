/** The choice of a file that a view is saved as. */

import { h } from './dom';
import { download } from './download';
import { icon } from './icons';
import { csvText, drawingOf, hasRows, pngOf, svgText } from './picture';
import { t } from '../../words';

/** A kind of file, and the maker of its content. */
export interface FileKind {
  readonly name: 'SVG' | 'PNG' | 'DOT' | 'CSV';
  readonly make: () => string | Promise<Blob>;
}

const TYPES = { SVG: 'image/svg+xml', PNG: 'image/png', DOT: 'text/vnd.graphviz', CSV: 'text/csv' };

/** The savable parts of a page: its drawing and its tables, as they show. */
export function filesOf(page: HTMLElement): FileKind[] {
  const drawing = drawingOf(page);
  return [...(drawing ? picturesOf(() => svgText(drawing, page)) : []), ...(hasRows(page) ? [{ name: 'CSV', make: () => csvText(page) } as const] : [])];
}

/** A drawing as SVG and as PNG. */
export function picturesOf(text: () => string): FileKind[] {
  return [
    { name: 'SVG', make: text },
    { name: 'PNG', make: () => pngOf(text()) }
  ];
}

/** The menu: an icon that opens a list of kinds. */
export class SaveMenu {
  /** `files` gives the present savable parts, `name` the name of the file, without its ending. */
  constructor(
    private readonly _files: () => readonly FileKind[],
    private readonly _name: () => string
  ) {
    const refresh = (): void => this.refresh();
    this._select = h('select', {
      title: t`Save as a file`,
      attrs: { 'aria-label': t`Save as a file`, 'data-tracefn': 'save' },
      on: { change: () => void this._save(), focus: refresh, pointerenter: refresh }
    });
    this.element = h('span', { class: 'tracefn-button tracefn-save' }, icon('download'), this._select);
    this.refresh();
  }

  readonly element: HTMLElement;

  /** Offer the parts that can be saved by now. */
  refresh(): void {
    const names = this._files().map(({ name }) => name);
    const shown = names.join();
    if (shown !== this._shown) {
      this._shown = shown;
      const first = h('option', { text: names.length === 0 ? t`Nothing to save yet` : t`Save as`, attrs: { value: '', hidden: names.length > 0 } });
      this._select.replaceChildren(first, ...names.map(name => h('option', { text: name, attrs: { value: name } })));
    }
  }

  private async _save(): Promise<void> {
    const kind = this._files().find(({ name }) => name === this._select.value);
    this._select.value = '';
    if (kind) {
      const name = this._name().replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^_+|_+$/g, '') || 'tracefn';
      download(`${name}.${kind.name.toLowerCase()}`, await kind.make(), TYPES[kind.name]);
    }
  }

  private readonly _select: HTMLSelectElement;
  private _shown = '';
}
