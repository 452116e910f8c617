"""The rules of SciPy's solvers, factorisations and functions of matrices."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.derivatives.common import safe
from ...ops.derivatives.matrices import decompositions, inverses
from ...ops.derivatives.matrices.common import transposed
from ...trace import provided

Rule = Callable[..., Any]


def _scipys(name: str, *args: Any) -> Any:
    """The result of a function of `scipy.linalg`, as a step of the graph."""
    return provided.call_foreign(getattr(sys.modules["scipy.linalg"], name), args, {})


def _solve(g: Any, out: Any, a: Any, b: Any, *args: Any, transposed: bool = False, **options: Any) -> Any:
    if not transposed:
        return inverses.solve(g, out, a, b)
    by_a, by_b = inverses.solve(g, out, np.swapaxes(a, -1, -2), b)
    return np.swapaxes(by_a, -1, -2), by_b


def _solve_triangular(g: Any, out: Any, a: Any, b: Any, trans: Any = 0, lower: bool = False,
                      unit_diagonal: bool = False, *args: Any, **options: Any) -> Any:  # fmt: skip
    """The other triangle is not read, nor is a diagonal of ones."""
    if trans not in (0, 1, "N", "T"):
        return NotImplemented
    triangle = np.tril if lower else np.triu
    read = triangle(a, (-1 if lower else 1) if unit_diagonal else 0)
    matrix = read + np.eye(*np.shape(a)[-1:]) if unit_diagonal else read
    by_a, by_b = inverses.solve(g, out, matrix if trans in (0, "N") else transposed(matrix), b)
    by_a = by_a if trans in (0, "N") else transposed(by_a)
    return triangle(by_a, (-1 if lower else 1) if unit_diagonal else 0), by_b


def _cho_solve(g: Any, out: Any, factor: Any, b: Any, *args: Any, **options: Any) -> Any:
    """A triangle `c` stands for `c @ c.T`, or `c.T @ c` where it is the upper one. `lower` may be traced."""
    c, lower = factor
    by_b = _scipys("cho_solve", factor, g)
    left, right = (np.expand_dims(v, -1) if np.ndim(b) == 1 else v for v in (by_b, out))
    by_matrix = -(left @ transposed(right))
    by_matrix = by_matrix + transposed(by_matrix)
    by_triangle = np.tril(by_matrix @ np.where(lower, np.tril(c), transposed(np.triu(c))))
    return (np.where(lower, by_triangle, transposed(by_triangle)), None), by_b


def _cho_factor(g: Any, out: Any, a: Any, lower: bool = False, *args: Any, **options: Any) -> Any:
    """The other triangle of the result is that of the argument."""
    triangle, other = (np.tril, np.triu) if lower else (np.triu, np.tril)
    (by_a,) = decompositions.cholesky(triangle(g[0]), triangle(out[0]), a, upper=not lower)
    return (by_a + other(g[0], 1 if lower else -1),)


def _lstsq(g: Any, out: Any, a: Any, b: Any, cond: Any = None, *args: Any, **options: Any) -> Any:
    g = (g[0], None if g[1] is None else np.reshape(g[1], (-1,)), None, g[3])
    return inverses.lstsq(g, out, a, b, cond)[:2]


def _by_factors(by_lower: Any, by_upper: Any, lower: Any, upper: Any) -> Any:
    """By `lower @ upper`, of which the lower factor has a diagonal of ones."""
    inner = np.tril(transposed(lower) @ by_lower, -1) + np.triu(by_upper @ transposed(upper))
    return transposed(np.linalg.solve(upper, transposed(np.linalg.solve(transposed(lower), inner))))


def _lu(g: Any, out: Any, a: Any, permute_l: bool = False, *args: Any, p_indices: bool = False,
        **options: Any) -> Any:  # fmt: skip
    if permute_l or p_indices or np.shape(a)[-1] != np.shape(a)[-2]:
        return NotImplemented
    permutation = np.round(a @ np.linalg.inv(out[1] @ out[2])) if out[0] is None else out[0]
    by_lower, by_upper = [np.zeros_like(v) if part is None else part for part, v in zip(g[1:], out[1:], strict=True)]
    return (permutation @ _by_factors(by_lower, by_upper, out[1], out[2]),)


def _lu_factor(g: Any, out: Any, a: Any, *args: Any, **options: Any) -> Any:
    """One array has both factors; the permutation leads from their product to the matrix."""
    if np.shape(a)[-1] != np.shape(a)[-2]:
        return NotImplemented
    lower, upper = _both(out[0])
    permutation = np.round(a @ np.linalg.inv(lower @ upper))
    return (permutation @ _by_factors(np.tril(g[0], -1), np.triu(g[0]), lower, upper),)


def _both(factors: Any) -> tuple[Any, Any]:
    return np.tril(factors, -1) + np.eye(*np.shape(factors)[-1:]), np.triu(factors)


def _lu_solve(g: Any, out: Any, factors: Any, b: Any, trans: int = 0, *args: Any, **options: Any) -> Any:
    """The transposed matrix is the transposed product of the factors; the permutation comes last."""
    if trans not in (0, 1) and (trans != 2 or np.iscomplexobj(factors[0]) or np.iscomplexobj(b)):
        return NotImplemented
    lower, upper = _both(factors[0])
    by_b = _scipys("lu_solve", factors, g, 0 if trans else 1)
    turned, right = (np.expand_dims(v, -1) if np.ndim(b) == 1 else v for v in ((b, by_b) if trans else (g, out)))
    left = np.linalg.solve(transposed(lower), np.linalg.solve(transposed(upper), turned))
    by_product = -left @ transposed(right)
    by_factors = np.tril(by_product @ transposed(upper), -1) + np.triu(transposed(lower) @ by_product)
    return (by_factors, None), by_b


def _sqrtm(g: Any, out: Any, A: Any, *args: Any, **options: Any) -> Any:
    """Of `out @ out = A`."""
    turned = transposed(out)
    return (_scipys("solve_sylvester", turned, turned, g),)


def _of_matrix(name: str) -> Rule:
    """Najfeld and Havel, Derivatives of the matrix exponential and their computation, 1995: the derivative of a
    function of a matrix is a block of its value for a larger one."""

    def rule(g: Any, out: Any, A: Any, *args: Any, **options: Any) -> Any:
        turned = transposed(A)
        below = np.concatenate([np.zeros_like(turned), turned], -1)
        wide = np.concatenate([np.concatenate([turned, g], -1), below], -2)
        n = np.shape(A)[-1]
        return (_scipys(name, wide, *args)[..., :n, n:], *[NotImplemented for _ in args])

    return rule


_OF_MATRICES = "expm logm sinm cosm tanm sinhm coshm tanhm fractional_matrix_power".split()


def _nnls(g: Any, out: Any, A: Any, b: Any, *args: Any, **options: Any) -> Any:
    """Least squares over the columns whose coefficients are not 0. The derivative of the residual by these
    coefficients is 0 at the minimum."""
    by_solution, by_distance = g
    solution, distance = out
    if solution is None:  # which nothing else has asked for
        solution, _ = provided.call_foreign(sys.modules["scipy.optimize"].nnls, (A, b), {})
    left = b - A @ solution
    by_a: Any = 0
    by_b: Any = 0
    if by_solution is not None:
        kept = np.where(solution > 0, A, 0)
        square = kept.T @ kept + np.diag(np.where(solution > 0, 0.0, 1.0))
        weights = np.linalg.solve(square, np.where(solution > 0, by_solution, 0))
        by_b = kept @ weights
        by_a = np.outer(left, weights) - np.outer(by_b, solution)
    if by_distance is not None:
        slope = by_distance * left / safe(distance)
        by_b, by_a = by_b + slope, by_a - np.outer(slope, solution)
    return by_a, by_b


RULES: dict[str, Rule] = {
    "scipy.linalg.solve": _solve,
    "scipy.linalg.solve_triangular": _solve_triangular,
    "scipy.linalg.cho_factor": _cho_factor,
    "scipy.linalg.cho_solve": _cho_solve,
    "scipy.linalg.lstsq": _lstsq,
    "scipy.linalg.lu": _lu,
    "scipy.linalg.lu_factor": _lu_factor,
    "scipy.linalg.lu_solve": _lu_solve,
    "scipy.linalg.sqrtm": _sqrtm,
    "scipy.optimize.nnls": _nnls,
    **{f"scipy.linalg.{name}": _of_matrix(name) for name in _OF_MATRICES},
}
"""The rules by the names under which users reach the functions."""
