"""Mathematical functions of one element as LLVM IR: straight lines, so that loops that call them become vector code.

Every function takes and returns `double` or `float`, agrees with NumPy on NaN, infinities and the sign of zero, and is
within 4 units in the last place of the exact result. It raises the hardware flag *invalid*, *divide by zero* or
*overflow* where NumPy's function warns, and none of the three for other arguments; which of the three it is may differ
from NumPy's, and powers with infinite exponents raise one that is not due.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache

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

#: Writers by NumPy's name.
_WRITERS: dict[str, Callable[..., Value]] = {
    writer.__name__: writer
    for writer in (
        exponential.exp,
        exponential.exp2,
        exponential.expm1,
        logarithm.log,
        logarithm.log2,
        logarithm.log10,
        logarithm.log1p,
        trigonometric.sin,
        trigonometric.cos,
        trigonometric.tan,
        inverse_trigonometric.arcsin,
        inverse_trigonometric.arccos,
        inverse_trigonometric.arctan,
        inverse_trigonometric.arctan2,
        hyperbolic.sinh,
        hyperbolic.cosh,
        hyperbolic.tanh,
        hyperbolic.arcsinh,
        hyperbolic.arccosh,
        hyperbolic.arctanh,
        power.power,
        power.cbrt,
        power.hypot,
        error_function.erf,
        division.fmod,
        division.remainder,
        division.floor_divide,
    )
}

NAMES = frozenset(_WRITERS)

EXACT = frozenset({"fmod", "remainder", "floor_divide"})
"""Functions that give NumPy's own bits."""

#: Functions that are made for a part of the arguments only, which `symbol(name + ".in_range", bits)` tells.
LIMITED: dict[str, Callable[..., Value]] = {
    **dict.fromkeys(("sin", "cos", "tan"), trigonometric.in_range),
    **dict.fromkeys(EXACT, division.in_range),
}


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
    text, declarations = _function(symbol(name, bits), _WRITERS[name], bits, fma)
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
