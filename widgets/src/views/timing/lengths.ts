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

/** Characters of the names in a choice. */
const WIDTH = 64;

interface Found {
  readonly dimension: Dimension;
  readonly length: string;
}

/**
 * Lengths that several dimensions share, the longest first; then each dimension, those of whole arguments before those of the parts of
 * containers. The parts of a list that are alike, as the weights of layers, are one choice. Lengths of 1 are broadcast.
 */
export function lengthsOf(args: readonly Argument[]): Length[] {
  const alone: Found[] = args.flatMap(({ path, shape }) =>
    (shape ?? []).flatMap((length, axis) =>
      length === 0 || length === 1 ? [] : [{ dimension: [path, axis] as const, length: String(length ?? t`any length`) }]
    )
  );
  const shared = inGroups(alone.filter(({ length }) => length !== t`any length`), ({ length }) => length);
  shared.sort(([a], [b]) => (Number(b?.length) || 0) - (Number(a?.length) || 0));
  const each = inGroups(alone, ({ dimension, length }) => `${nameOf(dimension)} ${length}`);
  const isWhole = ([first]: readonly Found[]): boolean => first !== undefined && !first.dimension[0].includes('[');
  const several = shared.filter(group => group.length > 1);
  const known = new Set(several.map(keyOf));
  const others = [...each.filter(isWhole), ...each.filter(group => !isWhole(group))].filter(group => !known.has(keyOf(group)));
  return [...several, ...others].slice(0, MOST).map(group => ({ text: textOf(group), dimensions: group.map(({ dimension }) => dimension) }));
}

function inGroups(all: readonly Found[], key: (found: Found) => string): Found[][] {
  const groups = new Map<string, Found[]>();
  for (const found of all) {
    const group = groups.get(key(found));
    if (group) {
      group.push(found);
    } else {
      groups.set(key(found), [found]);
    }
  }
  return [...groups.values()];
}

function keyOf(group: readonly Found[]): string {
  return group.map(({ dimension }) => dimension.join(' ')).join();
}

/** A name that the parts of a list share: `layers[…]['w'] axis 0`. */
function nameOf([path, axis]: Dimension): string {
  return t`${path.replace(/\[\d+\]/g, '[…]')} axis ${axis}`;
}

/** The length and the names of its dimensions, as many as there is room for. */
function textOf(group: readonly Found[]): string {
  const named = inGroups(group, ({ dimension }) => nameOf(dimension));
  const names = named.map(([first, ...more]) => (first && more.length > 0 ? nameOf(first.dimension) : t`${first?.dimension[0]} axis ${first?.dimension[1]}`));
  names.sort((a, b) => Number(a.includes('[')) - Number(b.includes('[')));
  let shown = names.length;
  while (shown > 1 && names.slice(0, shown).join(', ').length > WIDTH) {
    shown--;
  }
  const rest = names.length - shown;
  return `${group[0]?.length}: ${cut(names.slice(0, shown).join(', '), WIDTH)}${rest > 0 ? t` and ${rest} more` : ''}`;
}
