"""Functions that NumPy builds of ufuncs, element by element: rounding, clipping, complex parts, tests of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, method, numpy_name, op, register
from . import warns
from .derivatives import elementwise as d
from .reduce import NO_VALUE
from .rules import RuleError, TensorType, as_one, broadcast_shapes, operand, probed, require_assignable


def function_of_x(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a function of one array `x`, with a result of the same shape."""

    def rule(x: Any) -> TensorType:
        return probed(operand(x).shape, call, as_one(x))

    return register(Op(numpy_name(call), call, rule, **facts))


def function_of_x_with_out(call: Callable[..., Any], **facts: Any) -> Op:
    """As `function_of_x`, for functions that can write into an array."""

    def rule(x: Any, out: Any = None) -> TensorType:
        return probed(operand(x).shape, call, as_one(x))

    return register(Op(numpy_name(call), call, rule, **facts))


def part(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers the real or imaginary part, which is a view where the array is complex."""

    def rule(val: Any) -> TensorType:
        return probed(operand(val).shape, call, as_one(val))

    return register(Op(numpy_name(call), call, rule, view=True, **facts))


def comparison(call: Callable[..., Any], whole: bool) -> Op:
    """Registers a comparison with a tolerance, for each element or for the `whole` arrays."""

    def rule(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> TensorType:
        operands = [as_one(v) for v in (a, b, rtol, atol)]
        shape = broadcast_shapes(*[operand(v).shape for v in operands])
        return probed(() if whole else shape, call, *operands, equal_nan=equal_nan)

    return register(Op(numpy_name(call), call, rule, static=frozenset({"equal_nan"})))


allclose = comparison(np.allclose, whole=True)
fix = function_of_x_with_out(np.fix, partials=(0,))
i0 = function_of_x(np.i0, partials=(d.of_i0,))
imag = part(np.imag, warns=warns.never, partials=(-1j,))
iscomplex = function_of_x(np.iscomplex)
isclose = comparison(np.isclose, whole=False)
isneginf = function_of_x_with_out(np.isneginf)
isposinf = function_of_x_with_out(np.isposinf)
isreal = function_of_x(np.isreal)
real = part(np.real, warns=warns.never, partials=(1,))
sinc = function_of_x(np.sinc, partials=(d.of_sinc,))


@op(np.angle, static=frozenset({"deg"}), vjp=d.of_angle)
def angle(z: Any, deg: Any = False) -> TensorType:
    return probed(operand(z).shape, np.angle, as_one(z), deg)


@op(np.real_if_close, view=True, partials=(1,))
def real_if_close(a: Any, tol: Any = 100) -> TensorType:
    if operand(a).dtype.kind == "c":
        raise RuleError("the values decide whether np.real_if_close gives a real or a complex array; use np.real")
    return probed(operand(a).shape, np.real_if_close, as_one(a), as_one(tol))


@op(np.array_equal, static=frozenset({"equal_nan"}))
def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> TensorType:
    return probed((), np.array_equal, as_one(a1), as_one(a2), equal_nan)


@op(np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> TensorType:
    return probed((), np.array_equiv, as_one(a1), as_one(a2))


_INTEGERS = np.zeros(1, int)


# Older versions of NumPy hand back arrays of integers themselves.
@op(np.round, np.around, view=np.round(_INTEGERS) is _INTEGERS, partials=(0,))
def round_(a: Any, decimals: Any = 0, out: Any = None) -> TensorType:
    if operand(decimals).shape:
        raise TypeError("decimals must be one integer")
    return probed(operand(a).shape, np.round, as_one(a), decimals)


@op(np.clip, method=method("a_min a_max min max"), selects=True, vjp=d.of_clip)
def clip(
    a: Any,
    a_min: Any = NO_VALUE,
    a_max: Any = NO_VALUE,
    out: Any = None,
    *,
    min: Any = NO_VALUE,
    max: Any = NO_VALUE,
    **kwargs: Any,
) -> TensorType:
    a = as_one(a)
    bounds = [as_one(v) for v in (a_min, a_max)]
    named = {name: as_one(v) for name, v in (("min", min), ("max", max)) if v is not NO_VALUE}
    given = [v for v in (a, *bounds, *named.values(), kwargs.get("where")) if v is not None and v is not NO_VALUE]
    shape = broadcast_shapes(*[operand(v).shape for v in given])
    return probed(shape, np.clip, a, *bounds, **named, **kwargs)


@op(np.nan_to_num, static=frozenset({"copy"}), selects=True, vjp=d.of_nan_to_num)
def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> TensorType:
    x = as_one(x)
    shape = operand(x).shape
    replacements = [as_one(v) for v in (nan, posinf, neginf)]
    for value in replacements:
        if value is not None:
            require_assignable(operand(value).shape, shape)
    found = probed(shape, np.nan_to_num, x, True, *replacements)
    if not copy:
        raise RuleError("np.nan_to_num with copy=False writes into its argument; leave copy=False out")
    return found
