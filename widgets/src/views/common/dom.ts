/** Making and updating DOM elements. Text is always set as text: nothing here, and nothing that uses it, parses HTML. */

/** The properties that `h` and `svg` set on a new element. */
export interface Props {
  readonly class?: string;
  readonly text?: string;
  readonly title?: string;
  readonly attrs?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
}

type Content = Node | string | null | false | undefined;

/** A new HTML element. Attributes that are null, undefined or false are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Content[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), props, children);
}

/** A new SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Content[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);
}

function fill<T extends HTMLElement | SVGElement>(
  element: T,
  { class: name, text, title, attrs = {}, on = {} }: Props,
  children: Content[]
): T {
  if (name !== undefined) {
    element.setAttribute('class', name);
  }
  if (text !== undefined) {
    element.textContent = text;
  }
  if (title !== undefined) {
    element.setAttribute('title', title);
  }
  for (const [key, value] of Object.entries(attrs)) {
    setAttr(element, key, value);
  }
  for (const [type, listener] of Object.entries(on)) {
    element.addEventListener(type, listener as EventListener);
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child);
    }
  }
  return element;
}

/** Set an attribute, or remove it where the value is null, undefined or false; touches the DOM only where it differs. */
export function setAttr(
  element: Element,
  key: string,
  value: string | number | boolean | null | undefined
): void {
  if (value === null || value === undefined || value === false) {
    element.removeAttribute(key);
  } else if (element.getAttribute(key) !== String(value)) {
    element.setAttribute(key, String(value));
  }
}

/** Set the text of an element, touching the DOM only where it differs. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Call when the next frame is drawn: the page is laid out then, and to read of it costs nothing. The result calls it off. */
export function afterFrame(call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(call);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** A part of a view that shows one item and can be given another. */
export interface Row<T> {
  readonly element: HTMLElement;
  update(item: T): void;
}

/**
 * Children of an element, one per item, kept by key across updates, so that a click or the focus on a row survives
 * the events that stream in meanwhile. Parts that a row draws once must belong to its key: ids and numbers come again in another
 * kernel, the item itself does not.
 */
export class KeyedRows<T> {
  constructor(
    readonly container: HTMLElement,
    private readonly _key: (item: T) => unknown,
    private readonly _create: (item: T) => Row<T>
  ) {}

  /**
   * Show these items, in this order. At most `most` that were not shown before are added, the last ones; the result is how many
   * are left for the next time.
   */
  update(all: readonly T[], most = Infinity): number {
    const fresh = all.filter(item => !this._rows.has(this._key(item)));
    const left = new Set(fresh.slice(0, Math.max(0, fresh.length - most)));
    const items = left.size > 0 ? all.filter(item => !left.has(item)) : all;
    const keys = items.map(this._key);
    const kept = new Set(keys);
    // Removed rows first: else each row behind them would be moved.
    for (const [key, row] of this._rows) {
      if (!kept.has(key)) {
        row.element.remove();
      }
    }
    const rows = new Map<unknown, Row<T>>();
    let place: Element | null = this.container.firstElementChild;
    for (const [i, item] of items.entries()) {
      const row = this._rows.get(keys[i]) ?? this._create(item);
      row.update(item);
      rows.set(keys[i], row);
      if (row.element === place) {
        place = place.nextElementSibling;
      } else {
        this.container.insertBefore(row.element, place);
      }
    }
    this._rows = rows;
    return left.size;
  }

  private _rows = new Map<unknown, Row<T>>();
}

/** A button with a text or an icon. `name` is the text for screen readers and the tooltip. */
export function button(
  props: { name: string; class?: string; text?: string; hook?: string; pressed?: boolean },
  onClick: (event: MouseEvent) => void,
  ...children: Content[]
): HTMLButtonElement {
  return h(
    'button',
    {
      class: `tracefn-button ${props.class ?? ''}`,
      title: props.name,
      attrs: {
        type: 'button',
        'aria-label': props.text === props.name ? null : props.name,
        'aria-pressed': props.pressed === undefined ? null : String(props.pressed),
        'data-tracefn': props.hook
      },
      on: { click: onClick }
    },
    props.text,
    ...children
  );
}
