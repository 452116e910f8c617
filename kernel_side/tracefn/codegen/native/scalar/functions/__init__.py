"""Mathematical functions of one element as LLVM IR: straight lines, so that LLVM vectorises loops that call them.

Every function takes and returns `double` or `float`, agrees with NumPy on NaN, infinities and the sign of zero, and is
within 4 units in the last place of the exact result. It raises the hardware flag *invalid*, *divide by zero* or
*overflow* where NumPy's function warns, and none of the three for other arguments; which of the three it is may differ
from NumPy's, and powers with infinite exponents raise one that is not due.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache

from .....records import dataclass
from . import (
    division,
    error_function,
    exponential,
    hyperbolic,
    inverse_trigonometric,
    logarithm,
    power,
    trigonometric,
)
from .text import FORMATS, Body, Value


@dataclass(frozen=True, slots=True)
class Function:
    """A function and the facts that decide where it is used.

    `in_range` is the predicate of a function that is made for a part of the arguments only. An exact function gives
    NumPy's own bits. NumPy computes some functions one by one, where vectors take a third of the time or less, and some
    faster, where the processor has vectors of 512 bits.
    """

    writer: Callable[..., Value]
    in_range: Callable[..., Value] | None = None
    is_exact: bool = False
    is_one_by_one: bool = False
    is_fast_in_numpy: bool = False


FUNCTIONS: dict[str, Function] = {
    found.writer.__name__: found
    for found in (
        Function(exponential.exp),
        Function(exponential.exp2),
        Function(exponential.expm1),
        Function(logarithm.log),
        Function(logarithm.log2, is_fast_in_numpy=True),
        Function(logarithm.log10, is_fast_in_numpy=True),
        Function(logarithm.log1p, is_fast_in_numpy=True),
        Function(trigonometric.sin, trigonometric.in_range, is_one_by_one=True),
        Function(trigonometric.cos, trigonometric.in_range, is_one_by_one=True),
        Function(trigonometric.tan, trigonometric.in_range),
        Function(inverse_trigonometric.arcsin),
        Function(inverse_trigonometric.arccos),
        Function(inverse_trigonometric.arctan),
        Function(inverse_trigonometric.arctan2, is_fast_in_numpy=True),
        Function(hyperbolic.sinh),
        Function(hyperbolic.cosh),
        Function(hyperbolic.tanh),
        Function(hyperbolic.arcsinh, is_fast_in_numpy=True),
        Function(hyperbolic.arccosh),
        Function(hyperbolic.arctanh, is_fast_in_numpy=True),
        Function(power.power, is_fast_in_numpy=True),
        Function(power.cbrt, is_fast_in_numpy=True),
        Function(power.hypot, is_one_by_one=True),
        Function(error_function.erf),
        Function(division.fmod, division.in_range, is_exact=True, is_one_by_one=True),
        Function(division.remainder, division.in_range, is_exact=True, is_one_by_one=True),
        Function(division.floor_divide, division.in_range, is_exact=True, is_one_by_one=True),
    )
}
"""The functions by NumPy's name: one record each."""

LIMITED = {name: found.in_range for name, found in FUNCTIONS.items() if found.in_range is not None}
"""The predicates of functions that are limited to a part of the arguments: `symbol(name + ".in_range", bits)`."""


def symbol(name: str, bits: int) -> str:
    """The name in LLVM IR of a function, or of the predicate of a function in `LIMITED`.

    >>> symbol("exp", 64), symbol("sin.in_range", 32)
    ('@tf.exp.f64', '@tf.sin.in_range.f32')
    """
    return f"@tf.{name}.f{bits}"


def definitions(wanted: Iterable[tuple[str, int]], fma: bool) -> tuple[str, set[str]]:
    """The LLVM IR of functions, by NumPy's name and the bits of their type, and the `declare` lines that it needs.

    `fma` says whether the machine that will run it has a fused multiply-add. With a function in `LIMITED` comes its
    predicate, an `i1` that is true where the function may be used.

    >>> text, declarations = definitions({("sin", 64)}, fma=True)
    >>> [line.partition("(")[0] for line in text.splitlines() if line.startswith("define")]
    ['define internal double @tf.sin.f64', 'define internal i1 @tf.sin.in_range.f64']
    >>> "declare double @llvm.fma.f64(double, double, double)" in declarations
    True
    """
    found = [_definition(name, bits, fma) for name, bits in sorted(set(wanted))]
    return "\n".join(text for text, _ in found), {line for _, lines in found for line in lines}


@cache
def _definition(name: str, bits: int, fma: bool) -> tuple[str, frozenset[str]]:
    text, declarations = _function(symbol(name, bits), FUNCTIONS[name].writer, bits, fma)
    if name in LIMITED:
        test, more = _function(symbol(f"{name}.in_range", bits), LIMITED[name], bits, fma)
        text, declarations = f"{text}\n{test}", declarations | more
    return text, frozenset(declarations)


def _function(name: str, writer: Callable[..., Value], bits: int, fma: bool) -> tuple[str, set[str]]:
    """The definition of one function, and the declarations it needs."""
    body, format = Body(fma), FORMATS[bits]
    arguments = [Value(body, format, format.real, f"%{argument}") for argument in inspect.signature(writer).parameters]
    result = writer(*arguments)
    parameters = ", ".join(f"{argument.type} {argument.name}" for argument in arguments)
    lines = "\n".join(body.lines)
    return (
        f"define internal {result.type} {name}({parameters}) alwaysinline nounwind willreturn memory(none) {{\n"
        f"{lines}\n  ret {result.type} {result.name}\n}}\n"
    ), body.declarations
