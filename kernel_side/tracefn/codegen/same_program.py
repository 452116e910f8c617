"""Whether one program computes two graphs: those of a function that is called with other lengths mostly differ in these
alone, and a program does not name them."""

from __future__ import annotations

from ..ir.alike import alike
from ..ir.dims import Dim, Length
from ..ir.graph import Graph
from ..ir.types import TensorType
from .buffers import is_large


def have_one_program(graph: Graph, earlier: Graph) -> bool:
    """True if nothing differs between two graphs but lengths that are known, those that were equal are equal, and those
    that were 0 or 1, or of arrays that are worth an `out=`, still are."""
    return (
        graph.name == earlier.name
        and [n.source for n in graph.nodes] == [n.source for n in earlier.nodes]
        and alike(graph, earlier, _Lengths().correspond)
    )


class _Lengths:
    """Which lengths of one graph stand in the place of which of the other, each for one."""

    def __init__(self) -> None:
        self._there: dict[Length, Length] = {0: 0, 1: 1}
        self._back: dict[Length, Length] = {0: 0, 1: 1}
        self._last: tuple[TensorType, TensorType] | None = None

    def correspond(self, found: TensorType, other: TensorType) -> bool:
        """True for types that differ in lengths alone, and in these as those that were compared before."""
        if (found, other) == self._last:  # as mostly
            return True
        if (
            found.dtype != other.dtype
            or found.kind is not other.kind
            or found.element_kind is not other.element_kind
            or len(found.shape) != len(other.shape)
            or is_large(found) is not is_large(other)
        ):
            return False
        for n, m in zip(found.shape, other.shape, strict=True):
            if type(n) is Dim or type(m) is Dim:
                if n != m:
                    return False
            elif self._there.setdefault(n, m) != m or self._back.setdefault(m, n) != n:
                return False
        self._last = found, other
        return True
