/**
 * Floating-point operations of a node, estimated from its op and the shapes of its operands and results. A multiplication and an
 * addition count one each, and so does every function of one element.
 */

import { Graph, GraphNode } from '../../protocol';
import { familyOf, isSource } from '../families';

/** Ops that only move or look at elements. */
const NOTHING = new Set(['shape', 'index', 'random', 'control', 'output', 'group']);

/** The operations of the nodes of a graph and its bodies, by id; those of which it is not known are left out. */
export function flopsOf(graph: Graph): Map<string, number> {
  const found = new Map<string, number>();
  const visit = ({ nodes }: Graph): void => {
    const byId = new Map(nodes.map(node => [node.id, node]));
    for (const node of nodes) {
      const flops = flopsOfNode(node, node.inputs.map(id => byId.get(id)));
      if (flops !== null) {
        found.set(node.id, flops);
      }
      Object.values(node.bodies).forEach(visit);
    }
  };
  visit(graph);
  return found;
}

function flopsOfNode(node: GraphNode, inputs: readonly (GraphNode | undefined)[]): number | null {
  const family = familyOf(node);
  if (Object.keys(node.bodies).length > 0 || family === 'python') {
    return null;
  }
  if (isSource(node) || node.op === 'item' || NOTHING.has(family)) {
    return 0;
  }
  const [left, right = left] = inputs;
  const op = node.op.replace(/^(np|numpy|operator|linalg)[._]/, '');
  const rule = RULES.find(([name]) => name.test(op))?.[1];
  return rule ? rule({ op, size: sizeOf(node), left, right, text: node.call, attrs: node.attrs }) : family === 'reduce' ? sizeOf(left) : sizeOf(node);
}

/** A node as rules see it: the size of its value, and its operands; one that it has twice is both. */
interface Seen {
  readonly op: string;
  readonly size: number | null;
  readonly left: GraphNode | undefined;
  readonly right: GraphNode | undefined;
  readonly text: string;
  readonly attrs: GraphNode['attrs'];
}

/** The operations of ops that do more than one for each element; null where they are not known. */
const RULES: readonly (readonly [RegExp, (seen: Seen) => number | null])[] = [
  [/^(matmul|vecdot|matvec|vecmat)$/, ({ op, size, left, right }) => times(2, size, lastLength(op === 'matvec' ? right : left))],
  [/^(dot|inner|vdot|tensordot)$/, ({ size, left, right }) => times(2, size, contracted(size, sizeOf(left), sizeOf(right)))],
  [/^einsum$/, einsum],
  // the last length n of square matrices, and their elements: n ** 2 for each
  [/^inv$/, ({ left }) => times(2, lastLength(left), sizeOf(left))],
  [/^det$/, ({ left }) => times(2 / 3, lastLength(left), sizeOf(left))],
  [/^cholesky$/, ({ left }) => times(1 / 3, lastLength(left), sizeOf(left))],
  [/^solve$/, ({ left, size }) => sum(times(2 / 3, lastLength(left), sizeOf(left)), times(2, lastLength(left), size))],
  [/^(qr|svd\w*|eig\w*|pinv|lstsq|matrix_\w+|multi_dot|cond|tensor\w+|slogdet)$/, () => null],
  [/^norm$/, ({ left }) => times(2, sizeOf(left))],
  [/^(convolve|correlate)$/, ({ left, right }) => times(2, sizeOf(left), sizeOf(right))],
  [/^fft[._]\w*freq$|^fft[._]i?fftshift$/, () => 0],
  [/^fft[._]/, fourier]
];

function times(...factors: readonly (number | null)[]): number | null {
  return factors.reduce((product, factor) => (product === null || factor === null ? null : product * factor), 1);
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** The length of the last axis. */
function lastLength(node: GraphNode | undefined): number | null {
  const { shape } = node ?? {};
  const last = shape?.[shape.length - 1];
  return shape?.length === 0 ? 1 : typeof last === 'number' ? last : null;
}

/** The number of products that one element of a result adds up: each operand has its own axes and those that are summed over. */
function contracted(size: number | null, left: number | null, right: number | null): number | null {
  return size === null || left === null || right === null ? null : size === 0 ? 0 : Math.round(Math.sqrt((left * right) / size));
}

/** One multiplication for each operand, or an addition in its place, at each point of all indices. */
function einsum({ text, left, right }: Seen): number | null {
  const [, subscripts] = /'([\w\s,]+)(->\w*)?'/.exec(text) ?? [];
  const terms = subscripts?.replace(/\s/g, '').split(',') ?? [];
  if (terms.length === 0 || terms.length > 2) {
    return null;
  }
  const lengths = new Map<string, number>();
  for (const [i, term] of terms.entries()) {
    const shape = (i === 0 ? left : right)?.shape;
    if (shape?.length !== term.length || !shape.every(length => typeof length === 'number')) {
      return null;
    }
    [...term].forEach((index, axis) => lengths.set(index, shape[axis] as number));
  }
  return times(terms.length, ...lengths.values());
}

/** Those of Cooley and Tukey, the usual count, for each of the axes. */
function fourier({ op, size, left, attrs }: Seen): number | null {
  const given = sizeOf(left);
  const shape = left?.shape ?? [];
  if (size === null || given === null) {
    return null;
  }
  const axes = /[2n]$/.test(op) ? shape.map((_, axis) => axis).slice(op.endsWith('2') ? -2 : 0) : [Number(attrs.axis ?? -1)];
  const lengths = axes.map(axis => shape.at(axis)).map(length => (typeof length === 'number' ? length : 1));
  return 5 * Math.max(size, given) * Math.max(1, Math.log2(lengths.reduce((product, length) => product * length, 1)));
}

function sizeOf(node: GraphNode | undefined): number | null {
  const { shape } = node ?? {};
  return shape?.every(dim => typeof dim === 'number') ? shape.reduce((all: number, dim) => all * (dim), 1) : null;
}
