/** The line above a view: which function and signature it shows, their tier, and whether the newest trace is followed. */

import { Selection, Signature, signatureText, State, tierOf, TracedFunction } from '../store';
import { button, h, setAttr, setText } from './common/dom';
import { icon } from './common/icons';
import { filesOf, SaveMenu } from './common/save_menu';
import { wholeText } from './common/signature';
import { t } from '../words';

/** The subject of the line. A view of all functions has no signature. */
export interface Titled {
  readonly builds: State['builds'];
  readonly signature: Signature | null;
  readonly owner: TracedFunction | null;
  readonly selection: Selection;
  /** The page below: it can be saved as files, if `page` is given. */
  readonly page: HTMLElement | null;
}

/** The line. */
export class Title {
  /** `follow` is told whether the newest trace is to be followed from now on. */
  constructor(follow: (newest: boolean) => void) {
    this._name = h('h2', { class: 'tracefn-title-name', attrs: { 'data-tracefn': 'title-name' } });
    this._text = h('span', { class: 'tracefn-title-signature' });
    this._tier = h('span', { class: 'tracefn-badge', attrs: { 'data-tracefn': 'tier' } });
    this._note = h('span', { class: 'tracefn-note tracefn-title-note', attrs: { role: 'status', 'data-tracefn': 'title-note' } });
    this._save = new SaveMenu(
      () => (this._page ? filesOf(this._page) : []),
      () => `${this._name.textContent} ${this._page?.getAttribute('aria-label') ?? ''}`
    );
    this._follow = button(
      { name: t`Follow the newest trace`, class: 'tracefn-follow', text: t`newest`, hook: 'follow', pressed: true },
      () => follow(this._follow.getAttribute('aria-pressed') !== 'true'),
      icon('follow')
    );
    this.element = h(
      'div',
      { class: 'tracefn-title', attrs: { 'data-tracefn': 'title' } },
      this._name,
      this._text,
      this._tier,
      this._note,
      this._save.element,
      this._follow
    );
  }

  readonly element: HTMLElement;

  /** Name the subject; `all` where a view shows all functions. */
  update({ builds, signature, owner, selection, page }: Titled, all: boolean): void {
    if (page !== this._page) {
      this._page = page; // its savable parts are looked up when the menu is reached, and not at each event
      this._save.element.hidden = page === null;
      this._save.refresh();
    }
    const named = all ? null : signature;
    const name = named ? `${owner?.name ?? named.functionId} #${named.trace}` : all ? t`All functions` : t`No signature`;
    setText(this._name, name);
    setAttr(this._name, 'title', named && owner ? owner.key : null);
    this._text.hidden = named === null;
    setText(this._text, named ? signatureText(named) : '');
    setAttr(this._text, 'title', named && wholeText(named));
    const tier = named ? tierOf(named) + (builds.has(named.id) ? t`, compiling` : '') : '';
    setText(this._tier, tier);
    setAttr(this._tier, 'data-kind', named?.status === 'failed' ? 'error' : named?.status === 'ready' ? 'plain' : 'quiet');
    setAttr(this._tier, 'title', named?.status === 'ready' ? tierTitle(named) : null);
    this._tier.hidden = tier === '';
    const waits = !all && selection.missing;
    const missing = owner?.key === selection.chosen?.functionKey ? t`the chosen signature` : shortName(selection);
    setText(this._note, waits ? t`stands in for ${missing}, which was not traced again yet` : '');
    this._note.hidden = !waits;
    setAttr(this._follow, 'aria-pressed', String(selection.chosen === null));
  }

  private _name: HTMLElement;
  private _text: HTMLElement;
  private _tier: HTMLElement;
  private _note: HTMLElement;
  private _save: SaveMenu;
  private _page?: HTMLElement | null;
  private _follow: HTMLElement;
}

/** The meaning of the tier. */
function tierTitle({ plans, kept }: Signature): string {
  const native = plans[plans.length - 1]?.plan === 'native';
  const runs = native ? t`Runs as native code, built by tracefn` : t`Runs as a program of NumPy calls`;
  return kept === '' || native ? runs : t`${runs}. No native code: ${kept}`;
}

/** The name of the chosen function without its module. */
function shortName({ chosen }: Selection): string {
  return chosen?.functionKey.split('.').pop() ?? '';
}
