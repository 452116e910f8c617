/** Files that are made in the page. */

import { h } from './dom';

/** Offer a text as a download. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { attrs: { href: url, download: name } }).click();
  // The download has its own hold on the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
