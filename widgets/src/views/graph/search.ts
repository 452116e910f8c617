/** Finding nodes: by name, body, op, type, scope, attribute or call. */

import { typeText } from '../../format';
import { nameParts, titleOf } from '../../layout';
import { GraphNode } from '../../protocol';

/** What a word with a field (`op:tanh`) is looked for in. */
const FIELDS: Readonly<Record<string, (node: GraphNode) => string>> = {
  op: node => `${node.op}\n${titleOf(node)}`,
  name: node => nameParts(node.id).name,
  dtype: node => `${node.dtype ?? ''}\n${shortDtype(node.dtype)}`,
  shape: node => (node.shape ? `(${node.shape.map(dim => dim ?? 'none').join(',')})` : ''),
  line: node => String(node.line ?? ''),
  scope: node => node.scope,
  file: node => node.file ?? '',
  attr: node => attributes(node).join('\n')
};

/** Fields whose whole value has to agree: line 1 is not line 12. */
const WHOLE = new Set(['line']);

/**
 * The ids of the nodes that hold every word of the query, in program order. A word may name its field: `op:tanh`,
 * `shape:(None,64)`, `dtype:f4`, `line:12`, `name:v3`, `scope:loss`, `attr:axis`.
 */
export function searchNodes(nodes: readonly GraphNode[], query: string): string[] {
  const tests = wordsOf(query).map(testOf);
  return tests.length === 0 ? [] : nodes.filter(node => tests.every(test => test(node))).map(node => node.id);
}

/** The words of a query; spaces in brackets divide none. */
function wordsOf(query: string): string[] {
  return query
    .toLowerCase()
    .replace(/\([^)]*\)?/g, part => part.replace(/\s+/g, '').replace(/,\)$/, ')'))
    .split(/\s+/)
    .filter(word => word !== '');
}

function testOf(word: string): (node: GraphNode) => boolean {
  const [, field = '', value = ''] = /^([a-z]+):(.+)$/.exec(word) ?? [];
  const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (!read) {
    return node => textOf(node).includes(word);
  }
  return node => {
    const text = read(node).toLowerCase();
    return WHOLE.has(field) ? text === value : text.includes(value);
  };
}

function textOf(node: GraphNode): string {
  const { name, bodies } = nameParts(node.id);
  const type = typeText(node.dtype, node.shape);
  return [name, ...bodies, node.op, titleOf(node), node.call, type, node.scope, ...attributes(node)].join('\n').toLowerCase();
}

function attributes({ attrs }: GraphNode): string[] {
  return Object.entries(attrs).map(([key, value]) => `${key}=${value}`);
}

/** NumPy's short name of a dtype: `f4` of `float32`. */
function shortDtype(dtype: string | null): string {
  const [, name = '', bits] = /^(float|u?int|complex)(\d+)$/.exec(dtype ?? '') ?? [];
  return name === '' ? '' : `${name.charAt(0)}${Number(bits) / 8}`;
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
