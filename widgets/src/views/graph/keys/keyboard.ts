/** The keys of the drawing. */

import { Direction } from './navigate';

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right'
};

/** The actions of the keys. */
export interface KeyActions {
  move(direction: Direction): void;
  open(): void;
  escape(): void;
  zoom(factor: number): void;
  fit(): void;
  search(): void;
  toggleGroup(): void;
  toggleAll(): void;
  toggleFolding(): void;
  toggleDirection(): void;
  togglePin(): void;
  help(): void;
}

/** Call the actions for the keys pressed in an element; keys with Ctrl, Meta or Alt are the browser's. */
export function listenToKeys(element: HTMLElement, actions: KeyActions): void {
  const keys: Readonly<Record<string, () => void>> = {
    Enter: () => actions.open(),
    ' ': () => actions.open(),
    Escape: () => actions.escape(),
    '+': () => actions.zoom(1.25),
    '=': () => actions.zoom(1.25),
    '-': () => actions.zoom(0.8),
    '0': () => actions.fit(),
    f: () => actions.fit(),
    e: () => actions.toggleGroup(),
    E: () => actions.toggleAll(),
    r: () => actions.toggleFolding(),
    d: () => actions.toggleDirection(),
    p: () => actions.togglePin(),
    '?': () => actions.help(),
    '/': () => actions.search()
  };
  element.addEventListener('keydown', event => {
    const direction = ARROWS[event.key];
    const act = direction ? () => actions.move(direction) : keys[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
      act();
      event.preventDefault();
      event.stopPropagation();
    }
  });
}
