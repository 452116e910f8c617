/**
 * The anywidget that shows functions, signatures, graphs and retraces of a list of events.
 *
 * Traits (all synced):
 * - `events`: list of dict, events in JSON (`Event.to_json()`), oldest first; set once, at the start. Python → front end.
 * - `graphs`: dict, hash → graph in JSON, for the `graph.built` events among them. Python → front end.
 * - `height`: int, the height in px (say 640). Python → front end.
 * - `selected`: str, the id of the signature shown, '' for the newest. Both ways: the front end sets it when the user chooses.
 *
 * Custom messages, Python → front end (`widget.send`): `{"events": [...], "graphs": {...}, "left_out": {...}}` appends; events already seen (by
 * `seq`) are skipped, so that overlapping sends do no harm. Appended events are not in the traits: a view that is made later
 * shows the content of the traits then. `{"answer": {...}}` is the answer to a query.
 *
 * Custom messages, front end → Python: queries in the form of `docs/protocol.md`.
 *
 * Files: `_esm = static/inspector.js`, `_css = static/tracefn.css`.
 */

import type { Render } from '@anywidget/types';
import { asReport, decodeEvents, decodeGraphs, decodeLeftOut } from '../protocol';
import { Inspector } from '../inspector';
import { Paced } from '../pace';
import { nameOf, Store } from '../store';
import { createEngine } from './engine';
import { WidgetQueries } from './queries';

/** The pause between two updates in ms: the shortest, and the longest while events keep coming. */
const PAUSES = [16, 800] as const;

interface Traits {
  events: unknown;
  graphs: unknown;
  height: number;
  selected: string;
}

const render: Render<Traits> = ({ model, el }) => {
  const store = new Store();
  const queries = new WidgetQueries(model);
  const inspector = new Inspector({
    host: {
      createEngine,
      ask: queries.ask,
      report: async () => asReport(await queries.ask('report', {})),
      stopBuild: signature => queries.ask('stop_build', { signature }),
      clearRetraces: all => {
        store.clear(all);
        draw();
      }
    },
    onSelect: name => {
      model.set('selected', name ? (inspector.selected ?? '') : '');
      model.save_changes();
    }
  });
  inspector.element.classList.add('tracefn-widget');
  el.append(inspector.element);
  const pace = new Paced(...PAUSES);
  let frame = 0;
  const draw = (): void => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => pace.run(() => inspector.update(store.state)));
  };
  const append = (events: unknown, graphs: unknown, leftOut: unknown = {}): void => {
    const decoded = decodeEvents(events);
    store.apply(decoded.events, decodeGraphs(graphs), decoded.skipped);
    store.leaveOut(decodeLeftOut(leftOut));
    draw();
  };
  const restart = (): void => {
    store.reset();
    append(model.get('events'), model.get('graphs'));
  };
  const select = (): void => {
    const selected = model.get('selected');
    const signature = store.state.signatures.get(selected);
    if (selected === '') {
      inspector.restore(null);
    } else if (signature && signature.id !== inspector.selected) {
      inspector.restore(nameOf(store.state, signature));
    }
  };
  const resize = (): void => {
    inspector.element.style.height = `${model.get('height') ?? 640}px`;
  };
  const receive = (message: { events?: unknown; graphs?: unknown; left_out?: unknown; answer?: unknown } | null): void => {
    if (message?.answer !== undefined) {
      queries.receive(message.answer);
    }
    if (message?.events !== undefined) {
      append(message.events, message.graphs, message.left_out);
    }
  };
  model.on('change:events', restart);
  model.on('change:selected', select);
  model.on('change:height', resize);
  model.on('msg:custom', receive);
  resize();
  restart();
  inspector.update(store.state);
  select();
  return () => {
    cancelAnimationFrame(frame);
    pace.cancel();
    model.off('change:events', restart);
    model.off('change:selected', select);
    model.off('change:height', resize);
    model.off('msg:custom', receive);
    inspector.dispose();
  };
};

export default { render };
