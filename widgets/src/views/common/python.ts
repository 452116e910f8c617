/** Python source as lines of coloured spans. A scanner, not a parser: enough to read a program by. */

import { h } from './dom';

const TOKEN =
  /(?<comment>#.*$)|(?<string>[rbfu]*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))|(?<number>\b\d[\w.]*(?:e[+-]?\d+)?)|(?<word>[A-Za-z_]\w*)/gi;

const KEYWORDS = new Set(
  'and as assert break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield'.split(
    ' '
  )
);

/** One line of Python as nodes. */
export function highlight(line: string): Node[] {
  const parts: Node[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [text] = match;
    const kind = kindOf(match.groups ?? {}, text);
    if (kind !== null) {
      parts.push(document.createTextNode(line.slice(end, match.index)));
      parts.push(h('span', { class: `tracefn-code-${kind}`, text }));
      end = match.index + text.length;
    }
  }
  parts.push(document.createTextNode(line.slice(end)));
  return parts;
}

function kindOf(groups: Record<string, string | undefined>, text: string): string | null {
  if (groups.word !== undefined) {
    return KEYWORDS.has(text) ? 'keyword' : null;
  }
  return Object.keys(groups).find(name => groups[name] !== undefined) ?? null;
}
