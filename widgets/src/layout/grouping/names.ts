/** The names of groups. */

import { t } from '../../words';
import { isSource } from '../families';
import { Child, Group, isGroup } from './groups';

/** The title of a group. That of a range names its content: rounds, parts or nodes. */
export function groupName(group: Group): string {
  if (group.kind !== 'range') {
    return group.label;
  }
  const parts = partsOf(group).filter(part => isGroup(part) || !isSource(part));
  const rounds = parts.map(roundOf);
  if (rounds.length > 0 && rounds.every(round => round !== '')) {
    return t`rounds ${rounds[0]}–${rounds[rounds.length - 1]}`;
  }
  return parts.some(isGroup) ? t`parts ${group.label}` : t`nodes ${group.label}`;
}

/** The children of a group, with ranges replaced by their children and repeats by their copies. */
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
