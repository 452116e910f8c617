import { describe, expect, it } from 'vitest';
import { Store } from '../src/store';
import { rowsOf, selectRows } from '../src/views/retraces/rows';
import { sharedCauses, SharedCauses } from '../src/views/retraces/shared';
import { event, started } from './samples';

/** Retraces of functions, by the dimension of `batch` that changed. */
function store(...retraces: [name: string, dimension: number][]): Store {
  const made = new Store();
  retraces.forEach(([name, dimension], i) => {
    const trace = i + 2;
    const seq = made.state.last + 1;
    const cause = { path: 'batch', kind: 'dimension', old: `${i}`, new: `${trace}`, text: `batch: ${trace}`, dimension };
    const why = { trace, nearest: 1, nearest_signature: '', causes: [cause], text: cause.text };
    const about = { function: `${name}#1`, signature: `${name}#1/${trace}` };
    made.apply([started(seq, trace, name), event('retrace.explained', seq + 1, why, about)]);
  });
  return made;
}

describe('causes of several functions', () => {
  it('are counted over functions, whatever the lengths, and filter', () => {
    const { state } = store(['f', 0], ['g', 0], ['h', 0], ['h', 0], ['f', 1]);
    const rows = rowsOf(state);
    const [first, ...rest] = sharedCauses(rows);
    expect(first).toMatchObject({ what: 'batch dimension 0', functions: 3, retraces: 4, family: 'shape' });
    expect(rest).toEqual([]);
    const all = { text: '', functionKey: null, families: new Set<never>(), needlessOnly: false, signatures: null, earlierToo: false };
    const found = selectRows(rows, { ...all, cause: first!.key }, 'newest');
    expect(found.map(({ name }) => name)).toEqual(['h', 'h', 'g', 'f']);
  });

  it('have a switch, which goes with them', () => {
    let changes = 0;
    const switches = new SharedCauses(() => (changes += 1));
    switches.update(rowsOf(store(['f', 0], ['g', 0]).state));
    const [button] = switches.element.querySelectorAll('button');
    expect(button?.textContent).toBe('batch dimension 0, in 2 functions');
    button?.click();
    expect(switches.chosen).not.toBeNull();
    expect(changes).toBe(1);
    switches.update([]);
    expect([switches.chosen, switches.element.hidden]).toEqual([null, true]);
  });
});
