import { describe, expect, it } from 'vitest';
import { Store } from '../src/store';
import { colourOf } from '../src/views/retraces/causes';
import { binsOf, roundTimes } from '../src/views/retraces/timeline';
import { started } from './samples';

describe('timeline', () => {
  it('has round times, as many as there is room for', () => {
    expect(roundTimes(64.8e9 * 8, 6)).toEqual([0, 1e11, 2e11, 3e11, 4e11, 5e11]);
    expect(roundTimes(258e6, 7)).toEqual([0, 5e7, 1e8, 1.5e8, 2e8, 2.5e8]);
    expect(roundTimes(0, 7)).toEqual([0]);
  });

  it('puts each trace into one bar, over time and cell by cell', () => {
    const store = new Store();
    const place = { file: 'c', line: 1, cell: 'c' };
    store.apply(
      [1, 2, 3].map(seq => ({
        ...started(seq * 1000, seq),
        location: { ...place, cell_number: 4 - Math.min(seq, 2) }
      }))
    );
    const signatures = [...store.state.signatures.values()];
    const cells = binsOf(signatures, 'cell').map(({ name, signatures: members }) => `${name}: ${members.length}`);
    expect(cells).toEqual(['cell [2]: 2', 'cell [3]: 1']);
    const sizes = binsOf(signatures, 'time').map(({ signatures: members }) => members.length);
    expect(sizes.filter(size => size > 0)).toEqual([1, 1, 1]);
    expect([sizes[0], sizes[sizes.length - 1]]).toEqual([1, 1]);
    expect(colourOf(null)).toBe('first');
  });
});
