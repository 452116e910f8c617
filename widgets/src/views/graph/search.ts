/** Finding nodes: by name, body, op, type, scope, attribute or call, or by one of these alone: `op:tanh`. */

import { typeText } from '../../format';
import { nameParts, titleOf } from '../../layout';
import { Dimension, GraphNode } from '../../protocol';

/** A word of a query: `tanh`, or of one property `op:tanh`, whose value may have spaces in brackets, `shape:(None, 64)`. */
const WORD = /(?:([a-z]+):)?((?:\([^)]*\)?|\[[^\]]*\]?|[^\s([])+)/g;

/** A dtype in short, `f4`. */
const SHORT_DTYPE = /^([fiuc])(\d+)$/;
const KINDS: Readonly<Record<string, string>> = { f: 'float', i: 'int', u: 'uint', c: 'complex' };

/** Whether a node has a value of one property. */
type Has = (node: GraphNode, value: string) => boolean;

const PROPERTIES = new Map<string, Has>(
  Object.entries<Has>({
    op: ({ op }, value) => op.toLowerCase().includes(value),
    name: (node, value) => `${nameParts(node.id).name}\n${node.attrs.path ?? ''}\n${node.variable}`.toLowerCase().includes(value),
    dtype: ({ dtype }, value) => (dtype ?? '').toLowerCase().startsWith(dtypeOf(value)),
    shape: ({ shape }, value) => shape !== null && isShape(shape, value),
    line: ({ line }, value) => String(line) === value,
    cell: (node, value) => String(node.cell_number) === value.replace(/[[\]]/g, ''),
    in: ({ scope, within }, value) => (within ?? scope).toLowerCase().includes(value)
  })
);

/**
 * The ids of the nodes that hold every word of the query, in program order. `op:`, `name:`, `dtype:`, `shape:`, `line:`, `cell:`
 * and `in:` (a call around it) look at one property.
 */
export function searchNodes(nodes: readonly GraphNode[], query: string): string[] {
  const words = [...query.toLowerCase().matchAll(WORD)];
  if (words.length === 0) {
    return [];
  }
  return nodes
    .filter(node => {
      let text: string | null = null;
      return words.every(([word, key = '', value = '']) => PROPERTIES.get(key)?.(node, value) ?? (text ??= textOf(node)).includes(word));
    })
    .map(node => node.id);
}

/** The keys that a search knows: `op`, `name`, … */
export const SEARCH_KEYS: readonly string[] = [...PROPERTIES.keys()];

/** The first key of a query that no search knows, as in `foo:bar`; null where all are known. */
export function unknownKey(query: string): string | null {
  const keys = [...query.toLowerCase().matchAll(WORD)].map(([, key]) => key);
  return keys.find(key => key !== undefined && !PROPERTIES.has(key)) ?? null;
}

function textOf(node: GraphNode): string {
  const { name, bodies } = nameParts(node.id);
  const attrs = Object.entries(node.attrs).map(([key, value]) => `${key}=${value}`);
  const parts = [name, ...bodies, node.variable, node.op, titleOf(node), node.call, typeText(node.dtype, node.shape), node.scope, ...attrs];
  return parts.join('\n').toLowerCase();
}

/** `float32` of `f4`, which NumPy counts in bytes. */
function dtypeOf(value: string): string {
  const [, kind, bytes] = SHORT_DTYPE.exec(value) ?? [];
  return kind === undefined ? value : `${KINDS[kind]}${8 * Number(bytes)}`;
}

/** Whether a shape is the one that is written, `(none, 64)` or `3,4`: `none`, `any`, `?` and `*` are any length. */
function isShape(shape: readonly Dimension[], written: string): boolean {
  const wanted = written.split(/[\s,()[\]]+/).filter(part => part !== '');
  const free = ['none', 'any', '?', '*'];
  return wanted.length === shape.length && wanted.every((part, i) => free.includes(part) || part === String(shape[i] ?? 'any').toLowerCase());
}

/** The nodes that a search found, and the one it stands at. */
export class Hits {
  /** The nodes found, in program order. */
  ids: readonly string[] = [];
  /** Which of them the search stands at, from 0. */
  at = 0;

  /** Search these nodes; the search stands at the first hit. */
  find(nodes: readonly GraphNode[], query: string): void {
    this.ids = searchNodes(nodes, query);
    this.at = 0;
  }

  /** These nodes were found in another way. */
  take(ids: readonly string[]): void {
    this.ids = ids;
    this.at = 0;
  }

  /** The node it stands at. */
  get current(): string | null {
    return this.ids[this.at] ?? null;
  }

  /** Go to the next or previous hit, around the ends; to the current one while another node is selected. */
  step(by: 1 | -1, selected: string | null): string | null {
    const { length } = this.ids;
    if (length > 0 && selected === this.current) {
      this.at = (this.at + by + length) % length;
    }
    return this.current;
  }
}
