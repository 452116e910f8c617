"""Replacements for calls that turn a traced value into a concrete array."""

from __future__ import annotations

import itertools
import linecache
import re

import numpy as np

from ..origin import user_frame

_NUMBERS = "pass the number as a Python argument (each value then gets its own trace)"
_OUTSIDE = "read the data outside and pass the array"
_NO_LAYOUT = "a traced value is an array already: leave it out"

#: Replacements of functions of NumPy that dispatch does not hand over, where its arguments are traced and the code is
#: not rewritten. By the name below `np.`.
INSTEAD = {
    "arange": f"an open length: `np.arange(len(x))`; otherwise {_NUMBERS}",
    "array": "joining traced values: `np.stack([a, b])`, `np.concatenate`",
    "asarray": _NO_LAYOUT,
    "asanyarray": _NO_LAYOUT,
    "asarray_chkfinite": "tracefn.debugging.check_numerics",
    "ascontiguousarray": "`np.copy(x, order='C')`",
    "asfortranarray": "`np.copy(x, order='F')`",
    "require": _NO_LAYOUT,
    "fromfunction": "call the function on `np.indices` of the shape",
    "fromiter": "`np.stack` of the list",
    "full": "a traced fill value: `np.full_like`, `np.broadcast_to`, or arithmetic with `np.ones`",
    "frombuffer": _OUTSIDE,
    "fromfile": _OUTSIDE,
    "fromstring": _OUTSIDE,
    "genfromtxt": _OUTSIDE,
    "loadtxt": _OUTSIDE,
    "r_": "`np.concatenate` or `np.stack`",
    "c_": "`np.column_stack`",
    "mgrid": "`np.meshgrid` of `np.arange(len(x))`",
    "ogrid": "`np.ix_` of `np.arange(len(x))`",
    "ndenumerate": "`np.ndindex(x.shape)` and `x[index]`",
    "nditer": "work on whole arrays",
    "broadcast": "`np.broadcast_shapes(a.shape, b.shape)`",
    "kaiser": "pass beta as a Python float (each value then gets its own trace)",
    **dict.fromkeys(("empty", "eye", "identity", "ones", "tri", "zeros", "tril_indices", "triu_indices"), _NUMBERS),
}

_CASTS = re.compile(
    r"(u?int|float|complex)\d*|bool_?|longdouble|clongdouble|half|single|double|intp|uintp|longlong|byte"
)


def call_text(depth: int = 2) -> str:
    """The call under way in the user's code, as it is written there; '' where the source cannot be read."""
    frame = user_frame(depth)
    if frame is None:
        return ""
    places = itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
    line, last, start, end = next(places, (None, None, None, None))
    if line is None or line != last or start is None or end is None:
        return ""
    text = linecache.getline(frame.f_code.co_filename, line).encode()[start:end].decode(errors="ignore")
    return text if len(text) <= 60 else f"{text[:59]}…"


def instead_of(call: str) -> str:
    """The code to write instead of a call, given as its text; '' where nothing is known of it."""
    if (of_math := re.match(r"math\.(\w+)", call)) and hasattr(np, of_math.group(1)):
        return f"Write `np.{of_math.group(1)}`, which is traced."
    found = re.match(r"(?:np|numpy)\.(\w+)", call)
    if found is None:
        return ""
    name = found.group(1)
    if _CASTS.fullmatch(name):
        return f"Write `x.astype(np.{name})`."
    fix = INSTEAD.get(name, "")
    return f"Instead of np.{name}: {fix}." if fix else ""
