"""NumPy functions of which the values decide whether they give real or complex numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.op import by_call, by_name
from ...ir.types import Kind
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
        found = _either(which, x, _complex(x))
        return found.split(plain) if type(found) is OneOf else plain(found)

    return call


def _complex(x: Any) -> Any:
    if x._node.type.kind is Kind.PYTHON:
        return x + 0j
    return x.astype(np.result_type(_SINGLE.get(x.dtype.char, np.complex128)))


def real_if_close(a: Any, tol: Any = 100) -> Any:
    """`np.real_if_close`: real numbers where all imaginary parts are this small, in steps of the dtype's precision."""
    trace = current()
    if trace is None or type(a) is not Tensor or a.dtype.kind != "c":
        return _recorded(np.real_if_close, a, tol)
    a = trace.record(by_name("array"), (a,), {})
    bound = np.finfo(a.dtype).eps * tol if tol > 1 else tol
    return _either(_which(np.all(np.abs(a.imag) < bound)), a.real, a)


def power(x: Any, p: Any) -> Any:
    """`np.emath.power`: of complex numbers where one of the bases is negative."""
    if isinstance(x, int | float) and type(x) is not Tensor and type(p) is Tensor and p.dtype.kind == "f":
        return np.power(np.asarray(x if x >= 0 else complex(x)), p)
    if current() is None or type(x) is not Tensor or (type(p) is Tensor and p.dtype.kind in "iu"):
        return _recorded(np.emath.power, x, p)
    if type(p) is not Tensor:
        p = np.asarray(p)
        p = p * 1.0 if p.dtype.kind == "i" and np.any(p < 0) else p
    if x.dtype.kind not in "biuf":
        return _recorded(np.emath.power, x, p) if p.dtype.kind not in "iu" else np.power(x, p)
    found = _either(_which(~np.any(np.less(x, 0))), x, _complex(x))
    return found.split(lambda x: np.power(x, p)) if type(found) is OneOf else np.power(found, p)


def logn(n: Any, x: Any) -> Any:
    """`np.emath.logn`: quotients of `np.emath.log`."""
    numerator, denominator = [EMATH[np.emath.log](v) if type(v) is Tensor else np.emath.log(v) for v in (x, n)]
    return numerator / denominator


_SINGLE = dict.fromkeys("fbhBH", np.complex64)
"""Dtypes that become complex numbers of single precision."""

EMATH: dict[Any, Callable[..., Any]] = {
    **{f: _of_real_numbers(f, lambda x: x < 0) for f in (np.emath.sqrt, np.emath.log, np.emath.log2, np.emath.log10)},
    **{f: _of_real_numbers(f, lambda x: np.abs(x) > 1) for f in (np.emath.arccos, np.emath.arcsin, np.emath.arctanh)},
    np.emath.power: power,
    np.emath.logn: logn,
}


def _recorded(function: Any, *args: Any) -> Any:
    trace = current()
    assert trace is not None
    return trace.record(by_call(function), args, {})  # type: ignore[arg-type]


def _which(is_real: Any) -> Any:
    """The number of the option that a result is."""

    return cond(is_real, lambda: VALUE, lambda: VALUE - 1)


def _either(which: Any, real: Any, value: Any) -> Any:
    """One of the two; in a trace of one call it is known which."""
    if type(which) is int:
        return real if which == VALUE else value
    return OneOf(value._trace.root.fixed, (), which, real, value)
