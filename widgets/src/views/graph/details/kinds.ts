/** What groups of the graph are, in words. */

import type { Group } from '../../../layout';
import { later, translated } from '../../../words';

const KINDS: Readonly<Record<Group['kind'], string>> = {
  root: later`the whole graph`,
  scope: later`a call of a function`,
  range: later`a stretch of the program`,
  control: later`a branch or loop`,
  body: later`the body of a branch or loop`,
  repeat: later`neighbours that compute the same`,
  results: later`what the function returns`,
  tree: later`values from outside, by the container that holds them`
};

/** What scopes other than calls are, by the beginning of their labels. */
const SCOPES: readonly (readonly [RegExp, string])[] = [
  [/^(for|while|comprehension) line \d/, later`a loop that was unrolled`],
  [/^round \d/, later`a round of a loop that was unrolled`],
  [/ line \d+$/, later`what a line made`],
  [/^kernel \d+$/, later`a native kernel`],
  [/^the same (node|\d+ nodes)$/, later`a pattern that the program repeats`],
  [/^backward pass$/, later`the derivative, from the result back to the arguments`]
];

/** What a group is, in words. */
export function kindOf({ kind, label }: Pick<Group, 'kind' | 'label'>): string {
  return translated((kind === 'scope' && SCOPES.find(([pattern]) => pattern.test(label))?.[1]) || KINDS[kind]);
}
