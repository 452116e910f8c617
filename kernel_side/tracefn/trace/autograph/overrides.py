"""NumPy functions on objects of the user's that take part in NumPy's protocols: their `__array_ufunc__` and
`__array_function__` are rewritten, as other methods are. NumPy would call them as they are written."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ..active import current
from ..origin import file_of, is_library, user_source, where
from ..tensor import Tensor
from .special import HEAP_TYPE, special

_PLAIN = frozenset(
    {Tensor, int, float, bool, complex, str, list, tuple, dict, np.ndarray, np.float64, np.int64, type(None)}
)
"""The types of nearly all operands, which need no closer look."""

_OF_ARRAYS = ("__array_ufunc__", "__array_function__", "__array__", "__array_interface__", "__array_struct__")


def by_ufunc(ufunc: np.ufunc, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a ufunc by its operands' own code. NotImplemented where none of them is asked."""
    out = kwargs.get("out", ())
    operands = [*args, *(out if isinstance(out, tuple) else (out,))]
    if _PLAIN.issuperset(map(type, operands)):
        return NotImplemented
    asked = _in_order(operands, "__array_ufunc__")
    if not asked and any(map(_is_object, args)):
        _refuse(f"np.{ufunc.__name__} asks a {_kinds(filter(_is_object, args))} with each element of an array")
    for owner in asked:
        mine = special(owner, "__array_ufunc__")
        if mine is not None and (made := mine(ufunc, method, *args, **kwargs)) is not NotImplemented:
            return made
    if asked:
        _refuse(f"`__array_ufunc__` of {_kinds(asked)} gives NotImplemented for np.{ufunc.__name__}")
    return NotImplemented


def by_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a NumPy function by its arguments' own code. NotImplemented where none of them is asked."""
    given = [*args, *kwargs.values()]
    given += [item for value in given if type(value) in (list, tuple) for item in value]
    if _PLAIN.issuperset(map(type, given)) or not hasattr(function, "_implementation"):
        return NotImplemented
    if not (asked := _in_order(given, "__array_function__")):
        return NotImplemented
    types = dict.fromkeys(np.ndarray if type(v) is Tensor else type(v) for v in given)
    known = tuple([cls for cls in types if hasattr(cls, "__array_function__")])
    for owner in asked:
        mine = special(owner, "__array_function__")
        if mine is not None and (made := mine(function, known, args, kwargs)) is not NotImplemented:
            return made
    _refuse(f"`__array_function__` of {_kinds(asked)} gives NotImplemented for np.{function.__name__}")


def operation(function: Callable[..., Any], *operands: Any) -> Callable[..., Any]:
    """The ufunc in the place of an operator, where one of the operands answers for it; else the operator."""
    if (ufunc := _UFUNCS.get(function)) is None or not _in_order(operands, "__array_ufunc__"):
        return function
    if any(isinstance(value, np.ndarray | np.lib.mixins.NDArrayOperatorsMixin) for value in operands):
        return lambda *values: by_ufunc(ufunc, "__call__", values, {})
    return function


_UFUNCS: dict[Any, np.ufunc] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.true_divide,
    operator.floordiv: np.floor_divide, operator.mod: np.remainder, operator.pow: np.power, operator.matmul: np.matmul,
    operator.lshift: np.left_shift, operator.rshift: np.right_shift, operator.and_: np.bitwise_and,
    operator.or_: np.bitwise_or, operator.xor: np.bitwise_xor, operator.lt: np.less, operator.le: np.less_equal,
    operator.eq: np.equal, operator.ne: np.not_equal, operator.gt: np.greater, operator.ge: np.greater_equal,
    operator.neg: np.negative, operator.pos: np.positive, operator.invert: np.invert,
}  # fmt: skip


def _in_order(values: Iterable[Any], name: str) -> list[Any]:
    """The objects of the user's with this method, one of each class, in the order in which NumPy asks them: those of
    derived classes before those of their bases."""
    found: list[Any] = []
    for value in values:
        cls = type(value)
        if cls in _PLAIN or issubclass(cls, np.ndarray) or any(type(other) is cls for other in found):
            continue
        if special(value, name) is None:
            continue
        at = next((n for n, other in enumerate(found) if issubclass(cls, type(other))), len(found))
        found.insert(at, value)
    return found


def _is_object(value: Any) -> bool:
    """True for an object of the user's that NumPy takes for one element."""
    cls = type(value)
    if cls in _PLAIN or not cls.__flags__ & HEAP_TYPE or is_library(file_of(cls)):
        return False
    is_sequence = hasattr(cls, "__len__") and hasattr(cls, "__getitem__")
    return not (is_sequence or isinstance(value, str | np.generic) or any(hasattr(cls, n) for n in _OF_ARRAYS))


def _kinds(values: Iterable[Any]) -> str:
    return " and ".join(dict.fromkeys(type(value).__name__ for value in values))


def _refuse(what: str) -> NoReturn:
    assert current() is not None
    raise UnsupportedFunctionError(
        message(f"{what}, which is not traced", where(user_source(3)), "Pass the arrays that the objects hold.")
    )
