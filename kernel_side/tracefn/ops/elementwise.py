"""Elementwise ops: one line for each of NumPy's ufuncs that work element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import Op, numpy_name, register
from ..ir.types import Kind, Shape, TensorType, result, type_of, ufunc_dtypes, weak_operand
from . import warns
from .rules import broadcast_shapes, operand, probe

_NUMBERS = frozenset({int, float, complex})


def elementwise(ufunc: np.ufunc, symbol: str = "", **facts: Any) -> Op:
    """Registers a ufunc that works element by element. `symbol` is the Python operator that means the same."""

    def rule(*operands: Any, where: Any = True, dtype: Any = None, casting: str = "same_kind", order: str = "K") -> Any:
        return ufunc_result(ufunc, operands, where, dtype, casting)

    style = "operator" if symbol else "function"
    raises = may_be_negative_power if ufunc is np.power else None
    return register(
        Op(numpy_name(ufunc), ufunc, rule, style=style, symbol=symbol, elementwise=True, raises=raises, **facts)
    )


def may_be_negative_power(base: Any, exponent: Any, **kwargs: Any) -> bool:
    """The `raises` of powers: NumPy has no negative ones of integers."""
    return (
        type_of(base).dtype.kind in "biu"
        and type_of(exponent).dtype.kind == "i"
        and not (type(exponent) is int and exponent >= 0)
    )


def ufunc_result(
    ufunc: np.ufunc, operands: tuple[Any, ...], where: Any = True, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    """The types that an elementwise ufunc returns. One type, or a tuple of types where it has several outputs."""
    if len(operands) != ufunc.nin:
        raise TypeError(f"{ufunc.__name__} takes {ufunc.nin} arguments")
    shape: Shape = ()
    given: list[Any] = []  # dtypes, and types of Python numbers
    may_overflow = False
    for value in operands:
        if type(value) in _NUMBERS:
            given.append(type(value))
            may_overflow = may_overflow or (type(value) is int and not 0 <= value < 128)
            continue
        if type(value) is TensorType and value.kind is not Kind.PYTHON:
            other = value.shape
            given.append(value.dtype)
        else:
            other = type_of(value).shape
            given.append(weak_operand(value))
        if other != shape:
            shape = other if not shape else shape if not other else broadcast_shapes(shape, other)
    if where is not True:
        mask = operand(where)
        if mask.dtype.kind != "b":
            raise TypeError(f"where must be of dtype bool, not {mask.dtype}")
        shape = broadcast_shapes(shape, mask.shape)
    if may_overflow:
        # Not every dtype has this number: NumPy raises OverflowError, except in comparisons.
        probe(ufunc, *operands, dtype=dtype, casting=casting)
    dtypes = ufunc_dtypes(ufunc, tuple(given), dtype, casting)
    if ufunc.nout == 1:
        made, kind = dtypes[-1], Kind.ARRAY if shape else Kind.SCALAR
        for value in operands:  # one of which mostly has the type of the result
            if type(value) is TensorType and value.dtype is made and value.shape == shape and value.kind is kind:
                return value
        return TensorType(made, shape, kind)
    return tuple([result(d, shape) for d in dtypes[ufunc.nin :]])


absolute = elementwise(np.absolute, warns=warns.unless_floats)
add = elementwise(np.add, "+", warns=warns.unless_integer_arrays, partials=(1, 1))
arccos = elementwise(np.arccos)
arccosh = elementwise(np.arccosh)
arcsin = elementwise(np.arcsin)
arcsinh = elementwise(np.arcsinh)
arctan = elementwise(np.arctan)
arctan2 = elementwise(np.arctan2)
arctanh = elementwise(np.arctanh)
bitwise_and = elementwise(np.bitwise_and, "&", warns=warns.unless_integer_arrays)
bitwise_count = elementwise(np.bitwise_count)
bitwise_or = elementwise(np.bitwise_or, "|", warns=warns.unless_integer_arrays)
bitwise_xor = elementwise(np.bitwise_xor, "^", warns=warns.unless_integer_arrays)
cbrt = elementwise(np.cbrt)
ceil = elementwise(np.ceil, warns=warns.never)
conjugate = elementwise(np.conjugate, warns=warns.never)
copysign = elementwise(np.copysign, warns=warns.never)
cos = elementwise(np.cos)
cosh = elementwise(np.cosh)
deg2rad = elementwise(np.deg2rad)
degrees = elementwise(np.degrees)
divide = elementwise(np.divide, "/")
divmod_ = elementwise(np.divmod)
equal = elementwise(np.equal, "==", warns=warns.never)
exp = elementwise(np.exp)
exp2 = elementwise(np.exp2)
expm1 = elementwise(np.expm1)
fabs = elementwise(np.fabs)
float_power = elementwise(np.float_power)
floor = elementwise(np.floor, warns=warns.never)
floor_divide = elementwise(np.floor_divide, "//")
fmax = elementwise(np.fmax, warns=warns.never)
fmin = elementwise(np.fmin, warns=warns.never)
fmod = elementwise(np.fmod)
frexp = elementwise(np.frexp)
gcd = elementwise(np.gcd)
greater = elementwise(np.greater, ">", warns=warns.never)
greater_equal = elementwise(np.greater_equal, ">=", warns=warns.never)
heaviside = elementwise(np.heaviside)
hypot = elementwise(np.hypot)
invert = elementwise(np.invert, "~", warns=warns.unless_integer_arrays)
isfinite = elementwise(np.isfinite, warns=warns.never)
isinf = elementwise(np.isinf, warns=warns.never)
isnan = elementwise(np.isnan, warns=warns.never)
isnat = elementwise(np.isnat)
lcm = elementwise(np.lcm)
ldexp = elementwise(np.ldexp)
left_shift = elementwise(np.left_shift, "<<")
less = elementwise(np.less, "<", warns=warns.never)
less_equal = elementwise(np.less_equal, "<=", warns=warns.never)
log = elementwise(np.log)
log10 = elementwise(np.log10)
log1p = elementwise(np.log1p)
log2 = elementwise(np.log2)
logaddexp = elementwise(np.logaddexp)
logaddexp2 = elementwise(np.logaddexp2)
logical_and = elementwise(np.logical_and, warns=warns.never)
logical_not = elementwise(np.logical_not, warns=warns.never)
logical_or = elementwise(np.logical_or, warns=warns.never)
logical_xor = elementwise(np.logical_xor, warns=warns.never)
maximum = elementwise(np.maximum, warns=warns.never)
minimum = elementwise(np.minimum, warns=warns.never)
modf = elementwise(np.modf)
multiply = elementwise(
    np.multiply, "*", warns=warns.unless_integer_arrays, partials=(lambda out, a, b: b, lambda out, a, b: a)
)
negative = elementwise(np.negative, "-", warns=warns.unless_floats, partials=(-1,))
nextafter = elementwise(np.nextafter)
not_equal = elementwise(np.not_equal, "!=", warns=warns.never)
positive = elementwise(np.positive, "+", warns=warns.never, partials=(1,))
power = elementwise(np.power)
rad2deg = elementwise(np.rad2deg)
radians = elementwise(np.radians)
reciprocal = elementwise(np.reciprocal)
remainder = elementwise(np.remainder, "%")
right_shift = elementwise(np.right_shift, ">>")
rint = elementwise(np.rint, warns=warns.never)
sign = elementwise(np.sign)
signbit = elementwise(np.signbit, warns=warns.never)
sin = elementwise(np.sin)
sinh = elementwise(np.sinh)
spacing = elementwise(np.spacing)
sqrt = elementwise(np.sqrt)
square = elementwise(np.square)
subtract = elementwise(np.subtract, "-", warns=warns.unless_integer_arrays, partials=(1, -1))
tan = elementwise(np.tan)
tanh = elementwise(np.tanh, partials=(lambda out, x: 1 - out * out,))
trunc = elementwise(np.trunc, warns=warns.never)
