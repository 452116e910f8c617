/** Files that are made in the page. */

import { h } from './dom';

/** Offer a text or a picture as a download. */
export function download(name: string, content: string | Blob, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h('a', { attrs: { href: url, download: name } }).click();
  // The download has its own hold on the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
