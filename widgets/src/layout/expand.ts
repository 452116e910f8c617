/** Which groups are expanded: at first, after a click, and as far as the drawing can bear. */

import { Group, groupsById, isGroup } from './grouping/groups';

/** More boxes than this are never drawn at once. */
export const MAX_BOXES = 1200;

/** The number of nodes up to which a call opens with the body of a branch or loop around it. */
const MAX_NODES_OPEN = 12;

/** Up to this many boxes groups are open at first. */
export const OPEN_BOXES = 48;

/**
 * The groups open at first: level by level, as long as the whole level fits. Ranges, branches and
 * loops stay closed: the program is read before its parts.
 */
export function firstExpanded(root: Group): Set<string> {
  const expanded = new Set<string>();
  let visible = root.children.length;
  const scopes = (group: Group): Group[] => group.children.filter(isGroup).filter(isScope);
  let level = scopes(root);
  while (level.length > 0) {
    visible += level.reduce((sum, group) => sum + group.children.length - 1, 0);
    if (visible > OPEN_BOXES) {
      break;
    }
    level.forEach(group => expanded.add(group.id));
    level = level.flatMap(scopes);
  }
  return expanded;
}

/** The number of boxes without any group open that is a picture. */
const MIN_BOXES = 4;

/** The same without its innermost level, which needs less room; null where too little would be seen. */
export function lessExpanded(root: Group, expanded: ReadonlySet<string>): Set<string> | null {
  const depths = new Map([...expanded].map(id => [id, ancestors(root, id).length]));
  const deepest = Math.max(-1, ...depths.values());
  return deepest > 0 || (deepest === 0 && root.children.length >= MIN_BOXES) ? new Set([...expanded].filter(id => (depths.get(id) as number) < deepest)) : null;
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
