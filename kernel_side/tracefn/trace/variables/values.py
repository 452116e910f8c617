"""Values for variables: brought to a variable's dtype and shape, traced or not."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import message
from ...ir.op import by_name
from ...ir.types import Kind, dtype_name
from ..context import Trace
from ..numpy_api.convert import convert_to_tensor
from ..origin import user_source, where
from ..tensor import Tensor
from ..trace_parts.defaults import check_array
from ..values.symbolic_int import SymbolicInt

if TYPE_CHECKING:
    from .variable import Variable

_WIDTH = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def as_initial(value: Any, dtype: Any) -> Any:
    """An unshared array, or a NumPy scalar where there are no axes.

    Raises `UnsupportedArgumentError` for arrays that cannot be traced.
    """
    array = np.array(value, dtype)
    for each in (value, array):
        if isinstance(each, np.ndarray):
            check_array(each, "the initial value of a Variable", user_source())
    array.flags.writeable = False
    return array if array.ndim else array[()]


def traced_initial(trace: Trace, value: Any, dtype: Any) -> Tensor | None:
    """An initial value that only the call computes; None for one that is known while tracing."""
    if getattr(value, "is_staged", False):
        value = value.as_array()
    if not _is_traced(value):
        return None
    found = _number(trace, value, dtype) if _is_number(value) else convert_to_tensor(value, dtype)
    return _scalar(found)


def check_dtype(variable: Variable, value: Any, casting: Any = "same_kind") -> Any:
    """A concrete value as an array, still to be cast. Raises TypeError where it cannot be. Python numbers are weak."""
    dtype = variable.dtype
    found = np.asarray(value)
    if not hasattr(value, "dtype") and _widens(found.dtype, dtype):
        return np.asarray(value, dtype)
    _check_cast(variable, found.dtype, casting)
    return found


def check_shape(variable: Variable, shape: tuple[Any, ...]) -> None:
    """Raises ValueError where a shape certainly is not one that the variable can have."""
    wanted = variable._shape
    if len(shape) == len(wanted) and all(w is None or n is None or n == w for n, w in zip(shape, wanted, strict=True)):
        return
    shape = tuple([n if n is None else operator.index(n) for n in shape])
    raise ValueError(
        message(
            f"a value of shape {shape} is assigned to the Variable {variable.name!r} of shape {wanted}",
            where(user_source(3)),
            "Give it the same shape (`v[...] = value` broadcasts), or make the variable with `shape=(None, ...)`.",
        )
    )


def traced_value(trace: Trace, variable: Variable, value: Any, casting: Any = "same_kind") -> Tensor:
    """A value as a Tensor of the variable's dtype and shape."""
    if getattr(value, "is_staged", False):
        value = value.as_array()
    if _is_number(value):
        known = value._node.type.dtype if type(value) is Tensor else np.dtype(int)
        if not _widens(known, variable.dtype):
            _check_cast(variable, known, casting)
        found = _number(trace, value, variable.dtype)
    elif _is_traced(value) or isinstance(value, np.ndarray):
        found = convert_to_tensor(value)
        if found.dtype != variable.dtype:
            _check_cast(variable, found.dtype, casting)
            found = found.astype(variable.dtype)
    else:
        array = check_dtype(variable, value, casting).astype(variable.dtype)
        found = Tensor(trace.value_node_of_constant(array if array.ndim else array[()]), trace, owned=False)
    check_shape(variable, tuple([_length(trace, n) for n in found.shape]))
    return _scalar(found)


def _length(trace: Trace, length: Any) -> Any:
    """A length to compare with, which is guarded; None where only the call knows it."""
    return None if isinstance(length, SymbolicInt) and not length.dim.symbols() <= trace.hints.keys() else length


def _is_traced(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_traced, value))
    return type(value) is Tensor or isinstance(value, SymbolicInt)


def _is_number(value: Any) -> bool:
    """True for a traced Python number."""
    return isinstance(value, SymbolicInt) or (type(value) is Tensor and value._node.type.kind is Kind.PYTHON)


def _number(trace: Trace, value: Any, dtype: Any) -> Any:
    if isinstance(value, SymbolicInt):
        value = trace.dimension(value.dim)
    return trace.record(by_name("as_scalar"), (value, value.dtype if dtype is None else np.dtype(dtype)), {})


def _scalar(found: Any) -> Any:
    """An array without axes as a NumPy scalar."""
    return found[()] if not found.ndim and found._node.type.kind is Kind.ARRAY else found


def _widens(found: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """True where Python numbers of one kind are numbers of the other."""
    return found.kind in _WIDTH and wanted.kind in _WIDTH and _WIDTH[found.kind] <= _WIDTH[wanted.kind]


def _check_cast(variable: Variable, found: np.dtype[Any], casting: Any) -> None:
    wanted = variable.dtype
    if casting == "same_kind" and wanted.kind in "SU":
        casting = "safe"  # a longer text would be cut
    if not np.can_cast(found, wanted, casting):
        raise TypeError(
            message(
                f"a value of dtype {dtype_name(found)} is assigned to the Variable {variable.name!r} of dtype "
                f"{dtype_name(wanted)}",
                where(user_source(4)),
                f"Write `value.astype(np.{dtype_name(wanted)})`.",
            )
        )
