"""Medians of few numbers, each at its place: the middle of a sorting network.

The network is Batcher's merge exchange (K. E. Batcher, AFIPS Spring Joint Computer Conference 32, 1968; D. E. Knuth,
The Art of Computer Programming 3, algorithm 5.2.2M), without the comparators that the middle does not depend on. A NaN
gets there from everywhere.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

from ....ir.graph import Graph, Node
from ....ir.template import ListOf, Ref, SliceOf
from ....ir.types import Kind
from ....passes.rewrite import with_inputs
from ..builder import like
from ..fusion.reduction import axes_of
from ..scalar.emitter import supported

MOST = 25
"""NumPy finds the medians of more numbers: a network for them takes long to compile."""

LEAST = 64
"""So many medians are worth a network."""


def without_medians(graph: Graph) -> Graph:
    """The graph with such medians as comparisons of arrays, and with arrays that are stacked for them left apart."""
    if not any(map(_is_median, graph.nodes)):
        return graph
    new: dict[Node, Node] = {}
    nodes: dict[Node, None] = {}
    for node in graph.nodes:
        candidate = with_inputs(node, tuple([new[n] for n in node.inputs]))
        steps = list(_steps(candidate)) if _is_median(node) else [candidate]
        new[node] = steps[-1]
        nodes.update(dict.fromkeys(steps))
    outputs = tuple([new[n] for n in graph.outputs])
    used = {n for node in nodes for n in node.inputs} | set(outputs)
    kept = tuple([n for n in nodes if n in used or n.op.name != "stack"])
    return dataclasses.replace(graph, nodes=kept, outputs=outputs)


def _is_median(node: Node) -> bool:
    options = dict(node.kwargs)
    if node.op.name != "median" or node.args != (Ref(0),) or set(options) != {"axis"}:
        return False
    source = node.inputs[0].type
    axes = axes_of(options["axis"], source.ndim)
    lengths = [n for a in axes if isinstance(n := source.shape[a], int)]
    if not axes or len(lengths) < len(axes) or source.kind is not Kind.ARRAY:
        return False
    if not supported(source.dtype) or source.dtype.kind not in "iuf" or not node.type.ndim:
        return False
    count = math.prod(lengths)
    if source.dtype.kind == "f" and count % 2 == 0:
        return False  # NumPy warns where the two in the middle are too large to be added, in its own words
    kept = [n for n in node.type.shape if isinstance(n, int)]
    size = math.prod(kept) if node.type.is_static else LEAST
    return 1 < count <= MOST and size >= LEAST


def _steps(node: Node) -> Iterator[Node]:
    wires = []
    for part in _parts(node):
        wires.append(part)
        yield part
    count, dtype = len(wires), node.type.dtype
    middle = {(count - 1) // 2, count // 2}
    for low, high, needed in _network(count, middle):
        smaller, larger = like(node, "minimum", wires[low], wires[high]), like(node, "maximum", wires[low], wires[high])
        if low in needed:
            wires[low] = smaller
            yield smaller
        if high in needed:
            wires[high] = larger
            yield larger
    found = [wires[k] for k in sorted(middle)]
    if found[0].type.dtype != dtype or len(found) == 1:
        found = [like(node, "astype", wire, dtype) for wire in found]
        yield from found
    if len(found) == 2:
        total = like(node, "add", *found)
        yield from (total, like(node, "divide", total, 2))


def _parts(node: Node) -> Iterator[Node]:
    """The arrays of which each has one of the numbers."""
    (source,) = node.inputs
    axes = axes_of(dict(node.kwargs)["axis"], source.type.ndim)
    if (stacked := _stacked(source, axes)) is not None:
        yield from stacked
        return
    lengths = [n for a in axes if isinstance(n := source.type.shape[a], int)]
    for place in itertools.product(*map(range, lengths)):
        at = dict(zip(axes, place, strict=True))
        index = tuple([at.get(a, SliceOf(None, None, None)) for a in range(source.type.ndim)])
        yield like(node, "getitem", source, index)


def _stacked(node: Node, axes: tuple[int, ...]) -> list[Node] | None:
    """The arrays that a node stacks along an axis. None where it does something else."""
    options = dict(node.kwargs)
    if node.op.name != "stack" or not {"axis"}.issuperset(options) or not isinstance(node.args[0], ListOf):
        return None
    along = options.get("axis", 0)
    refs = node.args[0].items
    if not isinstance(along, int) or axes != (along % node.type.ndim,) or not all(isinstance(r, Ref) for r in refs):
        return None
    arrays = [node.inputs[r.index] for r in refs]
    return arrays if all(a.type.dtype == node.type.dtype for a in arrays) else None


def _network(count: int, wanted: set[int]) -> list[tuple[int, int, set[int]]]:
    """The comparisons that bring the wanted places of `count` numbers in order: which two are compared, and which of
    them are needed then."""
    top = 1 << ((count - 1).bit_length() - 1)
    pairs = []
    p = top
    while p:
        q, r, d = top, 0, p
        while d:
            pairs += [(i, i + d) for i in range(count - d) if i & p == r]
            d, q, r = q - p, q >> 1, p
        p >>= 1
    needed, kept = set(wanted), []
    for low, high in reversed(pairs):
        if found := needed & {low, high}:
            kept.append((low, high, found))
            needed |= {low, high}
    return kept[::-1]
