"""Python's own conversions: `bool(x)`, `int(x)`, `float(x)`, `complex(x)`, `not x`; and Python numbers as scalars."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, register
from ..ir.types import Kind, TensorType, python, result, type_of
from .derivatives.elementwise import of_conjugate
from .rules import RuleError, probe


def _conversion(call: Callable[..., Any], number: type, raises: Callable[..., bool] | None = None, **facts: Any) -> Op:
    def rule(x: Any, /) -> TensorType:
        found = type_of(x)
        if found.shape and number is not bool or (isinstance(found.size, int) and found.size != 1):
            raise ValueError(f"{found!r} cannot be turned into a Python {number.__name__}")  # NumPy has words for it
        if found.dtype.kind not in "biufc":
            raise RuleError(f"a {found!r} is no number")
        if found.dtype.kind == "c" and number in (int, float) and found.kind is Kind.PYTHON:
            raise TypeError(f"{number.__name__}() argument must be a real number, not complex")
        return python(number)

    return register(Op(call.__name__, call, rule, style="builtin", raises=raises, **facts))


def _may_be_infinite(x: Any, /) -> bool:
    return bool(type_of(x).dtype.kind == "f")


to_bool = _conversion(bool, bool)
to_int = _conversion(int, int, _may_be_infinite)
to_float = _conversion(float, float, partials=(1,))
to_complex = _conversion(complex, complex, partials=(1,))


def _complex_rule(real: Any, imag: Any, /) -> TensorType:
    """`complex(real, imag)`."""
    for given in (type_of(real), type_of(imag)):
        if given.shape or given.dtype.kind not in "biufc":
            raise RuleError(f"a {given!r} is no number")
    return python(complex)


of_parts = register(Op("complex.__call__", complex.__call__, _complex_rule, style="builtin", partials=(1, 1j)))


def _part(name: str, call: Callable[..., Any], number: type, **facts: Any) -> Op:
    """An attribute or method of a Python complex number."""

    def rule(x: Any, /) -> TensorType:
        if type_of(x) != python(complex):
            raise RuleError(f"a {type_of(x)!r} is no complex")
        return python(number)

    return register(Op(name, call, rule, style="builtin", **facts))


real = _part("complex.real.__get__", complex.real.__get__, float, partials=(1,))
imag = _part("complex.imag.__get__", complex.imag.__get__, float, partials=(-1j,))
conjugate = _part("complex.conjugate", complex.conjugate, complex, vjp=of_conjugate)


def _not_rule(x: Any, /) -> TensorType:
    found = type_of(x)
    if isinstance(found.size, int) and found.size != 1:
        raise RuleError(f"the truth of {found!r} is ambiguous: use np.any or np.all")
    return python(bool)


not_ = register(Op("not", operator.not_, _not_rule, style="builtin", symbol="not"))


def _as_scalar(x: Any, dtype: np.dtype[Any], /) -> Any:
    return dtype.type(x)


def _as_scalar_rule(x: Any, dtype: np.dtype[Any], /) -> TensorType:
    """`np.float32(x)`: of an array it is an array."""
    probe(dtype.type, x)
    return result(dtype, type_of(x).shape)


def _may_not_fit(x: Any, dtype: np.dtype[Any], /) -> bool:
    """True for Python's ints in the smaller ones of NumPy."""
    is_smaller = dtype.kind == "u" or (dtype.kind == "i" and dtype.itemsize < 8)
    return is_smaller and type_of(x).kind is Kind.PYTHON and type_of(x).dtype.kind == "i"


as_scalar = register(
    Op("as_scalar", _as_scalar, _as_scalar_rule, style="builtin", raises=_may_not_fit, partials=(1, 0))
)
