"""Python values as arrays, traced or not: `constant` and `convert_to_tensor`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.graph import constant_node
from ...ir.op import by_name
from ...ir.types import Kind, type_of
from ..active import current
from ..origin import user_source
from ..reads import in_trace
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt


def constant(value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """An array of its own with this value; a NumPy scalar for a number. In a trace, a constant of the graph.

    `value` is anything `np.array` takes. `shape` reshapes it, or fills an array with it where it is one element. A
    traced value, and an array outside the function, which is read at every call, is copied at every execution. Raises
    ValueError where `shape` takes another number of elements.

    >>> import numpy as np, tracefn
    >>> constant([1, 2], np.float32), constant(1.5), constant(0, shape=(2, 2))
    (array([1., 2.], dtype=float32), np.float64(1.5), array([[0, 0],
           [0, 0]]))
    >>> f = tracefn.function(lambda x: x + constant([1.0, 2.0]))
    >>> f(np.zeros(2))
    array([1., 2.])
    """
    value = in_trace(value)
    if current() is not None and _holds_traced(value):
        found = convert_to_tensor(value, dtype)
        return np.copy(found) if shape is None and found.ndim else _shaped(found, shape)
    array = _shaped(np.array(value, dtype), shape)
    result = array if array.ndim or isinstance(value, np.ndarray) else array[()]
    trace = current()
    if trace is None:
        return result
    node = constant_node(result, type_of(result), user_source(), trace.scope)
    trace.nodes.append(node)
    return Tensor(node, trace, owned=False)


def _shaped(array: Any, shape: Any) -> Any:
    """The array in this shape, filled with it where it is one element."""
    if shape is None:
        return array
    if array.size != 1:
        return np.reshape(array, shape)
    return np.copy(np.broadcast_to(np.reshape(array, ()), shape), order="C")


def convert_to_tensor(value: Any, dtype: Any = None) -> Any:
    """The value as an array, or as a NumPy scalar for a number; an array or NumPy scalar stays.

    In a trace the result is traced: an array outside the function is read at every call, a list that holds traced
    values is joined, other values are constants. A traced value of another `dtype` is cast.

    >>> import numpy as np, tracefn
    >>> convert_to_tensor([1, 2]), convert_to_tensor(3, np.float32)
    (array([1, 2]), np.float32(3.0))
    >>> f = tracefn.function(lambda x, y: convert_to_tensor([x, y + 1, 0]))
    >>> f(np.float64(1), np.float64(2))
    array([1., 3., 0.])
    """
    trace, value = current(), in_trace(value)
    if trace is None:
        return value if dtype is None and isinstance(value, np.ndarray | np.generic) else _converted(value, dtype)
    if type(value) is not Tensor and isinstance(value, np.ndarray):
        value = trace.captured(value)
    if type(value) is Tensor and value._node.types[0].kind in (Kind.ARRAY, Kind.SCALAR):
        return value if dtype is None or value.dtype == np.dtype(dtype) else value.astype(dtype)
    if _holds_traced(value):
        joined = trace.record(by_name("array"), (value,), {} if dtype is None else {"dtype": dtype})
        return joined if joined.ndim else joined[()]
    return constant(value, dtype)


def _converted(value: Any, dtype: Any) -> Any:
    array = np.asarray(value, dtype)
    return array if array.ndim or isinstance(value, np.ndarray) else array[()]


def _holds_traced(value: Any) -> bool:
    if type(value) in (list, tuple):
        return any(_holds_traced(v) for v in value)
    return type(in_trace(value)) is Tensor or isinstance(value, SymbolicInt)
