"""LLVM IR of one nest of loops in a loop kernel: elements of arrays are read, computed with, written and combined.

Each nest is a function of its own, `nest(addresses, lengths, strides, numbers)`, which returns its faults.
Its constants are part of its text, so that equal nests are one function. No element that a nest writes is read for
another element: `llvm.loop.parallel_accesses` says so, and LLVM vectorises without checks at run time.
"""

from __future__ import annotations

from typing import Any

from .....records import dataclass
from ...kernels.inner_loop import INTEGER_FAULT, OUT_OF_RANGE, SHORT
from ...scalar.emitter import DType, Emitter, llvm_type, memory_type
from ...scalar.rules import RULES
from ..arrays import Array, is_same_place
from ..checked import INT
from ..scalars import Number
from ..value_ranges import is_known
from .nest import Fold, Lookup, Nest, Pick, Position, Step, Store, Update, Value


@dataclass(frozen=True)
class Written:
    """The text of a nest, with the placeholders `@NEST` for its name and `!LOOP` for the metadata of its loops, and the
    arguments of its call. `itemsize` is that of its largest elements. `may_fail`: it gives something else than 0 where
    something went wrong. `is_short`: its innermost loop has few rounds."""

    text: str
    arguments: str
    itemsize: int
    is_short: bool
    may_fail: bool
    may_flag: bool
    intrinsics: frozenset[str]
    functions: frozenset[tuple[str, int]]


class NestWriter:
    """Writes the function of a nest without folds."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.e = Emitter()
        self._parameters: dict[tuple[str, str], str] = {}  # (type, the caller's value) → register
        self._places: list[Array] = []
        self._read_places: set[int] = set()
        self._pointers: list[str] = []
        self._collect()
        self._allocas: list[str] = []
        self._blocks = 0
        self._values: dict[Value, str] = {}
        self._faults = False
        self.order = self._ordered()

    # --- reads and writes of the nest

    def _collect(self) -> None:
        """The places that are read or written, each once."""
        seen: set[Value] = set()
        self._itemsize = 1
        self._rules: set[str] = set()

        def visit(value: Value) -> None:
            if value in seen:
                return
            seen.add(value)
            self._itemsize = max(self._itemsize, value.dtype.itemsize)
            if isinstance(value, Array):
                self._read_places.add(self._place(value))
            elif isinstance(value, Position):
                self._place(value.counter)
            elif isinstance(value, Step):
                self._rules.add(value.rule)
                for operand in value.operands:
                    visit(operand)
            elif isinstance(value, Lookup):
                self._place(value.table)
                for pick in value.picks:
                    visit(pick.index)

        items: tuple[Store | Fold, ...] = (*self.nest.stores, *self.nest.folds)
        for item in items:
            visit(item.value)
            self._itemsize = max(self._itemsize, item.target.dtype.itemsize)
            self._place(item.target)
            if isinstance(item, Fold):
                continue
            for pick in item.picks:
                visit(pick.index)
            if item.old is not None:
                self._place(item.old)
        for pick in self.nest.checks:
            visit(pick.index)

    def _place(self, array: Array) -> int:
        for k, known in enumerate(self._places):
            if known is array or (known.address == array.address and is_same_place(known, array)):
                return k
        self._places.append(array)
        return len(self._places) - 1

    def _register(self, kind: str, given: str) -> str:
        """The register in the nest of something that the caller gives. Integers that are known are literals."""
        if not given.startswith("%"):
            return given
        return self._parameters.setdefault((kind, given), f"%x{len(self._parameters)}")

    def _ordered(self) -> list[tuple[int, ...]]:
        """The axes in the order of the loops, outermost first, in groups that one loop runs over. Axes that are reduced
        come after others, or all but the innermost do, where elements of that one lie side by side."""
        lengths = self.nest.lengths
        axes = [a for a in range(len(lengths)) if lengths[a] != "1"]
        if not axes:
            return []

        def side_by_side(axis: int) -> tuple[int, int]:
            near = sum(p.strides[axis] == str(p.dtype.itemsize) for p in self._places)
            far = sum(not is_known(p.strides[axis]) or abs(int(p.strides[axis])) > 64 for p in self._places)
            return near - far, axis

        inner = max(axes, key=side_by_side)
        if not self.nest.folds or len(axes) == 1:
            order = axes if self.nest.is_ordered else [a for a in axes if a != inner] + [inner]
        else:
            kept = [a for a in axes if a not in self.nest.reduced and a != inner]
            order = kept + [a for a in axes if a in self.nest.reduced and a != inner] + [inner]
        groups: list[tuple[int, ...]] = []
        for axis in order:
            if groups and self._is_one(groups[-1][-1], axis):
                groups[-1] = (*groups[-1], axis)
            else:
                groups.append((axis,))
        return groups

    def _is_one(self, axis: int, following: int) -> bool:
        """True if one loop can run over two axes."""
        lengths = self.nest.lengths
        if (axis in self.nest.reduced) != (following in self.nest.reduced) or not is_known(lengths[following]):
            return False
        for place in self._places:
            outer, inner = place.strides[axis], place.strides[following]
            if not (is_known(outer) and is_known(inner)) or int(outer) != int(inner) * int(lengths[following]):
                return False
        return True

    # --- the function

    def written(self) -> Written:
        e = self.e
        self._pointers = [self._register("ptr", p.address) for p in self._places]
        groups = self.order
        strides = [[self._register("i64", p.strides[g[-1]]) for g in groups] for p in self._places]
        lengths = [self._length(g) for g in groups]
        self._run(groups, lengths, strides)
        result = "0"
        if self._faults:
            result = e.do("load i32, ptr %bad")
            self._allocas += ["%bad = alloca i32", "store i32 0, ptr %bad"]
        parameters = ", ".join(f"{kind} {name}" for (kind, _), name in self._parameters.items())
        text = "\n".join(
            [
                f"define internal i32 @NEST({parameters}) noinline nounwind {{\nentry:",
                *self._allocas,
                *e.lines,
                f"ret i32 {result}\n}}",
            ]
        )
        arguments = ", ".join(f"{kind} {given}" for kind, given in self._parameters)
        return Written(
            text,
            arguments,
            self._itemsize,
            self._is_short(lengths),
            self._faults,
            e.may_flag,
            frozenset(e.intrinsics),
            frozenset(e.functions),
        )

    def _run(self, groups: list[tuple[int, ...]], lengths: list[str], strides: list[list[str]]) -> None:
        """All loops, given the lengths of groups of axes, and the strides of each place along them."""
        self._around(0, max(0, len(groups) - 1), lengths, strides, list(self._pointers), self._innermost)

    def _is_short(self, lengths: list[str]) -> bool:
        """True if the last elements of a row may be computed together with nothing: no flag is raised by that."""
        is_few = bool(lengths) and is_known(lengths[-1]) and int(lengths[-1]) < SHORT
        return (
            is_few
            and not self.nest.folds
            and not self.nest.is_ordered
            and all(RULES[name].is_quiet for name in self._rules)
        )

    def _length(self, group: tuple[int, ...]) -> str:
        lengths = [self._register("i64", self.nest.lengths[a]) for a in group]
        total = lengths[0]
        for length in lengths[1:]:
            total = (
                str(int(total) * int(length))
                if is_known(total) and is_known(length)
                else self.e.do(f"mul i64 {total}, {length}")
            )
        return total

    def _label(self, prefix: str) -> str:
        self._blocks += 1
        return f"{prefix}{self._blocks}"

    def _loop(self, length: str, body: Any, is_innermost: bool = False) -> None:
        """A loop of some rounds; `body` is given the register of the round."""
        e = self.e
        before, head, after = self._label("before"), self._label("loop"), self._label("after")
        e.lines += [f"br label %{before}", f"{before}:"]
        if is_known(length):
            e.lines.append(f"br label %{head if int(length) > 0 else after}")
        else:
            some = e.do(f"icmp sgt i64 {length}, 0")
            e.lines.append(f"br i1 {some}, label %{head}, label %{after}")
        e.lines.append(f"{head}:")
        i, latch = e.fresh(), self._label("latch")
        following = f"{i}.next"
        e.lines.append(f"{i} = phi i64 [ 0, %{before} ], [ {following}, %{latch} ]")
        body(i)
        e.lines += [f"br label %{latch}", f"{latch}:", f"{following} = add nuw nsw i64 {i}, 1"]
        more = e.do(f"icmp slt i64 {following}, {length}")
        mark = ", !llvm.loop !LOOP" if is_innermost else ""
        e.lines += [f"br i1 {more}, label %{head}, label %{after}{mark}", f"{after}:"]

    def _around(self, axis: int, last: int, lengths: Any, strides: Any, pointers: list[str], inside: Any) -> None:
        """The loops over the axes before `last`, and `inside` in them."""
        if axis >= last:
            inside(axis, lengths, strides, pointers)
            return

        def body(i: str) -> None:
            self._around(axis + 1, last, lengths, strides, self._moved(pointers, strides, axis, i), inside)

        self._loop(lengths[axis], body)

    def _moved(self, pointers: list[str], strides: Any, axis: int, i: str) -> list[str]:
        found = []
        for pointer, stride in zip(pointers, strides, strict=True):
            if stride[axis] == "0":
                found.append(pointer)
                continue
            offset = self.e.do(f"mul nsw i64 {i}, {stride[axis]}")
            found.append(self.e.do(f"getelementptr i8, ptr {pointer}, i64 {offset}"))
        return found

    # --- elements

    def _elements(self, pointers: list[str], is_marked: bool = True) -> list[str]:
        """Reads, computes and writes one element of each store. All is read before anything is written. Returns the
        elements that are folded."""
        outer = dict(self._values)
        values = [
            self._cast(s.value, s.update.through if s.update else s.target.dtype, pointers, is_marked)
            for s in self.nest.stores
        ]
        folded = self._to_fold(pointers, is_marked)
        for pick in self.nest.checks:
            self._chosen(pick, pointers, is_marked)
        self._note_faults()
        for store, value in zip(self.nest.stores, values, strict=True):
            dtype, place = store.target.dtype, pointers[self._place(store.target)]
            for pick in store.picks:
                place = self._picked(pick, self._from_start(pick, pointers, is_marked), place)
            old = self._read(dtype, place) if store.update or store.old else ""
            if store.old is not None:
                self._write(old, dtype, pointers[self._place(store.old)])
            if store.update is not None:
                value = self._updated(store.update, dtype, old, value)
            self._write(value, dtype, place, is_marked)
        self._values = outer
        return folded

    def _to_fold(self, pointers: list[str], is_marked: bool) -> list[str]:
        return []

    def _value(self, value: Value, pointers: list[str], is_marked: bool) -> str:
        if isinstance(value, Number):
            return self._register(llvm_type(value.dtype), value.name)
        if value not in self._values:
            if isinstance(value, Array):
                self._values[value] = self._read(value.dtype, pointers[self._place(value)], is_marked)
            elif isinstance(value, Lookup):
                self._values[value] = self._looked_up(value, pointers, is_marked)
            elif isinstance(value, Position):
                self._values[value] = self.e.do(f"ptrtoint ptr {pointers[self._place(value.counter)]} to i64")
            else:
                e = self.e
                operands = [
                    self._cast(o, t, pointers, is_marked) for o, t in zip(value.operands, value.dtypes, strict=True)
                ]
                self._values[value] = RULES[value.rule].emit(e, value.dtypes[-1], operands)
                self._note_faults()
        return self._values[value]

    def _from_start(self, pick: Pick, pointers: list[str], is_marked: bool) -> str:
        """An index, counted from the start."""
        e = self.e
        index = self._cast(pick.index, INT, pointers, is_marked)
        if pick.index.dtype.kind != "i" or not pick.wraps:
            return index
        from_end = e.do(f"add i64 {index}, {self._register('i64', pick.length)}")
        return e.select(e.do(f"icmp slt i64 {index}, 0"), INT, from_end, index)

    def _chosen(self, pick: Pick, pointers: list[str], is_marked: bool) -> str:
        """An index, counted from the start. One that lies outside is a fault, and 0 instead."""
        e, index = self.e, self._from_start(pick, pointers, is_marked)
        inside = e.do(f"icmp ult i64 {index}, {self._register('i64', pick.length)}")
        e.out_of_range.append(e.do(f"xor i1 {inside}, true"))
        return e.select(inside, INT, index, "0")

    def _picked(self, pick: Pick, index: str, place: str) -> str:
        """Where an element is that an index counted from the start points to."""
        moved = self.e.do(f"mul i64 {index}, {self._register('i64', pick.stride)}")
        return self.e.do(f"getelementptr i8, ptr {place}, i64 {moved}")

    def _looked_up(self, value: Lookup, pointers: list[str], is_marked: bool) -> str:
        place = pointers[self._place(value.table)]
        for pick in value.picks:
            place = self._picked(pick, self._chosen(pick, pointers, is_marked), place)
        self._note_faults()
        return self._read(value.dtype, place, is_marked)

    def _updated(self, how: Update, dtype: DType, old: str, value: str) -> str:
        """An element combined with the one that was there."""
        found = RULES[how.rule].emit(self.e, how.through, [self.e.cast(old, dtype, how.through), value])
        return self.e.cast(found, how.result, dtype)

    def _cast(self, value: Value, dtype: DType, pointers: list[str], is_marked: bool) -> str:
        return self.e.cast(self._value(value, pointers, is_marked), value.dtype, dtype)

    def _note_faults(self) -> None:
        e = self.e
        words = [(INTEGER_FAULT, e.integer_faults), (OUT_OF_RANGE, e.out_of_range)]
        for test, word in [(t, w) for w, tests in words for t in tests]:
            found = e.do(f"select i1 {test}, i32 {word}, i32 0")
            known = e.do("load i32, ptr %bad")
            e.lines.append(f"store i32 {e.do(f'or i32 {known}, {found}')}, ptr %bad")
            self._faults = True
        e.integer_faults, e.out_of_range = [], []

    def _read(self, dtype: DType, pointer: str, is_marked: bool = False) -> str:
        mark = ", !llvm.access.group !ELEMENTS" if is_marked else ""
        found = self.e.do(f"load {memory_type(dtype)}, ptr {pointer}, align {dtype.itemsize}{mark}")
        return self.e.do(f"icmp ne i8 {found}, 0") if dtype.kind == "b" else found

    def _write(self, value: str, dtype: DType, pointer: str, is_marked: bool = False) -> None:
        if dtype.kind == "b":
            value = self.e.do(f"zext i1 {value} to i8")
        mark = ", !llvm.access.group !ELEMENTS" if is_marked else ""
        self.e.lines.append(f"store {memory_type(dtype)} {value}, ptr {pointer}, align {dtype.itemsize}{mark}")

    def _innermost(self, axis: int, lengths: Any, strides: Any, pointers: list[str]) -> None:
        """The innermost loop of a nest without folds."""
        if not lengths:
            self._elements(pointers, False)
            return
        self._hoist(axis, strides, pointers, lengths[axis])
        is_free = not self.nest.is_ordered
        self._loop(lengths[axis], lambda i: self._elements(self._moved(pointers, strides, axis, i), is_free), is_free)
        self._values = {}

    def _hoist(self, axis: int, strides: Any, pointers: list[str], length: str) -> None:
        """Reads the loop invariants of the innermost loop before it."""
        if not is_known(length) or length == "0":
            return  # there may be nothing to be read
        items: tuple[Store | Fold, ...] = (*self.nest.stores, *self.nest.folds)
        targets = {self._place(s.target) for s in items}
        for k, place in enumerate(self._places):
            if strides[k][axis] == "0" and k in self._read_places - targets:
                self._values[place] = self._read(place.dtype, pointers[k])
