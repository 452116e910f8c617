/**
 * Whether values of two copies are of one type. Lengths that values decide, as of `x[mask]`, have a name each (`k1`, `k2`): those of one
 * copy are equal to those of the other if its names can stand for them.
 */

import { Dimension, GraphNode } from '../../protocol';

/** The names of one copy, and those that stand for them in another. */
export class Names {
  /** Whether a text has the names that stand for those of another, which new ones do from now on. */
  matches(one: string, other: string): boolean {
    const [names, others] = [one.match(NAME) ?? [], other.match(NAME) ?? []];
    return (
      one.replace(NAME, '') === other.replace(NAME, '') &&
      names.length === others.length &&
      names.every((name, i) => this._standsFor(name, others[i] as string))
    );
  }

  private _standsFor(name: string, other: string): boolean {
    const [known, back] = [this._others.get(name) ?? other, this._names.get(other) ?? name];
    this._others.set(name, known);
    this._names.set(other, back);
    return known === other && back === name;
  }

  private readonly _others = new Map<string, string>();
  private readonly _names = new Map<string, string>();
}

const NAME = /[a-zA-Z_]\w*/g;

/** Whether two values have one dtype, kind and shape; with `names`, apart from the names of lengths. */
export function isOfOneType(a: GraphNode, b: GraphNode, names?: Names): boolean {
  const [one, other] = [a.shape, b.shape];
  const isOne = (dim: Dimension, i: number): boolean => isOneLength(dim, (other ?? [])[i], names);
  const sameShape = one === other || (one?.length === other?.length && (one?.every(isOne) ?? false));
  return a.dtype === b.dtype && a.kind === b.kind && sameShape;
}

function isOneLength(one: Dimension, other: Dimension | undefined, names: Names | undefined): boolean {
  return names && typeof one === 'string' && typeof other === 'string' ? names.matches(one, other) : one === other;
}
