/** Which groups are expanded: at first, after a click, and as far as the drawing can bear. */

import { isSource } from './families';
import { allGroups, Group, groupsById, isGroup } from './grouping/groups';

/** More boxes than this are never drawn at once. */
export const MAX_BOXES = 1200;

/** The number of nodes up to which a call opens with the body of a branch or loop around it. */
const MAX_NODES_OPEN = 12;

/** Up to this many boxes groups are open at first. */
export const OPEN_BOXES = 48;

/** Up to this many calls and rounds, and nothing else, are a chain: open, it is no more than its boxes one below the other. */
const MAX_CHAIN = 12;

/**
 * The groups open at first: calls, level by level, as long as the whole level fits, and the chains of the level that does not, such as
 * the layers of a network in a long program. Where all calls fit, branches and loops open, too, from the outside in: a box that
 * holds all of a program shows nothing of it. Ranges stay closed: the program is read before its parts.
 */
export function firstExpanded(root: Group): Set<string> {
  const scopes = openLevels(root, new Set(), isScope);
  if (scopes.rest.length === 0) {
    return openLevels(root, scopes.expanded, group => isScope(group) || isControl(group)).expanded;
  }
  const chains = scopes.rest.filter(isChain);
  return boxesOf(chains) <= OPEN_BOXES ? withOpen(scopes.expanded, chains) : scopes.expanded;
}

/** Open groups level by level, as long as the whole level fits; `rest` is the level that does not. */
function openLevels(root: Group, open: ReadonlySet<string>, opens: (group: Group) => boolean): { expanded: Set<string>; rest: Group[] } {
  let expanded = new Set(open);
  for (;;) {
    const level = closedIn(root, expanded).filter(opens);
    const wider = withOpen(expanded, level);
    if (level.length === 0 || visibleCount(root, wider) > OPEN_BOXES) {
      return { expanded, rest: level };
    }
    expanded = wider;
  }
}

/** The closed groups that are seen. */
function closedIn(root: Group, expanded: ReadonlySet<string>): Group[] {
  return root.children.filter(isGroup).flatMap(group => (expanded.has(group.id) ? closedIn(group, expanded) : [group]));
}

/** The open groups with more of them; a branch or loop opens with its bodies. */
function withOpen(expanded: ReadonlySet<string>, groups: readonly Group[]): Set<string> {
  return new Set([...expanded, ...groups.flatMap(group => [group, ...bodiesOf(group)].map(({ id }) => id))]);
}

/** The number of boxes without any group open that is a picture. */
const MIN_BOXES = 4;

/**
 * The same without its innermost branches and loops, or else its innermost level, which needs less room; null where too little would
 * be seen. Chains, which need little, and what is around them close after the others.
 */
export function lessExpanded(root: Group, expanded: ReadonlySet<string>): Set<string> | null {
  const bodiless = withoutBodies(root, expanded);
  if (bodiless) {
    return bodiless;
  }
  const chains = allGroups(root).filter(group => expanded.has(group.id) && isChain(group));
  const kept = new Set(chains.flatMap(({ id }) => [id, ...ancestors(root, id)]));
  const others = [...expanded].filter(id => !kept.has(id));
  const depths = new Map((others.length > 0 ? others : [...expanded]).map(id => [id, ancestors(root, id).length]));
  const deepest = Math.max(-1, ...depths.values());
  const enough = deepest > 0 || (deepest === 0 && (depths.size < expanded.size || root.children.length >= MIN_BOXES));
  return enough ? new Set([...expanded].filter(id => depths.get(id) !== deepest)) : null;
}

/** Whether a branch or loop is open. */
export function hasOpenBodies(root: Group, expanded: ReadonlySet<string>): boolean {
  return allGroups(root).some(group => isControl(group) && expanded.has(group.id));
}

/** The groups that stay open when the innermost open branches and loops close; null where none is open. */
function withoutBodies(root: Group, expanded: ReadonlySet<string>): Set<string> | null {
  const open = allGroups(root).filter(group => isControl(group) && expanded.has(group.id));
  const depths = new Map(open.map(group => [group, ancestors(root, group.id).length]));
  const deepest = Math.max(...depths.values());
  const closed = new Set(open.filter(group => depths.get(group) === deepest).flatMap(group => [group, ...allGroups(group)].map(({ id }) => id)));
  return open.length > 0 ? new Set([...expanded].filter(id => !closed.has(id))) : null;
}

/** Open or close a group; the group opened longest ago closes when too much would be visible. */
export function toggle(root: Group, expanded: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(expanded);
  if (next.delete(id)) {
    return next;
  }
  // A branch or loop shows its bodies at once, and small calls in them.
  const opening = groupsById(root).get(id);
  const bodies = opening ? bodiesOf(opening) : [];
  const calls = bodies.flatMap(body => body.children.filter(isGroup)).filter(each => isScope(each) && each.count <= MAX_NODES_OPEN);
  const opened = [id, ...[...bodies, ...calls].map(group => group.id)];
  opened.forEach(each => next.add(each));
  const keep = new Set([...opened, ...ancestors(root, id)]);
  for (const candidate of expanded) {
    if (visibleCount(root, next) <= MAX_BOXES) {
      break;
    }
    if (!keep.has(candidate)) {
      next.delete(candidate);
    }
  }
  return next;
}

/** As many groups open as may be drawn at once, outer before inner. `left` counts those that stay closed. */
export function expandAll(root: Group): { expanded: Set<string>; left: number } {
  const expanded = new Set<string>();
  let visible = root.children.length;
  let left = 0;
  const waiting = root.children.filter(isGroup);
  for (let group = waiting.shift(); group; group = waiting.shift()) {
    if (visible + group.children.length - 1 > MAX_BOXES) {
      left += 1;
      continue;
    }
    visible += group.children.length - 1;
    expanded.add(group.id);
    waiting.push(...group.children.filter(isGroup));
  }
  return { expanded, left };
}

/** The ids of the groups around a node or group, outermost first. */
export function ancestors(root: Group, id: string): string[] {
  for (const child of root.children) {
    if (child.id === id) {
      return [];
    }
    if (isGroup(child) && contains(child, id)) {
      return [child.id, ...ancestors(child, id)];
    }
  }
  return [];
}

function isScope({ kind }: Group): boolean {
  return kind === 'scope' || kind === 'repeat';
}

/** Whether a group has but a few calls and rounds, besides values from outside. */
function isChain({ kind, children }: Group): boolean {
  const computed = children.filter(child => isGroup(child) || !isSource(child));
  return kind === 'scope' && computed.length > 1 && computed.length <= MAX_CHAIN && computed.every(child => isGroup(child) && isScope(child));
}

/** How many more boxes groups are when they are open. */
function boxesOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { children }) => sum + children.length - 1, 0);
}

function isControl({ kind }: Group): boolean {
  return kind === 'control';
}

/** The bodies of a branch or loop; no other group has any. */
function bodiesOf({ children }: Group): Group[] {
  return children.filter(isGroup).filter(({ kind }) => kind === 'body');
}

/** Whether a node or group is drawn in a group; nodes of other copies of a repeat are not. */
function contains(group: Group, id: string): boolean {
  return group.children.some(child => child.id === id || (isGroup(child) && contains(child, id)));
}

function visibleCount(root: Group, expanded: ReadonlySet<string>): number {
  return root.children.reduce(
    (sum, child) =>
      sum + (isGroup(child) && expanded.has(child.id) ? visibleCount(child, expanded) : 1),
    0
  );
}
