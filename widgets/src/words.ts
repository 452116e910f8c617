/**
 * The texts of the views in the user's language. A text is written as it is in English, after a `t`: values in it are the
 * `%1`, `%2` of what translators see. Texts of the kernel stay as they are.
 */

/** A translator, such as the bundle of JupyterLab's. */
export interface Translate {
  /** A text with values for `%1`, `%2` and so on; `%%` is a percent sign. */
  __(text: string, ...values: unknown[]): string;
  /** A text for one thing or several, whose number is `%1`. */
  _n(one: string, several: string, count: number, ...values: unknown[]): string;
}

const ENGLISH: Translate = {
  __: (text, ...values) => text.replace(/%(%|\d+)/g, (_, place: string) => (place === '%' ? '%' : String(values[Number(place) - 1]))),
  _n: (one, several, count, ...values) => ENGLISH.__(count === 1 ? one : several, count, ...values)
};

let language = ENGLISH;

/** Have all views speak a language; English, where none is given. A page has one language. */
export function speak(translate: Translate = ENGLISH): void {
  language = translate;
}

/** A text with its values: t`${name} runs eagerly`. Called when it is shown, not while modules load: the language comes later. */
export function t(parts: TemplateStringsArray, ...values: unknown[]): string {
  const text = parts.map(escaped).reduce((before, part, i) => `${before}%${i}${part}`);
  return language.__(text, ...values);
}

/** Marks a text that stands in a table of a module, and is translated when it is shown: `translated(label)`. */
export function later(parts: TemplateStringsArray): string {
  return parts[0] as string;
}

/** A text that was marked with `later`. */
export function translated(text: string): string {
  return text === '' ? '' : language.__(escaped(text));
}

/** A number and a noun, `1 trace` or `2 traces`; `shown` is the number as it is written. */
export function plural(count: number, noun: string, shown: string): string {
  return language._n(`%2 ${noun}`, `%2 ${noun}s`, count, shown);
}

function escaped(text: string): string {
  return text.replaceAll('%', '%%');
}
