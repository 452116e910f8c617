/** The labels of loops that were unrolled. */

import type { Group } from './groups';

const LOOP = /^(for|while|comprehension)( line \d+)?$/;
const ROUNDS = / · \d+ rounds$/;

/** Whether a label, which tells no number of rounds yet, is that of an unrolled loop. */
export function isLoop(label: string): boolean {
  return LOOP.test(label);
}

/** A label without the number of rounds. */
export function withoutRounds(label: string): string {
  return label.replace(ROUNDS, '');
}

/** Whether a group is an unrolled loop with several rounds. */
export function isUnrolled({ kind, label }: Group): boolean {
  return kind === 'scope' && ROUNDS.test(label) && isLoop(withoutRounds(label));
}
