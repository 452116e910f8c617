"""Python's operators on numbers: NumPy scalars compute by scalar math, Python numbers by Python's own rules.

An operator with an array operand is its ufunc (`ops/elementwise.py`). Without one it is an op here, because its
warnings, and for Python numbers its results and errors (`1 / 0`), are not those of the ufunc.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, by_call, register
from ..ir.types import Kind, TensorType, python, python_type, type_of
from . import elementwise, warns
from .elementwise import may_be_negative_power, ufunc_result
from .rules import array, broadcast_shapes, probe, result, typed


def scalar_operator(
    function: Callable[..., Any], ufunc: np.ufunc, symbol: str, raises: Callable[..., bool] | None = None, **facts: Any
) -> Op:
    """Registers a Python operator on NumPy scalars and Python numbers. `ufunc` is the same on arrays."""

    def rule(*operands: Any) -> TensorType:
        types = [type_of(operand) for operand in operands]
        if _is_pythons(types):
            return typed(probe(function, *operands), ())
        if any(t.dtype.names is not None for t in types):  # structures are equal or not, and have no other operators
            return typed(probe(function, *operands), broadcast_shapes(*[t.shape for t in types]))
        if any(t.kind is not Kind.PYTHON for t in types):
            return ufunc_result(ufunc, operands)
        ones = [python_type(t.dtype)(1) for t in types]
        return python(type(function(*ones)))

    name = f"operator.{function.__name__}"
    same = by_call(ufunc)
    assert same is not None
    facts |= {"scalar_of": ufunc, "partials": same.partials, "vjp": same.vjp}
    return register(Op(name, function, rule, style="operator", symbol=symbol, raises=raises, **facts))


def _may_be_zero(a: Any, b: Any) -> bool:
    """True for Python numbers that may be divided by zero; NumPy's scalars warn."""
    is_open = type(b) is TensorType or not b
    return is_open and type_of(a).kind is type_of(b).kind is Kind.PYTHON


def _may_be_negative(a: Any, b: Any) -> bool:
    """True for Python ints that may be shifted by a negative count."""
    return _may_be_zero(a, b) and type_of(b).dtype.kind != "b"


def _is_pythons(types: list[TensorType]) -> bool:
    """True for a Python complex on the left of a `np.float64`, a Python float, too: then Python itself calculates."""
    if len(types) != 2:
        return False
    left, right = types
    return left.kind is Kind.PYTHON and left.dtype.kind == "c" and right == result(np.float64, ())


add = scalar_operator(operator.add, np.add, "+", warns=warns.unless_python_numbers)
sub = scalar_operator(operator.sub, np.subtract, "-", warns=warns.unless_python_numbers)
mul = scalar_operator(operator.mul, np.multiply, "*", warns=warns.unless_python_numbers)
truediv = scalar_operator(operator.truediv, np.divide, "/", _may_be_zero)
floordiv = scalar_operator(operator.floordiv, np.floor_divide, "//", _may_be_zero)
mod = scalar_operator(operator.mod, np.remainder, "%", _may_be_zero)
eq = scalar_operator(operator.eq, np.equal, "==", warns=warns.unless_python_numbers)
ne = scalar_operator(operator.ne, np.not_equal, "!=", warns=warns.unless_python_numbers)
lt = scalar_operator(operator.lt, np.less, "<", warns=warns.unless_python_numbers)
le = scalar_operator(operator.le, np.less_equal, "<=", warns=warns.unless_python_numbers)
gt = scalar_operator(operator.gt, np.greater, ">", warns=warns.unless_python_numbers)
ge = scalar_operator(operator.ge, np.greater_equal, ">=", warns=warns.unless_python_numbers)
and_ = scalar_operator(operator.and_, np.bitwise_and, "&")
or_ = scalar_operator(operator.or_, np.bitwise_or, "|")
xor = scalar_operator(operator.xor, np.bitwise_xor, "^")
lshift = scalar_operator(operator.lshift, np.left_shift, "<<", _may_be_negative)
rshift = scalar_operator(operator.rshift, np.right_shift, ">>", _may_be_negative)
neg = scalar_operator(operator.neg, np.negative, "-", warns=warns.unless_python_numbers)
pos = scalar_operator(operator.pos, np.positive, "+", warns=warns.unless_python_numbers)
invert = scalar_operator(operator.invert, np.invert, "~")


def _pow_rule(base: Any, exponent: Any) -> TensorType:
    """`x ** y` is not `np.power(x, y)`: a Python exponent of 2, 0.5 or -1 takes a faster function with other bits."""
    left, right = type_of(base), type_of(exponent)
    if (left.kind is Kind.PYTHON and right.kind is Kind.PYTHON) or _is_pythons([left, right]):
        return typed(probe(operator.pow, base, exponent), ())
    if left.kind is Kind.PYTHON or right.kind is Kind.PYTHON:
        dtype = probe(operator.pow, base, exponent).dtype
    else:
        dtype = ufunc_result(np.power, (base, exponent)).dtype
    shape = broadcast_shapes(left.shape, right.shape)
    return array(dtype, shape) if shape else TensorType(dtype, (), Kind.SCALAR)


def _may_have_no_power(base: Any, exponent: Any) -> bool:
    """True for Python's floats, too, which may be too large, and for zero to a negative power."""
    is_pythons = type_of(base).kind is type_of(exponent).kind is Kind.PYTHON
    return may_be_negative_power(base, exponent) or (is_pythons and not (type(exponent) is int and exponent == 1))


pow_ = register(
    Op(
        "operator.pow",
        operator.pow,
        _pow_rule,
        style="operator",
        symbol="**",
        raises=_may_have_no_power,
        partials=elementwise.power.partials,
        singular=True,
    )
)
