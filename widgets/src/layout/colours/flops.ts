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
  if (Object.keys(node.bodies).length > 0) {
    return null;
  }
  const family = familyOf(node);
  if (isSource(node) || node.op === 'item' || NOTHING.has(family)) {
    return 0;
  }
  const given = inputs.map(input => sizeOf(input));
  const size = sizeOf(node);
  const op = node.op.replace(/^(np|numpy|operator|linalg)[._]/, '');
  if (/^fft[._]/.test(op)) {
    const most = Math.max(size ?? NaN, ...given.map(each => each ?? 0));
    return Number.isNaN(most) ? null : 5 * most * Math.max(1, Math.log2(most)); // of Cooley and Tukey, the usual count
  }
  if (/^(matmul|dot|inner|vdot|matvec|vecmat|vecdot|tensordot)$/.test(op)) {
    const inner = contracted(op, inputs);
    return size === null || inner === null ? null : 2 * size * inner;
  }
  if (/^(solve|inv|det|cholesky|qr|svd|eig\w*|einsum|pinv|lstsq)$/.test(op)) {
    const [first] = inputs;
    const n = first?.shape?.[first.shape.length - 1];
    return /^(solve|inv|det|cholesky)$/.test(op) && typeof n === 'number' ? (2 / 3) * n * (given[0] as number) : null;
  }
  if (family === 'reduce') {
    return given[0] ?? null;
  }
  return size;
}

/** The length that a product sums over. */
function contracted(op: string, [left, right]: readonly (GraphNode | undefined)[]): number | null {
  const { shape } = (op === 'vecmat' ? left : op === 'matvec' ? right : left) ?? {};
  const last = shape?.[shape.length - 1];
  return shape?.length === 0 ? 1 : typeof last === 'number' ? last : null;
}

function sizeOf(node: GraphNode | undefined): number | null {
  const { shape } = node ?? {};
  return shape?.every(dim => typeof dim === 'number') ? shape.reduce((all: number, dim) => all * (dim), 1) : null;
}
