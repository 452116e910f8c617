/** One stop for the Tab key in a row of buttons; the arrow keys go from one to the next. */

/** Give a row its keys. The result is to be called when buttons were hidden or shown, so that the stop is a visible one. */
export function rovingButtons(row: HTMLElement): () => void {
  const buttons = (): HTMLElement[] => [...row.querySelectorAll<HTMLElement>('button')];
  const shown = (): HTMLElement[] => buttons().filter(button => !button.hidden && button.closest('[hidden]') === null);
  const stop = (at: HTMLElement | undefined): void =>
    buttons().forEach(button => button.setAttribute('tabindex', button === at ? '0' : '-1'));
  row.addEventListener('focusin', event => {
    if (event.target instanceof HTMLButtonElement) {
      stop(event.target);
    }
  });
  row.addEventListener('keydown', event => {
    const all = shown();
    const at = all.indexOf(event.target as HTMLElement);
    const { length } = all;
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + length, Home: 0, End: length - 1 }[event.key];
    if (at >= 0 && to !== undefined) {
      all[to % length]?.focus();
      event.preventDefault();
      event.stopPropagation();
    }
  });
  const refresh = (): void => {
    const all = shown();
    if (!all.some(button => button.getAttribute('tabindex') === '0')) {
      stop(all[0]);
    }
  };
  buttons().forEach(button => button.setAttribute('tabindex', '-1'));
  refresh();
  return refresh;
}
