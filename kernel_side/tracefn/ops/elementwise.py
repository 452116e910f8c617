"""Elementwise ops: one line for each of NumPy's ufuncs that work element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ir.op import Op, numpy_name, register
from ..ir.types import Kind, Shape, TensorType, result, type_of, ufunc_dtypes, weak_operand
from . import warns
from .derivatives import elementwise as d
from .derivatives.common import number
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


absolute = elementwise(np.absolute, warns=warns.unless_floats, partials=(d.of_absolute,))
add = elementwise(np.add, "+", warns=warns.unless_integer_arrays, partials=(1, 1))
arccos = elementwise(np.arccos, singular=True, partials=(lambda out, x: -1 / d.cosine_of_arcsine(x),))
arccosh = elementwise(np.arccosh, singular=True, partials=(lambda out, x: 1 / (np.sqrt(x - 1) * np.sqrt(x - -1)),))
arcsin = elementwise(np.arcsin, singular=True, partials=(lambda out, x: 1 / d.cosine_of_arcsine(x),))
arcsinh = elementwise(np.arcsinh, partials=(lambda out, x: 1 / np.sqrt(1 + x * x),))
arctan = elementwise(np.arctan, partials=(lambda out, x: 1 / (1 + x * x),))
arctan2 = elementwise(np.arctan2, singular=True, partials=(d.of_arctan2_by_y, d.of_arctan2_by_x))
arctanh = elementwise(np.arctanh, singular=True, partials=(lambda out, x: 1 / (1 - x * x),))
bitwise_and = elementwise(np.bitwise_and, "&", warns=warns.unless_integer_arrays)
bitwise_count = elementwise(np.bitwise_count)
bitwise_or = elementwise(np.bitwise_or, "|", warns=warns.unless_integer_arrays)
bitwise_xor = elementwise(np.bitwise_xor, "^", warns=warns.unless_integer_arrays)
cbrt = elementwise(np.cbrt, singular=True, partials=(lambda out, x: 1 / (3 * out * out),))
ceil = elementwise(np.ceil, warns=warns.never, partials=(0,))
conjugate = elementwise(np.conjugate, warns=warns.never, vjp=d.of_conjugate)
copysign = elementwise(np.copysign, warns=warns.never, partials=(d.of_copysign, 0))
cos = elementwise(np.cos, partials=(lambda out, x: -np.sin(x),))
cosh = elementwise(np.cosh, singular=True, partials=(lambda out, x: np.sinh(x),))
deg2rad = elementwise(np.deg2rad, partials=(np.pi / 180,))
degrees = elementwise(np.degrees, partials=(180 / np.pi,))
divide = elementwise(
    np.divide, "/", singular=True, partials=(lambda out, x, y: d.reciprocal(y), lambda out, x, y: -out / y)
)
divmod_ = elementwise(np.divmod, vjp=d.of_divmod)
equal = elementwise(np.equal, "==", warns=warns.never)
exp = elementwise(np.exp, singular=True, partials=(lambda out, x: out,))
exp2 = elementwise(np.exp2, singular=True, partials=(lambda out, x: out * math.log(2),))
expm1 = elementwise(np.expm1, singular=True, partials=(lambda out, x: np.exp(x),))
fabs = elementwise(np.fabs, partials=(d.of_absolute,))
float_power = elementwise(np.float_power, singular=True, partials=(d.of_power_by_base, d.of_power_by_exponent))
floor = elementwise(np.floor, warns=warns.never, partials=(0,))
floor_divide = elementwise(np.floor_divide, "//", partials=(0, 0))
fmax = elementwise(np.fmax, selects=True, warns=warns.never, partials=(d.of_extremum_by_x, d.of_extremum_by_y))
fmin = elementwise(np.fmin, selects=True, warns=warns.never, partials=(d.of_extremum_by_x, d.of_extremum_by_y))
fmod = elementwise(np.fmod, partials=(1, d.of_remainder))
frexp = elementwise(np.frexp, vjp=d.of_frexp)
gcd = elementwise(np.gcd)
greater = elementwise(np.greater, ">", warns=warns.never)
greater_equal = elementwise(np.greater_equal, ">=", warns=warns.never)
heaviside = elementwise(np.heaviside, partials=(0, d.of_heaviside_by_y))
hypot = elementwise(np.hypot, partials=(d.of_hypot_by_x, d.of_hypot_by_y))
invert = elementwise(np.invert, "~", warns=warns.unless_integer_arrays)
isfinite = elementwise(np.isfinite, warns=warns.never)
isinf = elementwise(np.isinf, warns=warns.never)
isnan = elementwise(np.isnan, warns=warns.never)
isnat = elementwise(np.isnat)
lcm = elementwise(np.lcm)
ldexp = elementwise(np.ldexp, partials=(lambda out, x, i: np.ldexp(number(1, out), i), 0))
left_shift = elementwise(np.left_shift, "<<")
less = elementwise(np.less, "<", warns=warns.never)
less_equal = elementwise(np.less_equal, "<=", warns=warns.never)
log = elementwise(np.log, singular=True, partials=(lambda out, x: 1 / x,))
log10 = elementwise(np.log10, singular=True, partials=(lambda out, x: 1 / (math.log(10) * x),))
log1p = elementwise(np.log1p, singular=True, partials=(lambda out, x: 1 / (1 + x),))
log2 = elementwise(np.log2, singular=True, partials=(lambda out, x: 1 / (math.log(2) * x),))
logaddexp = elementwise(np.logaddexp, partials=(d.of_logaddexp_by_x, d.of_logaddexp_by_y))
logaddexp2 = elementwise(np.logaddexp2, partials=(d.of_logaddexp2_by_x, d.of_logaddexp2_by_y))
logical_and = elementwise(np.logical_and, warns=warns.never)
logical_not = elementwise(np.logical_not, warns=warns.never)
logical_or = elementwise(np.logical_or, warns=warns.never)
logical_xor = elementwise(np.logical_xor, warns=warns.never)
maximum = elementwise(np.maximum, selects=True, warns=warns.never, partials=(d.of_extremum_by_x, d.of_extremum_by_y))
minimum = elementwise(np.minimum, selects=True, warns=warns.never, partials=(d.of_extremum_by_x, d.of_extremum_by_y))
modf = elementwise(np.modf, vjp=d.of_modf)
multiply = elementwise(
    np.multiply, "*", warns=warns.unless_integer_arrays, partials=(lambda out, x, y: y, lambda out, x, y: x)
)
negative = elementwise(np.negative, "-", warns=warns.unless_floats, partials=(-1,))
nextafter = elementwise(np.nextafter, partials=(1, 0))
not_equal = elementwise(np.not_equal, "!=", warns=warns.never)
positive = elementwise(np.positive, "+", warns=warns.never, partials=(1,))
power = elementwise(np.power, singular=True, partials=(d.of_power_by_base, d.of_power_by_exponent))
rad2deg = elementwise(np.rad2deg, partials=(180 / np.pi,))
radians = elementwise(np.radians, partials=(np.pi / 180,))
reciprocal = elementwise(np.reciprocal, singular=True, partials=(lambda out, x: -out * out,))
remainder = elementwise(np.remainder, "%", partials=(1, d.of_remainder))
right_shift = elementwise(np.right_shift, ">>")
rint = elementwise(np.rint, warns=warns.never, partials=(0,))
sign = elementwise(np.sign, vjp=d.of_sign)
signbit = elementwise(np.signbit, warns=warns.never)
sin = elementwise(np.sin, partials=(lambda out, x: np.cos(x),))
sinh = elementwise(np.sinh, singular=True, partials=(lambda out, x: np.cosh(x),))
spacing = elementwise(np.spacing, partials=(0,))
sqrt = elementwise(np.sqrt, singular=True, partials=(lambda out, x: np.divide(0.5, out),))
square = elementwise(np.square, partials=(lambda out, x: 2 * x,))
subtract = elementwise(np.subtract, "-", warns=warns.unless_integer_arrays, partials=(1, -1))
tan = elementwise(np.tan, singular=True, partials=(lambda out, x: 1 + out * out,))
tanh = elementwise(np.tanh, partials=(lambda out, x: 1 - out * out,))
trunc = elementwise(np.trunc, warns=warns.never, partials=(0,))
