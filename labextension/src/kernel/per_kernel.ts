/** Something for the kernel of each open notebook. */

import { IKernelModel, ITracefnPanel } from '../tokens';

/** Makes one when a kernel's first notebook opens, and disposes of it when the last one has closed. */
export class PerKernel<T extends { dispose(): void }> {
  constructor(private readonly _make: (model: IKernelModel) => T) {}

  get(model: IKernelModel): T | undefined {
    return this._made.get(model);
  }

  /** To be called when notebooks have opened or closed. */
  follow(notebooks: ITracefnPanel['notebooks']): void {
    const models = new Set(notebooks.map(({ model }) => model));
    for (const [model, made] of this._made) {
      if (!models.has(model)) {
        made.dispose();
        this._made.delete(model);
      }
    }
    for (const model of models) {
      if (!this._made.has(model)) {
        this._made.set(model, this._make(model));
      }
    }
  }

  private readonly _made = new Map<IKernelModel, T>();
}
