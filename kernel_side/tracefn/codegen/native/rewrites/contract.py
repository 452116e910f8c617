"""Products of several matrices, and einsum, in the order that takes the fewest operations.

Only where all lengths are known, and the order saves far more than it can cost. NumPy searches the order of einsum
(`np.einsum_path`, which opt_einsum became). Results differ from NumPy's in their roundings.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np

from ....ir.graph import Graph, Node
from ....ir.template import ListOf, Ref
from ....ir.types import Kind
from ....ops.einsum import parse
from ....passes.rewrite import with_inputs
from ..builder import like

LEAST_SAVED = 1 << 16
"""An order that saves fewer multiplications than this is not worth it."""

LEAST_PART = 0.7
"""Nor is one that leaves more of the work than this."""

TRAFFIC = 8
"""The cost of an element that a product reads or writes, in multiplications."""

MOST_OPERANDS = 6
"""Of more operands of einsum the best order is searched greedily."""

_FLOATS = "fdFD"


def contracted(graph: Graph) -> Graph:
    """The graph with such products in a better order."""
    if not any(n.op.name in ("matmul", "einsum") for n in graph.nodes):
        return graph
    chains = _chains(graph)
    absorbed = {n for root, operands in chains.items() for n in _products_in(root, operands)} - chains.keys()
    new: dict[Node, Node] = {}
    nodes: dict[Node, None] = {}
    for node in graph.nodes:
        if node in absorbed:
            continue
        if node in chains:
            made: list[Node] = []
            new[node] = _product(node, tuple([new[n] for n in chains[node]]), made)
            nodes |= dict.fromkeys(made)
            continue
        found = with_inputs(node, tuple([new[n] for n in node.inputs]))
        new[node] = _with_path(found) if node.op.name == "einsum" else found
        nodes[new[node]] = None
    if all(new[n] is n for n in new):
        return graph
    return dataclasses.replace(graph, nodes=tuple(nodes), outputs=tuple([new[n] for n in graph.outputs]))


# --- products of matrices


def _chains(graph: Graph) -> dict[Node, tuple[Node, ...]]:
    """The last products of those that are worth another order, each with all that is multiplied."""
    users, outputs = graph.users(), set(graph.outputs)
    operands: dict[Node, tuple[Node, ...]] = {}
    inner: set[Node] = set()
    for node in graph.nodes:
        if not _is_product(node):
            continue
        found: list[tuple[Node, ...]] = []
        for side, source in enumerate(_factors(node)):
            own = operands.get(source, ())
            alone = users[source] == [node] and source not in outputs and len(node.inputs) == 2
            # a vector between matrices is a row for one of them, and a column for the other
            if own and alone and source.errors == node.errors and own[-1 if side == 0 else 0].type.ndim == 2:
                inner.add(source)
                found.append(own)
            else:
                found.append((source,))
        operands[node] = (*found[0], *found[1])
    return {n: o for n, o in operands.items() if n not in inner and len(o) > 2 and _is_worth_it(n, o)}


def _is_product(node: Node) -> bool:
    if node.op.name != "matmul" or node.kwargs or node.container is not None or len(node.args) != 2:
        return False
    types = [node.type, *[n.type for n in node.inputs]]
    if not all(type(a) is Ref for a in node.args) or not all(t.is_static for t in types):
        return False
    known = all(t.dtype == node.type.dtype and t.dtype.char in _FLOATS for t in types)
    return known and all(t.kind is Kind.ARRAY and t.ndim in (1, 2) for t in types[1:])


def _factors(node: Node) -> list[Node]:
    return [node.inputs[ref.index] for ref in node.args]


def _products_in(root: Node, operands: tuple[Node, ...]) -> set[Node]:
    """The products that lead from operands to their last product."""
    found, waiting = set[Node](), [root]
    while waiting:
        node = waiting.pop()
        if node not in operands:
            found.add(node)
            waiting += node.inputs
    return found


def _lengths(operands: tuple[Node, ...]) -> tuple[int, ...]:
    """The lengths between which operands are matrices; vectors are matrices of one row or column."""
    first, last = operands[0].type.shape, operands[-1].type.shape
    between: list[Any] = [n.type.shape[0] for n in operands[1:]]
    return (first[0] if len(first) == 2 else 1, *between, last[1] if len(last) == 2 else 1)


def _cost(rows: int, between: int, columns: int) -> int:
    return rows * between * columns + TRAFFIC * (rows * between + between * columns + rows * columns)


@functools.lru_cache(256)
def _best(lengths: tuple[int, ...]) -> tuple[int, int]:
    """The lowest cost of a product of matrices between these lengths, and how many of them are multiplied first, in the
    left factor of the last product."""
    count = len(lengths) - 1
    if count == 1:
        return 0, 0
    costs = [
        _best(lengths[: k + 1])[0] + _best(lengths[k:])[0] + _cost(lengths[0], lengths[k], lengths[-1])
        for k in range(1, count)
    ]
    least = min(costs)
    return least, count - 1 - costs[::-1].index(least)  # of equal ones NumPy's, from the left


def _is_worth_it(node: Node, operands: tuple[Node, ...]) -> bool:
    now, best = _current_cost(node, operands), _best(_lengths(operands))[0]
    return best <= LEAST_PART * now and now - best >= LEAST_SAVED


def _current_cost(node: Node, operands: tuple[Node, ...]) -> int:
    if node in operands:
        return 0
    left, right = _factors(node)
    rows, between = (1, *left.type.shape)[-2:]
    columns = right.type.shape[1] if right.type.ndim == 2 else 1
    inner = _current_cost(left, operands) + _current_cost(right, operands)
    return inner + _cost(rows, between, columns)  # type: ignore[arg-type]


def _product(node: Node, operands: tuple[Node, ...], made: list[Node]) -> Node:
    """The product of all operands in the best order. `made` gets its nodes, which replace `node`."""
    if len(operands) == 1:
        return operands[0]
    split = _best(_lengths(operands))[1]
    product = like(node, "matmul", _product(node, operands[:split], made), _product(node, operands[split:], made))
    made.append(product)
    return product


# --- einsum


def _with_path(node: Node) -> Node:
    """An einsum with its order of contraction. Itself where that is not worth it."""
    options = dict(node.kwargs)
    if options.get("optimize", False) is not False or not {"optimize"}.issuperset(options):
        return node
    found = _path(node)
    if found is None:
        return node
    path, more = found
    kwargs = (("optimize", ListOf(("einsum_path", *path))), *more.items())
    return Node(node.op, node.inputs, node.args, kwargs, node.types, node.container, node.scope,
                node.source, node.errors)  # fmt: skip


def _path(node: Node) -> tuple[list[tuple[int, ...]], dict[str, str]] | None:
    """The order of contraction that is worth it, and einsum's other arguments."""
    given = [node.inputs[a.index] if type(a) is Ref else a for a in node.args]
    if not isinstance(given[0], str) or not all(isinstance(n, Node) for n in given[1:]):
        return None
    terms, output, operands = parse(tuple(given))
    types = [n.type for n in operands]
    if len(types) < 2 or any(... in term for term in (*terms, output or [])) or output is None:
        return None
    if not all(t.is_static and t.kind is Kind.ARRAY and t.dtype == node.type.dtype for t in types):
        return None
    if node.type.dtype.char not in _FLOATS or any(len(set(term)) < len(term) for term in terms):
        return None
    lengths: dict[str, int] = {}
    for term, value in zip(terms, types, strict=True):
        for label, length in zip(term, value.shape, strict=True):
            if lengths.setdefault(label, length) != length:
                return None
    ghosts = [np.broadcast_to(np.zeros((), t.dtype), t.shape) for t in types]
    search = "optimal" if len(types) <= MOST_OPERANDS else "greedy"
    path = [pair for pair in np.einsum_path(given[0], *ghosts, optimize=search)[0] if isinstance(pair, tuple)]
    cost = _cost_of(path, terms, output, lengths)
    whole = math.prod(lengths.values()) * (len(types) - 1)
    saves = cost is not None and cost <= LEAST_PART * whole and whole - cost >= LEAST_SAVED
    if not saves:
        return None
    more = _for_the_layout(given[0], path, terms, lengths, node.type.dtype)
    return None if more is None else (path, more)


def _cost_of(path: list[tuple[int, ...]], terms: list[Any], output: list[Any], lengths: dict[str, int]) -> float | None:
    """The cost of a path, in multiplications of einsum itself. Products of two matrices cost less: BLAS computes them.
    None where three operands are contracted at once."""
    waiting, cost = [set(term) for term in terms], 0.0
    for pair in path:
        if len(pair) != 2:
            return None
        left, right = (waiting[k] for k in pair)
        waiting = [t for k, t in enumerate(waiting) if k not in pair]
        kept = set(output).union(*waiting)
        gone, both = (left | right) - kept, left & right
        is_matrices = gone and gone == both and left - both and right - both
        work = math.prod(lengths[label] for label in left | right)
        cost += work / 8 + TRAFFIC if is_matrices else work
        cost += LEAST_SAVED / 8  # the overhead of a contraction
        waiting.append((left | right) & kept)
    return cost


def _for_the_layout(
    text: str, path: list[Any], terms: list[Any], lengths: dict[str, int], dtype: Any
) -> dict[str, str] | None:
    """The arguments of einsum with which the result lies in memory as without a path: tried with few elements. None
    where nothing helps."""
    few = {label: 1 if n == 1 else 2 + k % 2 for k, (label, n) in enumerate(lengths.items())}
    given = [np.zeros([few[label] for label in term], dtype) for term in terms]
    wanted = np.einsum(text, *given).strides
    tries: list[dict[str, Any]] = [{}, {"order": "C"}]
    found = (t for t in tries if np.einsum(text, *given, optimize=["einsum_path", *path], **t).strides == wanted)
    return next(found, None)
