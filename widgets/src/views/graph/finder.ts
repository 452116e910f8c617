/** The search in a drawing: its hits, the present one, and going from one hit to the next. */

import { everyNode, nodesAt } from '../../layout';
import { Location } from '../../protocol';
import { Drawing } from './drawing';
import { Hits } from './search';
import { GraphToolbar } from './toolbar';

/** Finds nodes of the graph that is drawn. */
export class Finder {
  constructor(
    private readonly _drawing: Drawing,
    private readonly _toolbar: GraphToolbar
  ) {}

  /** The nodes found. */
  get ids(): readonly string[] {
    return this._hits.ids;
  }

  /** The node that the search stands at. */
  get current(): string | null {
    return this._hits.current;
  }

  /** Search for the text in the toolbar. */
  find(query = this._toolbar.query): void {
    const { graph } = this._drawing;
    this._hits.find(graph ? everyNode(graph) : [], query);
    this._show();
  }

  /** Find the nodes that a line made; nothing is searched for then. */
  findLine(line: Location): void {
    const { graph } = this._drawing;
    this._toolbar.clearSearch();
    this._hits.take(graph ? nodesAt(graph, line) : []);
    this._show();
  }

  /** Bring the hit into sight at which the search stands, where it is drawn. */
  reveal(): void {
    const { folded, stage } = this._drawing;
    const rect = stage.rectOf(folded?.boxOf.get(this._hits.current ?? '') ?? '');
    if (rect) {
      stage.viewport.reveal(rect, true);
    }
  }

  /** Go to the next hit or the one before; says which it is. */
  step(by: 1 | -1, selected: string | null): string | null {
    const hit = this._hits.step(by, selected);
    if (hit !== null) {
      this._show();
    }
    return hit;
  }

  private _show(): void {
    this._toolbar.showHits(this._hits.at, this._hits.ids.length);
  }

  private readonly _hits = new Hits();
}
