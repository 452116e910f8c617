"""The rules of SciPy's factorisations into orthogonal and triangular matrices, and of symmetric matrices."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.derivatives.matrices import decompositions
from ...ops.derivatives.matrices.common import hermitian, transposed
from ...trace import provided

Rule = Callable[..., Any]

_NUMPYS = {"full": "complete", "economic": "reduced", "r": "r"}
"""SciPy's modes → those of `np.linalg.qr`."""


def _qr(g: Any, out: Any, a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full",
        pivoting: bool = False, *args: Any, **options: Any) -> Any:  # fmt: skip
    """A factorisation with pivoting is that of the matrix with permuted columns."""
    if mode not in _NUMPYS:
        return NotImplemented
    if not pivoting:
        return _by_qr(g, out, a, mode)
    order = out[-1]
    if order is None:
        options = {"mode": "r", "pivoting": True}
        order = provided.call_foreign(sys.modules["scipy.linalg"].qr, (a,), options)[-1]
    g, out = (g[0], out[0]) if mode == "r" else (g[:2], out[:2])
    found = _by_qr(g, out, a[..., order], mode)
    return found if found is NotImplemented else (found[0][..., np.argsort(order)],)


def _by_qr(g: Any, out: Any, a: Any, mode: str) -> Any:
    if mode == "r":
        rows = min(np.shape(a)[-2:])
        g, out = g[..., :rows, :], out[..., :rows, :]
    return decompositions.qr(g, out, a, _NUMPYS[mode])


def _rq(g: Any, out: Any, a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full",
        *args: Any, **options: Any) -> Any:  # fmt: skip
    """Of `a = r @ q`: the transpose of `a` with reversed rows has the factors `q @ r`."""
    if mode not in _NUMPYS:
        return NotImplemented
    if mode == "r":
        _, q = provided.call_foreign(sys.modules["scipy.linalg"].rq, (a,), {"mode": "economic"})
        count = min(np.shape(a)[-2:])
        g, out, mode = (g[..., -count:], None), (out[..., -count:], q), "economic"
    (by_r, r), (by_q, q) = zip(g, out, strict=True)
    by_q, q = (None if v is None else transposed(v)[..., ::-1] for v in (by_q, q))
    by_r, r = (None if v is None else transposed(v)[..., ::-1, ::-1] for v in (by_r, r))
    found = _by_qr((by_q, by_r), (q, r), transposed(a)[..., ::-1], mode)
    return found if found is NotImplemented else (transposed(found[0][..., ::-1]),)


def _ldl(g: Any, out: Any, A: Any, lower: bool = True, hermitian: bool = True, *args: Any, **options: Any) -> Any:
    """Of `A[p][:, p] = t @ d @ t.T`, where `t` is unit triangular, and `d` has blocks of one or two elements: the
    tangent of `A` is `t @ (m @ d + tangent of d + d @ m.T) @ t.T`, where the tangent of `t` is `t @ m`."""
    return NotImplemented if np.iscomplexobj(A) else (_by_ldl(g, out, A, np.tril if lower else np.triu),)


def _by_ldl(g: Any, out: Any, A: Any, triangle: Callable[..., Any]) -> Any:
    scipys = sys.modules["scipy.linalg"].ldl
    lu, d, order = provided.call_foreign(scipys, (A,), {"lower": triangle is np.tril})
    by_lu, by_d = (np.zeros_like(v) if part is None else part for part, v in zip(g[:2], (lu, d), strict=True))
    t = lu[order]
    in_blocks = np.logical_or(d != 0, np.eye(*np.shape(d)[-1:]) != 0)
    by_m = transposed(np.linalg.solve(d, transposed(transposed(t) @ by_lu[order])))
    inner = np.where(in_blocks, by_d, triangle(by_m))
    by_ordered = transposed(np.linalg.solve(transposed(t), transposed(np.linalg.solve(transposed(t), inner))))
    back = np.argsort(order)
    return hermitian(by_ordered[back][:, back])


RULES: dict[str, Rule] = {"scipy.linalg.qr": _qr, "scipy.linalg.rq": _rq, "scipy.linalg.ldl": _ldl}
"""The rules by the names under which users reach the functions."""
