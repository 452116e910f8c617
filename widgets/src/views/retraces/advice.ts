/** What to try where no change is proved: by the kinds of the causes. It is a hint, and is told as one. */

import { Cause } from '../../protocol';

/** A sentence for each kind of cause that has one; `$` stands for the argument. */
const ADVICE: Readonly<Record<string, string>> = {
  length:
    'Pass $ as one array (np.asarray($), or np.stack($) of arrays): its length can then be left open, and a loop over it stays one loop in the graph.',
  keys: 'Pass the same keys at each call, with a default where there is nothing, or only the values that are used.',
  structure: 'Pass the same container at each call: list and tuple are told apart.',
  identity: 'Make $ once and pass the same object, or pass what is read of it (arrays, numbers).',
  type: 'Pass $ as an array of one dtype (np.asarray($, np.float64)): a Python number is part of the key by type and value.',
  value: 'Pass $ as an array (np.asarray($)) where it is only computed with; a number that decides a shape or a branch has to stay.',
  dtype: 'Convert $ once, before the calls ($.astype(np.float64)), so that all calls have one dtype.',
  rank: 'Reshape $ so that all calls have as many dimensions, with length 1 where there is nothing.',
  dimension: 'Declare the length open (input_signature with None at that dimension, or reduce_retracing=True), or pad to a few lengths.',
  guard: 'Pass what changes outside as an argument, or keep it in a tracefn.Variable.',
  captured: 'Pass what changes outside as an argument, or keep it in a tracefn.Variable.'
};

/** Sentences for these causes, each kind once, in their order. */
export function adviceFor(causes: readonly Cause[]): string[] {
  const told = new Map<string, string>();
  for (const { kind, path } of causes) {
    const text = ADVICE[kind];
    if (text !== undefined && !told.has(kind)) {
      told.set(kind, text.replaceAll('$', /^[\w.[\]'"]+$/.test(path) ? path : 'it'));
    }
  }
  return [...told.values()];
}
