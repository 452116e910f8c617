/** Keys of an ARIA tree: up and down move the focus, right and left open and close, Enter and Space act as a click. */

/**
 * Give a tree its keys. Items are its descendants of role `treeitem`; one at a time can be reached with Tab. A click opens and
 * closes an item, or a click on its element with `data-toggle`.
 */
export function treeKeys(tree: HTMLElement): void {
  tree.addEventListener('keydown', event => {
    const item = event.target;
    if (!(item instanceof HTMLElement) || item.getAttribute('role') !== 'treeitem') {
      return;
    }
    if (act(tree, item, event.key)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  tree.addEventListener('focusin', event => {
    const item = event.target;
    if (item instanceof HTMLElement && item.getAttribute('role') === 'treeitem') {
      itemsOf(tree).forEach(other => other.setAttribute('tabindex', other === item ? '0' : '-1'));
    }
  });
}

function act(tree: HTMLElement, item: HTMLElement, key: string): boolean {
  const items = itemsOf(tree);
  const index = items.indexOf(item);
  const expanded = item.getAttribute('aria-expanded');
  switch (key) {
    case 'ArrowDown':
      items[index + 1]?.focus();
      return true;
    case 'ArrowUp':
      items[index - 1]?.focus();
      return true;
    case 'Home':
      items[0]?.focus();
      return true;
    case 'End':
      items[items.length - 1]?.focus();
      return true;
    case 'ArrowRight':
      if (expanded === 'false') {
        toggle(item);
      } else if (expanded === 'true') {
        items[index + 1]?.focus();
      }
      return true;
    case 'ArrowLeft':
      if (expanded === 'true') {
        toggle(item);
      } else {
        parentOf(items, index)?.focus();
      }
      return true;
    case 'Enter':
    case ' ':
      item.click();
      return true;
    default:
      return false;
  }
}

function toggle(item: HTMLElement): void {
  (item.querySelector<HTMLElement>('[data-toggle]') ?? item).click();
}

function itemsOf(tree: HTMLElement): HTMLElement[] {
  const items = [...tree.querySelectorAll<HTMLElement>('[role=treeitem]')];
  return items.filter(item => item.closest('[hidden]') === null);
}

function parentOf(items: readonly HTMLElement[], index: number): HTMLElement | undefined {
  const level = Number(items[index]?.getAttribute('aria-level'));
  return items
    .slice(0, index)
    .reverse()
    .find(item => Number(item.getAttribute('aria-level')) < level);
}
