/** Op → family: the kind of work of a node, for its colour. */

import { GraphNode } from '../protocol';

/** The families, each with its own colour. */
export type Family =
  | 'source'
  | 'constant'
  | 'elementwise'
  | 'reduce'
  | 'linalg'
  | 'shape'
  | 'index'
  | 'random'
  | 'control'
  | 'python'
  | 'output'
  | 'group';

const REDUCE =
  /^(sum|prod|mean|std|var|min|max|amin|amax|all|any|ptp|median|average|count_nonzero|arg(min|max)|nan\w+|reduce\w*|cum\w+|logsumexp|percentile|quantile)$/;
const LINALG =
  /^(matmul|dot|inner|outer|vdot|einsum|tensordot|vecdot|matvec|vecmat|kron|cross|trace|linalg[._]\w+|fft[._]\w+|solve|inv|svd|qr|det|cholesky|eig\w*)$/;
const SHAPE =
  /^(reshape|transpose|swapaxes|moveaxis|expand_dims|squeeze|ravel|broadcast\w*|concatenate|stack|hstack|vstack|dstack|split|array_split|tile|repeat|pad|roll|flip\w*|rot90|diag\w*|tri[lu]|astype|copy|view|atleast_\w+|shape|size)$/;
const INDEX =
  /^(getitem\w*|setitem\w*|index\w*|slice|take\w*|put\w*|gather|scatter|where|select|choose|clip|sort|argsort|searchsorted|nonzero|unique|compress|extract|item|update\w*)$/;
const RANDOM = /^random|^(normal|uniform|integers|shuffle|permutation|choice)$/;
const CONTROL = /^(cond|while(_\w+)?|for(_\w+)?|if|scan|loop|call|switch|case|phi|select_branch)$/;
/** Calls of Python functions that are no graph: of the user's, or of libraries. */
const PYTHON = /^(foreign(_\w+)?|py_function|print)$/;

const known = new Map<string, Family>();

/** The family of a node. */
export function familyOf({ op, bodies }: GraphNode): Family {
  for (const _ in bodies) {
    return 'control';
  }
  let family = known.get(op);
  if (family === undefined) {
    family = familyOfOp(op);
    known.set(op, family);
  }
  return family;
}

function familyOfOp(name: string): Family {
  const op = name.replace(/^(np|numpy)\./, '').replace(/^add\.reduce$/, 'sum');
  if (op === 'input' || op === 'capture') {
    return 'source';
  }
  if (op === 'constant') {
    return 'constant';
  }
  if (REDUCE.test(op)) {
    return 'reduce';
  }
  if (LINALG.test(op)) {
    return 'linalg';
  }
  if (SHAPE.test(op)) {
    return 'shape';
  }
  if (INDEX.test(op)) {
    return 'index';
  }
  if (RANDOM.test(op)) {
    return 'random';
  }
  if (PYTHON.test(op)) {
    return 'python';
  }
  return CONTROL.test(op) ? 'control' : 'elementwise';
}

/** Whether a node stands for a value that comes from outside the program: it belongs to no run. */
export function isSource({ op }: GraphNode): boolean {
  return op === 'input' || op === 'capture' || op === 'constant';
}
