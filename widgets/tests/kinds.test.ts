import { expect, it } from 'vitest';
import { kindOf } from '../src/views/graph/details/kinds';

it.each([
  ['for line 34 · 6 rounds', 'a loop that was unrolled'],
  ['comprehension line 3', 'a loop that was unrolled'],
  ['round 2', 'a round of a loop that was unrolled'],
  ['cell [1] line 7', 'what a line made'],
  ['kernel 2', 'a native kernel'],
  ['Layer.__call__', 'a call of a function']
])('%s is %s', (label, text) => {
  expect(kindOf({ kind: 'scope', label })).toBe(text);
});
