"""Derivatives of inverses, determinants, equations and powers.

Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation, 2008.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..movement.scatter import as_given
from .common import adjoint, identity_like, in_conjugates, transposed
from .common import hermitian as hermitian_part


def inv(g: Any, out: Any, a: Any) -> tuple[Any, ...]:
    turned = transposed(out)
    return (-(turned @ g @ turned),)


def det(g: Any, out: Any, a: Any) -> tuple[Any, ...]:
    return (np.expand_dims(g, (-2, -1)) * _cofactors(out, a),)


def _cofactors(determinant: Any, a: Any) -> Any:
    """The derivatives of a determinant, which a singular matrix has, too: there of one that is a little off it."""
    length = np.shape(a)[-1]
    if length == 1:
        return np.ones_like(a)
    if length == 2:
        rows = [[a[..., 1, 1], -a[..., 1, 0]], [-a[..., 0, 1], a[..., 0, 0]]]
        return np.stack([np.stack(row, -1) for row in rows], -2)
    if length == 3:
        first, second, third = a[..., 0, :], a[..., 1, :], a[..., 2, :]
        return np.stack([np.cross(second, third), np.cross(third, first), np.cross(first, second)], -2)
    is_singular = np.expand_dims(np.equal(determinant, 0), (-2, -1))
    size = np.max(np.abs(a), axis=(-2, -1), keepdims=True) if np.size(a) else 1
    off = a + np.where(is_singular, identity_like(a) * (size * math.sqrt(np.finfo(a.dtype).eps)), 0)
    return np.expand_dims(np.linalg.det(off), (-2, -1)) * transposed(np.linalg.inv(off))


def slogdet(g: Any, out: Any, a: Any) -> tuple[Any, ...]:
    """The sign of a complex determinant turns with the imaginary part of its logarithm."""
    by_sign, by_logarithm = g
    by_complex = 0 if by_logarithm is None else by_logarithm
    if by_sign is not None and np.iscomplexobj(a):
        by_complex = by_complex - 1j * np.real(by_sign * 1j * out[0])
    elif by_logarithm is None:
        return (None,)
    return (np.expand_dims(by_complex, (-2, -1)) * transposed(np.linalg.inv(a)),)


def solve(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, ...]:
    g, solution = (np.expand_dims(v, -1) if np.ndim(b) == 1 else v for v in (g, out))
    by_b = np.linalg.solve(transposed(a), g)
    return -(by_b @ transposed(solution)), by_b[..., 0] if np.ndim(b) == 1 else by_b


def tensorinv(g: Any, out: Any, a: Any, ind: int = 2) -> tuple[Any, ...]:
    side = math.prod(np.shape(a)[ind:])
    (by_matrix,) = inv(np.reshape(g, (side, side)), np.reshape(out, (side, side)), None)
    return (np.reshape(by_matrix, np.shape(a)),)


def tensorsolve(g: Any, out: Any, a: Any, b: Any, axes: Any = None) -> tuple[Any, ...]:
    order = [i for i in range(np.ndim(a)) if i not in [k % np.ndim(a) for k in axes or ()]]
    order += [k % np.ndim(a) for k in axes or ()]
    moved = np.transpose(a, order)
    side = np.size(b)
    by_a, by_b = solve(np.reshape(g, -1), np.reshape(out, -1), np.reshape(moved, (side, side)), np.reshape(b, -1))
    back = [order.index(i) for i in range(len(order))]
    return np.transpose(np.reshape(by_a, np.shape(moved)), back), np.reshape(by_b, np.shape(b))


def matrix_power(g: Any, out: Any, a: Any, n: int) -> tuple[Any, ...]:
    if n == 0:
        return (None,)
    if n < 0:
        inverse = np.linalg.inv(a)
        return inv(_by_power(g, inverse, -n), inverse, a)
    return (_by_power(g, a, int(n)),)


def _by_power(g: Any, a: Any, n: int) -> Any:
    """As the power is computed, by squares."""
    if n == 1:
        return g
    if n % 2:
        one_less = np.linalg.matrix_power(a, n - 1)
        return g @ transposed(one_less) + _by_power(transposed(a) @ g, a, n - 1)
    by_square = _by_power(g, a @ a, n // 2)
    return by_square @ transposed(a) + transposed(a) @ by_square


def multi_dot(g: Any, out: Any, arrays: Any, **options: Any) -> tuple[Any, ...]:
    parts = [*arrays]
    parts[0] = np.expand_dims(parts[0], 0) if np.ndim(parts[0]) == 1 else parts[0]
    parts[-1] = np.expand_dims(parts[-1], 1) if np.ndim(parts[-1]) == 1 else parts[-1]
    g = np.reshape(g, (np.shape(parts[0])[0], np.shape(parts[-1])[1]))
    left, found = g, []
    for i, part in enumerate(parts):  # `left` is the cotangent of the product of this array and those behind it
        behind = parts[i + 1 :]
        rest = np.linalg.multi_dot(behind) if len(behind) > 1 else behind[0] if behind else None
        found.append(left if rest is None else left @ transposed(rest))
        left = transposed(part) @ left
    return (as_given(arrays, [np.reshape(f, np.shape(a)) for f, a in zip(found, arrays, strict=True)]),)


@in_conjugates
def pinv(g: Any, out: Any, a: Any, rcond: Any = None, hermitian: bool = False, **options: Any) -> tuple[Any, ...]:
    by_a = by_pinv(g, out, a)
    return hermitian_part(by_a) if hermitian else by_a, {"rcond": None, "rtol": None}


def by_pinv(g: Any, inverse: Any, a: Any) -> Any:
    """Golub and Pereyra, The differentiation of pseudo-inverses, 1973."""
    beside, behind = adjoint(inverse), adjoint(g)
    left = behind - a @ (inverse @ behind)
    right = behind - (behind @ inverse) @ a
    return -(beside @ g @ beside) + left @ inverse @ beside + beside @ inverse @ right


@in_conjugates
def lstsq(g: Any, out: Any, a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    """The solution is the pseudo-inverse times b; residuals are the least there, so that it does not change them."""
    by_x, by_residuals, _, by_singular = g
    solution, right = (np.expand_dims(v, -1) if np.ndim(b) == 1 else v for v in (out[0], b))
    by_a, by_b = np.zeros_like(a), np.zeros_like(right)
    if by_x is not None:
        by_x = np.expand_dims(by_x, -1) if np.ndim(b) == 1 else by_x
        inverse = np.linalg.pinv(a, rcond)
        by_a = by_a + by_pinv(by_x @ adjoint(right), inverse, a)
        by_b = by_b + adjoint(inverse) @ by_x
    if by_residuals is not None:
        weights = np.zeros_like(right[0], dtype=by_residuals.dtype)
        weights[: np.shape(by_residuals)[0]] = by_residuals  # of matrices without full rank there are none
        left_over = 2 * weights * (right - a @ solution)
        by_a, by_b = by_a - left_over @ adjoint(solution), by_b + left_over
    if by_singular is not None:
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        by_a = by_a + (u * by_singular) @ vh
    return by_a, np.reshape(by_b, np.shape(b)), {"rcond": None}
