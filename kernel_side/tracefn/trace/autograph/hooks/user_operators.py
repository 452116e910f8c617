"""Operators in rewritten code: Python's own, and those of the user's classes, whose methods are rewritten as others.

Reads of the method are recorded then. Python would call the method as it is written, and its results from real
arrays would be constants of the trace.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...active import TRACING, current
from ...code.plain import plain
from ...recording.operands import WHOLES, read_as_wholes
from ...tensor import Tensor
from ..containers.pending import refuse_pending
from ..overrides import operation
from ..special import array_of, inherits, lacks, special
from .texts import percent

_COMMON = frozenset(
    {Tensor, int, float, bool, complex, str, tuple, list, dict, np.ndarray, type(None)}
    | {np.dtype(char).type for char in "?bhilBHILefdFD"}
)
"""Types without operators of the user's, that are looked for first."""

_DEFERRING = frozenset({int, float, bool, complex, str, bytes, tuple, list, dict, set, frozenset, type(None)})
"""Types of which no operator knows the user's objects, so that these are asked."""


def _binary(function: Callable[[Any, Any], Any], name: str, reflected: str) -> Callable[[Any, Any], Any]:
    def operate(left: Any, right: Any) -> Any:
        if not TRACING:
            return function(left, right)
        if type(left) in _COMMON and type(right) in _COMMON:
            if (type(left) in WHOLES or type(right) in WHOLES) and (trace := current()) is not None:
                read_as_wholes(trace, (left, right))
                refuse_pending(left, right)
                if name in _COMPARING:
                    trace.root.unseen.may_happen(left, right)
            if type(right) is Tensor and isinstance(left, np.generic):  # which would ask the ufunc, of other warnings
                if (made := getattr(right, reflected)(left)) is not NotImplemented:
                    return made
            return function(left, right)
        for owner, other, method in _in_order(left, right, name, reflected):
            mine = special(owner, method)
            if mine is not None and _is_as_written(mine, owner, method):
                refuse_pending(left, right)
            if mine is not None and (made := mine(other)) is not NotImplemented:
                return made
            if mine is None:
                (inherits if name in _EQUAL else lacks)(owner, method)
        if Tensor in (type(left), type(right)):  # NumPy's operators take array-like objects for arrays
            left, right = array_of(left), array_of(right)
        return _as_it_is(function, left, right)

    operate.__name__ = operate.__qualname__ = function.__name__
    return operate


def _is_as_written(mine: Any, owner: Any, method: str) -> bool:
    """True for a method that is not rewritten, as `dataclass` writes one without a source."""
    code = getattr(mine, "__code__", None)
    return code is not None and code is getattr(plain(getattr(type(owner), method)), "__code__", None)


def _in_order(left: Any, right: Any, name: str, reflected: str) -> Iterator[tuple[Any, Any, str]]:
    """Whose method Python asks, with which value: that of the right first if its class is derived from the left's."""
    first, second = type(left), type(right)
    mine = (left, right, name)
    others = (right, left, reflected)
    held = getattr(first, name, None)
    defers = first is Tensor and getattr(second, "__array_ufunc__", second) is None
    is_known = (
        defers or first in _DEFERRING or held in (None, getattr(object, name, None)) or special(left, name) is not None
    )
    if first is second:
        yield mine
        if name in _COMPARING:
            yield others
    elif issubclass(second, first) and getattr(second, reflected, None) is not getattr(first, reflected, None):
        yield others
        yield mine
    else:
        yield mine
        if is_known:
            yield others


def _unary(function: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    def operate(value: Any) -> Any:
        if type(value) in _COMMON or not TRACING:
            return function(value)
        if (mine := special(value, name)) is not None:
            return mine()
        lacks(value, name)
        return _as_it_is(function, value)

    operate.__name__ = operate.__qualname__ = function.__name__
    return operate


def _as_it_is(function: Callable[..., Any], *operands: Any) -> Any:
    """An operator that Python itself carries out, with methods as they are written."""
    if (trace := current()) is not None:
        function = operation(function, *operands)
        trace.root.unseen.may_happen(*operands)
        refuse_pending(*operands)
    return function(*operands)


_EQUAL = ("__eq__", "__ne__")
_COMPARING = {
    "__lt__": "__gt__",
    "__le__": "__ge__",
    "__eq__": "__eq__",
    "__ne__": "__ne__",
    "__gt__": "__lt__",
    "__ge__": "__le__",
}

add, sub, mul, truediv, _remainder, floordiv, matmul, lshift, rshift = (
    _binary(getattr(operator, n), f"__{n}__", f"__r{n}__")
    for n in ("add", "sub", "mul", "truediv", "mod", "floordiv", "matmul", "lshift", "rshift")
)


def mod(left: Any, right: Any) -> Any:
    """`left % right`: a text is filled in."""
    return percent(left, right) if type(left) is str else _remainder(left, right)


power = _binary(operator.pow, "__pow__", "__rpow__")
bit_and = _binary(operator.and_, "__and__", "__rand__")
bit_or = _binary(operator.or_, "__or__", "__ror__")
bit_xor = _binary(operator.xor, "__xor__", "__rxor__")
lt, le, eq, ne, gt, ge = (_binary(getattr(operator, n.strip("_")), n, reflected) for n, reflected in _COMPARING.items())
neg, pos, invert = (_unary(getattr(operator, n), f"__{n}__") for n in ("neg", "pos", "invert"))
