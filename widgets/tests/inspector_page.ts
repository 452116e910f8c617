/** An inspector in a page, with what it is told and what it tells. */

import { vi } from 'vitest';
import { Inspector } from '../src/inspector';
import { LayoutEngine, LayoutWorker } from '../src/layout';
import { Location } from '../src/protocol';
import { SignatureName, Store } from '../src/store';
import { Host } from '../src/views/common/host';
import { event, started } from './samples';

/** A worker that never answers. */
const silent: LayoutWorker = { onmessage: null, onerror: null, postMessage: () => undefined, terminate: () => undefined };

export class InspectorPage {
  readonly store = new Store();
  readonly jump = vi.fn<(place: Location) => void>();
  readonly chosen: (SignatureName | null)[] = [];
  readonly inspector: Inspector;

  constructor(host: Partial<Host> = {}) {
    vi.stubGlobal('ResizeObserver', class {
      observe(): void {}
      disconnect(): void {}
    });
    this.inspector = new Inspector({
      host: { createEngine: () => new LayoutEngine(() => silent), jump: this.jump, numbers: () => this.store.state.numbers, ...host },
      onSelect: name => this.chosen.push(name)
    });
    document.body.append(this.inspector.element);
    this.store.subscribe(state => this.inspector.update(state));
  }

  dispose(): void {
    this.inspector.dispose();
    vi.unstubAllGlobals();
  }

  all(hook: string): HTMLElement[] {
    return [...this.inspector.element.querySelectorAll<HTMLElement>(`[data-tracefn="${hook}"]`)];
  }

  /** The signature that is marked in the list. */
  selected(): string | null | undefined {
    return this.inspector.element.querySelector('.tracefn-signature[aria-selected=true]')?.getAttribute('data-signature');
  }

  retrace(seq: number, trace: number, text = 'x: shape (2, 3) → (4, 3) at dimension 0'): void {
    const cause = { path: 'x', kind: 'dimension', old: '2', new: '4', text, dimension: 0 };
    const fields = { trace, nearest: 1, nearest_signature: 'f#1/1', causes: [cause], text: `${text}; nearest earlier trace #1` };
    this.store.apply([
      started(seq, trace),
      {
        ...event('retrace.explained', seq + 1, fields, { signature: `f#1/${trace}` }),
        location: { file: 'c', line: 5, cell: 'cell-id', cell_number: 7 }
      }
    ]);
  }
}
