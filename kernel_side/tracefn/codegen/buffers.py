"""Memory of a straight-line program: when each array is dead, and which dead array a result may be written into."""

from __future__ import annotations

from functools import lru_cache

from ..ir.coalescing import same_objects
from ..ir.graph import Graph, Node
from ..ir.op import ITEM, LEAVES, by_name
from ..ir.template import Ref
from ..ir.types import Kind, TensorType
from ..passes.outputs import memory_root
from .ownership import shared_by_results

KERNEL = by_name("kernel")
POWER = by_name("operator.pow")

MIN_BYTES = 16384
"""Arrays smaller than this are not worth an `out=`: NumPy takes them from a cache in less time than the keyword costs.
They are deleted all the same, or that cache runs empty."""

_LIST = Kind.LIST  # an attribute of an enum takes longer to find
_HAS_MEMORY = (Kind.ARRAY, _LIST)

_APART = frozenset({"leaf", "function", "operator"})
"""Styles of ops whose results, where they are no views, share memory with nothing."""


class Buffers:
    """The memory plan of a graph.

    `dead_after[node]` lists the arrays that nothing reads after `node`. `reuse[node]` is the input whose memory the
    result may take: it has the same dtype and shape, was made in this program, is not read later, shares its
    memory with nothing that is, and has the memory layout that NumPy would give the result.
    """

    def __init__(self, graph: Graph) -> None:
        self.dead_after: dict[Node, list[Node]] = {}
        self.reuse: dict[Node, Node] = {}
        called = [n for n in graph.nodes if n.op not in LEAVES and n.container is None]
        made = {n for n in called if n.types[0].kind in _HAS_MEMORY}
        if made:
            self._plan(graph, made)

    def _plan(self, graph: Graph, made: set[Node]) -> None:
        """`made` are the arrays and lists that the program makes."""
        self._root = _roots(graph)
        given_away = [n for node in graph.nodes if node.op.style == "effect" for n in node.inputs]
        self._kept = {self._root[n] for n in (*graph.outputs, *given_away)}
        same = same_objects(graph)
        last_reader = {same.get(read, read): node for node in graph.nodes for read in node.inputs}
        for read, node in last_reader.items():
            if read in made and self._root[read] not in self._kept:
                self.dead_after.setdefault(node, []).append(read)
        written = [n for n in graph.nodes if n in made and (n.op.elementwise or _is_power(n)) and not n.kwargs]
        large = [n for n in written if is_large(n.types[0])]
        if not large:
            return
        self._layouts = _layouts(graph)
        root_last_reader = {self._root[read]: node for node in graph.nodes for read in (node, *node.inputs)}
        for node in large:
            candidate = self._candidate(node, root_last_reader)
            if candidate is not None:
                self.reuse[node] = candidate

    def _candidate(self, node: Node, root_last_reader: dict[Node, Node]) -> Node | None:
        for source in node.inputs:
            if (
                source.types == node.types
                and (source.op.elementwise or source.op.fresh_memory or source.op is POWER)
                and source.op is not ITEM
                and self._root[source] not in self._kept
                and root_last_reader[self._root[source]] is node
                and self._layouts[node] == self._layouts[source]
            ):
                return source
        return None


def _is_power(node: Node) -> bool:
    """True for `x ** 2`, which `x **= 2` computes as well, with the same bits."""
    return node.op is POWER and type(node.args[0]) is Ref and type(node.args[1]) in (int, float)


@lru_cache(maxsize=1024)
def is_large(found: TensorType) -> bool:
    """True for arrays of this type, or perhaps so, that are worth an `out=`."""
    size = found.nbytes
    return size is None or size >= MIN_BYTES


def _roots(graph: Graph) -> dict[Node, Node]:
    """For each node one that stands for all that may share its memory.

    The results of a branch or loop may be any of its inputs, or views of them; those of a kernel are known better: most
    are arrays of their own. A list holds its items.
    """
    if graph.styles <= _APART and not any(op.view for op in graph.ops):
        return {n: n for n in graph.nodes}
    parent: dict[Node, Node] = {}
    of_kernels: dict[Node, list[set[Node]]] = {}
    same = same_objects(graph)

    def find(node: Node) -> Node:
        while (above := parent.get(node, node)) is not node:
            parent[node] = node = parent.get(above, above)
        return node

    for node in graph.nodes:
        if node.op is KERNEL:
            of_kernels[node] = shared_by_results(node)
            continue
        held = node.inputs if node.container is None and node.types[0].kind is _LIST else ()
        if not (held or node.op.view or node.op is ITEM or node.op.style == "control"):
            continue  # it shares memory with nothing
        root = memory_root(node)
        if root.op is ITEM and root.inputs[0] in of_kernels:
            for shared in {root, *of_kernels[root.inputs[0]][root.args[1]]} - {node}:
                parent[find(shared)] = find(node)
            continue
        control = root.inputs[0] if root.op is ITEM and root.inputs[0].bodies else root
        first = same.get(node, node)
        together, found = (root, control, first, *(node.inputs if node.bodies else ()), *held), find(node)
        for shared in together:
            if shared is not node:
                parent[find(shared)] = found
    return {n: find(n) if n in parent else n for n in graph.nodes}


def _layouts(graph: Graph) -> dict[Node, object]:
    """For each array a token of its memory layout: two arrays with the same token certainly have the same layout.

    An elementwise result has the layout of its full-shape operands where these agree. Operands that are broadcast along
    all but one axis have no say; of these alone NumPy makes an array in C order.
    """
    tokens: dict[Node, object] = {}
    for node in graph.nodes:
        tokens[node] = node
        if node.op.name == "matmul" and node.container is None:
            tokens[node] = ("C", node.type.ndim)
        if node.op.name in ("roll", "sort") and type(dict(node.kwargs).get("axis")) is int:
            tokens[node] = tokens[node.inputs[0]]
        if not (node.op.elementwise or _is_power(node)) or node.container is not None:
            continue
        shape = node.types[0].shape
        full = {tokens[n] for n in node.inputs if n.types[0].shape == shape}
        others = [found for n in node.inputs if (found := n.types[0].shape) != shape]
        if len(full) <= 1 and all(len(found) - found.count(1) <= 1 for found in others):
            tokens[node] = full.pop() if full else ("C", len(shape))
    return tokens
