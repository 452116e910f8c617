"""LLVM IR of a nest of loops in which elements are combined: in lanes along an axis, or one by one in memory."""

from __future__ import annotations

from typing import Any

from ...scalar.emitter import literal, llvm_type, memory_type
from ..value_ranges import is_known
from .folds import combine, identity, sum_of_lanes
from .nest import Fold, Nest
from .writer import NestWriter, Written

LANES, ROWS = 64, 8
"""The lanes of a sum: LLVM unrolls loops of fewer rounds before it vectorises them. And the elements of each lane after
which lanes are added up."""

AT_ONCE = 4
"""So many rows are added to results that lie side by side before these are written."""

FEW = 16
"""So many elements along the innermost axis are combined one after the other."""


def written(nest: Nest) -> Written:
    return (FoldWriter if nest.folds else NestWriter)(nest).written()


class FoldWriter(NestWriter):
    """Writes the loops of a nest with folds."""

    def _run(self, groups: list[tuple[int, ...]], lengths: list[str], strides: list[list[str]]) -> None:
        kept = sum(g[0] not in self.nest.reduced for g in groups)
        pointers = list(self._pointers)
        if groups and groups[-1][0] in self.nest.reduced:
            self._around(0, kept, lengths, strides, pointers, self._into_totals)
        else:
            self._around(0, max(0, kept - 1), lengths, strides, pointers, self._into_memory)

    def _to_fold(self, pointers: list[str], is_marked: bool) -> list[str]:
        found = []
        for fold in self.nest.folds:
            value = self._cast(fold.value, fold.through, pointers, is_marked)
            found.append(self.e.cast(value, fold.through, fold.target.dtype))
        return found

    def _start(self, fold: Fold) -> str:
        return identity(fold.rule, fold.target.dtype)

    def _combined(self, fold: Fold, known: str, value: str) -> str:
        return combine(self.e, fold.rule, fold.target.dtype, known, value)

    def _into_memory(self, axis: int, lengths: Any, strides: Any, pointers: list[str]) -> None:
        """Adds to the results themselves, where the innermost axis is kept: each is a sum of elements in their order,
        as NumPy's are."""
        last = len(lengths) - 1
        places = [self._place(f.target) for f in self.nest.folds]

        def begin(i: str) -> None:
            moved = self._moved(pointers, strides, last, i)
            for fold, k in zip(self.nest.folds, places, strict=True):
                self._write(self._start(fold), fold.target.dtype, moved[k], True)

        def add(rows: list[list[str]], hoisted: list[dict[Any, str]], is_marked: bool = True) -> None:
            """Adds the elements at these places, one of each row, to a result."""
            values = []
            for row, self._values in zip(rows, hoisted, strict=True):
                values.append(self._elements(row, is_marked))
            for n, (fold, k) in enumerate(zip(self.nest.folds, places, strict=True)):
                total = self._read(fold.target.dtype, rows[0][k], is_marked)
                for each in values:
                    total = self._combined(fold, total, each[n])
                self._write(total, fold.target.dtype, rows[0][k], is_marked)

        def together(rows: list[list[str]]) -> None:
            hoisted: list[dict[Any, str]] = []
            for pointers in rows:
                self._values = {}
                self._hoist(last, strides, pointers, lengths[last])
                hoisted.append(self._values)
            self._loop(lengths[last], lambda i: add([self._moved(p, strides, last, i) for p in rows], hoisted), True)
            self._values = {}

        def row(at: int, lengths: Any, strides: Any, pointers: list[str]) -> None:
            together([pointers])

        def all_rows(at: int, lengths: Any, strides: Any, pointers: list[str]) -> None:
            """The rows along the innermost axis that is reduced, several at a time: results are read and written once
            for these."""
            e, length = self.e, lengths[at]
            blocks = str(int(length) // AT_ONCE) if is_known(length) else e.do(f"sdiv i64 {length}, {AT_ONCE}")

            def block(b: str) -> None:
                first = self._moved(pointers, strides, at, e.do(f"mul nuw nsw i64 {b}, {AT_ONCE}"))
                together([self._moved(first, strides, at, str(k)) if k else first for k in range(AT_ONCE)])

            def left(r: str) -> None:
                i = e.do(f"add nuw nsw i64 {e.do(f'mul nuw nsw i64 {blocks}, {AT_ONCE}')}, {r}")
                together([self._moved(pointers, strides, at, i)])

            self._loop(blocks, block)
            done = e.do(f"mul nuw nsw i64 {blocks}, {AT_ONCE}")
            rest = str(int(length) % AT_ONCE) if is_known(length) else e.do(f"sub nsw i64 {length}, {done}")
            self._loop(rest, left)

        if not lengths:
            for fold, k in zip(self.nest.folds, places, strict=True):
                self._write(self._start(fold), fold.target.dtype, pointers[k])
            add([pointers], [{}], False)
            return
        self._loop(lengths[last], begin, True)
        if self.nest.stores or axis >= last:
            self._around(axis, last, lengths, strides, pointers, row)
        else:
            self._around(axis, last - 1, lengths, strides, pointers, all_rows)
        if any(f.is_mean for f in self.nest.folds):
            self._loop(lengths[last], lambda i: self._divide(self._moved(pointers, strides, last, i)), True)

    def _divide(self, pointers: list[str]) -> None:
        e = self.e
        for fold in self.nest.folds:
            if fold.is_mean:
                pointer, dtype = pointers[self._place(fold.target)], fold.target.dtype
                count = e.do(f"sitofp i64 {self._count()} to {llvm_type(dtype)}")
                value = e.do(f"fdiv {llvm_type(dtype)} {self._read(dtype, pointer)}, {count}")
                self._write(value, dtype, pointer)

    def _count(self) -> str:
        return self._length(tuple(sorted(self.nest.reduced)))

    def _into_totals(self, axis: int, lengths: Any, strides: Any, pointers: list[str]) -> None:
        """Adds up rows in lanes, where the innermost axis is reduced, and the sums of rows with their
        rounding errors."""
        e, folds = self.e, self.nest.folds
        totals = [self._variable(f"total{k}", memory_type(f.target.dtype)) for k, f in enumerate(folds)]
        lost = [
            self._variable(f"lost{k}", llvm_type(f.target.dtype)) if _is_float_sum(f) else None
            for k, f in enumerate(folds)
        ]
        for fold, total, rest in zip(folds, totals, lost, strict=True):
            self._write(self._start(fold), fold.target.dtype, total)
            if rest:
                self._write(literal(0.0, fold.target.dtype), fold.target.dtype, rest)

        def add(values: list[str]) -> None:
            for fold, total, rest, value in zip(folds, totals, lost, values, strict=True):
                self._add(fold, total, rest, value)

        def row(at: int, lengths: Any, strides: Any, pointers: list[str]) -> None:
            self._row(lengths[at], [s[at] for s in strides], pointers, add)

        self._around(axis, len(lengths) - 1, lengths, strides, pointers, row)
        for k, (fold, total, rest) in enumerate(zip(folds, totals, lost, strict=True)):
            dtype = fold.target.dtype
            value = self._read(dtype, total)
            if rest:
                whole = e.do(f"fadd {llvm_type(dtype)} {value}, {self._read(dtype, rest)}")
                odd = e.do(f"fcmp uno {llvm_type(dtype)} {whole}, {whole}")
                value = e.select(odd, dtype, value, whole)
            self._write(value, dtype, pointers[self._place(folds[k].target)])
        self._divide(pointers)

    def _variable(self, name: str, kind: str) -> str:
        self._allocas.append(f"%{name} = alloca {kind}, align 64")
        return f"%{name}"

    def _add(self, fold: Fold, total: str, rest: str | None, value: str) -> None:
        """Adds the sum of a row to the total (T. J. Dekker, Numerische Mathematik 18, 1971, as D. E. Knuth has it)."""
        e, dtype = self.e, fold.target.dtype
        known = self._read(dtype, total)
        if not rest:
            self._write(self._combined(fold, known, value), dtype, total)
            return
        kind = llvm_type(dtype)
        sum_ = e.do(f"fadd {kind} {known}, {value}")
        taken = e.do(f"fsub {kind} {sum_}, {known}")
        error = e.do(f"fsub {kind} {known}, {e.do(f'fsub {kind} {sum_}, {taken}')}")
        error = e.do(f"fadd {kind} {error}, {e.do(f'fsub {kind} {value}, {taken}')}")
        finite = e.do(f"fcmp ord {kind} {error}, {error}")
        error = e.select(finite, dtype, error, literal(0.0, dtype))
        self._write(e.do(f"fadd {kind} {self._read(dtype, rest)}, {error}"), dtype, rest)
        self._write(sum_, dtype, total)

    def _row(self, length: str, strides: list[str], pointers: list[str], add: Any) -> None:
        """The sums of one row, given to `add` block by block."""
        e, folds = self.e, self.nest.folds
        if is_known(length) and int(length) <= FEW:
            values = [self._start(f) for f in folds]
            for i in range(int(length)):
                at = [
                    p
                    if s == "0"
                    else e.do(f"getelementptr i8, ptr {p}, i64 {i * int(s)}")
                    if is_known(s)
                    else e.do(f"getelementptr i8, ptr {p}, i64 {e.do(f'mul i64 {s}, {i}')}")
                    for p, s in zip(pointers, strides, strict=True)
                ]
                elements = self._elements(at, False)
                values = [self._combined(f, v, x) for f, v, x in zip(folds, values, elements, strict=True)]
            add(values)
            return
        lanes = []
        for k, fold in enumerate(folds):
            lanes.append(f"%lanes{k}")
            self._allocas.append(f"%lanes{k} = alloca [{LANES} x {memory_type(fold.target.dtype)}], align 64")
        one = [[s] for s in strides]

        def element(first: str, j: str) -> None:
            at = self._moved(pointers, one, 0, e.do(f"add nuw nsw i64 {first}, {j}"))
            for fold, lane, value in zip(folds, lanes, self._elements(at), strict=True):
                place = e.do(f"getelementptr {memory_type(fold.target.dtype)}, ptr {lane}, i64 {j}")
                known = self._read(fold.target.dtype, place, True)
                self._write(self._combined(fold, known, value), fold.target.dtype, place, True)

        def block(b: str) -> None:
            first = e.do(f"mul nuw nsw i64 {b}, {LANES * ROWS}")
            left = e.do(f"sub nsw i64 {length}, {first}")
            short = e.do(f"icmp slt i64 {left}, {LANES * ROWS}")
            size = e.do(f"select i1 {short}, i64 {left}, i64 {LANES * ROWS}")
            for fold, lane in zip(folds, lanes, strict=True):
                kind, start = memory_type(fold.target.dtype), self._start(fold)
                start = {"true": "1", "false": "0"}.get(start, start)
                vector = f"<{', '.join([f'{kind} {start}'] * LANES)}>"
                e.lines.append(f"store <{LANES} x {kind}> {vector}, ptr {lane}, align 64")
            rows = e.do(f"sdiv i64 {size}, {LANES}")

            def lane_row(r: str) -> None:
                at = e.do(f"add nuw nsw i64 {first}, {e.do(f'mul nuw nsw i64 {r}, {LANES}')}")
                self._loop(str(LANES), lambda j: element(at, j), True)

            self._loop(rows, lane_row)
            done = e.do(f"mul nuw nsw i64 {rows}, {LANES}")
            at = e.do(f"add nuw nsw i64 {first}, {done}")
            self._loop(e.do(f"sub nsw i64 {size}, {done}"), lambda j: element(at, j), True)
            add([sum_of_lanes(e, f.rule, f.target.dtype, lane, LANES) for f, lane in zip(folds, lanes, strict=True)])

        if is_known(length):
            self._loop(str(-(-int(length) // (LANES * ROWS))), block)
            return
        blocks = e.do(f"sdiv i64 {e.do(f'add nsw i64 {length}, {LANES * ROWS - 1}')}, {LANES * ROWS}")
        self._loop(blocks, block)


def _is_float_sum(fold: Fold) -> bool:
    return fold.rule == "add" and fold.target.dtype.kind == "f"
