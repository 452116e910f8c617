/** The kinds of causes in families, each with a colour and a word for it. */

import { Cause } from '../../protocol';
import { Retrace } from '../../store';
import { later, translated } from '../../words';

/** Families of causes, in the order of the legend. `first` is for traces that are no retraces. */
export const FAMILIES = [
  'first',
  'shape',
  'dtype',
  'value',
  'type',
  'structure',
  'identity',
  'outside',
  'memory',
  'gone',
  'eager'
] as const;

/** One of them. */
export type CauseFamily = (typeof FAMILIES)[number];

const LABELS: Readonly<Record<CauseFamily, string>> = {
  first: later`first trace`,
  shape: later`shape`,
  dtype: later`dtype`,
  value: later`Python value`,
  type: later`Python type`,
  structure: later`structure`,
  identity: later`another object`,
  outside: later`outside the arguments`,
  memory: later`memory, device`,
  gone: later`dropped`,
  eager: later`runs eagerly`
};

const FAMILY_OF: Readonly<Record<string, CauseFamily>> = {
  dimension: 'shape',
  rank: 'shape',
  dtype: 'dtype',
  value: 'value',
  type: 'type',
  structure: 'structure',
  length: 'structure',
  keys: 'structure',
  identity: 'identity',
  captured: 'outside',
  guard: 'outside',
  alias: 'memory',
  memory: 'memory',
  device: 'memory',
  cleared: 'gone',
  evicted: 'gone',
  removed: 'gone',
  creating: 'gone',
  eager: 'eager'
};

/** The family in words. */
export function familyLabel(family: CauseFamily): string {
  return translated(LABELS[family]);
}

/** The family of a kind of cause. */
export function familyOf(kind: string): CauseFamily {
  return FAMILY_OF[kind] ?? 'outside';
}

/** The name of a cause in all functions: the argument and the changing part of it, without the values. */
export function causeKey({ path, kind, dimension }: Cause): string {
  return JSON.stringify([path, kind, dimension]);
}

/** The families of a retrace's causes, that of its first cause at the front. No cause means that something outside changed. */
export function familiesOf({ causes }: Retrace): CauseFamily[] {
  const found = causes.map(({ kind }) => familyOf(kind));
  return found.length > 0 ? [...new Set(found)] : ['outside'];
}

/** The family that a trace is coloured by. */
export function colourOf(retrace: Retrace | null): CauseFamily {
  return retrace ? (familiesOf(retrace)[0] as CauseFamily) : 'first';
}
