/** The graph's toolbar: search, zoom, groups, table, export. */

import { button, h, setText } from '../common/dom';
import { icon } from '../common/icons';
import { rovingButtons } from '../common/roving';
import { SaveMenu } from '../common/save_menu';
import { SEARCH_KEYS, unknownKey } from './search';
import { t } from '../../words';

/** The actions of the toolbar. */
export interface ToolbarActions {
  search(query: string): void;
  step(by: 1 | -1): void;
  zoom(factor: number): void;
  fit(): void;
  expandAll(): void;
  collapseAll(): void;
  toggleTable(): boolean;
  /** The graph as a file. */
  readonly save: SaveMenu;
  readonly popOut?: () => void;
}

/** The toolbar. */
export class GraphToolbar {
  /** `bars` are the buttons that open bars below. */
  constructor(actions: ToolbarActions, bars: readonly HTMLElement[]) {
    this._search = h('input', {
      class: 'tracefn-search-input',
      attrs: {
        type: 'search',
        placeholder: t`Search nodes`,
        title: t`By name, op, type or scope; or op:tanh shape:(None,64) dtype:f4 line:12 cell:3 name:w in:block`,
        'aria-label': t`Search nodes by name, op, type or scope`,
        'data-tracefn': 'search'
      },
      on: {
        input: () => actions.search(this._search.value),
        keydown: event => {
          if (event.key === 'Enter') {
            actions.step(event.shiftKey ? -1 : 1);
          } else if (event.key === 'Escape') {
            this._search.value = '';
            actions.search('');
          }
          event.stopPropagation();
        }
      }
    });
    this._hits = h('span', {
      class: 'tracefn-search-hits',
      attrs: { 'aria-live': 'polite', 'data-tracefn': 'search-hits' }
    });
    const tableButton = button(
      { name: t`Show as a table`, hook: 'table', pressed: false },
      () => tableButton.setAttribute('aria-pressed', String(actions.toggleTable())),
      icon('table')
    );
    this._groups = h(
      'span',
      { class: 'tracefn-button-group' },
      button({ name: t`Expand all groups`, hook: 'expand-all' }, () => actions.expandAll(), icon('expand')),
      button({ name: t`Collapse all groups`, hook: 'collapse-all' }, () => actions.collapseAll(), icon('collapse'))
    );
    const { popOut } = actions;
    this.element = h(
      'div',
      { class: 'tracefn-toolbar', attrs: { role: 'toolbar', 'aria-label': t`Graph` } },
      h('span', { class: 'tracefn-search' }, icon('search'), this._search, this._hits),
      this._groups,
      h(
        'span',
        { class: 'tracefn-button-group' },
        button({ name: t`Zoom out (−)`, hook: 'zoom-out' }, () => actions.zoom(0.8), icon('minus')),
        button({ name: t`Zoom in (+)`, hook: 'zoom-in' }, () => actions.zoom(1.25), icon('plus')),
        button({ name: t`Fit (0)`, hook: 'fit' }, () => actions.fit(), icon('fit'))
      ),
      h(
        'span',
        { class: 'tracefn-button-group' },
        ...bars,
        tableButton,
        actions.save.element,
        popOut && button({ name: t`Open in the main area`, hook: 'pop-out' }, popOut, icon('open'))
      )
    );
    this._roving = rovingButtons(this.element);
  }

  readonly element: HTMLElement;

  /** The text of the search. */
  get query(): string {
    return this._search.value;
  }

  /** Show where the search stands. `at` counts from 0. */
  showHits(at: number, of: number): void {
    setText(this._hits, of > 0 ? t`${at + 1} of ${of}` : noHits(this._search.value));
  }

  /** Offer the group buttons only where there are groups. */
  showGroups(any: boolean): void {
    this._groups.hidden = !any;
    this._roving();
  }

  /** Empty the search field. */
  clearSearch(): void {
    this._search.value = '';
  }

  /** Put the cursor into the search field. */
  focusSearch(): void {
    this._search.focus();
    this._search.select();
  }

  private _search: HTMLInputElement;
  private _hits: HTMLElement;
  private _groups: HTMLElement;
  private _roving: () => void;
}

/** No node was found: a key that is not known finds nothing, so that the known ones are named. */
function noHits(query: string): string {
  const key = unknownKey(query);
  if (key !== null) {
    return t`no “${key}:”; known: ${SEARCH_KEYS.join(' ')}`;
  }
  return query.trim() === '' ? '' : t`none`;
}
