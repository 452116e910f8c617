/**
 * The panel on the right: shows the model of the current notebook's kernel. It does nothing while it is hidden, and has no views
 * before a kernel with tracefn is shown.
 */

import { JSONObject } from '@lumino/coreutils';
import { TranslationBundle } from '@jupyterlab/translation';
import { Message as LuminoMessage } from '@lumino/messaging';
import { ISignal, Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { asReport, emptyState, h, Host, Message, messageBox, SignatureName, t } from '@tracefn/widgets';
import type { Inspector } from '@tracefn/widgets';
import { tracefnIcon } from './icon';
import { NotebookKernels } from './kernels';
import { loadViews } from './load';
import { messageFor } from './messages';
import { FollowedNotebook, IKernelModel, ITracefnPanel } from './tokens';

/** The panel. */
export class TracefnPanel extends Widget implements ITracefnPanel {
  constructor(options: TracefnPanel.IOptions) {
    super();
    this._kernels = options.kernels;
    this._trans = options.trans;
    this.id = 'tracefn-panel';
    this.addClass('jp-TracefnPanel');
    this.title.icon = tracefnIcon;
    this.title.caption = this._trans.__('tracefn: traces and graphs');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'tracefn');
    const ask = (query: string, fields: object): Promise<unknown> =>
      this._model?.ask(query, fields as JSONObject) ?? Promise.reject(new Error(t`there is no kernel`));
    this.host = {
      ...options.host,
      numbers: () => this._model?.store.state.numbers ?? new Map<string, number>(),
      requestGraph: hash => this._model?.requestGraph(hash),
      ask,
      report: async () => asReport(await ask('report', {})),
      stopBuild: signature => ask('stop_build', { signature }),
      clearRetraces: all => this._model?.store.clear(all),
      findFix: id => this._model?.findFix(id) ?? Promise.reject(new Error(t`there is no kernel`)),
      measure: (id, trace) => this._model?.measure(id, trace) ?? Promise.reject(new Error(t`there is no kernel`)),
      profile: (id, trace) => this._model?.profile(id, trace) ?? Promise.reject(new Error(t`there is no kernel`)),
      sweep: (id, trace, dimensions) => this._model?.sweep(id, trace, dimensions) ?? Promise.reject(new Error(t`there is no kernel`)),
      interrupt: () => this._model?.interrupt() ?? Promise.resolve()
    };
    this.node.tabIndex = -1;
    this._kernels.changed.connect(this._onKernels, this);
    this._onKernels();
  }

  /** The requests of the shown model's views. */
  readonly host: Host;

  get model(): IKernelModel | null {
    return this._model;
  }

  get modelChanged(): ISignal<this, void> {
    return this._modelChanged;
  }

  get notebooks(): readonly FollowedNotebook[] {
    return this._kernels.notebooks;
  }

  get notebooksChanged(): ISignal<this, void> {
    return this._notebooksChanged;
  }

  /** The id of the signature shown. */
  get selected(): string | null {
    return this._inspector?.selected ?? null;
  }

  /** Select a signature by its id, as the user would. */
  select(id: string): void {
    this._inspector?.select(id);
  }

  /** List the retraces of the latest run of a cell, as soon as there are views. */
  showRetracesOf(cell: string): void {
    this._inspector?.showRetracesOf(cell);
    this._cell = this._inspector ? null : cell;
  }

  /** Light up in the graph the nodes of a cell's line. */
  light(cell: string, line: number): void {
    this._inspector?.light({ file: '', line, cell, cell_number: null });
  }

  /** Which groups of a graph are expanded; undefined where it was not shown. */
  foldsOf(hash: string): ReadonlySet<string> | undefined {
    return this._inspector?.foldsOf(hash);
  }

  /** Move the focus into the panel, where the keys work; not done when the panel opens by itself, beside a cell that is typed in. */
  focus(): void {
    (this._inspector ?? this.node).focus();
    // A panel that has just been opened may be shown with the next frame.
    requestAnimationFrame(() => {
      if (!this.node.contains(document.activeElement)) {
        (this._inspector ?? this.node).focus();
      }
    });
  }

  /** Draw again in the colours of a new theme. */
  restyle(): void {
    this._inspector?.restyle();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      Signal.clearData(this);
      this._inspector?.dispose();
      super.dispose();
    }
  }

  protected override onBeforeShow(message: LuminoMessage): void {
    super.onBeforeShow(message);
    this._isActive = true;
    this._draw();
  }

  protected override onAfterHide(message: LuminoMessage): void {
    super.onAfterHide(message);
    this._isActive = false;
  }

  private _onKernels(): void {
    const model = this._kernels.current;
    if (model !== this._model) {
      this._model?.changed.disconnect(this._draw, this);
      this._model = model;
      model?.changed.connect(this._draw, this);
      this._restored = null;
      this._inspector?.reset();
      this._modelChanged.emit();
    }
    this._notebooksChanged.emit();
    // The saved choices arrive after the model.
    if (model?.selection && model.selection !== this._restored) {
      this._restored = model.selection;
      this._inspector?.restore(model.selection);
    }
    this._draw();
  }

  private _draw(): void {
    if (!this._isActive) {
      return;
    }
    const { _inspector: inspector, _model: model } = this;
    const message = messageFor(model, this._kernels.hasNotebook, this._trans);
    if (inspector) {
      if (model?.state === 'live') {
        inspector.warm();
      }
      inspector.update(model?.store.state ?? emptyState(), message);
      return;
    }
    this._say(message);
    if (model && (model.state === 'live' || model.store.state.functions.size > 0)) {
      void this._load();
    }
  }

  private async _load(): Promise<void> {
    if (this._isLoading) {
      return;
    }
    this._isLoading = true;
    try {
      const { Inspector } = await loadViews();
      if (!this.isDisposed) {
        this._inspect(new Inspector({ host: this.host, onSelect: name => this._saveSelection(name) }));
      }
    } catch (error) {
      const text = this._trans.__('%1. Reload the page.', String(error));
      this._say({ title: this._trans.__('The views could not be loaded'), text, tone: 'warning' });
    } finally {
      this._isLoading = false;
    }
  }

  private _inspect(inspector: Inspector): void {
    const hadFocus = document.activeElement === this.node;
    this._inspector = inspector;
    this.node.replaceChildren(inspector.element);
    this.node.removeAttribute('tabindex');
    inspector.restore(this._restored);
    this._draw();
    if (this._cell !== null) {
      this.showRetracesOf(this._cell);
    }
    if (hadFocus) {
      inspector.focus();
    }
  }

  /** Show a message while there are no views. */
  private _say(message: Message | null): void {
    this.node.replaceChildren(...(message ? [h('div', { class: 'tracefn' }, messageBox(message, 'message'))] : []));
  }

  private _saveSelection(name: SignatureName | null): void {
    this._restored = name;
    this._kernels.saveSelection(name);
  }

  private _kernels: NotebookKernels;
  private _trans: TranslationBundle;
  private _inspector: Inspector | null = null;
  private _isLoading = false;
  private _model: IKernelModel | null = null;
  private _restored: SignatureName | null = null;
  /** The cell whose retraces are wanted. */
  private _cell: string | null = null;
  private _isActive = false;
  private _modelChanged = new Signal<this, void>(this);
  private _notebooksChanged = new Signal<this, void>(this);
}

/** A namespace for the panel's options. */
export namespace TracefnPanel {
  /** The parts that the panel is made from. */
  export interface IOptions {
    readonly kernels: NotebookKernels;
    readonly host: Host;
    readonly trans: TranslationBundle;
  }
}
