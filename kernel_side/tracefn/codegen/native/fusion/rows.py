"""Which nodes become a kernel that goes row by row: reductions along the last axis, and operations on their
results for the same rows."""

from __future__ import annotations

from ....ir.graph import Graph, Node
from ....ir.template import Ref, SliceOf
from ....ir.types import Kind, Shape, TensorType
from ...machine.processor import vector_bits
from ..scalar.folds import FOLDS
from ..scalar.functions import FUNCTIONS
from .lowering import lowering
from .reduction import is_short, reduction
from .regions import (
    FAR,
    NEAR,
    Outlining,
    effects_before,
    is_bounded,
    leaves_and_returns,
    may_end,
    writes_into_leaf,
)

ROWS = "rows"
"""The name of the body of such a kernel."""

SHORTEST, LONGEST = 16, 1 << 15
"""Rows of fewer elements are not worth loops of their own, longer ones leave the cache before they are read again."""

MANY_VECTORS = 4
"""Vectors that a row must fill to be worth a row kernel with functions like exp: these take as long for one element as
for a vector, and rows that are not separate need fewer vectors."""


def with_rows(graph: Graph) -> Graph:
    """The graph with each group of such nodes as the body of one `kernel` node; the bodies of other nodes are left."""
    if not any(map(_is_row_reduction, graph.nodes)):
        return graph
    groups = _Groups(graph).found()
    regions = [r for r in groups if _reads_again(r) and _is_worth_it(r) and _is_closed(r, graph) and _tells_rows(r)]
    return _RowOutlining(graph, regions, set()).graph() if regions else graph


def adds_axis(node: Node) -> bool:
    """True for `row_results[..., None]`, which are the same numbers."""
    if not all(n.types and n.container is None for n in (node, *node.inputs[:1])):
        return False  # an effect, or several results
    if not node.inputs or node.type.shape != (*node.inputs[0].type.shape, 1):
        return False
    if node.op.name == "getitem" and node.args[0] == Ref(0) and not node.kwargs:
        *before, last = node.args[1] if type(node.args[1]) is tuple else (node.args[1],)
        return last is None and all(i is Ellipsis or i == SliceOf(None, None, None) for i in before)
    return node.op.name in ("reshape", "expand_dims") and len(node.inputs) == 1


class _RowOutlining(Outlining):
    body_name = ROWS

    def _views(self, region: list[Node], outer: list[Node]) -> dict[Node, list[Node]]:
        return {}


def _is_row_reduction(node: Node) -> bool:
    """True for sums, means and extrema of each row."""
    found = reduction(node)
    if found is None or found.skips_nan or node.type.dtype.char not in "fd":
        return False
    if not FOLDS[found.rule].in_rows:
        return False
    source = node.inputs[0].type
    if source.kind is not Kind.ARRAY or found.axes != (source.ndim - 1,) or is_short(node) or not _has_elements(source):
        return False
    known = source.dtype.kind in "biuf" and source.dtype.char != "e" and found.through.kind in "biuf"
    length = source.shape[-1]
    return known and isinstance(length, int) and SHORTEST <= length <= LONGEST


def _has_elements(value: TensorType) -> bool:
    """True if no length is known to be 0."""
    return 0 not in value.shape


def _is_step(node: Node) -> bool:
    """True for elementwise steps."""
    known = lowering(node) is not None and _has_elements(node.type) and not writes_into_leaf(node)
    return known and all(n.type.dtype.kind in "biuf" and n.type.dtype.char != "e" for n in (node, *node.inputs))


class _Groups:
    """Finds the largest groups that can run at one point of the program, each in program order."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._position = {n: i for i, n in enumerate(graph.nodes)}
        self._group: dict[Node, list[Node]] = {}
        self._rows: dict[Node, Shape] = {}  # the shape whose rows a node is about
        self._ends = [n for n in graph.nodes if may_end(n)]
        self._before = effects_before(graph)

    def found(self) -> list[list[Node]]:
        users: dict[Node, Node] = {}
        for node in self._graph.nodes:
            shape = self._shape(node)
            if shape is None:
                continue
            self._rows[node] = shape
            members = [node]
            for source in node.inputs:
                other = self._group.get(source)
                if other is not None and self._position[node] - self._position[other[-1]] <= FAR:
                    members = self._joined(members, other)
            for source in node.inputs:
                neighbour = users.get(source)
                if neighbour is not None and self._position[node] - self._position[neighbour] <= NEAR:
                    members = self._joined(members, self._group[neighbour])
                if source.type.ndim:
                    users[source] = node
            for member in members:
                self._group[member] = members
        return list({id(g): g for g in self._group.values()}.values())

    def _shape(self, node: Node) -> Shape | None:
        """The shape whose rows a node is about. None where it is neither a step nor a reduction of rows."""
        if _is_row_reduction(node):
            return node.inputs[0].type.shape
        if adds_axis(node):
            found = self._rows.get(node.inputs[0])
            return found if found is not None and found[:-1] == node.inputs[0].type.shape else None
        if not _is_step(node):
            return None
        shapes = [self._rows[n] for n in node.inputs if n in self._rows]
        found = next((s for s in shapes if s == node.type.shape), None)
        if found is None:
            found = next((s for s in shapes if self._is_of_rows(node, s)), node.type.shape)
        if found == node.type.shape:
            return found if found and all(self._is_aligned(n, found) for n in node.inputs) else None
        return found

    def _is_of_rows(self, node: Node, shape: Shape) -> bool:
        """True for results of one element for each row that come from such values and numbers alone."""
        own = node.type.shape
        arrays = [n for n in node.inputs if n.type.ndim]
        keeps = own == (*shape[:-1], 1)
        given = all(n.type.shape == own and (keeps or n in self._rows) for n in arrays)
        return (keeps or own == shape[:-1]) and given

    def _is_aligned(self, source: Node, shape: Shape) -> bool:
        """True for arrays that are read row by row: they have each of them, or are the same for all. An array that has
        lost its last axis is a row for the others."""
        own = (*(1,) * (len(shape) - source.type.ndim), *source.type.shape)
        if self._rows.get(source) == shape != source.type.shape:
            return own[-1] == 1 and source.type.ndim in (0, len(shape))
        return own[:-1] == shape[:-1] or all(n == 1 for n in own[:-1])

    def _joined(self, members: list[Node], other: list[Node]) -> list[Node]:
        """The union of two groups, or the first alone where they cannot be one."""
        if other[0] in members or self._rows[other[0]] != self._rows[members[0]]:
            return members
        if other[0].errors != members[0].errors or not is_bounded(members, other, self._position):
            return members
        union = sorted({*members, *other}, key=self._position.__getitem__)
        position = self._position
        if any(position[union[0]] < position[end] < position[union[-1]] for end in self._ends):
            return members
        returns = leaves_and_returns(union, self._group, self._before, position)
        return members if returns else union


def _tells_rows(region: list[Node]) -> bool:
    """True if the number of rows follows from the arguments."""
    inside, shape = set(region), next(n.inputs[0].type.shape for n in region if _is_row_reduction(n))
    given = [s.type.shape for n in region for s in n.inputs if s not in inside]
    return all(isinstance(n, int) for n in shape) or any(s[:-1] == shape[:-1] for s in given if len(s) == len(shape))


def _reads_again(region: list[Node]) -> bool:
    """True if elements of a row depend on a reduction of that row."""
    after = {n for n in region if _is_row_reduction(n)}
    shapes = {n.inputs[0].type.shape for n in after}
    for node in region:
        if not after.isdisjoint(node.inputs):
            after.add(node)
    return any(n.type.shape in shapes for n in after)


def _is_closed(region: list[Node], graph: Graph) -> bool:
    """True if results of one element for each row, without their axis, come from values of the region alone, and other
    steps need no view that is made in it."""
    inside, shape = set(region), next(n.inputs[0].type.shape for n in region if _is_row_reduction(n))
    views = {n for n in region if adds_axis(n)}
    if not views.isdisjoint(graph.outputs) or any(
        n not in inside and not views.isdisjoint(n.inputs) for n in (graph.nodes if views else ())
    ):
        return False
    squeezed = [n for n in region if n.type.shape == shape[:-1] and not _is_row_reduction(n)]
    return all(s in inside or not s.type.ndim for n in squeezed for s in n.inputs)


def _is_worth_it(region: list[Node]) -> bool:
    steps = [(n, found.rule) for n in region if (found := lowering(n)) is not None]
    if not any(rule in FUNCTIONS and n.type.ndim for n, rule in steps):
        return True
    lanes = vector_bits() // 8 // max(n.type.dtype.itemsize for n in region)
    length = next(n.inputs[0].type.shape[-1] for n in region if _is_row_reduction(n))
    return isinstance(length, int) and length >= MANY_VECTORS * lanes
