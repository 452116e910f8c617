"""Steps that choose and join elements: take, skip, repeat, concatenate, zip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from ..trace.tree import Tree, flatten, map_leaves, unflatten
from .node import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Node
from .specs import common
from .structure import elements, packer


class Take(Node):
    """The first `count` elements."""

    def __init__(self, source: Node, count: int) -> None:
        self._count = count
        known = source.cardinality
        length = count if known == INFINITE_CARDINALITY else known if known < 0 else min(known, count)
        super().__init__(f"take({count})", source.spec, length, [source])

    def __iter__(self) -> Iterator[Any]:
        return islice(self.inputs[0], self._count)


class Skip(Node):
    """All but the first `count` elements."""

    def __init__(self, source: Node, count: int) -> None:
        self._count = count
        known = source.cardinality
        super().__init__(f"skip({count})", source.spec, known if known < 0 else max(known - count, 0), [source])

    def __iter__(self) -> Iterator[Any]:
        return islice(self.inputs[0], self._count, None)


class Repeat(Node):
    """The elements `count` times over; None: without end, unless there are none."""

    def __init__(self, source: Node, count: int | None) -> None:
        self._count = count
        known = source.cardinality
        if count is None:
            length = known if known in (0, UNKNOWN_CARDINALITY) else INFINITE_CARDINALITY
        else:
            length = 0 if count == 0 else known if known < 0 else known * count
        super().__init__(f"repeat({'' if count is None else count})", source.spec, length, [source])

    def __iter__(self) -> Iterator[Any]:
        if self._count is None:
            return self._endless()
        return chain.from_iterable(self.inputs[0] for _ in range(self._count))

    def _endless(self) -> Iterator[Any]:
        while True:
            iterator = iter(self.inputs[0])
            for element in iterator:
                yield element
                break
            else:
                return
            yield from iterator


class Concatenate(Node):
    """The elements of one dataset, then those of the other."""

    def __init__(self, first: Node, second: Node) -> None:
        spec = common(first.spec, second.spec, "concatenate")
        known = {first.cardinality, second.cardinality}
        endless = INFINITE_CARDINALITY in known
        length = UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in known else first.cardinality + second.cardinality
        super().__init__("concatenation", spec, INFINITE_CARDINALITY if endless else length, [first, second])

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.inputs)


class Zip(Node):
    """Elements side by side, in a structure whose leaves are the inputs; ends with the shortest."""

    def __init__(self, label: str, tree: Tree, inputs: Sequence[Node]) -> None:
        self._tree = tree
        self.from_arrays = all(node.from_arrays for node in inputs)
        known = [node.cardinality for node in inputs if node.cardinality != INFINITE_CARDINALITY]
        length = UNKNOWN_CARDINALITY if UNKNOWN_CARDINALITY in known else min(known, default=INFINITE_CARDINALITY)
        super().__init__(label, unflatten(tree, [node.spec for node in inputs]), length, inputs)

    def __iter__(self) -> Iterator[Any]:
        return elements(self._tree, self.inputs)

    def blocks(self, size: int) -> Iterator[Any]:
        return self._side_by_side(size) if self.from_arrays else super().blocks(size)

    def _side_by_side(self, size: int) -> Iterator[Any]:
        pack = packer(self._tree)
        for parts in zip(*[node.blocks(size) for node in self.inputs], strict=False):
            lengths = [len(flatten(part)[0][0][1]) for part in parts]
            shortest = min(lengths)
            if max(lengths) > shortest:
                parts = tuple([_first(shortest, part) for part in parts])
            yield pack(parts)
            if shortest < size:
                return


def _first(number: int, block: Any) -> Any:
    return map_leaves(lambda _, leaf: leaf[:number], block)
