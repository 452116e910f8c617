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
 * The groups open at first: level by level, as long as the whole level fits, and the chains of the level that does not, such as the
 * layers of a network in a long program. Ranges, branches and loops stay closed: the program is read before its parts.
 */
export function firstExpanded(root: Group): Set<string> {
  const expanded = new Set<string>();
  let visible = root.children.length;
  const scopes = (group: Group): Group[] => group.children.filter(isGroup).filter(isScope);
  let level = scopes(root);
  while (level.length > 0) {
    visible += boxesOf(level);
    if (visible > OPEN_BOXES) {
      const chains = level.filter(isChain);
      (boxesOf(chains) <= OPEN_BOXES ? chains : []).forEach(group => expanded.add(group.id));
      break;
    }
    level.forEach(group => expanded.add(group.id));
    level = level.flatMap(scopes);
  }
  return expanded;
}

/** The number of boxes without any group open that is a picture. */
const MIN_BOXES = 4;

/**
 * The same without its innermost level, which needs less room; null where too little would be seen. Chains, which need little, and
 * what is around them close after the others.
 */
export function lessExpanded(root: Group, expanded: ReadonlySet<string>): Set<string> | null {
  const chains = allGroups(root).filter(group => expanded.has(group.id) && isChain(group));
  const kept = new Set(chains.flatMap(({ id }) => [id, ...ancestors(root, id)]));
  const others = [...expanded].filter(id => !kept.has(id));
  const depths = new Map((others.length > 0 ? others : [...expanded]).map(id => [id, ancestors(root, id).length]));
  const deepest = Math.max(-1, ...depths.values());
  const enough = deepest > 0 || (deepest === 0 && (depths.size < expanded.size || root.children.length >= MIN_BOXES));
  return enough ? new Set([...expanded].filter(id => depths.get(id) !== deepest)) : null;
}

/** Open or close a group; the group opened longest ago closes when too much would be visible. */
export function toggle(root: Group, expanded: ReadonlySet<string>, id: string): Set<string> {
  const next = new Set(expanded);
  if (next.delete(id)) {
    return next;
  }
  // A branch or loop shows its bodies at once, and small calls in them.
  const bodies = groupsById(root).get(id)?.children.filter(isGroup).filter(isBody) ?? [];
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

function isBody({ kind }: Group): boolean {
  return kind === 'body';
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
