/** Time: the phases of the first call, the calls since, eager against graph, and where the time goes, once measured. */

import { counted, duration } from '../../format';
import { withBodies } from '../../layout';
import { EventOf, Graph } from '../../protocol';
import { Signature } from '../../store/index';
import { themeColours, toRgba } from '../common/colour';
import { h } from '../common/dom';
import { messageBox } from '../common/empty';
import { Figure, Host } from '../common/host';
import { ButtonJob, Jobs } from './jobs';
import { comparison, phaseParts } from './parts';
import { ProfileBy, profileParts } from './profile';
import { SweepView } from './sweep';
import { t } from '../../words';

/** The timing of one signature. */
export class TimingView {
  /** `showNode` shows a node of the signature's graph. */
  constructor(
    private readonly _host: Host,
    private readonly _showNode?: (nodeId: string) => void
  ) {
    this._jobs = new Jobs(_host, jobs(_host));
    this._sweep = new SweepView(_host, this._jobs);
    this._content = h('div');
    this.element = h(
      'div',
      { class: 'tracefn-view', attrs: { 'data-tracefn': 'timing' } },
      this._jobs.element,
      this._content,
      this._sweep.element
    );
  }

  readonly element: HTMLElement;

  /** Show a signature; its graph tells the ops and functions of its profile's steps. */
  update(signature: Signature | null, graph: Graph | null = null): void {
    this._drawn = [signature, graph];
    const ready = signature?.status === 'failed' ? null : signature;
    this._jobs.offer(ready);
    this._sweep.update(ready);
    const shown = JSON.stringify([
      signature?.id,
      signature?.status,
      signature?.phases,
      signature?.calls,
      signature?.timing?.seq,
      signature?.profile?.seq,
      graph?.hash,
      this._by
    ]);
    if (shown === this._shown) {
      return;
    }
    this._shown = shown;
    const parts = signature ? this._parts(signature, graph) : [];
    const none =
      signature?.status === 'failed'
        ? messageBox({
            title: t`Nothing to time`,
            text: t`The trace failed: Graph and Notices show where.`
          })
        : messageBox({
            title: t`No timing yet`,
            text: t`The phases of a first call show here, and eager against graph once it is measured.`,
            code: 'tracefn.timing.compare(f, x)'
          });
    this._content.replaceChildren(...(parts.length > 0 ? parts : [none]));
  }

  /** Draw again at the next update, in the colours of a new theme. */
  restyle(): void {
    this._shown = '';
    this._plotted = null;
  }

  dispose(): void {
    this._dropPlot();
    this.element.remove();
  }

  private _parts(signature: Signature, graph: Graph | null): Node[] {
    const { timing, profile, calls } = signature;
    const parts = timing ? [...comparison(timing), this._plot(timing)] : [];
    if (profile) {
      const links = { host: this._host, showNode: this._showNode, graph: graph && withBodies(graph), by: this._by };
      parts.push(...profileParts(profile, { ...links, choose: by => this._choose(by) }));
    }
    parts.push(...phaseParts({ ...signature.phases, ...timing?.phases }));
    if (calls.count > 0) {
      const mean = calls.timed > 0 ? t`, ${duration(calls.timed_ns / calls.timed)} on average` : '';
      parts.push(note(t`${counted(calls.count, 'call')} so far${mean}`));
    }
    if (!timing && parts.length > 0 && !this._host.measure) {
      parts.push(
        note(t`Eager against graph was not measured: tracefn.timing.compare(f, …) or %%tracefn --time does it.`)
      );
    }
    return parts;
  }

  private _choose(by: ProfileBy): void {
    this._by = by;
    this.update(...this._drawn);
    this._content.querySelector<HTMLElement>(`[data-tracefn=profile-by-${by}]`)?.focus();
  }

  /** The plot of a measurement; it stays as it is while other numbers change. */
  private _plot(timing: EventOf<'timing.measured'>): HTMLElement {
    if (this._plotted?.timing === timing) {
      return this._plotted.element;
    }
    const element = h('div', { class: 'tracefn-plot', attrs: { 'data-tracefn': 'plot' } });
    this._plotted = { timing, element };
    this._dropPlot();
    const { plot } = this._host;
    if (!plot) {
      element.hidden = true;
      return element;
    }
    let dropped = false;
    this._dropPlot = () => {
      dropped = true;
    };
    // The element has no width, and no colours, before it is in the document.
    requestAnimationFrame(() => {
      if (dropped) {
        return;
      }
      plot(element, figure(timing, element)).then(
        remove => {
          if (dropped) {
            remove();
          } else {
            this._dropPlot = remove;
          }
        },
        () => {
          element.hidden = true; // The bars already say it all.
        }
      );
    });
    return element;
  }

  private _jobs: Jobs;
  private _sweep: SweepView;
  private _content: HTMLElement;
  private _plotted: { timing: EventOf<'timing.measured'>; element: HTMLElement } | null = null;
  private _dropPlot: () => void = () => undefined;
  private _shown = '';
  private _by: ProfileBy = 'step';
  private _drawn: [Signature | null, Graph | null] = [null, null];
}

/** The jobs of timing for a signature. */
function jobs(host: Host): readonly ButtonJob[] {
  return [
    {
      name: t`Measure`,
      again: t`Measure again`,
      hook: 'measure',
      busy: t`Measuring eager code, the NumPy program and native code…`,
      failed: t`It was not measured`,
      run: host.measure,
      isDone: ({ timing }) => timing !== null
    },
    {
      name: t`Profile`,
      again: t`Profile again`,
      hook: 'profile-button',
      busy: t`Running the call with a clock around each step…`,
      failed: t`It was not profiled`,
      run: host.profile,
      isDone: ({ profile }) => profile !== null
    }
  ];
}

function note(text: string): HTMLElement {
  return h('p', { class: 'tracefn-note', text });
}

/** The total time after n calls, eager and graph: where the lines cross, tracing has paid for itself. */
function figure(timing: EventOf<'timing.measured'>, element: Element): Figure {
  const theme = themeColours(element);
  const colour = (variable: string): string => {
    const [r, g, b, a] = toRgba(theme(variable));
    return `rgba(${r}, ${g}, ${b}, ${a.toFixed(3)})`;
  };
  const first = Object.values(timing.phases).reduce((sum, ns) => sum + ns, 0);
  const eager = timing.eager_ns[1];
  const graph = timing.graph_ns[1];
  const end = Math.max(10, Math.ceil((timing.break_even ?? first / Math.max(eager, 1)) * 2));
  const most = Math.max(eager * end, first + graph * end);
  const [unit, unitName] = most > 1e9 ? [1e9, 's'] : most > 1e6 ? [1e6, 'ms'] : [1e3, 'µs'];
  const line = (name: string, start: number, slope: number, color: string): object => ({
    type: 'scatter',
    mode: 'lines',
    name,
    x: [1, end],
    y: [(start + slope) / unit, (start + slope * end) / unit],
    line: { color, width: 2 },
    hovertemplate: `%{x} calls: %{y:.4g} ${unitName}<extra>${name}</extra>`
  });
  const axis = (text: string): object => ({
    title: { text, font: { size: 11 } },
    gridcolor: colour('--tf-grid'),
    zerolinecolor: colour('--tf-line'),
    tickfont: { size: 10 },
    rangemode: 'tozero',
    fixedrange: true
  });
  return {
    data: [
      line(t`eager`, 0, eager, colour('--tf-eager')),
      line(t`graph, with its trace`, first - graph, graph, colour('--tf-graph'))
    ],
    layout: {
      height: 220,
      margin: { l: 52, r: 8, t: 8, b: 36 },
      paper_bgcolor: 'rgba(0,0,0,0)',
      plot_bgcolor: 'rgba(0,0,0,0)',
      font: { family: getComputedStyle(element).fontFamily, size: 11, color: colour('--tf-text-muted') },
      xaxis: axis(t`calls`),
      yaxis: axis(t`total time (${unitName})`),
      legend: { orientation: 'h', x: 0, y: 1.14 },
      showlegend: true
    }
  };
}
