"""Text: NumPy's functions on arrays of strings.

Fixed-width strings (`<U5`, `S5`) have their width in the dtype. Where the width of a result depends on the values, only
variable-width strings (`np.dtypes.StringDType`) can be traced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy._core import umath as _umath

from ..ir.infer import RuleError
from ..ir.op import Op, op, register
from ..ir.types import TensorType, array
from .elementwise import elementwise, ufunc_result
from .rules import broadcast_shapes, operand, probe, probed

umath: Any = _umath  # where NumPy keeps the ufuncs that do the work inside of np.strings


def _no_values(name: str, text: TensorType, *others: Any) -> Exception:
    """The error for a call whose result has a width that depends on values, be it those of `others`.

    NumPy has no say where these are traced: of their ghosts, which are empty texts, it would complain.
    """
    kind = RuleError if any(isinstance(other, TensorType) for other in others) else TypeError
    return kind(
        f"the width of the result of np.{name} for fixed-width strings ({text.dtype.str}) depends on the values, which "
        "are not known while tracing; use variable-width strings: x.astype(np.dtypes.StringDType())"
    )


def _is_variable(*operands: TensorType) -> bool:
    return any(t.dtype.char == "T" for t in operands)


# --- questions about each string --------------------------------------------------------------------------------------

isalnum = elementwise(umath.isalnum)
isalpha = elementwise(umath.isalpha)
isdecimal = elementwise(umath.isdecimal)
isdigit = elementwise(umath.isdigit)
islower = elementwise(umath.islower)
isnumeric = elementwise(umath.isnumeric)
isspace = elementwise(umath.isspace)
istitle = elementwise(umath.istitle)
isupper = elementwise(umath.isupper)
str_len = elementwise(umath.str_len)


def _bounds(*bounds: Any) -> tuple[Any, ...]:
    """Positions in strings as operands, of which only the types matter: 0 for every integer and for None."""
    return tuple(0 if b is None or type(b) is int else b for b in bounds)


def search(call: Callable[..., Any], ufunc: np.ufunc) -> Op:
    """Registers a search for a part of each string. NumPy dispatches the ufunc inside of the function."""

    def rule(a: Any, sub: Any, start: Any = 0, end: Any = None) -> Any:
        return ufunc_result(ufunc, (a, sub, *_bounds(start, end)))

    return register(Op(f"strings.{call.__name__}", call, rule), ufunc)


count = search(np.strings.count, umath.count)
find = search(np.strings.find, umath.find)
index = search(np.strings.index, umath.index)
rfind = search(np.strings.rfind, umath.rfind)
rindex = search(np.strings.rindex, umath.rindex)


@op(np.strings.startswith, umath.startswith, name="strings.startswith")
def startswith(a: Any, prefix: Any, start: Any = 0, end: Any = None) -> Any:
    return ufunc_result(umath.startswith, (a, prefix, *_bounds(start, end)))


@op(np.strings.endswith, umath.endswith, name="strings.endswith")
def endswith(a: Any, suffix: Any, start: Any = 0, end: Any = None) -> Any:
    return ufunc_result(umath.endswith, (a, suffix, *_bounds(start, end)))


def comparison(call: Callable[..., Any]) -> Op:
    """Registers a comparison that does not see spaces at the end of strings."""

    def rule(x1: Any, x2: Any) -> TensorType:
        left, right = operand(x1), operand(x2)
        return probed(broadcast_shapes(left.shape, right.shape), call, left, right)

    return register(Op(f"char.{call.__name__}", call, rule))


char_equal = comparison(np.char.equal)
char_not_equal = comparison(np.char.not_equal)
char_less = comparison(np.char.less)
char_less_equal = comparison(np.char.less_equal)
char_greater = comparison(np.char.greater)
char_greater_equal = comparison(np.char.greater_equal)


# --- strings of the same width ----------------------------------------------------------------------------------------


def letter_case(call: Callable[..., Any]) -> Op:
    """Registers a change of letters that leaves the width as it is."""

    def rule(a: Any) -> TensorType:
        a = operand(a)
        return probed(a.shape, call, a)

    return register(Op(f"strings.{call.__name__}", call, rule))


capitalize = letter_case(np.strings.capitalize)
lower = letter_case(np.strings.lower)
swapcase = letter_case(np.strings.swapcase)
title = letter_case(np.strings.title)
upper = letter_case(np.strings.upper)


@op(np.strings.translate, name="strings.translate", static=frozenset({"table", "deletechars"}))
def translate(a: Any, table: Any, deletechars: Any = None) -> TensorType:
    a = operand(a)
    return array(np.strings.translate(np.zeros((1,) * a.ndim, a.dtype), table, deletechars).dtype, a.shape)


def strip_ends(call: Callable[..., Any], spaces: np.ufunc, characters: np.ufunc) -> Op:
    """Registers the removal of characters from the ends. NumPy dispatches one of two ufuncs inside of the function."""

    def rule(a: Any, chars: Any = None) -> Any:
        return ufunc_result(spaces, (a,)) if chars is None else ufunc_result(characters, (a, chars))

    return register(Op(f"strings.{call.__name__}", call, rule), spaces, characters)


lstrip = strip_ends(np.strings.lstrip, umath._lstrip_whitespace, umath._lstrip_chars)
rstrip = strip_ends(np.strings.rstrip, umath._rstrip_whitespace, umath._rstrip_chars)
strip = strip_ends(np.strings.strip, umath._strip_whitespace, umath._strip_chars)

if hasattr(np.strings, "slice"):
    # NumPy dispatches the ufunc inside of the function, which has filled in the missing bounds.
    @op(np.strings.slice, umath._slice, name="strings.slice")
    def slice_(a: Any, start: Any = None, stop: Any = np._NoValue, step: Any = None, /) -> Any:
        if stop is np._NoValue:
            start, stop = None, start
        if type(step) is int and step == 0:
            raise ValueError("slice step cannot be zero")
        return ufunc_result(umath._slice, (a, *_bounds(start, stop, step)))


# --- strings of another width -----------------------------------------------------------------------------------------


@op(np.strings.multiply, name="strings.multiply")
def multiply(a: Any, i: Any) -> Any:
    text, count = operand(a), operand(i)
    if count.dtype.kind not in "iu":
        raise TypeError("the number of repetitions must be an integer")
    if _is_variable(text):
        return ufunc_result(np.multiply, (text, count))
    raise _no_values("strings.multiply", text)


def justify(call: Callable[..., Any], ufunc: Any) -> Op:
    """Registers an op that fills each string up to a width."""

    def rule(a: Any, width: Any, fillchar: Any = " ") -> Any:
        return _filled(call, ufunc, a, width, fillchar)

    return register(Op(f"strings.{call.__name__}", call, rule))


def _filled(call: Callable[..., Any], ufunc: Any, a: Any, width: Any, *fillchar: Any) -> Any:
    text, widths, fills = operand(a), operand(width), [operand(f) for f in fillchar]
    if widths.dtype.kind not in "iu":
        raise TypeError("the width must be an integer")
    if _is_variable(text, *fills):
        return ufunc_result(ufunc, (text, widths, *fills))
    probe(call, text, 1, *(f for f in fillchar if not isinstance(f, TensorType)))
    characters = text.dtype.itemsize // np.dtype(f"{text.dtype.char}1").itemsize
    widest = 0 if isinstance(width, TensorType) else np.max(width)
    if widest < characters:
        raise _no_values(f"strings.{call.__name__}", text, *fillchar)
    return array(f"{text.dtype.char}{widest}", broadcast_shapes(text.shape, widths.shape, *(f.shape for f in fills)))


center = justify(np.strings.center, getattr(umath, "_center", None))
ljust = justify(np.strings.ljust, getattr(umath, "_ljust", None))
rjust = justify(np.strings.rjust, getattr(umath, "_rjust", None))


@op(np.strings.zfill, name="strings.zfill")
def zfill(a: Any, width: Any) -> Any:
    return _filled(np.strings.zfill, getattr(umath, "_zfill", None), a, width)


@op(np.strings.replace, name="strings.replace")
def replace(a: Any, old: Any, new: Any, count: Any = -1) -> Any:
    text, others = operand(a), [operand(old), operand(new)]
    if operand(count).dtype.kind not in "iu":
        raise TypeError("the count must be an integer")
    if _is_variable(text, *others):
        return ufunc_result(umath._replace, (text, *others, operand(count)))
    raise _no_values("strings.replace", text)


@op(np.strings.expandtabs, name="strings.expandtabs")
def expandtabs(a: Any, tabsize: Any = 8) -> Any:
    text = operand(a)
    if _is_variable(text):
        return ufunc_result(umath._expandtabs, (text, operand(tabsize)))
    raise _no_values("strings.expandtabs", text)


if hasattr(np.strings, "partition"):

    @op(np.strings.partition, name="strings.partition")
    def partition(a: Any, sep: Any) -> Any:
        return _parts(np.strings.partition, umath._partition, a, sep)

    @op(np.strings.rpartition, name="strings.rpartition")
    def rpartition(a: Any, sep: Any) -> Any:
        return _parts(np.strings.rpartition, umath._rpartition, a, sep)


def _parts(call: Callable[..., Any], ufunc: np.ufunc, a: Any, sep: Any) -> Any:
    text, separator = operand(a), operand(sep)
    if _is_variable(text, separator):
        return ufunc_result(ufunc, (text, separator))
    raise _no_values(f"strings.{call.__name__}", text, sep)


@op(np.strings.mod, name="strings.mod")
def mod(a: Any, values: Any) -> TensorType:
    text = operand(a)
    if _is_variable(text):
        return array(text.dtype, broadcast_shapes(text.shape, operand(values).shape))
    raise _no_values("strings.mod", text)


@op(np.char.join, name="char.join")
def join(sep: Any, seq: Any) -> TensorType:
    separator, text = operand(sep), operand(seq)
    if _is_variable(text):
        return array(text.dtype, broadcast_shapes(separator.shape, text.shape))
    raise _no_values("char.join", text)
