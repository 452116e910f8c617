import { expect, it, vi } from 'vitest';
import { Pace, Paced } from '../src/pace';

it('is done at once, then with pauses that grow, and at once again after a quiet time', () => {
  const pace = new Pace(50, 1000);
  const pauses: number[] = [];
  let now = 1000;
  for (let i = 0; i < 6; i += 1) {
    now += pace.wait(now);
    pace.done(now, now + 1);
    now += 1;
    pauses.push(pace.wait(now));
  }
  expect(pauses).toEqual([50, 200, 800, 1000, 1000, 1000]);
  now += 3000;
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
  expect(pace.wait(1300)).toBe(200);
  pace.done(1500, 1620);
  expect(pace.wait(1620)).toBe(480);
  pace.lasted(1500, 1700);
  expect(pace.wait(1700)).toBe(800);
});

it('does at its pace what came last, and forgets the rest', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const done: number[] = [];
  const paced = new Paced(16, 1000);
  for (let i = 1; i <= 100; i += 1) {
    paced.run(() => done.push(i));
    vi.advanceTimersByTime(10);
  }
  expect(done.length).toBeLessThan(6);
  vi.advanceTimersByTime(1000);
  expect(done.at(-1)).toBe(100);
  paced.run(() => done.push(101));
  paced.cancel();
  vi.advanceTimersByTime(5000);
  expect(done.at(-1)).toBe(100);
  paced.run(() => done.push(102));
  paced.reset();
  paced.run(() => done.push(103));
  expect(done.slice(-2)).toEqual([102, 103]);
  vi.useRealTimers();
});
