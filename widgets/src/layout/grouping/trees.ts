/** Argument trees: values from outside whose names have a common root fold into one box, `params` for `params['w'][0]`. */

import { GraphNode } from '../../protocol';

/** One step of a path: a name, `.name` or `[key]`. */
const STEP = /^[^.[]+|\.[^.[]*|\[(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\]])*\]/g;

/** A node of the tree: values under a common path. */
export interface Branch {
  /** The node's part of the path. */
  readonly step: string;
  readonly path: string;
  readonly leaves: GraphNode[];
  readonly branches: Map<string, Branch>;
}

/** The path of a value from outside as its steps: `global net.layers[0].w` → `global net`, `.layers`, `[0]`, `.w`. */
export function stepsOf(path: string): string[] {
  return path.match(STEP) ?? [path];
}

/** Several texts as one: itself where all are equal, else the first and the last. */
export function spanOf(texts: readonly string[]): string {
  const [first = '', last = ''] = [texts[0], texts[texts.length - 1]];
  return texts.every(text => text === first) ? first : `${first}…${last}`;
}

/** Paths that differ in their keys as one: `layers[0…5].w`. */
export function spanOfPaths(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map(stepsOf);
  const isAlike = (step: string, i: number): boolean => others.every(other => other[i] === step || (isKey(step) && isKey(other[i] ?? '')));
  if (others.some(({ length }) => length !== first.length) || !first.every(isAlike)) {
    return spanOf(paths);
  }
  return first
    .map((step, i) => (isKey(step) ? `[${spanOf([step, ...others.map(other => other[i] as string)].map(each => each.slice(1, -1)))}]` : step))
    .join('');
}

function isKey(step: string): boolean {
  return step.startsWith('[');
}

/** The path or name that a value from outside goes by; empty for a constant. */
export function pathOf(node: GraphNode): string {
  return node.op === 'input' ? (node.attrs.path ?? node.attrs.name ?? '') : node.op === 'capture' ? (node.attrs.path ?? '') : '';
}

/** Whether a value is part of a container or object, rather than a variable of its own. */
export function isLeaf(node: GraphNode): boolean {
  return stepsOf(pathOf(node)).length > 1;
}

/** The tree of some values. A branch that leads to one other branch alone is part of that. */
export function treeOf(nodes: readonly GraphNode[]): Branch {
  const root: Branch = { step: '', path: '', leaves: [], branches: new Map() };
  for (const node of nodes) {
    let at = root;
    for (const step of stepsOf(pathOf(node)).slice(0, -1)) {
      let next = at.branches.get(step);
      if (!next) {
        next = { step, path: at.path + step, leaves: [], branches: new Map() };
        at.branches.set(step, next);
      }
      at = next;
    }
    at.leaves.push(node);
  }
  return shortened(root);
}

function shortened(branch: Branch): Branch {
  const branches = new Map([...branch.branches.values()].map(inner => {
    const only = shortened(inner);
    const [next] = only.branches.values();
    const merged = next && only.leaves.length === 0 && only.branches.size === 1 ? { ...next, step: only.step + next.step } : only;
    return [merged.step, merged] as const;
  }));
  return { ...branch, branches };
}
