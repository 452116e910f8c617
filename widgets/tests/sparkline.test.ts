import { describe, expect, it } from 'vitest';
import { Signature } from '../src/store';
import { retracesOverTime, sparkline } from '../src/views/functions/sparkline';

/** Traces that began at these times, each but the first a retrace. */
function traces(...times: number[]): Signature[] {
  return times.map((startedNs, i) => ({ startedNs, retrace: i === 0 ? null : {} }) as unknown as Signature);
}

describe('the course of retraces', () => {
  it('counts them in twelve parts of the time from the first trace to the newest', () => {
    expect(retracesOverTime(traces(0, 10, 20, 119, 120))).toEqual([0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    expect(retracesOverTime(traces(5, 5))).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(retracesOverTime([]).some(Boolean)).toBe(false);
  });

  it('is drawn from three on, and says so in words', () => {
    const { element, update } = sparkline();
    update(traces(0, 1000));
    expect([element.children.length, element.getAttribute('data-empty')]).toEqual([0, 'true']);
    update(traces(0, 1_000_000, 2_000_000, 3_000_000));
    expect(element.querySelectorAll('rect')).toHaveLength(12);
    expect(element.getAttribute('aria-label')).toBe('3 retraces in 3.00 ms, from the first trace to the newest');
    expect(element.hasAttribute('data-empty')).toBe(false);
    update([]);
    expect(element.children).toHaveLength(0);
  });
});
