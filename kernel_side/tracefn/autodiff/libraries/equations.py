"""The rules of SciPy's solvers of equations of matrices: Sylvester's, Lyapunov's and Riccati's.

The cotangent of the right-hand side of a linear equation solves the equation with transposed matrices. The tangent of a
solution of Riccati's equation solves a Lyapunov equation with the matrix of the closed loop: Kao and Hennequin,
Automatic differentiation of Sylvester, Lyapunov, and algebraic Riccati equations, 2020.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.derivatives.matrices.common import hermitian, transposed
from ...trace import provided

Rule = Callable[..., Any]


def _scipys(name: str, *args: Any) -> Any:
    """The result of a function of `scipy.linalg`, as a step of the graph."""
    return provided.call_foreign(getattr(sys.modules["scipy.linalg"], name), args, {})


def _is_complex(*matrices: Any) -> bool:
    return any(np.iscomplexobj(a) for a in matrices)


def _solve_sylvester(g: Any, out: Any, a: Any, b: Any, q: Any) -> Any:
    by_q = _scipys("solve_sylvester", transposed(a), transposed(b), g)
    return -by_q @ transposed(out), -transposed(out) @ by_q, by_q


def _lyapunov(g: Any, out: Any, a: Any, q: Any) -> Any:
    """Of `a @ out + out @ a.T = q`."""
    if _is_complex(a, q):
        return NotImplemented
    by_q = _scipys("solve_continuous_lyapunov", transposed(a), g)
    return -(by_q @ transposed(out) + transposed(by_q) @ out), by_q


def _discrete_lyapunov(g: Any, out: Any, a: Any, q: Any, method: Any = None) -> Any:
    """Of `out = a @ out @ a.T + q`."""
    if _is_complex(a, q):
        return NotImplemented
    by_q = _scipys("solve_discrete_lyapunov", transposed(a), g, method)
    return by_q @ a @ transposed(out) + transposed(by_q) @ a @ out, by_q


def _riccati(g: Any, out: Any, a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None,
             balanced: bool = True) -> Any:  # fmt: skip
    """Of `a.T @ x + x @ a - x @ b @ gain + q = 0`, where `gain = inv(r) @ b.T @ x`."""
    if e is not None or s is not None or _is_complex(a, b, q, r):
        return NotImplemented
    gain = np.linalg.solve(r, transposed(b) @ out)
    y = _scipys("solve_continuous_lyapunov", a - b @ gain, -hermitian(g))
    twice = 2 * (out @ y)
    return twice, -(twice @ transposed(gain)), y, gain @ y @ transposed(gain)


def _discrete_riccati(g: Any, out: Any, a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None,
                      balanced: bool = True) -> Any:  # fmt: skip
    """Of `x = a.T @ x @ (a - b @ gain) + q`, where `gain = inv(r + b.T @ x @ b) @ b.T @ x @ a`."""
    if e is not None or s is not None or _is_complex(a, b, q, r):
        return NotImplemented
    gain = np.linalg.solve(r + transposed(b) @ out @ b, transposed(b) @ out @ a)
    loop = a - b @ gain
    y = _scipys("solve_discrete_lyapunov", loop, hermitian(g))
    twice = 2 * (out @ loop @ y)
    return twice, -(twice @ transposed(gain)), y, gain @ y @ transposed(gain)


RULES: dict[str, Rule] = {
    "scipy.linalg.solve_sylvester": _solve_sylvester,
    "scipy.linalg.solve_continuous_lyapunov": _lyapunov,
    "scipy.linalg.solve_discrete_lyapunov": _discrete_lyapunov,
    "scipy.linalg.solve_continuous_are": _riccati,
    "scipy.linalg.solve_discrete_are": _discrete_riccati,
}
"""The rules by the names under which users reach the functions."""
