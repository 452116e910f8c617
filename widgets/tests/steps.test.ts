import { describe, expect, it, vi } from 'vitest';
import { LayoutEngine } from '../src/layout';
import { Graph } from '../src/protocol';
import { Store } from '../src/store';
import { Steps } from '../src/views/graph/steps';
import { event, graphOf, node, started } from './samples';

const STAGES = [
  { name: 'traced', nodes: 2 },
  { name: 'drop dead', nodes: 1 }
];
const GRAPHS: Readonly<Record<string, Graph>> = {
  traced: graphOf([node('a'), node('b', ['a'])]),
  'drop dead': graphOf([node('a')])
};

describe('Steps', () => {
  function make(): { steps: Steps; shown: (string[] | null)[]; ask: ReturnType<typeof vi.fn>; store: Store } {
    const store = new Store();
    store.apply([started(1), event('trace.finished', 2, { ok: true, total_ns: 1, phases: {} })]);
    const shown: (string[] | null)[] = [];
    const ask = vi.fn((query: string, { name }: { name?: string }) =>
      Promise.resolve(
        query === 'stages'
          ? STAGES
          : { ...STAGES.find(s => s.name === name), text: `def <${name}>():\n    return 1\n`, graph: GRAPHS[name ?? ''] }
      )
    );
    const host = { createEngine: () => ({}) as LayoutEngine, ask };
    const steps = new Steps(host, graph => shown.push(graph && graph.nodes.map(({ id }) => id)));
    return { steps, shown, ask, store };
  }

  it('goes through the steps of a trace, and back to the graph that runs', async () => {
    const { steps, shown, ask, store } = make();
    const hook = (name: string): HTMLElement =>
      steps.element.querySelector<HTMLElement>(`[data-tracefn=${name}]`) as HTMLElement;
    steps.offer(store.state.signatures.get('f#1/1') ?? null);
    expect([steps.toggle.hidden, steps.element.hidden]).toEqual([false, true]);
    steps.toggle.click();
    await vi.waitFor(() => expect(shown).toEqual([['a', 'b']]));
    expect([...hook('step').children].map(option => option.textContent)).toEqual(['traced (2 nodes)', 'drop dead (1 node)']);
    expect(hook('step-text').textContent).toContain('def <traced>():');
    hook('step-after').click();
    hook('step-after').click();
    await vi.waitFor(() => expect(shown).toEqual([['a', 'b'], ['a']]));
    expect(ask.mock.lastCall).toEqual(['stage', { function: 'f#1', trace: 1, name: 'drop dead' }]);
    hook('step-before').click();
    steps.toggle.click();
    await Promise.resolve();
    expect(shown.slice(2)).toEqual([null]);
    expect(steps.toggle.getAttribute('aria-pressed')).toBe('false');
  });

  it('colours Python, and not what LLVM is given', async () => {
    const { steps, ask, store } = make();
    steps.offer(store.state.signatures.get('f#1/1') ?? null);
    steps.toggle.click();
    await vi.waitFor(() => expect(steps.element.querySelectorAll('.tracefn-code-keyword')).toHaveLength(2));
    ask.mockResolvedValueOnce({ ...STAGES[1], text: 'define void @and() {\n  ; return #1\n}\n', graph: GRAPHS['drop dead'] });
    steps.element.querySelector<HTMLElement>('[data-tracefn=step-after]')?.click();
    await vi.waitFor(() => expect(steps.element.textContent).toContain('; return #1'));
    expect(steps.element.querySelectorAll('.tracefn-code-keyword, .tracefn-code-comment')).toHaveLength(0);
  });

  it('says why the kernel has no answer, and offers nothing without a trace', async () => {
    const { steps, ask, store } = make();
    steps.offer(null);
    expect(steps.toggle.hidden).toBe(true);
    ask.mockRejectedValueOnce(new Error('The trace 1 is no longer kept.'));
    steps.offer(store.state.signatures.get('f#1/1') ?? null);
    steps.toggle.click();
    await vi.waitFor(() => expect(steps.element.textContent).toContain('no longer kept'));
  });
});
