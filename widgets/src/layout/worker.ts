/** The layout worker's work: DOT text in, positions out. `serve` is the whole of it, so that it can run without a worker, too. */

import { Format, Graphviz } from '@hpcc-js/wasm-graphviz';
import { Placement, readPlacement } from './placement';

/** A layout to make. Without `dot`, Graphviz is loaded and nothing more. */
export interface LayoutRequest {
  readonly id: number;
  readonly dot?: string;
}

/** A layout made, or why it was not. */
export type LayoutAnswer =
  | { readonly id: number; readonly placement: Placement | null }
  | { readonly id: number; readonly error: string };

/** The side of a worker that `serve` needs. */
export interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutRequest>) => void) | null;
  postMessage(answer: LayoutAnswer): void;
}

/** Answer layout requests. */
export function serve(scope: WorkerScope): void {
  const loading = Graphviz.load();
  scope.onmessage = ({ data: { id, dot } }) => {
    loading
      .then(graphviz => {
        const placement =
          dot === undefined ? null : readPlacement(graphviz.layout(dot, 'json0' as Format, 'dot'));
        scope.postMessage({ id, placement });
      })
      .catch((error: unknown) => scope.postMessage({ id, error: String(error) }));
  };
}
