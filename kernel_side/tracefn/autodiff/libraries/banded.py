"""The rules of SciPy's matrices with equal diagonals or few of them, and of their solvers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.derivatives.matrices.common import transposed
from ...trace import provided

Rule = Callable[..., Any]


def _scipys(name: str, *args: Any, **options: Any) -> Any:
    """The result of a function of `scipy.linalg`, as a step of the graph."""
    return provided.call_foreign(getattr(sys.modules["scipy.linalg"], name), args, options)


def _block_diag(g: Any, out: Any, *blocks: Any) -> Any:
    parts, row, column = [], 0, 0
    for block in blocks:
        shape = np.shape(block)
        rows, columns = (1,) * (2 - len(shape)) + shape
        parts.append(np.reshape(g[row : row + rows, column : column + columns], shape))
        row, column = row + rows, column + columns
    return tuple(parts)


def _toeplitz(g: Any, out: Any, c: Any, r: Any = None) -> Any:
    """A diagonal adds to one element: that of the first column, or of the first row right of the corner."""
    rows, columns = np.shape(g)
    below = np.stack([np.trace(g, -i) for i in range(rows)])
    above = np.stack([np.trace(g, i) for i in range(columns)])
    if r is None:
        return NotImplemented if np.iscomplexobj(c) else (below + np.where(np.arange(columns) > 0, above, 0),)
    return below, np.where(np.arange(columns) > 0, above, 0)


def _hankel(g: Any, out: Any, c: Any, r: Any = None) -> Any:
    """An antidiagonal adds to one element: that of the first column, or of the last row right of the corner."""
    rows, columns = np.shape(g)
    sums = np.stack([np.trace(g[:, ::-1], columns - 1 - i) for i in range(rows + columns - 1)])
    if r is None:
        return (sums[:rows],)
    return sums[:rows], np.concatenate([np.zeros_like(sums[:1]), sums[rows:]])


def _circulant(g: Any, out: Any, c: Any) -> Any:
    n = np.shape(c)[0]
    return (np.stack([np.sum(g[(np.arange(n) + i) % n, np.arange(n)]) for i in range(n)]),)


def _of_toeplitz(g: Any, c_or_cr: Any, right: Any, product: Any, solves: bool) -> Any:
    """The cotangent of a Toeplitz matrix that a product or solution rests on."""
    both = isinstance(c_or_cr, tuple)
    column, row = c_or_cr if both else (c_or_cr, None)
    if np.iscomplexobj(column) and row is None:
        return NotImplemented
    left, right = (product, right) if solves else (g, right)
    columns, rows = (np.reshape(v, (np.shape(v)[0], -1)) for v in (left, right))
    by_matrix = columns @ transposed(rows)
    parts = _toeplitz(-by_matrix if solves else by_matrix, None, column, row)
    return parts if both else parts[0]


def _solve_toeplitz(g: Any, out: Any, c_or_cr: Any, b: Any, *args: Any, **options: Any) -> Any:
    by_b = _scipys("solve_toeplitz", _turned(c_or_cr), g)
    by_matrix = _of_toeplitz(g, c_or_cr, out, by_b, True)
    return by_matrix, np.reshape(by_b, np.shape(b))


def _matmul_toeplitz(g: Any, out: Any, c_or_cr: Any, x: Any, *args: Any, **options: Any) -> Any:
    by_x = _scipys("matmul_toeplitz", _turned(c_or_cr), g)
    return _of_toeplitz(g, c_or_cr, x, by_x, False), np.reshape(by_x, np.shape(x))


def _turned(c_or_cr: Any) -> Any:
    """The transposed matrix. The corner is that of the first column."""
    if not isinstance(c_or_cr, tuple):
        return (np.conjugate(c_or_cr), c_or_cr) if np.iscomplexobj(c_or_cr) else c_or_cr
    column, row = c_or_cr
    return np.concatenate([column[:1], row[1:]]), column


def _solve_circulant(g: Any, out: Any, c: Any, b: Any, *args: Any, **options: Any) -> Any:
    """A transposed circulant matrix has the first column turned round."""
    if args or options or np.ndim(c) != 1 or np.ndim(b) != 1:
        return NotImplemented
    by_b = _scipys("solve_circulant", np.roll(np.flip(c), 1), g)
    return _circulant(-np.outer(by_b, out), None, c)[0], by_b


def _shifted(row: Any, by: int) -> Any:
    """The elements of a row, each at the place so much before; zeros from outside."""
    n = np.shape(row)[0]
    if abs(by) >= n:
        return np.zeros_like(row)
    return np.pad(row[by:], (0, by)) if by >= 0 else np.pad(row[:by], (-by, 0))


def _solve_banded(g: Any, out: Any, l_and_u: Any, ab: Any, b: Any, *args: Any, **options: Any) -> Any:
    """Row `upper + i - j` of `ab` has element `[i, j]` of the matrix in column `j`."""
    lower, upper = l_and_u
    if not isinstance(lower, int) or not isinstance(upper, int) or np.ndim(ab) != 2:
        return NotImplemented
    turned = np.stack([_shifted(ab[upper + lower - k], k - lower) for k in range(lower + upper + 1)])
    by_b = _scipys("solve_banded", (upper, lower), turned, g)
    left, right = (np.reshape(v, (np.shape(v)[0], -1)) for v in (by_b, out))
    return None, _by_bands(left, right, range(-upper, lower + 1)), by_b


def _by_bands(left: Any, right: Any, bands: range) -> Any:
    """The cotangents of diagonals, by how far below the main one they are, given that of the matrix:
    `-left @ right.T`."""
    columns = [np.stack([_shifted(left[:, i], d) for i in range(np.shape(left)[1])], -1) for d in bands]
    return np.stack([-np.sum(column * right, -1) for column in columns])


def _solveh_banded(g: Any, out: Any, ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False,
                   lower: bool = False, *args: Any, **options: Any) -> Any:  # fmt: skip
    """A diagonal stands for that on the other side, too."""
    if np.iscomplexobj(ab) or np.ndim(ab) != 2:
        return NotImplemented
    by_b = _scipys("solveh_banded", ab, g, lower=lower)
    left, right = (np.reshape(v, (np.shape(v)[0], -1)) for v in (by_b, out))
    count = np.shape(ab)[0] - 1
    bands = range(count + 1) if lower else range(-count, 1)
    there = _by_bands(left, right, bands)
    across = _by_bands(right, left, bands)  # an element and that across the diagonal
    is_first = np.reshape(np.array([d == 0 for d in bands]), (-1, 1))
    return there + np.where(is_first, 0, across), by_b


def _polar(g: Any, out: Any, a: Any, side: str = "right") -> Any:
    """Of `a = u @ p`: `p` is the root of `a.T @ a`, and `u = a @ inv(p)`."""
    if np.iscomplexobj(a):
        return NotImplemented
    by_u, by_p = [np.zeros_like(v) if part is None else part for part, v in zip(g, out, strict=True)]
    u, p = out
    if side == "left":
        a, u, by_u = transposed(a), transposed(u), transposed(by_u)
    if np.shape(a)[0] < np.shape(a)[1]:
        return NotImplemented
    by_a = transposed(np.linalg.solve(p, transposed(by_u)))
    by_square = _scipys("solve_sylvester", p, p, by_p - transposed(u) @ by_a)
    by_a = by_a + a @ (by_square + transposed(by_square))
    return (transposed(by_a) if side == "left" else by_a,)


RULES: dict[str, Rule] = {
    "scipy.linalg.block_diag": _block_diag,
    "scipy.linalg.toeplitz": _toeplitz,
    "scipy.linalg.hankel": _hankel,
    "scipy.linalg.circulant": _circulant,
    "scipy.linalg.solve_toeplitz": _solve_toeplitz,
    "scipy.linalg.matmul_toeplitz": _matmul_toeplitz,
    "scipy.linalg.solve_circulant": _solve_circulant,
    "scipy.linalg.solve_banded": _solve_banded,
    "scipy.linalg.solveh_banded": _solveh_banded,
    "scipy.linalg.polar": _polar,
}
"""The rules by the names under which users reach the functions."""
