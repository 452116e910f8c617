/** Which functions are listed, in which order, and the sums over their traces. */

import { Definitions, definitions, EagerCalls, eagerOf, isCleared, isEarlier, Signature, signaturesOf, State, totals } from '../../store';
import { placeText } from '../../format';
import { later } from '../../words';

/** The orders of the list. */
export const ORDERS = ['traced', 'cost', 'retraces', 'needless', 'calls'] as const;

/** One of them. */
export type Order = (typeof ORDERS)[number];

/** An order in words. */
export const ORDER_NAMES: Readonly<Record<Order, string>> = {
  traced: later`as traced`,
  cost: later`by cost`,
  retraces: later`by retraces`,
  needless: later`by needless cost`,
  calls: later`by calls`
};

/** A function, and the sums over its present traces. */
export interface Entry {
  readonly definitions: Definitions;
  readonly own: readonly Signature[];
  readonly eager: readonly EagerCalls[];
  readonly traces: number;
  readonly calls: number;
  readonly costNs: number;
  readonly retraces: number;
  /** Retraces of now that one graph could have served, and their cost. */
  readonly needless: number;
  readonly needlessNs: number;
}

/** Whether a signature is a retrace of now that one graph could have served. */
export function isNeedless(state: State, { retrace, verdict }: Signature): boolean {
  const judged = verdict !== null && verdict.kind !== 'different';
  return judged && retrace !== null && !isCleared(state, retrace) && !isEarlier(state, retrace);
}

/** The functions whose name, module or place holds every word, in the order asked for. */
export function listed(state: State, filter: string, order: Order): Entry[] {
  const words = filter.toLowerCase().split(/\s+/).filter(word => word !== '');
  const entries = definitions(state)
    .filter(({ newest: { name, key, defined } }) => {
      const text = `${name} ${key} ${defined ? placeText(defined) : ''}`.toLowerCase();
      return words.every(word => text.includes(word));
    })
    .map(item => entryOf(state, item));
  if (order === 'traced') {
    return entries;
  }
  const value = (entry: Entry): number =>
    ({ cost: entry.costNs, retraces: entry.retraces, needless: entry.needlessNs, calls: entry.calls })[order];
  return entries.sort((a, b) => value(b) - value(a));
}

function entryOf(state: State, item: Definitions): Entry {
  const own = signaturesOf(state, item.newest);
  const eager = eagerOf(state, item.newest);
  const needless = own.filter(signature => isNeedless(state, signature));
  return {
    definitions: item,
    own,
    eager,
    ...totals(own, eager, item.newest.forgotten),
    retraces: own.filter(({ retrace }) => retrace !== null).length,
    needless: needless.length,
    needlessNs: needless.reduce((all, { totalNs }) => all + totalNs, 0)
  };
}
