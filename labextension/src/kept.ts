/** The setting of how many bytes of arguments kernels keep to be measured with. */

import { IKernelModel, ITracefnPanel } from './tokens';

const MEGABYTE = 1e6;

/** Sets the budget in the kernels of all notebooks. A kernel without one from here keeps its own setting. */
export class KeptArguments {
  constructor(private readonly _panel: ITracefnPanel) {
    _panel.notebooksChanged.connect(this._follow, this);
    this._follow();
  }

  /** Set the budget of all kernels, in megabytes. 0 resets only kernels whose budget was set here. */
  keep(megabytes: number): void {
    this._size = Math.round(megabytes * MEGABYTE);
    this._follow();
  }

  private _follow(): void {
    for (const { model } of this._panel.notebooks) {
      model.changed.connect(this._tell, this);
      this._tell(model);
    }
  }

  private _tell(model: IKernelModel): void {
    if (model.state !== 'live') {
      this._told.delete(model); // the next process knows nothing of it
    } else if ((this._told.get(model) ?? 0) !== this._size) {
      this._told.set(model, this._size);
      model.ask('configure', { kept_arguments: this._size }).catch(() => undefined); // of an older tracefn, which has no such setting
    }
  }

  private _size = 0;
  private readonly _told = new WeakMap<IKernelModel, number>();
}
