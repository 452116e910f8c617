"""Operators on operands that do not match: a number and a sequence, an array and None, text and numbers."""

from __future__ import annotations

import datetime
import numbers
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.module_name import module_of
from ...ir.op import Op
from ...ir.types import Kind, ghost, type_of, ufunc_dtypes, weak_operand
from ..origin import user_source, where
from ..tensor import Tensor
from ..values.graph_list import GraphList

_SEQUENCES = (list, tuple, str, bytes)


def is_number_and_sequence(op: Op, operands: tuple[Any, ...]) -> bool:
    """True for an operator on a traced number and a list, tuple or text that NumPy does not take for an array.

    It takes them so for its own scalars, but not in a product. Raises errors of eager code, and
    UnsupportedFunctionError where a traced number says how often a sequence is repeated. Where it is True, the
    operator is a comparison of unequal things.
    """
    if not any(issubclass(type(v), _SEQUENCES) for v in operands):
        return False
    number = next(v for v in operands if type(v) is Tensor)
    kind, dtype = number._node.types[0].kind, number._node.types[0].dtype
    if dtype.kind not in "biufc":
        return False
    if kind is not Kind.PYTHON and (kind is not Kind.SCALAR or op.call is not operator.mul):
        return False
    if op.call is operator.mul and dtype.kind in ("iub" if kind is Kind.PYTHON else "iu"):
        what = f"how often a sequence is repeated depends on {number.describe()}"
        fix = "Make an array of it: np.full(n, value), or np.tile(np.array(values), n)."
        raise UnsupportedFunctionError(message(what, where(user_source()), fix))
    op.call(*[ghost(v._node.types[0]) if type(v) is Tensor else v for v in operands])
    return True


def repeated(op: Op, operands: tuple[Any, ...]) -> Any:
    """`values * n` of a list and a traced int, as a list that the graph keeps. None for other operands."""
    values = next((v for v in operands if type(v) in (list, GraphList)), None)
    number = next(v for v in operands if type(v) is Tensor)
    kind = number._node.types[0]
    if op.call is not operator.mul or values is None or kind.kind is not Kind.PYTHON or kind.dtype.kind not in "ib":
        return None
    return GraphList(values).times(number) if type(values) is list else values.times(number)


def is_never_equal(array: Tensor, other: Any) -> bool:
    """True for an object that no element of an array is equal to, as None."""
    if array._node.types[0].kind is not Kind.ARRAY or hasattr(other, "__array__") or hasattr(other, "__array_ufunc__"):
        return False
    has_own = type(other).__eq__ is not object.__eq__ and other is not None  # Python 3.12 gave None one
    return not has_own or isinstance(other, dict | set | frozenset)


def check_is_no_object(array: Tensor, other: Any) -> None:
    """Raises UnsupportedFunctionError for a number or a date that NumPy would compare as a Python object, and for a
    sequence that it makes an array of."""
    is_array = array._node.types[0].kind is Kind.ARRAY
    is_sequence = is_array and isinstance(other, Sequence)
    if is_sequence or isinstance(other, numbers.Number | datetime.date | datetime.timedelta):
        what = f"{array.describe()} is compared with a {type(other).__module__}.{type(other).__name__}"
        fix = "Make it an array, or its element: np.array(list(value)), float(value), np.datetime64(value)."
        raise UnsupportedFunctionError(message(what, where(user_source()), fix))


def check_asks_no_elements(ufunc: np.ufunc, operands: Sequence[Any]) -> None:
    """Raises UnsupportedFunctionError for an object with operators of its own that NumPy takes for an array of one
    Python object: it asks the object with each element. A Python number, or an array of which the object's class says
    that it comes first, leaves the operation to the object."""
    for array, other in (operands, reversed(operands)) if len(operands) == 2 else ():
        cls = type(other)
        if type(array) is not Tensor or isinstance(other, _NO_OBJECTS):
            continue
        if module_of(cls).partition(".")[0] in ("builtins", "tracefn"):
            continue
        kind = array._node.types[0].kind
        priority = 0.0 if kind is Kind.ARRAY else _LOWEST_PRIORITY
        is_first = getattr(cls, "__array_priority__", _LOWEST_PRIORITY) > priority or hasattr(cls, "__array_ufunc__")
        own = [n for n in _METHODS.get(ufunc, ()) if getattr(cls, n, None) not in (None, getattr(object, n, None))]
        if kind is not Kind.PYTHON and not is_first and own:
            what = (
                f"NumPy asks the `{cls.__name__}` with each element of {array.describe()}, which gives Python objects"
            )
            fix = "Give its class `__array_ufunc__ = None`: then it is asked with the array."
            raise UnsupportedFunctionError(message(what, where(user_source()), fix))


_NO_OBJECTS = (np.ndarray, np.generic, int, float, complex, str, bytes, list, tuple)
_LOWEST_PRIORITY = -1_000_000.0
"""The `__array_priority__` of NumPy's scalars, and of classes that have none."""
_NAMES = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.divide: "truediv", np.floor_divide: "floordiv",
    np.remainder: "mod", np.power: "pow", np.matmul: "matmul", np.divmod: "divmod", np.bitwise_and: "and",
    np.bitwise_or: "or", np.bitwise_xor: "xor", np.left_shift: "lshift", np.right_shift: "rshift",
}  # fmt: skip
_METHODS: dict[np.ufunc, tuple[str, str]] = {ufunc: (f"__{n}__", f"__r{n}__") for ufunc, n in _NAMES.items()} | {
    np.equal: ("__eq__", "__eq__"),
    np.not_equal: ("__ne__", "__eq__"),
    np.less: ("__lt__", "__gt__"),
    np.less_equal: ("__le__", "__ge__"),
    np.greater: ("__gt__", "__lt__"),
    np.greater_equal: ("__ge__", "__le__"),
}
"""By ufunc: the methods that Python's operator of it asks of the left operand, and of the right one."""


def cannot_be_compared(ufunc: np.ufunc, left: Any, right: Any) -> bool:
    """True for dtypes that the ufunc has no loop for: text and numbers."""
    types = [v._node.types[0] if type(v) is Tensor else type_of(v) for v in (left, right)]
    try:
        ufunc_dtypes(ufunc, tuple([weak_operand(t) for t in types]))
    except TypeError:
        return True
    return False


def nowhere_equal(ufunc: np.ufunc, left: Any, right: Any) -> Any:
    """The result of `left == right` where no element is equal, and of `left != right`."""
    fill = np.zeros_like if ufunc is np.equal else np.ones_like
    return np.logical_and(fill(left, dtype=bool), fill(right, dtype=bool))
