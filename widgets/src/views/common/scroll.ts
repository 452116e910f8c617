/** Scrolling within a view, and no farther: what holds the view stays where it is. */

/**
 * Bring an element into sight of the nearest element around it that scrolls, moving as little as that needs. `above` px at its top
 * are covered by what does not scroll along.
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
  if (box.top < room.top + above) {
    around.scrollTop -= room.top + above - box.top;
  } else if (box.bottom > room.bottom) {
    around.scrollTop += box.bottom - room.bottom;
  }
}
