/** The Retraces view in a page, on a kernel that answers it. */

import { vi } from 'vitest';
import { LayoutEngine, LayoutWorker } from '../src/layout';
import { Location, TraceEvent } from '../src/protocol';
import { Store } from '../src/store';
import { Cells, Host } from '../src/views/common/host';
import { RetracesView } from '../src/views/retraces/view';
import { layOut } from './laid_out';
import { event, started } from './samples';

const silent: LayoutWorker = { onmessage: null, onerror: null, postMessage: () => undefined, terminate: () => undefined };

export const FIX = {
  kind: 'input_signature',
  code: 'input_signature=[tracefn.TensorSpec((None, 64), np.float32)]',
  text: 'declare input_signature=[tracefn.TensorSpec((None, 64), np.float32)] and pass n as np.float32(n)',
  short: 'x: (None, 64)',
  casts: { n: 'np.float32(n)' },
  before: 12,
  after: 2
};

/** An answer to `explain`. */
function explanation(fix: object | null): object {
  const cause = { path: 'n', kind: 'value', old: '1', new: '2', text: 'n: 1 → 2 (Python int)', dimension: null };
  const earlier = [2, 1].map(trace => ({ trace, signature: 'x', state: trace === 1 ? 'evicted' : 'kept', causes: [cause] }));
  return {
    headline: 'f retraced (#3, 4.2 ms) in cell [7] line 5: n changed 1 → 2 (Python int). Same graph as #2: do this.',
    verdict: { kind: 'nothing', same_as: 2, text: 'Same graph as #2' },
    signature: 'x: float32[2]',
    phases: { bind: 1000, trace: 2000 },
    earlier,
    fix,
    hint: fix ? '' : 'Pass one array.',
    relaxed: [],
    reads: [{ path: 'global scale', how: 'guard', value: '2' }],
    frozen: ['model.py line 3: print']
  };
}

const WHAT_IF = {
  traces: 12,
  calls: 40,
  cost_ns: 5e6,
  outcomes: [{ policy: 'relaxed dims', arguments: ['x'], traces: 2, saved_ns: 4e6, changes: ['it was not tried'], unverified: '' }]
};

export class RetracesPage {
  readonly store = new Store();
  readonly sent: TraceEvent[] = [];
  readonly asked: [string, object][] = [];
  readonly selected: string[] = [];
  readonly written: Record<string, string>[] = [];
  /** What the kernel answers. */
  fix: object | null = null;
  refusal: string | null = null;

  constructor() {
    vi.useFakeTimers();
    layOut();
  }

  get view(): RetracesView {
    return this._view as RetracesView;
  }

  make(host: Partial<Host> = {}): void {
    const view = new RetracesView({ createEngine: () => new LayoutEngine(() => silent), ...host }, id => this.selected.push(id));
    this._view = view;
    document.body.append(view.element);
    this.store.subscribe(state => view.update(state));
  }

  dispose(): void {
    this._view?.dispose();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    vi.useRealTimers();
  }

  all(hook: string): HTMLElement[] {
    return [...this.view.element.querySelectorAll<HTMLElement>(`[data-tracefn="${hook}"]`)];
  }

  text(hook: string): string | null | undefined {
    return this.all(hook)[0]?.textContent;
  }

  async settle(): Promise<void> {
    await vi.advanceTimersByTimeAsync(500);
  }

  readonly answer: Host['ask'] = (query, fields) => {
    this.asked.push([query, fields]);
    if (query === 'write_fix') {
      return this.refusal === null ? Promise.resolve({ cells: { a: 'new' } }) : Promise.reject(new Error(this.refusal));
    }
    return Promise.resolve(query === 'explain' ? explanation(this.fix) : WHAT_IF);
  };

  readonly cells = (place: Location): Cells | null =>
    place.cell === null ? null : { sources: { a: 'old' }, write: sources => (this.written.push({ ...sources }), 'cell [1]') };

  retrace(trace: number, kind = 'value', options: { name?: string; verdict?: string; cell?: number; id?: string } = {}): void {
    const { name = 'f', verdict = 'nothing', cell = 7, id = 'cell-id' } = options;
    const seq = this.store.state.last + 1;
    const about = { function: `${name}#1`, signature: `${name}#1/${trace}` };
    const cause = { path: 'n', kind, old: '1', new: '2', text: `n: ${kind} changed`, dimension: null };
    const location = { file: 'c', line: 5, cell: id, cell_number: cell };
    const explained = {
      trace,
      nearest: trace - 1,
      nearest_signature: `${name}#1/${trace - 1}`,
      causes: [cause],
      text: `${cause.text}; nearest earlier trace #${trace - 1}`
    };
    const built = { graph_hash: `h${trace}`, nodes_before: 3, nodes_after: 2, passes: [], memory: 1 };
    this.apply([
      { ...started(seq, trace, name), location, defined: { ...location, line: 1 } },
      {
        ...event('retrace.explained', seq + 1, explained, about),
        location
      },
      event('graph.built', seq + 2, { ...built, verdict, same_as: verdict === 'different' ? null : 1 }, about),
      event('trace.finished', seq + 3, { ok: true, total_ns: trace * 1e6, phases: { trace: 1e6 } }, about)
    ]);
  }

  apply(events: TraceEvent[]): void {
    this.sent.push(...events);
    this.store.apply(events);
  }

  private _view: RetracesView | null = null;
}
