"""Arrays that branches and loops in loop kernels give: always the same memory, or memory that they are copied to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from ....ir.graph import Graph, Node, input_node
from ...ownership import groups
from .arrays import Array, is_array
from .checked import Unfit
from .reductions import Sums
from .writes import Owners


class Results(Sums):
    """`apart` are the results of branches and loops that have memory of their own. `missing` are others that turn out
    to need it, as they are not always in the same memory: where there are any, the code is written once more."""

    def __init__(
        self,
        graph: Graph,
        owners: Owners,
        apart: Collection[tuple[Node, int]],
        unkept: Collection[Node],
        noted: Collection[Node],
    ) -> None:
        super().__init__(graph, owners, unkept, noted)
        self.apart = apart
        self.missing: set[tuple[Node, int]] = set()
        group = groups(graph)
        shown = {group[n] for n in graph.outputs if n in group}
        self.escaping = {n for n, g in group.items() if g in shown and is_array(n)}
        given = {group[n] for n in graph.inputs if n in group}
        several = Counter(group[n] for n in set(graph.outputs) if n in group and is_array(n))
        self._perhaps_given = {n for n in self.escaping if group[n] in given or several[group[n]] > 1}

    def own(self, node: Node, result: int) -> Array:
        """Memory for an array that is a result of a branch or loop."""
        item = self.item_of(node, result)
        if item in self._perhaps_given and not _is_always_new(node, result):
            raise Unfit("a result may be an argument, or another array")
        shown = node.types[result]
        lengths = tuple([self._length(n) for n in shown.shape])
        bounds = tuple([n if isinstance(n, int) else None for n in shown.shape])
        stand_in = item if item is not None else input_node("own", shown)
        return self._made(stand_in, lengths, bounds)

    def copy_for_rounds(self, node: Node, result: int, first: Array) -> Array:
        """The array that the rounds of a loop write into: a copy, where the loop may not own the first one."""
        item = self.item_of(node, result)
        is_needed = result in self.taken.get(node, ())
        if is_needed and item in self._perhaps_given and not _has_rounds(node):  # there is one array without a round
            raise Unfit("a result may be an argument, or another array")
        return self.copy(first, item or node, result not in self.hidden.get(node, ()))

    def item_of(self, node: Node, result: int) -> Node | None:
        """The node that picks a result of a branch or loop, if any does."""
        return next((n for n in self._users_of(self.graphs[-1])[node] if n.args[1] == result), None)

    def copy_to_own(self, source: Array, own: Array) -> None:
        if len(source.lengths) != len(own.lengths) or any(
            a != b for a, b in zip(source.lengths, own.lengths, strict=True)
        ):
            raise Unfit("an array may change its shape")
        self.copy_into(source, own)

    def copied(self, array: Array) -> Array:
        made = self.between(array.node, array.lengths, array.bounds)
        self.copy_into(array, made)
        return made


def _has_rounds(node: Node) -> bool:
    """True if a loop certainly has a round."""
    is_known = node.op.name == "for_loop" and all(isinstance(b, int) for b in node.args[:3])
    return is_known and len(range(*node.args[:3])) > 0


def _is_always_new(node: Node, result: int) -> bool:
    """True if a result of a loop is certainly an array that was made in its body."""
    if not _has_rounds(node):
        return False
    body = node.args[3].graph
    group = groups(body)
    output = body.outputs[result]
    return output in group and not any(g is group[output] for n, g in group.items() if n.is_leaf)
