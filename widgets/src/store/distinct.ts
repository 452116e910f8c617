/** The distinct parts of the traces of one function: long signatures look alike where they are cut, so that differences come first. */

import { counted } from '../format';
import { Argument } from '../protocol';
import { argumentRuns, signatureText } from './select';
import { Signature } from './state';
import { t } from '../words';

/** One piece of a signature; `differs` where not all traces have it. */
export interface Part {
  readonly text: string;
  readonly differs: boolean;
}

/**
 * The parts of each signature, in the order given: those in which the signatures differ, then the rest, which is only counted
 * where it is more than one. A signature alone is shown whole.
 */
export function distinctParts(signatures: readonly Signature[]): Part[][] {
  const wholes = signatures.map(signatureText);
  const { containers, variants } = differences(signatures);
  const variantsOf = ({ path }: Argument): number => variants.get(path) ?? 0;
  return signatures.map((signature, i) => {
    const { arguments: leaves, retrace } = signature;
    const whole = wholes[i] as string;
    const sizes = tally(leaves.flatMap(({ path }) => containerOf(path) ?? []));
    const paths = new Set(leaves.map(({ path }) => path));
    // A part that differs in most traces says most about each, should the end of the line be cut.
    const differing = leaves
      .filter(leaf => variantsOf(leaf) > 1)
      .sort((a, b) => variantsOf(b) - variantsOf(a));
    const first = [
      // Signatures can differ in parts that no argument's text tells (a list that became a tuple): the retrace's causes do.
      ...(wholes.indexOf(whole) === i ? [] : (retrace?.causes.map(({ text }) => text) ?? [])),
      ...containers.filter(name => !paths.has(name)).map(name => `${name}: ${counted(sizes.get(name) ?? 0, 'value')}`),
      ...argumentRuns(differing)
    ];
    return first.length === 0
      ? [{ text: whole, differs: false }]
      : [
          ...first.map(text => ({ text, differs: true })),
          ...shortened(leaves.filter(leaf => variantsOf(leaf) === 1))
        ];
  });
}

/**
 * The containers that have not the same number of leaves everywhere, and for each path how many variants there are of it. A leaf
 * that only longer containers have has 0: the length tells of it.
 */
function differences(signatures: readonly Signature[]): { containers: string[]; variants: Map<string, number> } {
  const texts = new Map<string, Set<string>>();
  const times = new Map<string, number>();
  const contents = new Map<string, Map<number, Set<string>>>();
  const names = new Set(signatures.flatMap(({ arguments: leaves }) => leaves.flatMap(({ path }) => containerOf(path) ?? [])));
  for (const { arguments: leaves } of signatures) {
    const inside = new Map<string, string[]>();
    for (const { path, text } of leaves) {
      texts.set(path, (texts.get(path) ?? new Set()).add(text));
      times.set(path, (times.get(path) ?? 0) + 1);
      const name = containerOf(path);
      if (name !== null) {
        inside.set(name, [...(inside.get(name) ?? []), path]);
      }
    }
    for (const name of names) {
      const paths = inside.get(name) ?? [];
      const bySize = contents.get(name) ?? new Map<number, Set<string>>();
      contents.set(name, bySize.set(paths.length, (bySize.get(paths.length) ?? new Set()).add(paths.join())));
    }
  }
  const variants = new Map<string, number>();
  for (const [path, { size }] of texts) {
    const missing = times.get(path) !== signatures.length;
    const bySize = [...(contents.get(containerOf(path) ?? '')?.values() ?? [])];
    const told = missing && size === 1 && bySize.length > 1 && bySize.every(paths => paths.size === 1);
    variants.set(path, told ? 0 : size + (missing ? 1 : 0));
  }
  const containers = [...contents].flatMap(([name, bySize]) => (bySize.size > 1 ? [name] : []));
  return { containers, variants };
}

/** The argument that a leaf lies in, or null where it is one itself: `w` of `w[0].x`. */
function containerOf(path: string): string | null {
  return /^([^[.]+)[[.]/.exec(path)?.[1] ?? null;
}

function tally(texts: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  texts.forEach(text => times.set(text, (times.get(text) ?? 0) + 1));
  return times;
}

function shortened(rest: readonly Argument[]): Part[] {
  const runs = argumentRuns(rest);
  const text = runs.length > 1 ? t`… ${rest.length} more the same` : runs[0];
  return text === undefined ? [] : [{ text, differs: false }];
}
