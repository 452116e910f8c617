"""NumPy functions of which the values decide whether they give real or complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.op import by_call, by_name
from ...ops.linalg import EIGENVALUES_ARE_COMPLEX
from ..active import current
from ..control.branches import cond
from ..control.one_of import VALUE, OneOf
from ..origin import user_source, where
from ..tensor import Tensor


def eig(a: Any) -> Any:
    """`np.linalg.eig`: before NumPy 2.5 real numbers where all eigenvalues are."""
    trace = current()
    if trace is None or type(a) is not Tensor or a.dtype.kind == "c" or EIGENVALUES_ARE_COMPLEX:
        return _recorded(np.linalg.eig, a)
    values, vectors = trace.record(by_name("complex_eig"), (a,), {})
    which = _which(np.all(values.imag == 0.0))
    return type(np.linalg.eig(np.eye(1)))(*[_either(which, part.real, part) for part in (values, vectors)])


def eigvals(a: Any) -> Any:
    """`np.linalg.eigvals`: before NumPy 2.5 real numbers where all eigenvalues are."""
    trace = current()
    if trace is None or type(a) is not Tensor or a.dtype.kind == "c" or EIGENVALUES_ARE_COMPLEX:
        return _recorded(np.linalg.eigvals, a)
    values = trace.record(by_name("complex_eigvals"), (a,), {})
    return _either(_which(np.all(values.imag == 0.0)), values.real, values)


def roots(p: Any) -> Any:
    """`np.roots`: as many as the leading and trailing zeros leave, real numbers where all of them are."""
    trace = current()
    assert trace is not None
    p = trace.record(by_name("array"), (list(p),), {}) if isinstance(p, list | tuple) else p
    if type(p) is not Tensor or p.dtype.char not in "?bhilqBHILQdD":
        what = f"np.roots of {p!r}: it gives none in double precision, and others in that of the coefficients"
        raise UnsupportedFunctionError(message(what, where(user_source(2)), "Give it one array: `p.astype(float)`."))
    found, is_real = trace.record(by_name("complex_roots"), (p,), {})
    return _either(_which(is_real), found.real, found)


def _of_real_numbers(function: Any, is_complex: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of `np.emath`, which goes on with complex numbers where `is_complex` of the argument holds."""
    plain = getattr(np, function.__name__)

    def call(x: Any) -> Any:
        trace = current()
        if trace is None or type(x) is not Tensor or x.dtype.kind not in "biuf":
            return _recorded(function, x)
        which = _which(~np.any(is_complex(x)))
        return _either(which, x, x.astype(np.result_type(_SINGLE.get(x.dtype.char, np.complex128)))).split(plain)

    return call


_SINGLE = dict.fromkeys("fbhBH", np.complex64)
"""What becomes a complex number of single precision."""

EMATH = {
    **{f: _of_real_numbers(f, lambda x: x < 0) for f in (np.emath.sqrt, np.emath.log, np.emath.log2, np.emath.log10)},
    **{f: _of_real_numbers(f, lambda x: np.abs(x) > 1) for f in (np.emath.arccos, np.emath.arcsin, np.emath.arctanh)},
}


def _recorded(function: Any, a: Any) -> Any:
    trace = current()
    assert trace is not None
    return trace.record(by_call(function), (a,), {})  # type: ignore[arg-type]


def _which(is_real: Any) -> Any:
    """The number of the option that a result is."""

    return cond(is_real, lambda: VALUE, lambda: VALUE - 1)


def _either(which: Any, real: Any, value: Any) -> Any:

    return OneOf(value._trace.root.fixed, (), which, real, value)
