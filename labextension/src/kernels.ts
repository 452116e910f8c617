/** Which model belongs to which notebook: one per kernel, however many notebooks share it. */

import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Kernel } from '@jupyterlab/services';
import { IStateDB } from '@jupyterlab/statedb';
import { ISignal, Signal } from '@lumino/signaling';
import { SignatureName } from '@tracefn/widgets';
import { KernelConnection } from './kernel/connection';
import { FollowedNotebook, IKernelModel } from './tokens';

/** Follows all notebooks. */
export class NotebookKernels {
  constructor(
    private readonly _notebooks: INotebookTracker,
    private readonly _states: IStateDB | null
  ) {
    _notebooks.forEach(notebook => this._follow(notebook));
    _notebooks.widgetAdded.connect((_, notebook) => this._follow(notebook), this);
    _notebooks.currentChanged.connect(() => this._changed.emit(), this);
  }

  /** The model of the current notebook's kernel. */
  get current(): IKernelModel | null {
    const notebook = this._notebooks.currentWidget;
    return notebook ? this._modelOf(notebook) : null;
  }

  /** Whether there is a current notebook. */
  get hasNotebook(): boolean {
    return this._notebooks.currentWidget !== null;
  }

  /** All open notebooks that have a kernel, with its model. */
  get notebooks(): readonly FollowedNotebook[] {
    const followed: FollowedNotebook[] = [];
    this._notebooks.forEach(notebook => {
      const model = this._modelOf(notebook);
      if (model) {
        followed.push({ notebook, model });
      }
    });
    return followed;
  }

  /** Emitted when `current`, or the notebooks, may be others. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Emitted with the notebook whose kernel traced its first function while this page listens. */
  get firstTraced(): ISignal<this, NotebookPanel> {
    return this._firstTraced;
  }

  /** Remember, beyond a page reload, the selection for the current notebook. */
  saveSelection(name: SignatureName | null): void {
    const notebook = this._notebooks.currentWidget;
    const model = this.current;
    if (notebook && model) {
      model.selection = name;
      const key = keyOf(notebook);
      void (name ? this._states?.save(key, { ...name }) : this._states?.remove(key));
    }
  }

  private _follow(notebook: NotebookPanel): void {
    const { sessionContext } = notebook;
    void this._enter(notebook, sessionContext.session?.kernel ?? null);
    sessionContext.kernelChanged.connect((_, { newValue }) => {
      void this._enter(notebook, newValue);
    }, this);
  }

  private async _enter(
    notebook: NotebookPanel,
    kernel: Kernel.IKernelConnection | null
  ): Promise<void> {
    if (kernel && !this._models.has(kernel.id)) {
      const model = new KernelConnection(kernel);
      this._models.set(kernel.id, model);
      model.disposed.connect(() => {
        this._models.delete(kernel.id);
        this._takeOver(kernel.id);
        this._changed.emit();
      }, this);
      model.firstTraced.connect(() => {
        if (!notebook.isDisposed) {
          this._firstTraced.emit(notebook);
        }
      }, this);
      const saved = await this._states?.fetch(keyOf(notebook));
      model.selection ??= (saved as unknown as SignatureName | undefined) ?? null;
    }
    this._changed.emit();
  }

  /** A model ends with the connection of its notebook; another notebook on the same kernel has one, too. */
  private _takeOver(kernelId: string): void {
    this._notebooks.forEach(notebook => {
      const kernel = notebook.sessionContext.session?.kernel;
      if (kernel?.id === kernelId && !kernel.isDisposed) {
        void this._enter(notebook, kernel);
      }
    });
  }

  private _modelOf(notebook: NotebookPanel): KernelConnection | null {
    const id = notebook.sessionContext.session?.kernel?.id;
    return (id !== undefined && this._models.get(id)) || null;
  }

  private _models = new Map<string, KernelConnection>();
  private _changed = new Signal<this, void>(this);
  private _firstTraced = new Signal<this, NotebookPanel>(this);
}

function keyOf(notebook: NotebookPanel): string {
  return `@tracefn/labextension:selection:${notebook.context.path}`;
}
