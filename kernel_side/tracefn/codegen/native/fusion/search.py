"""Where numbers lie between those of a sorted table: `np.searchsorted`, `np.digitize`, `np.interp`.

All numbers of a table are compared with in the same number of steps, without a branch. A table that is not sorted, or
has a NaN, is left to NumPy.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ....ir.graph import Node
from ....ir.template import Ref
from ....ir.types import Kind
from ....records import dataclass
from ..scalar.emitter import DType, Emitter, castable, literal, llvm_type, memory_type, supported

MOST = 1 << 20
"""Larger tables are left to NumPy."""

PART = 8
"""Limit of the ratio of the table's size to the number of keys: the check that the table is sorted reads it once."""

SHORT, PROBES = 1 << 12, 64
"""Fewer keys than `SHORT` are not checked for their order; of more, `PROBES` of them are."""

FEW_STEPS = 4
"""Where no more than this is computed of sorted keys NumPy, which goes along the table, is faster at `np.interp`."""

CALLS = 4
"""The length of a search's chain of operations, in function calls: several searches are to run side by side."""

_INT, _FLOAT = np.dtype(np.int64), np.dtype(np.float64)


@dataclass(frozen=True, slots=True)
class Search:
    """How one node looks for numbers, `keys`, in a table of a known length. Both are compared as `through`. `is_right`:
    it looks for the place behind all equal ones. Where there are `heights` it interpolates between two of
    these, and `left` and `right` are its results beyond the ends of the table, if those are not the last of these."""

    table: Node
    keys: Node
    length: int
    through: DType
    is_right: bool
    heights: Node | None = None
    left: float | None = None
    right: float | None = None

    @property
    def tables(self) -> tuple[Node, ...]:
        return (self.table,) if self.heights is None else (self.table, self.heights)


def search(node: Node) -> Search | None:
    """How a node looks for numbers in a table. None where it does something else."""
    function = _FUNCTIONS.get(node.op.name)
    if function is None or node.container is not None or node.type.kind is not Kind.ARRAY or not node.type.ndim:
        return None
    given = dict(zip(function.parameters, node.args, strict=False)) | dict(node.kwargs)
    if not given.keys() <= set(function.parameters):
        return None
    return function.how(node, given)


def _searchsorted(node: Node, given: dict[str, Any]) -> Search | None:
    side = given.get("side", "left")
    return _found(node, given["a"], given["v"], side == "right") if side in ("left", "right") else None


def _digitize(node: Node, given: dict[str, Any]) -> Search | None:
    right = given.get("right", False)
    return _found(node, given["bins"], given["x"], not right) if isinstance(right, bool) else None


def _interp(node: Node, given: dict[str, Any]) -> Search | None:
    ends = given.get("left"), given.get("right")
    found, heights = _found(node, given["xp"], given["x"], True), _array(node, given["fp"])
    if found is None or heights is None or heights.type.shape != (found.length,) or found.length < 2:
        return None
    if node.type.dtype != _FLOAT or not all(e is None or type(e) in (int, float) for e in ends):
        return None
    left, right = [None if e is None else float(e) for e in ends]
    return dataclasses.replace(found, through=_FLOAT, heights=heights, left=left, right=right)


class _Function(NamedTuple):
    """A function that looks for numbers, with those of its parameters that native code knows."""

    how: Callable[[Node, dict[str, Any]], Search | None]
    parameters: tuple[str, ...]


_FUNCTIONS = {
    "searchsorted": _Function(_searchsorted, ("a", "v", "side")),
    "digitize": _Function(_digitize, ("x", "bins", "right")),
    "interp": _Function(_interp, ("x", "xp", "fp", "left", "right")),
}


def _found(node: Node, table: Any, keys: Any, is_right: bool) -> Search | None:
    numbers, looked_for = _array(node, table), _array(node, keys)
    if numbers is None or looked_for is None or numbers is looked_for or numbers.type.ndim != 1:
        return None
    (length,) = numbers.type.shape
    if not isinstance(length, int) or not 0 < length <= MOST:
        return None
    if length > (PART * size if isinstance(size := looked_for.type.size, int) else MOST // PART):
        return None
    through = np.result_type(numbers.type.dtype, looked_for.type.dtype)
    if not supported(through) or not all(castable(n.type.dtype, through) for n in (numbers, looked_for)):
        return None
    return Search(numbers, looked_for, length, through, is_right)


def _array(node: Node, item: Any) -> Node | None:
    """The array of numbers of an item."""
    source = node.inputs[item.index] if isinstance(item, Ref) else None
    if source is None or source.container is not None or source.type.kind is not Kind.ARRAY:
        return None
    return source if source.type.ndim and supported(source.type.dtype) else None


# --- code


def searched(e: Emitter, found: Search, table: str, heights: str, key: str) -> str:
    """The result for one key, which has its own dtype. `table` and `heights` are addresses."""
    t = found.through
    e.calls += CALLS
    key = e.cast(key, found.keys.type.dtype, t)
    test = ("s" if t.kind == "i" else "u") + ("le" if found.is_right else "lt")  # a NaN comes after all floats
    compare = f"{'fcmp' if t.kind == 'f' else 'icmp'} {test} {llvm_type(t)}"
    at, left = "0", found.length
    while left > 1:
        half = left // 2
        middle = e.do(f"add i64 {at}, {half}")
        before = _read(e, found.table, t, table, e.do(f"add i64 {at}, {half - 1}"))
        at = e.select(e.do(f"{compare} {before}, {key}"), _INT, middle, at)
        left -= half
    last = e.do(f"{compare} {_read(e, found.table, t, table, at)}, {key}")
    at = e.do(f"add i64 {at}, {e.do(f'zext i1 {last} to i64')}")
    return at if found.heights is None else _between(e, found, table, heights, key, at)


def _read(e: Emitter, array: Node, dtype: DType, address: str, index: str) -> str:
    own = array.type.dtype
    place = e.do(f"getelementptr inbounds {memory_type(own)}, ptr {address}, i64 {index}")
    value = e.do(f"load {memory_type(own)}, ptr {place}, align {own.itemsize}")
    return e.cast(e.do(f"icmp ne i8 {value}, 0") if own.kind == "b" else value, own, dtype)


def _between(e: Emitter, found: Search, table: str, heights: str, x: str, after: str) -> str:
    """The number between two heights, in NumPy's steps. `after` is how many numbers of the table are not larger."""
    t, last, fp = _FLOAT, found.length - 1, found.heights
    assert fp is not None
    j = e.do(f"sub i64 {after}, 1")
    j = e.select(e.do(f"icmp slt i64 {j}, 0"), _INT, "0", j)
    j = e.select(e.do(f"icmp sgt i64 {j}, {last - 1}"), _INT, str(last - 1), j)
    following = e.do(f"add i64 {j}, 1")
    x0, x1 = _read(e, found.table, t, table, j), _read(e, found.table, t, table, following)
    y0, y1 = _read(e, fp, t, heights, j), _read(e, fp, t, heights, following)
    slope = e.do(f"fdiv double {e.do(f'fsub double {y1}, {y0}')}, {e.do(f'fsub double {x1}, {x0}')}")

    def on_line(start: str, height: str) -> str:
        distance = e.do(f"fsub double {x}, {start}")
        return e.do(f"fadd double {e.do(f'fmul double {slope}, {distance}')}, {height}")

    def is_nan(value: str) -> str:
        return e.do(f"fcmp uno double {value}, {value}")

    result = on_line(x0, y0)
    result = e.select(is_nan(result), t, on_line(x1, y1), result)
    is_flat = e.do(f"and i1 {is_nan(result)}, {e.do(f'fcmp oeq double {y0}, {y1}')}")
    result = e.select(is_flat, t, y0, result)
    result = e.select(e.do(f"fcmp oeq double {x}, {x0}"), t, y0, result)
    first, end = _read(e, found.table, t, table, "0"), _read(e, found.table, t, table, str(last))
    left = _read(e, fp, t, heights, "0") if found.left is None else literal(found.left, t)
    right = _read(e, fp, t, heights, str(last)) if found.right is None else literal(found.right, t)
    result = e.select(e.do(f"fcmp oeq double {x}, {end}"), t, _read(e, fp, t, heights, str(last)), result)
    result = e.select(e.do(f"fcmp ogt double {x}, {end}"), t, right, result)
    result = e.select(e.do(f"fcmp olt double {x}, {first}"), t, left, result)
    return e.select(is_nan(x), t, x, result)


def unsorted(name: str, found: Search) -> list[str]:
    """The function `name(table)`, which gives true where a table is not sorted."""
    e, own = Emitter(), found.table.type.dtype
    lines = [f"define internal i1 {name}(ptr %table) noinline nounwind {{", "entry:", "br label %loop", "loop:"]
    lines += ["%i = phi i64 [ 0, %entry ], [ %next, %loop ]", "%was = phi i1 [ false, %entry ], [ %is, %loop ]"]
    first = _read(e, found.table, own, "%table", "%i")
    following = e.do(f"add i64 %i, {min(1, found.length - 1)}")
    other = _read(e, found.table, own, "%table", following)
    test = {"f": "fcmp ole", "i": "icmp sle"}.get(own.kind, "icmp ule")
    right = e.do(f"{test} {llvm_type(own)} {first}, {other}")
    e.lines.append(f"%is = or i1 %was, {e.do(f'xor i1 {right}, true')}")
    e.lines += ["%next = add nuw nsw i64 %i, 1", f"%more = icmp slt i64 %next, {max(1, found.length - 1)}"]
    return [*lines, *e.lines, "br i1 %more, label %loop, label %done", "done:", "ret i1 %is", "}"]


def ordered(name: str, keys: Node) -> list[str]:
    """The function `name(keys, number of keys)`, which gives true where many keys seem to be sorted: `PROBES` of them
    are."""
    e, own = Emitter(), keys.type.dtype
    lines = [f"define internal i1 {name}(ptr %keys, i64 %n) noinline nounwind {{", "entry:"]
    lines += [f"%step = udiv i64 %n, {PROBES}", f"%many = icmp sge i64 %n, {SHORT}"]
    lines += ["br i1 %many, label %loop, label %done", "loop:"]
    lines += ["%k = phi i64 [ 1, %entry ], [ %next, %going ]", "%at = mul i64 %k, %step"]
    first, other = (_read(e, keys, own, "%keys", at) for at in (e.do("sub i64 %at, %step"), "%at"))
    test = {"f": "fcmp ole", "i": "icmp sle"}.get(own.kind, "icmp ule")
    right = e.do(f"{test} {llvm_type(own)} {first}, {other}")
    lines += [*e.lines, f"br i1 {right}, label %going, label %done", "going:"]
    lines += ["%next = add nuw nsw i64 %k, 1", f"%more = icmp slt i64 %next, {PROBES}"]
    lines += ["br i1 %more, label %loop, label %done", "done:"]
    return [*lines, "%is = phi i1 [ false, %entry ], [ false, %loop ], [ true, %going ]", "ret i1 %is", "}"]
