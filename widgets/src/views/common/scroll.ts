/** Scrolling within a view, and no farther: the parents of the view stay where they are. */

/**
 * Bring an element into sight of the nearest element around it that scrolls, moving as little as that needs. `above` px at its top
 * are covered by parts that do not scroll along.
 */
export function scrollIntoSight(element: HTMLElement, above = 0): void {
  let around = element.parentElement;
  while (around && !(around.scrollHeight > around.clientHeight && /auto|scroll/.test(getComputedStyle(around).overflowY))) {
    around = around.parentElement;
  }
  if (!around) {
    return;
  }
  const box = element.getBoundingClientRect();
  const room = around.getBoundingClientRect();
  const by = box.top < room.top + above ? box.top - room.top - above : Math.max(0, box.bottom - room.bottom);
  around.scrollTop += by;
}
