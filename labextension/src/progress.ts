/** Follows the long first calls of kernels. */

import { Progress, ProgressClock } from '@tracefn/widgets';
import { IKernelModel, ITracefnPanel } from './tokens';

/** Calls `show` with the work under way in one kernel, as `ProgressClock` does. A kernel that is gone has nothing under way. */
export class KernelProgress {
  constructor(
    private readonly _model: IKernelModel,
    show: (progress: readonly Progress[]) => void
  ) {
    this._clock = new ProgressClock(show);
    _model.changed.connect(this._update, this);
    this._update();
  }

  /** What was shown is taken away. */
  dispose(): void {
    this._model.changed.disconnect(this._update, this);
    this._clock.update(null);
  }

  private _update(): void {
    this._clock.update(this._model.state === 'live' ? this._model.store.state : null);
  }

  private readonly _clock: ProgressClock;
}

/** The same of the kernel that the panel shows. */
export function followProgress(panel: ITracefnPanel, show: (progress: readonly Progress[]) => void): void {
  let followed: KernelProgress | null = null;
  const follow = (): void => {
    followed?.dispose();
    followed = panel.model && new KernelProgress(panel.model, show);
  };
  panel.modelChanged.connect(follow);
  follow();
}
