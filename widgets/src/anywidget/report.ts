/**
 * The page of a report: the views on events that are in the file. Queries of views to the kernel are answered from the file, too.
 *
 * `kernel_side/tracefn/reporting.py` writes it. Built as `static/report.js`.
 */

import { Inspector } from '../inspector';
import { decodeEvents, decodeGraphs } from '../protocol';
import { Store } from '../store';
import { createEngine } from './engine';

interface Answer {
  readonly query: string;
  /** The subject of the query, where it is about one function, or one trace. */
  readonly function?: string;
  readonly trace?: number;
  readonly result: unknown;
}

/** The data that `reporting.py` puts into the page. */
interface Data {
  readonly title: string;
  readonly events: unknown;
  readonly graphs: unknown;
  readonly answers: readonly Answer[];
}

/** Show a report in an element. */
export function show(data: Data, place: HTMLElement): Inspector {
  const key = (...parts: unknown[]): string => JSON.stringify(parts);
  const answers = new Map(data.answers.map(answer => [key(answer.query, answer.function, answer.trace), answer.result]));
  const store = new Store();
  const inspector = new Inspector({
    host: {
      createEngine,
      ask: (query, fields) => {
        const found = answers.get(key(query, fields.function, fields.trace));
        return found === undefined ? Promise.reject(new Error('A report does not have that.')) : Promise.resolve(found);
      },
      clearRetraces: all => {
        store.clear(all);
        inspector.update(store.state);
      }
    }
  });
  inspector.element.classList.add('tracefn-widget', 'tracefn-report-page');
  inspector.element.setAttribute('role', 'main');
  place.append(inspector.element);
  const { events, skipped } = decodeEvents(data.events);
  store.apply(events, decodeGraphs(data.graphs), skipped);
  inspector.update(store.state);
  return inspector;
}

const data = document.getElementById('tracefn-data')?.textContent;
if (data) {
  show(JSON.parse(data) as Data, document.body);
}
