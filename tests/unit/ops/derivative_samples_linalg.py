"""Calls of linear algebra, transforms and polynomials whose derivatives are compared with finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from tracefn.ir.op import by_name

REAL = np.arange(12.0).reshape(3, 4) % 5 - 1.75
SQUARE = REAL[:, :3] + 1j * REAL[:, 1:].T ** 2 + np.diag([1, 3, 7j])
TALL = SQUARE[:, :2]
LINALG: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    *[(np.linalg.svd, (m, full), {}) for m in (SQUARE, TALL, TALL.T, TALL.real, TALL.T.real) for full in (True, False)
      if full is False or m is SQUARE],
    *[(np.linalg.qr, (m, mode), {}) for m in (SQUARE, TALL, TALL.T) for mode in ("reduced", "r")],
    *[(np.linalg.eigh, (SQUARE + np.conj(SQUARE.T), uplo), {}) for uplo in "LU"],
    *[(np.linalg.cholesky, (SQUARE @ np.conj(SQUARE.T),), {"upper": upper}) for upper in (True, False)],
    *[(np.linalg.norm, (m, order), {}) for m in (SQUARE, TALL.real)
      for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)],
    *[(np.linalg.norm, (SQUARE, order, 1), {}) for order in (None, 0, 1, 2, 3, -1.5, 0.5, np.inf, -np.inf)],
    *[(np.linalg.cond, (SQUARE, order), {}) for order in (None, 2, -2, 1, "fro", np.inf)],
    *[(f, (np.array([[2.0, 4, 1, 0], [1, 2, 0, 3], [3, 6, 1, 3], [1, 5, 2, 2]]),), {})
      for f in (np.linalg.det, np.linalg.pinv)],
    (np.linalg.det, (np.ones((2, 2)),), {}), (np.linalg.det, (np.arange(9.0).reshape(3, 3),), {}),
    *[(np.linalg.lstsq, (SQUARE[:, :2], b), {}) for b in (SQUARE[0], SQUARE)],
    *[(np.linalg.matrix_power, (SQUARE, n), {}) for n in (-3, 5)],
    *[(f, (SQUARE,), {}) for f in (np.linalg.slogdet, np.linalg.eig, np.linalg.eigvals, np.linalg.inv, np.linalg.pinv)],
    *[(np.polyfit, (REAL[0] * 3, y, 2), {"w": w}) for y in (REAL[1], REAL.T) for w in (None, REAL[2] + 3)],
    *[(np.polyint, (REAL[0], 2), {"k": k}) for k in (None, REAL[1, 0], REAL[1, :2])],
    *[(np.polydiv, args, {}) for args in ((REAL[0], REAL[1, :2]), (REAL[1, :2], REAL[0]), (SQUARE[0], SQUARE[1, :2]))],
    (np.poly, (REAL[0],), {}), (np.polyval, (REAL, REAL[0]), {}), (np.polymul, (SQUARE[0], SQUARE[1]), {}),
    *[(f, (REAL,), {"norm": norm, "n": n, "axis": 0}) for f in (np.fft.hfft, np.fft.irfft, np.fft.ihfft, np.fft.rfft)
      for norm in ("ortho", "forward") for n in (None, 2, 4, 5)],
    (by_name("complex_roots").call, (REAL[0],), {}),
    *[(by_name("view").call, (array, dtype), {}) for array, dtype in ((REAL, complex), (SQUARE, float))],
]  # fmt: skip
