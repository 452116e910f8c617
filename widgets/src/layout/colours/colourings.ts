/** The colourings of boxes: a table, to which more can be added. */

import { amountText, bytesOf, bytesWords, duration } from '../../format';
import { GraphNode } from '../../protocol';
import { familyOf } from '../families';
import type { Kernels } from '../grouping/regroup';
import type { Pairs } from '../pairs';
import type { Times } from './times';
import { later, t, translated } from '../../words';

/** How a pass changed a node that it gives. */
export type PassChange = 'added' | 'changed';

/** Facts about the nodes of a graph besides themselves, by id. */
export interface Facts {
  /** Estimated floating-point operations. */
  flops(): ReadonlyMap<string, number>;
  /** Which nodes are forward and which backward. */
  pairs(): Pairs;
  readonly kernels: Kernels;
  /** The measured time of the call in them. */
  readonly times: Times;
  /** The changes of the pass that made the graph; null where none was compared. */
  readonly changes: ReadonlyMap<string, PassChange> | null;
}

interface Common {
  readonly name: string;
  readonly label: string;
  /** Why it cannot be chosen now; empty where it can. */
  lacks?(facts: Facts): string;
}

/** Nodes in classes, each with a colour of its own. */
export interface Classes extends Common {
  readonly kind: 'class';
  /** The class of a node; null where it has none. */
  value(node: GraphNode, facts: Facts): string | null;
  /** The text of the legend for a class whose value is no words. */
  words?(value: string): string;
  /** The CSS variable of a class that has a fixed colour. */
  colour?(value: string): string;
}

/** Nodes by an amount: the more, the stronger the colour. The amounts of a group are added up. */
export interface Amounts extends Common {
  readonly kind: 'amount';
  /** The amount of a node; null where it is not known. */
  value(node: GraphNode, facts: Facts): number | null;
  /** Whether each round of a loop adds it again, as time does and memory does not. */
  readonly eachRound: boolean;
  text(amount: number): string;
}

/** One way of colouring. */
export type Colouring = Classes | Amounts;

const FAMILIES: Readonly<Record<string, string>> = {
  source: later`from outside`,
  constant: later`constant`,
  elementwise: later`elementwise`,
  reduce: later`reduction`,
  linalg: later`linear algebra, FFT`,
  shape: later`shape`,
  index: later`index, sort`,
  random: later`random`,
  control: later`branch, loop`,
  python: later`call of Python`,
  output: later`result`
};

/** All of them. */
export const COLOURINGS: readonly Colouring[] = [
  {
    name: 'family',
    label: later`kind of op`,
    kind: 'class',
    value: node => (familyOf(node) in FAMILIES ? familyOf(node) : null),
    words: value => translated(FAMILIES[value] ?? value),
    colour: value => `--tf-family-${value}`
  },
  { name: 'dtype', label: later`dtype`, kind: 'class', value: node => node.dtype },
  {
    name: 'bytes',
    label: later`memory`,
    kind: 'amount',
    value: node => (Object.keys(node.bodies).length > 0 ? null : bytesOf(node.dtype, node.shape)),
    eachRound: false,
    text: bytesWords
  },
  {
    name: 'flops',
    label: later`operations`,
    kind: 'amount',
    value: (node, { flops }) => flops().get(node.id) ?? null,
    eachRound: true,
    text: amount => amountText(amount, 'flop')
  },
  {
    name: 'kept',
    label: later`kept for the backward pass`,
    kind: 'amount',
    value: ({ id }, { pairs }) => pairs().kept.get(id) ?? (pairs().kept.has(id) ? null : 0),
    eachRound: false,
    text: bytesWords,
    lacks: ({ pairs }) => (pairs().forward.size === 0 ? t`Nothing here is of a backward pass.` : '')
  },
  {
    name: 'time',
    label: later`time`,
    kind: 'amount',
    value: (node, { times }) => times.get(node.id)?.ns ?? (times.size === 0 || Object.keys(node.bodies).length > 0 ? null : 0),
    eachRound: false,
    text: duration,
    lacks: ({ times }) => (times.size === 0 ? t`Profile the call under Timing to see what each node takes.` : '')
  },
  {
    name: 'kernel',
    label: later`kernel`,
    kind: 'class',
    value: (node, { kernels }) => kernels.get(node.id) ?? null,
    lacks: ({ kernels }) => (kernels.size === 0 ? t`No kernel computes nodes of this graph.` : '')
  },
  {
    name: 'pass',
    label: later`what the pass changed`,
    kind: 'class',
    value: (node, { changes }) => changes?.get(node.id) ?? null,
    words: value => (value === 'added' ? t`added` : t`changed`),
    colour: value => `--tf-${value}`,
    lacks: ({ changes }) =>
      changes === null ? t`Step through the passes to see what each of them changed.` : changes.size === 0 ? t`Nothing here is new or changed.` : ''
  }
];

/** The colouring of a name, or the first one. */
export function colouringOf(name: string): Colouring {
  return COLOURINGS.find(each => each.name === name) ?? (COLOURINGS[0] as Colouring);
}
