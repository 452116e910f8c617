"""Derivatives of decompositions of matrices.

Where a decomposition reads one triangle of a Hermitian matrix, the cotangent is Hermitian: half of an element's
cotangent is that of the element across the diagonal. Complex vectors have the phases that LAPACK gives them: a
component is real. Bases of null spaces do not turn here: a call that does not ask for them has its derivative.

Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation, 2008;
Townsend, Differentiating the singular value decomposition, 2016; Walter and Lehmann, Algorithmic differentiation of
linear algebra functions with application in optimum experimental design, 2010; Boeddeker and others, On the
computation of complex-valued gradients with application to statistically optimum beamforming, 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.op import by_name
from ..common import conjugated, recorded, safe
from .common import adjoint, as_diagonal, hermitian, in_conjugates, inverse_gaps, on_diagonal, times_columns


@in_conjugates
def cholesky(g: Any, out: Any, a: Any, upper: bool = False) -> tuple[Any, ...]:
    lower, g = (adjoint(out), adjoint(g)) if upper else (out, g)
    inner = np.tril(adjoint(lower) @ g)
    inner = np.where(on_diagonal(inner), np.real(inner) / 2, inner)
    left = np.linalg.solve(adjoint(lower), inner)
    return (hermitian(adjoint(np.linalg.solve(adjoint(lower), adjoint(left)))),)


@in_conjugates
def eigh(g: Any, out: Any, a: Any, UPLO: str = "L") -> tuple[Any, ...]:
    by_values, by_vectors = g
    values, vectors = out
    if by_vectors is not None and np.iscomplexobj(vectors):
        by_vectors = _settled(by_vectors, vectors, 0 if UPLO in "Ll" else -1, _turning(vectors, by_vectors))
    return (_by_eigen(by_values, by_vectors, values, vectors),)


def _turning(vectors: Any, g: Any) -> Any:
    """The part of the cotangent that a turn of vectors in the complex plane changes."""
    return 0 if g is None else np.imag(np.sum(conjugated(vectors) * g, -2))


def _settled(g: Any, vectors: Any, place: int, turning: Any) -> Any:
    """The cotangent of vectors of which a component is always real: they turn back by its phase."""
    made = np.zeros_like(vectors) if g is None else np.copy(g)
    made[..., place, :] -= 1j * turning / safe(np.real(vectors[..., place, :]))
    return made


@in_conjugates
def eigvalsh(g: Any, out: Any, a: Any, UPLO: Any = "L") -> tuple[Any, ...]:
    values, vectors = np.linalg.eigh(a, UPLO)
    return (_by_eigen(g, None, values, vectors),)


def _by_eigen(by_values: Any, by_vectors: Any, values: Any, vectors: Any) -> Any:
    inner: Any = 0 if by_values is None else as_diagonal(by_values)
    if by_vectors is not None:
        inner = inner + inverse_gaps(values) * (adjoint(vectors) @ by_vectors)
    return hermitian(vectors @ inner @ adjoint(vectors))


@in_conjugates
def eig(g: Any, out: Any, a: Any) -> tuple[Any, ...]:
    """The vectors have length 1, and their largest component is real."""
    by_values, by_vectors = g
    values, vectors = out
    inner: Any = 0 if by_values is None else as_diagonal(by_values)
    if by_vectors is not None:
        size = np.abs(vectors)
        is_largest = np.equal(size, np.max(size, -2, keepdims=True))
        largest = np.logical_and(is_largest, np.equal(np.cumsum(is_largest, -2), 1))
        along = np.sum(conjugated(vectors) * by_vectors, -2, keepdims=True)
        turning = np.imag(along) / safe(np.sum(np.where(largest, np.real(vectors), 0), -2, keepdims=True))
        by_vectors = by_vectors - vectors * np.real(along) - np.where(largest, 1j * turning, 0)
        inner = inner + conjugated(inverse_gaps(values)) * (adjoint(vectors) @ by_vectors)
    return (np.linalg.solve(adjoint(vectors), inner @ adjoint(vectors)),)


def eigvals(g: Any, out: Any, a: Any) -> tuple[Any, ...]:
    return tuple(eig((g, None), np.linalg.eig(a), a))


def complex_eigvals(g: Any, out: Any, a: Any) -> tuple[Any, ...]:
    return tuple(eig((g, None), recorded(by_name("complex_eig").call, a), a))


@in_conjugates
def svd(
    g: Any, out: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> tuple[Any, ...]:
    if not compute_uv:
        return (_by_singular(g, a, hermitian),)
    by_u, by_s, by_vh = g
    u, s, vh = out
    v, by_v = adjoint(vh), None if by_vh is None else adjoint(by_vh)
    count = np.shape(s)[-1]
    (u, by_u), (v, by_v) = _leading(u, by_u, count), _leading(v, by_v, count)
    if np.iscomplexobj(a):
        turning = _turning(u, by_u) + _turning(v, by_v)
        if np.shape(u)[-2] < np.shape(v)[-2]:
            by_u = _settled(by_u, u, 0, turning)
        else:
            by_v = _settled(by_v, v, 0, turning)
    inverse = np.where(s == 0, 0, 1 / safe(s))
    gaps = inverse_gaps(s * s)
    inner: Any = as_diagonal(np.zeros_like(s) if by_s is None else by_s)
    outside: Any = 0
    if by_u is not None:
        across = adjoint(u) @ by_u
        inner = inner + times_columns(gaps * (across - adjoint(across)), s)
        if np.iscomplexobj(a):
            inner = inner + np.where(on_diagonal(inner), 1j * np.imag(times_columns(across, inverse)), 0)
        outside = outside + times_columns(by_u - u @ across, inverse) @ adjoint(v)
    if by_v is not None:
        across = adjoint(v) @ by_v
        inner = inner + np.expand_dims(s, -1) * (gaps * (across - adjoint(across)))
        outside = outside + times_columns(u, inverse) @ adjoint(by_v - v @ across)
    by_a = u @ inner @ adjoint(v) + outside
    return (_hermitian_if(hermitian, by_a),)


def _leading(vectors: Any, g: Any, count: Any) -> tuple[Any, Any]:
    """The vectors of singular values, and their cotangent with the share of those of the null space: these turn
    against them."""
    if np.shape(vectors)[-1] == count:
        return vectors, g
    first, rest = vectors[..., :count], vectors[..., count:]
    return first, None if g is None else g[..., :count] - rest @ (adjoint(g[..., count:]) @ first)


def svdvals(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    return svd(g, out, x, compute_uv=False)


def _by_singular(g: Any, a: Any, is_hermitian: bool) -> Any:
    u, _, vh = np.linalg.svd(a, full_matrices=False, hermitian=is_hermitian)
    return _hermitian_if(is_hermitian, times_columns(u, g) @ vh)


def _hermitian_if(is_hermitian: bool, a: Any) -> Any:
    return hermitian(a) if is_hermitian else a


@in_conjugates
def qr(g: Any, out: Any, a: Any, mode: str = "reduced") -> Any:
    rows, columns = np.shape(a)[-2:]
    if mode == "raw" or (mode == "complete" and rows > columns):
        return NotImplemented
    if mode == "r":
        (q, _), r, by_q, by_r = np.linalg.qr(a), out, None, g
    else:
        (q, r), (by_q, by_r) = out, g
    by_q = np.zeros_like(q) if by_q is None else by_q
    by_r = np.zeros_like(r) if by_r is None else by_r
    if rows >= columns:
        return (_by_qr(by_q, by_r, q, r),)
    square, beside = r[..., :rows], a[..., rows:]
    by_square = _by_qr(by_q + beside @ adjoint(by_r[..., rows:]), by_r[..., :rows], q, square)
    return (np.concatenate([by_square, q @ by_r[..., rows:]], axis=-1),)


def _by_qr(by_q: Any, by_r: Any, q: Any, r: Any) -> Any:
    inner = np.tril(r @ adjoint(by_r) - adjoint(by_q) @ q)
    below = np.where(on_diagonal(inner), 0, inner)
    inner = below + adjoint(below) + np.where(on_diagonal(inner), np.real(inner), 0)
    return adjoint(np.linalg.solve(r, adjoint(by_q + q @ inner)))
