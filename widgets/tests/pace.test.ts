import { expect, it } from 'vitest';
import { Pace } from '../src/pace';

it('is done at once, then with pauses that grow, and at once again after a quiet time', () => {
  const pace = new Pace(50, 400);
  const pauses: number[] = [];
  let now = 1000;
  for (let i = 0; i < 6; i += 1) {
    now += pace.wait(now);
    pace.done(now, now + 1);
    now += 1;
    pauses.push(pace.wait(now));
  }
  expect(pauses).toEqual([50, 100, 200, 400, 400, 400]);
  now += 1000;
  expect(pace.wait(now)).toBe(0);
  pace.done(now, now);
  expect(pace.wait(now)).toBe(50);
});

it('rests for four times as long as it took, with what the page did after it, but for the first two times', () => {
  const pace = new Pace(50, 400);
  pace.done(1000, 1100);
  pace.lasted(1000, 1200);
  expect(pace.wait(1200)).toBe(0);
  pace.done(1200, 1300);
  expect(pace.wait(1300)).toBe(100);
  pace.done(1400, 1500);
  expect(pace.wait(1500)).toBe(400);
  pace.lasted(1400, 1600);
  expect(pace.wait(1600)).toBe(800);
});
