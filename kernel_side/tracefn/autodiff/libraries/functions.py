"""The rules of functions of SciPy, in the form of `Op.vjp` with the functions' own parameters."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.derivatives import fft
from ...ops.derivatives.matrices import decompositions, inverses, norms
from ...ops.derivatives.matrices.common import inverse_gaps
from ...trace import provided
from . import banded, equations, factors, filters, images, measures, solvers, special, summaries

Rule = Callable[..., Any]


def _logsumexp(g: Any, out: Any, a: Any, axis: Any = None, b: Any = None, keepdims: bool = False,
               return_sign: bool = False) -> Any:  # fmt: skip
    sign: Any = 1
    if return_sign:
        (g, _), (out, sign) = g, out
    if not keepdims:
        axes = tuple(range(np.ndim(a))) if axis is None else axis
        g, out, sign = (
            [np.expand_dims(v, axes) for v in (g, out, sign)]
            if return_sign
            else [*[np.expand_dims(v, axes) for v in (g, out)], sign]
        )
    share = g * sign * np.exp(a - out)
    return (share,) if b is None else (share * b, None, share, {"b": share})


def _softmax(g: Any, out: Any, x: Any, axis: Any = None) -> Any:
    return (out * (g - np.sum(g * out, axis=axis, keepdims=True)),)


def _log_softmax(g: Any, out: Any, x: Any, axis: Any = None) -> Any:
    return (g - np.exp(out) * np.sum(g, axis=axis, keepdims=True),)


def _zeta(g: Any, out: Any, x: Any, q: Any = None, *args: Any) -> Any:
    return NotImplemented if q is None else (NotImplemented, -g * x * sys.modules["scipy.special"].zeta(x + 1, q))


def _polygamma(g: Any, out: Any, n: Any, x: Any) -> Any:
    """The next one of these functions."""
    if not isinstance(n, int):
        return NotImplemented
    factor = (-1) ** n * math.factorial(n + 1)
    return None, g * factor * sys.modules["scipy.special"].zeta(n + 2, x)


def _multigammaln(g: Any, out: Any, a: Any, d: Any) -> Any:
    """A sum of logarithms of gamma functions."""
    psi = sys.modules["scipy.special"].psi
    return g * sum([psi(a - j / 2) for j in range(int(d))]), None


def _lambertw(g: Any, out: Any, z: Any, *args: Any, **options: Any) -> Any:
    return (g * np.exp(-out) / (1 + out),)


def _softplus(g: Any, out: Any, x: Any, **options: Any) -> Any:
    return (g * sys.modules["scipy.special"].expit(x),)


def _comb(g: Any, out: Any, N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    if exact or repetition:
        return NotImplemented
    by_n, by_k = special.PARTIALS["scipy.special.binom"]
    return g * by_n(out, N, k), g * by_k(out, N, k)


def _factorial(g: Any, out: Any, n: Any, exact: bool = False, extend: str = "zero") -> Any:
    return NotImplemented if exact else (g * out * sys.modules["scipy.special"].psi(n + 1),)


def _spherical(name: str, sign: int) -> Rule:
    """The rule of a spherical Bessel function, ordinary or modified, whose second derivative its equation tells:
    `z**2 * f'' + 2 * z * f' + (sign * z**2 - n * (n + 1)) * f = 0` (dlmf.nist.gov/10.47)."""

    def rule(g: Any, out: Any, n: Any, z: Any, derivative: bool = False) -> Any:
        function = getattr(sys.modules["scipy.special"], name)
        if not derivative:
            return None, g * provided.call_foreign(function, (n, z, True), {})
        here = provided.call_foreign(function, (n, z), {})
        return None, g * ((n * (n + 1) / (z * z) - sign) * here - 2 * out / z)

    return rule


_TURNED = {1: 1, 2: 3, 3: 2, 4: 4}
"""The types of cosine and sine transforms, each with that of its inverse, which is its transpose but for the ends."""


def _trigonometric(family: str, is_inverse: bool) -> Rule:
    """The rule of a cosine or sine transform: the transpose of its matrix, which is a transform, too.

    Makhoul, "A fast cosine transform in one and two dimensions", 1980: the first term of a cosine transform, the last
    one of a sine transform, counts half in one type where it counts whole in the other.
    """

    def rule(g: Any, out: Any, x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None,
             overwrite_x: bool = False, workers: Any = None, orthogonalize: Any = None) -> Any:  # fmt: skip
        if n is not None or (orthogonalize is not None and orthogonalize != (norm == "ortho")):
            return NotImplemented
        if norm == "ortho":
            inverse = getattr(sys.modules["scipy.fft"], family if is_inverse else f"i{family}")
            return (provided.call_foreign(inverse, (g, type), {"axis": axis, "norm": norm}),)
        length = np.shape(g)[axis]
        of = _TURNED[type] if is_inverse else type
        numbers = np.arange(length, like=g)
        ends = (numbers == (0 if family == "dct" else length - 1)) * 1
        if of == 1:
            ends = ends + (numbers == length - 1) if family == "dct" else 0 * ends
        ends = np.reshape(ends, [-1 if i == axis % np.ndim(g) else 1 for i in range(np.ndim(g))])
        before = g * (1 + ends) if of in (1, 2) else g
        transform = getattr(sys.modules["scipy.fft"], family)
        found = provided.call_foreign(transform, (before, _TURNED[of]), {"axis": axis})
        found = found / (1 + ends) if of in (1, 3) else found
        is_scaled = norm == "forward" if not is_inverse else norm != "forward"
        terms = length if of != 1 else length - 1 if family == "dct" else length + 1
        return (found / (2 * terms) if is_scaled else found,)

    return rule


def _first_argument(rule: Rule) -> Rule:
    """The rule of a function whose other arguments decide how it works, not its result."""
    return lambda g, out, a, *args, **options: rule(g, out, a)


def _pinv(g: Any, out: Any, a: Any, *args: Any, return_rank: bool = False, **options: Any) -> Any:
    return inverses.pinv(g[0], out[0], a) if return_rank else inverses.pinv(g, out, a)


def _cholesky(g: Any, out: Any, a: Any, lower: bool = False, *args: Any, **options: Any) -> Any:
    return decompositions.cholesky(g, out, a, upper=not lower)


def _eigh(g: Any, out: Any, a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, type: int = 1,
          subset_by_index: Any = None, subset_by_value: Any = None, **options: Any) -> Any:  # fmt: skip
    if subset_by_value is not None or (b is not None and (subset_by_index is not None or type != 1)):
        return NotImplemented
    if b is not None:
        return _of_pencil((g, None) if eigvals_only else g, None if eigvals_only else out, a, b, lower)
    if subset_by_index is not None:
        low, high = subset_by_index
        g, out = _of_all(g, out, a, int(low), int(high) + 1, lower, eigvals_only)
    rule = decompositions.eigvalsh if eigvals_only else decompositions.eigh
    return rule(g, out, a, "L" if lower else "U")


def _of_all(g: Any, out: Any, a: Any, start: int, end: int, lower: bool, eigvals_only: bool) -> Any:
    """Eigenvalues and vectors with those that were left out, and their cotangents with zeros."""
    around = [(start, np.shape(a)[-1] - end)]
    if eigvals_only:
        return np.pad(g, around), None
    values, vectors = np.linalg.eigh(a, "L" if lower else "U")
    vectors = np.concatenate([vectors[:, :start], out[1], vectors[:, end:]], -1)
    parts = [None if part is None else np.pad(part, [(0, 0)] * (np.ndim(part) - 1) + around) for part in g]
    return tuple(parts), (values, vectors)


def _of_pencil(g: Any, out: Any, a: Any, b: Any, lower: bool) -> Any:
    """Of `a @ v = w * (b @ v)`, where `v.T @ b @ v` is 1."""
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        return NotImplemented
    eigh = sys.modules["scipy.linalg"].eigh
    values, vectors = provided.call_foreign(eigh, (a, b), {"lower": lower}) if out is None else out
    turned = np.swapaxes(vectors, -1, -2)
    by_values, by_vectors = g
    by_a: Any = 0 if by_values is None else np.diag(by_values)
    by_b: Any = 0 if by_values is None else np.diag(by_values * values)
    if by_vectors is not None:
        along = turned @ by_vectors
        gaps = inverse_gaps(values) * along
        by_a, by_b = by_a + gaps, by_b + gaps * values + np.diag(np.diag(along)) / 2
    parts = [vectors @ by_a @ turned, -(vectors @ by_b @ turned)]
    return tuple([(part + np.swapaxes(part, -1, -2)) / 2 for part in parts])


def _eigvalsh(g: Any, out: Any, a: Any, b: Any = None, *, lower: bool = True, **options: Any) -> Any:
    return _eigh(g, out, a, b, lower=lower, eigvals_only=True, **options)


def _eig(g: Any, out: Any, a: Any, b: Any = None, left: bool = False, right: bool = True, overwrite_a: bool = False,
         overwrite_b: bool = False, check_finite: bool = True, homogeneous_eigvals: bool = False) -> Any:  # fmt: skip
    if b is not None or left or homogeneous_eigvals:
        return NotImplemented
    return decompositions.eig(g, out, a) if right else decompositions.complex_eigvals(g, out, a)


def _eigvals(g: Any, out: Any, a: Any, b: Any = None, overwrite_a: bool = False, check_finite: bool = True,
             homogeneous_eigvals: bool = False) -> Any:  # fmt: skip
    return NotImplemented if b is not None or homogeneous_eigvals else decompositions.complex_eigvals(g, out, a)


def _svd(g: Any, out: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, *args: Any,
         **options: Any) -> Any:  # fmt: skip
    return decompositions.svd(g, out, a, full_matrices, compute_uv)


def _norm(g: Any, out: Any, a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False,
          *args: Any, **options: Any) -> Any:  # fmt: skip
    return norms.norm(g, out, a, ord, axis, keepdims)


def _transform(rule: Rule) -> Rule:
    """The rule of a transform, along one axis or several, from that of NumPy's."""

    def scipys(g: Any, out: Any, x: Any, n: Any = None, axis: Any = ..., norm: Any = None, *args: Any,
               s: Any = None, axes: Any = ..., **options: Any) -> Any:  # fmt: skip
        along = axis if axes is ... else axes
        points = n if s is None else s
        return rule(g, out, x, points, norm=norm) if along is ... else rule(g, out, x, points, along, norm)

    return scipys


def _along_axes(rule: Rule) -> Rule:
    """The rule of a transform along several axes, one after another, from that along one."""

    def rule_of_axes(g: Any, out: Any, x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None,
                     overwrite_x: bool = False, workers: Any = None, *, orthogonalize: Any = None) -> Any:  # fmt: skip
        if s is not None or (orthogonalize is not None and orthogonalize != (norm == "ortho")):
            return NotImplemented
        for axis in range(np.ndim(x)) if axes is None else np.atleast_1d(axes):
            (g,) = rule(g, out, g, type, None, int(axis), norm)
        return (g,)

    return rule_of_axes


RULES: dict[str, Rule] = {
    "scipy.special.logsumexp": _logsumexp,
    "scipy.special.softmax": _softmax,
    "scipy.special.log_softmax": _log_softmax,
    "scipy.special.zeta": _zeta,
    "scipy.special.polygamma": _polygamma,
    "scipy.special.multigammaln": _multigammaln,
    "scipy.special.lambertw": _lambertw,
    "scipy.special.softplus": _softplus,
    "scipy.special.comb": _comb,
    "scipy.special.factorial": _factorial,
    **{
        f"scipy.special.spherical_{name}": _spherical(f"spherical_{name}", sign)
        for name, sign in (("jn", 1), ("yn", 1), ("in", -1), ("kn", -1))
    },
    **solvers.RULES,
    **equations.RULES,
    **factors.RULES,
    "scipy.linalg.inv": _first_argument(inverses.inv),
    "scipy.linalg.det": _first_argument(inverses.det),
    "scipy.linalg.pinv": _pinv,
    "scipy.linalg.cholesky": _cholesky,
    "scipy.linalg.eigh": _eigh,
    "scipy.linalg.eigvalsh": _eigvalsh,
    "scipy.linalg.eig": _eig,
    "scipy.linalg.eigvals": _eigvals,
    "scipy.linalg.svd": _svd,
    "scipy.linalg.svdvals": _first_argument(decompositions.svdvals),
    "scipy.linalg.norm": _norm,
    **filters.RULES,
    **images.RULES,
    **banded.RULES,
    **measures.RULES,
    **summaries.RULES,
    **{
        f"scipy.fft.{'i' * is_inverse}{family}": _trigonometric(family, is_inverse)
        for family in ("dct", "dst")
        for is_inverse in (False, True)
    },
    **{
        f"scipy.fft.{'i' * is_inverse}{family}n": _along_axes(_trigonometric(family, is_inverse))
        for family in ("dct", "dst")
        for is_inverse in (False, True)
    },
    "scipy.fft.fft": _transform(fft.complex_transform(np.fft.fft)),
    "scipy.fft.ifft": _transform(fft.complex_transform(np.fft.ifft)),
    "scipy.fft.rfft": _transform(fft.rfft),
    "scipy.fft.irfft": _transform(fft.irfft),
    "scipy.fft.hfft": _transform(fft.hfft),
    "scipy.fft.ihfft": _transform(fft.ihfft),
    "scipy.fft.fftn": _transform(fft.complex_transform_nd(np.fft.fftn)),
    "scipy.fft.ifftn": _transform(fft.complex_transform_nd(np.fft.ifftn)),
    "scipy.fft.fft2": _transform(fft.complex_transform_nd(np.fft.fftn, (-2, -1))),
    "scipy.fft.ifft2": _transform(fft.complex_transform_nd(np.fft.ifftn, (-2, -1))),
    "scipy.fft.rfftn": _transform(fft.rfftn()),
    "scipy.fft.irfftn": _transform(fft.irfftn()),
    "scipy.fft.rfft2": _transform(fft.rfftn((-2, -1))),
    "scipy.fft.irfft2": _transform(fft.irfftn((-2, -1))),
    "scipy.fft.fftshift": lambda g, out, x, axes=None: (np.fft.ifftshift(g, axes),),
    "scipy.fft.ifftshift": lambda g, out, x, axes=None: (np.fft.fftshift(g, axes),),
}
"""The rules by the names under which users reach the functions."""
