/** The names of groups. */

import { isSource } from '../families';
import { Child, Group, isGroup } from './groups';

/** The name of a group at its place: that of a stretch says of what it is one. */
export function groupName(group: Group): string {
  if (group.kind !== 'range') {
    return group.label;
  }
  const parts = partsOf(group).filter(part => isGroup(part) || !isSource(part));
  const rounds = parts.map(roundOf);
  if (rounds.length > 0 && rounds.every(round => round !== '')) {
    return `rounds ${rounds[0]}–${rounds[rounds.length - 1]}`;
  }
  return `${parts.some(isGroup) ? 'parts' : 'nodes'} ${group.label}`;
}

/** The children of a group; those of a stretch, and the copies of a repeat, in their place. */
function partsOf({ children }: Group): Child[] {
  return children.flatMap<Child>(child => {
    if (!isGroup(child)) {
      return child;
    }
    return child.kind === 'range' ? partsOf(child) : (child.repeat?.copies ?? child);
  });
}

/** The number of a round; empty for anything else. */
function roundOf(part: Child): string {
  return (isGroup(part) && /^round (\d+)$/.exec(part.label)?.[1]) || '';
}
