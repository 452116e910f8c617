"""Operations on elements in loop kernels that have not been written yet: neighbours of one shape become one nest."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .....ir.graph import Node
from .....records import dataclass
from ....machine.processor import has_masks, vector_bits
from ..arrays import Array, is_same_place, may_overlap
from ..checked import Checking, Unfit
from ..scalars import Number
from .fold_nest import written
from .nest import Fold, Lookup, Nest, Step, Store, Value
from .writer import Written

Bounds = tuple[int | None, ...]


@dataclass(frozen=True, eq=False)
class Pending:
    """An array or number whose elements a nest is going to compute."""

    node: Node
    lengths: tuple[str, ...]
    bounds: Bounds


@dataclass(eq=False)
class Group:
    """A nest in the making. `values` are those of its nodes, `absorbed` all nodes that are part of it. `reads` are the
    arrays that are read, as they lie along the axes of the nest, and `tables` those whose elements indices point to."""

    lengths: tuple[str, ...]
    bounds: Bounds
    values: dict[Node, Value] = dataclasses.field(default_factory=dict)
    reads: list[Array] = dataclasses.field(default_factory=list)
    stores: list[Store] = dataclasses.field(default_factory=list)
    folds: dict[Node, Fold] = dataclasses.field(default_factory=dict)
    reduced: frozenset[int] = frozenset()
    absorbed: set[Node] = dataclasses.field(default_factory=set)
    instead: dict[Array, Array] = dataclasses.field(default_factory=dict)
    tables: list[Array] = dataclasses.field(default_factory=list)

    def read(self, array: Array) -> Value | None:
        """The elements of an array as they are after the stores so far. None where they cannot be had in this nest."""
        for store in reversed(self.stores):
            if is_same_place(store.target, array):
                return Step("astype", (store.value,), (store.target.dtype,), store.target.dtype)
            if may_overlap(store.target, array):
                return None
        for known in self.reads:
            if is_same_place(known, array):
                return known
        self.reads.append(array)
        return array

    def reads_elsewhere(self, target: Array) -> list[Array]:
        """The reads that a write into `target` would change."""
        kept = [r for r in self.reads if r not in self.instead]
        return [r for r in kept if may_overlap(r, target) and not is_same_place(r, target)]

    def looks_into(self, target: Array) -> bool:
        """True if a write into `target` would change elements that indices point to."""
        return any(may_overlap(t, target) for t in self.tables)

    def writes_elsewhere(self, target: Array) -> bool:
        return any(may_overlap(s.target, target) and not is_same_place(s.target, target) for s in self.stores)

    def touches(self, array: Array, only_writes: bool) -> bool:
        """True if an array shares memory with an array that the nest writes or, unless `only_writes`, reads."""
        found = [s.target for s in self.stores] + ([] if only_writes else [*self.reads, *self.tables])
        return any(a.memory is array.memory for a in found)

    def nest(self) -> Nest:
        known: dict[Value, Value] = {}
        known.update(self.instead.items())

        def final(value: Value) -> Value:
            if isinstance(value, Step) and value not in known:
                operands = tuple(map(final, value.operands))
                known[value] = dataclasses.replace(value, operands=operands) if operands != value.operands else value
            elif isinstance(value, Lookup) and value not in known:
                picks = tuple([dataclasses.replace(p, index=final(p.index)) for p in value.picks])
                known[value] = dataclasses.replace(value, picks=picks)
            return value if isinstance(value, Number) else known.get(value, value)

        stores = []
        for s in self.stores:
            picks = tuple([dataclasses.replace(p, index=final(p.index)) for p in s.picks])
            stores.append(dataclasses.replace(s, value=final(s.value), picks=picks))
        folds = [dataclasses.replace(f, value=final(f.value)) for f in self.folds.values()]
        return Nest(self.lengths, tuple(stores), tuple(folds), self.reduced)


def aligned(array: Array, lengths: Sequence[str]) -> Array:
    """An array stretched to the lengths of a nest."""
    skipped = len(lengths) - array.ndim
    own = ["1"] * skipped + list(array.lengths)
    strides = ["0"] * skipped + list(array.strides)
    moved = tuple(["0" if n == "1" else s for n, s in zip(own, strides, strict=True)])
    return dataclasses.replace(array, lengths=tuple(lengths), strides=moved, is_dense=False)


def broadcast(e: Checking, given: Sequence[tuple[tuple[str, ...], Bounds]]) -> tuple[tuple[str, ...], Bounds]:
    """The lengths that arrays of these lengths are stretched to. Leaves the kernel where unknown lengths are
    not the same: NumPy stretches or raises."""
    ndim = max(len(n) for n, _ in given)
    lengths, bounds = ["1"] * ndim, [1 if given else None] * ndim
    for own, most in given:
        for axis, (length, bound) in enumerate(zip(own, most, strict=True), ndim - len(own)):
            known = lengths[axis]
            if length in ("1", known):
                continue
            if known == "1":
                lengths[axis], bounds[axis] = length, bound
                continue
            if known.isdigit() and length.isdigit():
                raise Unfit("shapes that do not fit")
            e.leave_if(e.do(f"icmp ne i64 {known}, {length}"))
            if length.isdigit():
                lengths[axis] = length
            bounds[axis] = min((b for b in (bound, bounds[axis]) if b is not None), default=None)
    return tuple(lengths), tuple(bounds)


class Nests:
    """The functions of all nests of a kernel. Those that do the same are one."""

    def __init__(self, e: Checking) -> None:
        self._e = e
        self._names: dict[tuple[str, int, bool], str] = {}

    def call(self, nest: Nest) -> None:
        """Emits a nest where the kernel is now."""
        e = self._e
        call, may_fail = self.code(nest)
        if not may_fail:
            e.put(call)
            return
        wrong = e.fresh()
        e.put(f"{wrong} = {call}")
        e.leave_if(e.do(f"icmp ne i32 {wrong}, 0"))

    def code(self, nest: Nest) -> tuple[str, bool]:
        """The call of a nest, and whether it gives something else than 0 where something goes wrong."""
        e = self._e
        code: Written = written(nest)
        name = self._names.setdefault((code.text, code.itemsize, code.is_short), f"@nest{len(self._names)}")
        e.intrinsics |= code.intrinsics
        e.functions |= code.functions
        e.may_flag |= code.may_flag
        return f"call i32 {name}({code.arguments})", code.may_fail

    def text(self, first: int) -> list[str]:
        """The functions, and the metadata of their loops, numbered from `first` on."""
        lines, number = [], first + 2
        marks = [f"!{first} = distinct !{{}}", f'!{first + 1} = !{{!"llvm.loop.parallel_accesses", !{first}}}']
        for (text, size, is_short), name in self._names.items():
            width = number
            marks.append(f'!{width} = !{{!"llvm.loop.vectorize.width", i32 {vector_bits() // (8 * size)}}}')
            masks = is_short and has_masks(size)
            marks.append(f'!{width + 1} = !{{!"llvm.loop.vectorize.predicate.enable", i1 {str(masks).lower()}}}')
            number += 2
            parts = text.replace("@NEST", name).replace("!ELEMENTS", f"!{first}").split("!LOOP")
            for part in parts[:-1]:
                lines.append(f"{part}!{number}")
                marks.append(f"!{number} = distinct !{{!{number}, !{first + 1}, !{width}, !{width + 1}}}")
                number += 1
            lines.append(parts[-1])
        return ["".join(lines), *marks]
