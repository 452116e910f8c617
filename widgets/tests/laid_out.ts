/** Gives elements a height, as jsdom lays nothing out: tables would have no row in sight. */

import { vi } from 'vitest';

export function layOut(): void {
  vi.stubGlobal('ResizeObserver', class {
    constructor(private readonly _measured: () => void) {}
    observe(): void {
      this._measured();
    }
    disconnect(): void {}
  });
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(280);
}
