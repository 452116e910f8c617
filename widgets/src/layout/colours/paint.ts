/** A colouring of a drawing: the colour of each box, the sums on groups, and the legend. */

import { Amounts, Classes, Colouring, Facts } from './colourings';
import { Box, Folded } from '../fold';
import { allGroups, allNodes, Child, Group, isGroup } from '../grouping/groups';
import { standInsOf } from '../stand_ins';
import { cut } from '../../format';
import { t } from '../../words';

/** Colours of classes, where these are not fixed. More classes share them in turn, in the order of their names: neighbours differ. */
const COLOURS = 8;

/** Longer lists of classes in the legend are cut. */
const MAX_TEXT = 48;

/** Steps of the scale of an amount. */
const STEPS = 6;

/** The colour of boxes without a value. */
const NONE = '--tf-unknown';

/** One line of the legend: a CSS variable, and its meaning. */
export interface LegendEntry {
  readonly colour: string;
  readonly text: string;
}

/** Colours are CSS variables. */
export interface Paint {
  readonly colours: ReadonlyMap<string, string>;
  readonly legend: readonly LegendEntry[];
}

/** A sum; `isLeast` where not all of it is known. */
interface Sum {
  readonly amount: number;
  readonly isLeast: boolean;
}

/** The amounts of the nodes and groups of a tree as texts, by id; nothing for classes. */
export function notesOf(root: Group, colouring: Colouring, facts: Facts): Map<string, string> {
  const notes = new Map<string, string>();
  if (colouring.kind === 'amount') {
    const say = (child: Child): void => {
      const sum = sumOf(child, colouring, facts);
      if (sum && sum.amount > 0) {
        notes.set(child.id, `${sum.isLeast ? '≥ ' : ''}${colouring.text(sum.amount)}`);
      }
    };
    allNodes(root).forEach(say);
    [root, ...allGroups(root)].forEach(say);
  }
  return notes;
}

/** The colours of a drawing. */
export function paint({ boxes }: Folded, root: Group, colouring: Colouring, facts: Facts): Paint {
  return colouring.kind === 'class'
    ? paintClasses(boxes, root, colouring, facts)
    : paintAmounts(boxes, root, colouring, facts);
}

function paintClasses(boxes: readonly Box[], root: Group, colouring: Classes, facts: Facts): Paint {
  const counts = new Map<string, number>();
  const valueOf = new Map<string, string | null>();
  const { twins } = standInsOf(root);
  for (const { id, group, node, chipOf } of boxes) {
    const members = group ? allNodes(group) : node ? (twins.get(node.id) ?? [node]) : [];
    const values = new Set<string | null>();
    for (const each of members) {
      const value = colouring.value(each, facts);
      values.add(value);
      if (value !== null && chipOf === undefined) {
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
    }
    const [value = null] = values;
    valueOf.set(id, values.size === 1 ? value : null);
  }
  const classes = [...counts.keys()].sort(byName);
  if (colouring.colour || classes.length <= COLOURS) {
    classes.sort((a, b) => (counts.get(b) as number) - (counts.get(a) as number));
  }
  const colourOf = (value: string): string => colouring.colour?.(value) ?? `--tf-class-${classes.indexOf(value) % COLOURS}`;
  const colours = new Map([...valueOf].map(([id, value]) => [id, value === null ? NONE : colourOf(value)]));
  const named = new Map<string, string[]>();
  for (const value of classes) {
    const colour = colourOf(value);
    named.set(colour, [...(named.get(colour) ?? []), colouring.words?.(value) ?? value]);
  }
  const legend = [...named].map(([colour, texts]) => ({ colour, text: cut(texts.join(', '), MAX_TEXT) }));
  return { colours, legend: [...legend, { colour: NONE, text: t`none, or several` }] };
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true });
}

function paintAmounts(boxes: readonly Box[], root: Group, colouring: Amounts, facts: Facts): Paint {
  const sums = new Map(
    boxes.flatMap(({ id, group, node }) => {
      const sum = group || node ? sumOf((group ?? node) as Child, colouring, facts) : null;
      return sum && sum.amount > 0 ? [[id, sum.amount] as const] : [];
    })
  );
  const all = [...sums.values()];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const colours = new Map<string, string>();
  for (const { id } of boxes) {
    const amount = sums.get(id);
    colours.set(id, amount === undefined ? NONE : `--tf-scale-${stepOf(amount)}`);
  }
  const bounds = [...new Set(all.map(stepOf))].sort((a, b) => a - b);
  const legend = bounds.map(step => ({ colour: `--tf-scale-${step}`, text: `≥ ${colouring.text(least * (most / least) ** (step / STEPS))}` }));
  const total = sumOf(root, colouring, facts);
  const sum = total ? [{ colour: '', text: t`in all ${total.isLeast ? '≥ ' : ''}${colouring.text(total.amount)}` }] : [];
  return { colours, legend: [...legend, ...sum] };

  /** The step of the scale, which is logarithmic. */
  function stepOf(amount: number): number {
    return most === least ? STEPS - 1 : Math.min(STEPS - 1, Math.floor((STEPS * Math.log(amount / least)) / Math.log(most / least)));
  }
}

/** The amount of a node or of all in a group; null where none of it is known. */
function sumOf(child: Child, colouring: Amounts, facts: Facts): Sum | null {
  if (!isGroup(child)) {
    const amount = colouring.value(child, facts);
    return amount === null ? null : { amount, isLeast: false };
  }
  const { repeat, node, children } = child;
  if (!node) {
    return added((repeat ? repeat.copies.flatMap(copy => copy.children) : children).map(each => ownSum(each, colouring, facts)));
  }
  const own = colouring.value(node, facts);
  if (own !== null) {
    return { amount: own, isLeast: false };
  }
  const bodies = children.filter(isGroup).map(body => sumOf(body, colouring, facts));
  if (/^(cond|switch)$/.test(node.op)) {
    const known = bodies.flatMap(sum => sum ?? []);
    const most = known.reduce<Sum | null>((best, sum) => (best && best.amount >= sum.amount ? best : sum), null);
    return most && { ...most, isLeast: known.length < bodies.length || most.isLeast };
  }
  const sum = added(bodies);
  const rounds = node.flow?.rounds ?? '';
  const isLoop = node.op.endsWith('loop') || node.op === 'for_each' || node.op === 'scan';
  if (!sum || !isLoop || !colouring.eachRound) {
    return sum;
  }
  return /^\d+$/.test(rounds) ? { ...sum, amount: sum.amount * Number(rounds) } : { ...sum, isLeast: true };
}

/** The sum of a member of a group: nodes without an amount that hold bodies say nothing themselves. */
function ownSum(child: Child, colouring: Amounts, facts: Facts): Sum | null | 'nothing' {
  const isNothing = isGroup(child) ? child.kind === 'results' : Object.keys(child.bodies).length > 0;
  return isNothing ? 'nothing' : sumOf(child, colouring, facts);
}

function added(sums: readonly (Sum | null | 'nothing')[]): Sum | null {
  const known = sums.flatMap(sum => (sum && sum !== 'nothing' ? sum : []));
  const isLeast = sums.includes(null) || known.some(sum => sum.isLeast);
  return known.length === 0 ? null : { amount: known.reduce((all, { amount }) => all + amount, 0), isLeast };
}
