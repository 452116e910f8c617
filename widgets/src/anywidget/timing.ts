/**
 * The anywidget that shows eager against graph timing.
 *
 * Traits (synced, Python → front end):
 * - `event`: dict, a `timing.measured` event in JSON (`TimingMeasured.to_json()`).
 *
 * It draws plain bars. Plotly would make every instance carry 1.2 MB of state, for a widget's code is part of its state;
 * who wants a Plotly figure has `.figure()` in Python.
 *
 * Files: `_esm = static/timing.js`, `_css = static/tracefn.css`.
 */

import type { Render } from '@anywidget/types';
import { decodeEvent } from '../protocol';
import { h } from '../views/common/dom';
import { timingParts } from '../views/timing/parts';
import { t } from '../words';

interface Traits {
  event: unknown;
}

const render: Render<Traits> = ({ model, el }) => {
  const root = h('div', { class: 'tracefn tracefn-view' });
  el.append(root);
  const draw = (): void => {
    const event = decodeEvent(model.get('event'));
    root.replaceChildren(
      ...(event?.type === 'timing.measured'
        ? timingParts(event)
        : [h('p', { class: 'tracefn-note', text: t`No timing was given.` })])
    );
  };
  model.on('change:event', draw);
  draw();
  return () => model.off('change:event', draw);
};

export default { render };
