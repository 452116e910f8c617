"""How the values of several branches, or of several rounds of a loop, become one value with one type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...errors import ControlFlowError, message
from ...ir.dims import Dim, Length
from ...ir.graph import Node
from ...ir.op import by_name
from ...ir.types import Kind, TensorType, ghost, python_type, type_of, ufunc_dtypes, weak_operand
from ..context import Trace
from ..origin import user_source, where
from ..tensor import Tensor
from ..tree import Tree, unflatten
from ..values.lists import casts, new_list
from ..values.symbolic_int import SymbolicInt
from .list_types import either, filled, is_alike, strengthened
from .outside_containers import flatten_made

SAME = "Give both sides the same structure, dtype and rank."


def refuse(what: str, detail: str, fix: str = SAME) -> NoReturn:
    """Raises `ControlFlowError`."""
    raise ControlFlowError(message(f"{what}: {detail}", where(user_source(3)), fix))


class StandIn:
    """Stands where nothing has been set yet; it is never read."""

    __slots__ = ("type",)

    def __init__(self, value_type: TensorType) -> None:
        self.type = value_type


def placeholder(value: Any) -> Any:
    """The stand-in for a value of the same structure and types that is not set."""
    leaves, tree = flatten_made(value, "")
    held = [StandIn(value_type(leaf)) if type(leaf) is Tensor or is_found(leaf) else leaf for _, leaf in leaves]
    return unflatten(tree, held, like=value)


def is_found(value: Any) -> bool:
    """True for a length that values decide: it is known only after the step that finds it."""
    return type(value) is SymbolicInt and value.dim.depends_on_values


def is_value(value: Any) -> bool:
    """True for arrays and numbers, which the graph computes; anything else is fixed while tracing."""
    return isinstance(value, Tensor | SymbolicInt | np.ndarray | np.generic | bool | int | float | complex | StandIn)


def are_of_one_type(values: Sequence[Any]) -> bool:
    """True for traced values of one type that is known, as most are: there is nothing to settle between them."""
    first = values[0] if values else None
    if type(first) is not Tensor:
        return False
    found = first._node.types[0]
    for value in values:
        if type(value) is not Tensor or value._one_type is not None:
            return False
        if (other := value._node.types[0]) is not found and other != found:
            return False
    return True


def node_of(value: Any, trace: Trace) -> Node:
    if type(value) is not StandIn:
        return trace.value_node(value)
    found = value.type
    if found.kind is Kind.LIST:
        return trace.value_node(new_list(trace, (), found.element))
    lengths = [n for n in found.shape if isinstance(n, Dim)]
    if trace.root.inlines_calls and lengths and not any(n.depends_on_values for n in lengths):
        shape = trace.public(found.shape)  # the very one: a derivative may keep it beside values of other rounds
        return trace.value_node(trace.record(by_name("zeros"), (shape,), {"dtype": found.dtype}))
    value = ghost(found)
    return trace.value_node_of_constant(value) if type(value) is np.ndarray else trace.value_node(value)


def value_type(value: Any) -> TensorType:
    if type(value) is Tensor:
        return value._node.types[0]
    if type(value) is StandIn:
        return value.type
    if isinstance(value, SymbolicInt):
        return type_of(np.int64() if value.is_scalar else value.dim)
    return type_of(value)


def as_type(value: Any, wanted: TensorType, trace: Trace) -> Any:
    """A Python number as a NumPy scalar or Python number of the wanted type; everything else as it is."""
    found = value_type(value)
    if found.element_kind is Kind.PYTHON and wanted.element_kind is Kind.SCALAR:
        casts(trace, found.dtype, wanted.dtype)
        return trace.record(by_name("list_cast"), (value, wanted.dtype), {})
    if found.kind is not Kind.PYTHON or found == wanted:
        return value
    traced = isinstance(value, Tensor | SymbolicInt)
    if wanted.kind is Kind.PYTHON:
        number = python_type(wanted.dtype)
        return trace.record(by_name(number.__name__), (value,), {}) if traced else number(value)
    if ufunc_dtypes(np.add, (weak_operand(found), wanted.dtype))[-1] != wanted.dtype:
        return value
    if traced:
        return trace.record(by_name("as_scalar"), (value, wanted.dtype), {})
    try:
        return wanted.dtype.type(value)
    except OverflowError:  # -2 for an unsigned integer: the two have no type in common
        return value


def fitting(path: str, value: Any, wanted: TensorType, trace: Trace) -> Any:
    """The same for a loop variable. Raises `ControlFlowError` for a Python number that its dtype cannot hold."""
    made = as_type(value, wanted, trace)
    if wanted.kind is Kind.SCALAR and type(made) is int:
        refuse(
            f"the loop variable `{path}` holds a {wanted.dtype}, and is given the Python int {made}",
            "it does not fit",
            "Give it a wider dtype before the loop: `np.int64(...)`.",
        )
    return made


def common_type(types: list[TensorType]) -> TensorType:
    """The type that Python numbers among values of these types take."""
    strong = next((t for t in types if t.kind is not Kind.PYTHON), None)
    return strong if strong is not None else max(types, key=_width)


def meet(values: list[Any], traces: list[Trace]) -> list[Any]:
    """The values with Python numbers as the dtype of the others, or as the widest Python number among them."""
    if are_of_one_type(values):
        return values
    wanted = common_type([value_type(v) for v in values if type(v) is not StandIn])
    return [as_type(v, wanted, t) for v, t in zip(values, traces, strict=True)]


def join(left: TensorType, right: TensorType) -> TensorType | None:
    """The type of a value that is one or the other. None where there is none."""
    if left == right:
        return left
    left, right = filled(left, right), filled(right, left)
    if not is_alike(left, right):
        return None
    shape = tuple(n if n == m else Dim.fresh() for n, m in zip(left.shape, right.shape, strict=True))
    return either(left, right, shape)


def common(values: list[Any]) -> TensorType | None:
    """The type of a value that is one of these. None where there is none."""
    if are_of_one_type(values):
        return value_type(values[0])
    found: TensorType | None = None
    for value in values:
        if type(value) is not StandIn:
            found = value_type(value) if found is None else join(found, value_type(value))
            if found is None:
                return None
    return found


def carry_type(
    name: str,
    before: TensorType,
    after: TensorType,
    open_lengths: set[Length],
    lines: tuple[str, str] = ("", ""),
) -> TensorType:
    """The type of a loop variable that starts as one and is left as the other. Python numbers are weak.

    A length that a round changes becomes a new one of the loop's `open_lengths`. `lines` are where the two values were
    made, for messages.
    """
    if before == after:
        return before
    if {before.kind, after.kind} == {Kind.PYTHON, Kind.ARRAY} and not before.ndim and not after.ndim:
        refuse(f"a round of the loop changes `{name}`", f"{before!r}{lines[0]} → {after!r}{lines[1]}", "Keep one kind.")
    if after.kind is Kind.PYTHON and not before.ndim:
        if before.kind is not Kind.PYTHON:
            return before
        return max(before, after, key=_width)
    if before.kind is Kind.PYTHON:
        return after
    before, after = strengthened(before, after), strengthened(after, before)
    if not is_alike(before, after):
        refuse(
            f"a round of the loop changes `{name}`",
            f"{before!r}{lines[0]} → {after!r}{lines[1]}",
            "Give it the same dtype and rank before the loop.",
        )
    shape = tuple(
        n if n == m or n in open_lengths else Dim.fresh() for n, m in zip(before.shape, after.shape, strict=True)
    )
    open_lengths |= set(shape) - set(before.shape)
    return either(before, after, shape)


def _width(number: TensorType) -> int:
    return [bool, int, float, complex, str].index(python_type(number.dtype))


def structure(tree: Tree) -> str:
    """A structure as messages name it."""
    return "a single value" if tree.is_leaf else f"{tree.kind} of {len(tree.children)}"


def line_of_value(value: Any) -> str:
    """Where a traced value was made, as messages show it."""
    source = value._node.source if type(value) is Tensor else None
    return f" (line {source.line})" if source is not None else ""
