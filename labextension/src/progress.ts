/** Long first calls of the kernel that the panel shows, for whoever tells of them. */

import { Progress, ProgressClock } from '@tracefn/widgets';
import { ITracefnPanel } from './tokens';

/** Calls `show` with the work under way, as `ProgressClock` does. A kernel that is gone has nothing under way. */
export function followProgress(panel: ITracefnPanel, show: (progress: readonly Progress[]) => void): void {
  const clock = new ProgressClock(show);
  const update = (): void => {
    const { model } = panel;
    clock.update(model?.state === 'live' ? model.store.state : null);
  };
  let stop = (): void => undefined;
  const follow = (): void => {
    stop();
    const { model } = panel;
    model?.changed.connect(update);
    stop = () => void model?.changed.disconnect(update);
    update();
  };
  panel.modelChanged.connect(follow);
  follow();
}
