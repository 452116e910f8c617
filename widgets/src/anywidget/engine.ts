/** The layout engine of a page without a server of ours: the worker is started from its own text. */

import { work } from 'inline:worker';
import { LayoutEngine, LayoutWorker } from '../layout';
import type { LayoutAnswer, LayoutRequest, WorkerScope } from '../layout/worker';

/** A new layout engine. */
export function createEngine(): LayoutEngine {
  return new LayoutEngine(createWorker);
}

function createWorker(): LayoutWorker {
  try {
    const url = URL.createObjectURL(new Blob([`(${work.toString()})(self)`], { type: 'text/javascript' }));
    const worker: LayoutWorker = new Worker(url, { name: 'tracefn-layout' });
    return withFallback(worker);
  } catch {
    return pageWorker();
  }
}

/** Some pages refuse blob workers with an error event and not when they are made: then the page does the work. */
function withFallback(worker: LayoutWorker): LayoutWorker {
  let current = worker;
  let answered = false;
  const sent: LayoutRequest[] = [];
  const proxy: LayoutWorker = {
    onmessage: null,
    onerror: null,
    postMessage: request => {
      if (!answered) {
        sent.push(request);
      }
      current.postMessage(request);
    },
    terminate: () => current.terminate()
  };
  worker.onmessage = event => {
    answered = true;
    proxy.onmessage?.(event);
  };
  worker.onerror = event => {
    if (answered) {
      proxy.onerror?.(event);
      return;
    }
    worker.terminate();
    current = pageWorker();
    current.onmessage = answer => proxy.onmessage?.(answer);
    sent.splice(0).forEach(request => current.postMessage(request));
  };
  return proxy;
}

/** The worker's function run on the page. */
function pageWorker(): LayoutWorker {
  let stopped = false;
  const worker: LayoutWorker = {
    onmessage: null,
    onerror: null,
    postMessage: data => scope.onmessage?.({ data } as MessageEvent<LayoutRequest>),
    terminate: () => {
      stopped = true;
    }
  };
  const scope: WorkerScope = {
    onmessage: null,
    postMessage: data => {
      if (!stopped) {
        worker.onmessage?.({ data } as MessageEvent<LayoutAnswer>);
      }
    }
  };
  work(scope);
  return worker;
}
