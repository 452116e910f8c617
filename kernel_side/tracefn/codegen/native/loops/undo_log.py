"""Writes that loop kernels take back: old elements are noted, so that no copy of a whole argument is kept.

Where the kernel is left after such a write, elements get back their old values in the opposite order, write by write.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection

from ....ir.dims import Length
from ....ir.graph import Graph, Node, input_node
from ....ir.types import TensorType
from .arrays import Array, Memory, product
from .checked import Checking
from .elements import size_of
from .gather import GatherPlace
from .nests.nest import Nest, Pick, Store
from .nests.pending import Group
from .value_ranges import is_known
from .writes import Owners, Writes

LITTLE = 1 << 15
"""Bytes of an argument up to which a copy is kept instead of an undo log."""


class Undoing(Writes):
    """Notes which arguments are only written into where that can be taken back. It is for those that are `noted`."""

    def __init__(self, graph: Graph, owners: Owners, unkept: Collection[Node], noted: Collection[Node]) -> None:
        super().__init__(graph, owners, [*unkept, *noted])
        self._noted = noted
        self._roots: dict[Memory, Node] = {}  # arguments that are written into, by the memory that is
        self._writes: Counter[Memory] = Counter()
        self._notable: Counter[Memory] = Counter()
        self._is_large: dict[Node, bool] = {}

    def _writable(self, node: Node, array: Array, is_whole: bool = False) -> Array:
        found = super()._writable(node, array, is_whole)
        self._writes[found.memory] += 1
        return found

    def begin(self, argument: Node, memory: Memory) -> None:
        """Notes that an argument is written into for the first time."""
        self._roots[memory] = argument

    def notable(self) -> set[Node]:
        """The arguments of which no copy is needed where their old elements are noted: all writes can be taken
        back, and that is less than a copy."""
        return {n for m, n in self._roots.items() if self._writes[m] == self._notable[m] and self._is_large[n]}

    def note(self, target: Array, place: GatherPlace) -> bool:
        """Whether a write by indices is one that is to be taken back."""
        argument = self._roots.get(target.memory)
        if argument is None or self.depth or len(self.graphs) > 1 or self._shape(place) is None:
            return False
        self._notable[target.memory] += 1
        size, elements = argument.type.nbytes, size_of(place.bounds)
        is_large = size is None or size > max(LITTLE, argument.type.dtype.itemsize * (elements or 0))
        self._is_large[argument] = self._is_large.get(argument, True) and is_large
        return argument in self._noted

    def _shape(self, place: GatherPlace) -> tuple[Length, ...] | None:
        """The lengths of a place, where they are known or those of an argument that is its index."""
        if size_of(place.bounds) is not None:
            return tuple([b for b in place.bounds if b is not None])
        indices = [self.known.get(n) for n in self.graph.inputs]
        same = [a.node.type.shape for a in indices if isinstance(a, Array) and a.lengths == place.lengths]
        return same[0] if same else None

    def write_noted(self, store: Store, group: Group, place: GatherPlace) -> None:
        """Emits a write that is taken back where the kernel is left from now on."""
        e, shape = self.e, self._shape(place)
        assert shape is not None
        noted = self.between(input_node("old", TensorType(store.target.dtype, shape)), place.lengths, place.bounds)
        old = dataclasses.replace(noted, lengths=place.lengths, is_dense=False)
        group.stores.append(dataclasses.replace(store, old=old))
        nest = group.nest()
        call, may_fail = self.nests.code(nest)
        wrong = e.fresh()
        e.put(f"{wrong} = {call}")
        (written,) = nest.stores
        picks = tuple([dataclasses.replace(p, index=_index_backwards(e, p)) for p in written.picks])
        again = Store(backwards(e, old), backwards(e, written.target), picks)
        undo, _ = self.nests.code(Nest(place.lengths, (again,)))
        e.undone_by(undo)
        if may_fail:
            e.leave_if(e.do(f"icmp ne i32 {wrong}, 0"))


def _index_backwards(e: Checking, pick: Pick) -> Array:
    assert isinstance(pick.index, Array)
    return backwards(e, pick.index)


def backwards(e: Checking, array: Array) -> Array:
    """The elements of an array from the last to the first, along all of its axes."""
    moved, strides = "0", list(array.strides)
    for axis, (length, stride) in enumerate(zip(array.lengths, array.strides, strict=True)):
        if stride == "0":
            continue
        last = str(int(length) - 1) if is_known(length) else e.do(f"sub i64 {length}, 1")
        moved = _sum(e, moved, product(e, last, stride))
        strides[axis] = str(-int(stride)) if is_known(stride) else e.do(f"sub i64 0, {stride}")
    address = e.do(f"getelementptr i8, ptr {array.address}, i64 {moved}")
    return dataclasses.replace(array, address=address, strides=tuple(strides))


def _sum(e: Checking, a: str, b: str) -> str:
    return str(int(a) + int(b)) if is_known(a) and is_known(b) else e.do(f"add i64 {a}, {b}")
