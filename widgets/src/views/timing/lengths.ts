/** The lengths of a signature that can be the size of a sweep. */

import { cut } from '../../format';
import { Argument } from '../../protocol';
import { t } from '../../words';

/** A path of an argument and an axis of it. */
export type Dimension = readonly [path: string, axis: number];

/** Dimensions that change together, and their names in words. */
export interface Length {
  readonly text: string;
  readonly dimensions: readonly Dimension[];
}

/** Choices beyond these are left out. */
const MOST = 60;

/** Characters of a choice. */
const WIDTH = 70;

/** Lengths that several dimensions share, the longest first; then each dimension alone. Lengths of 1 are broadcast. */
export function lengthsOf(args: readonly Argument[]): Length[] {
  const alone: { dimension: Dimension; length: string }[] = args.flatMap(({ path, shape }) =>
    (shape ?? []).flatMap((length, axis) =>
      length === 0 || length === 1 ? [] : [{ dimension: [path, axis] as const, length: String(length ?? t`any length`) }]
    )
  );
  const shared = new Map<string, Dimension[]>();
  for (const { dimension, length } of alone.filter(({ length }) => length !== 'any length')) {
    shared.set(length, [...(shared.get(length) ?? []), dimension]);
  }
  const together = [...shared].filter(([, dimensions]) => dimensions.length > 1);
  together.sort(([a], [b]) => (Number(b) || 0) - (Number(a) || 0));
  return [
    ...together.map(([length, dimensions]) => ({ text: textOf(length, dimensions), dimensions })),
    ...alone.map(({ dimension, length }) => ({ text: textOf(length, [dimension]), dimensions: [dimension] }))
  ].slice(0, MOST);
}

function textOf(length: string, dimensions: readonly Dimension[]): string {
  return cut(`${length}: ${dimensions.map(([path, axis]) => t`${path} axis ${axis}`).join(', ')}`, WIDTH);
}
