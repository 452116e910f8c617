"""Sample and error inputs: running totals, differences, integrals."""

import numpy as np

from ..table import error, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4, 1, 5], np.int8)
A2 = np.array([[0.5, -2.0, np.nan], [4.0, 1.0, 7.25]], np.float32)
A3 = np.arange(24, dtype=np.float64).reshape(2, 3, 4) / 7
TRUTH = np.array([True, False, True])
COMPLEX = np.array([[1 + 2j, 3 - 1j], [0.5j, 2]])
DAYS = np.array(["2024-01-05", "2023-12-31"], "M8[D]")
TEXT = np.array(["b", "abc"])
EMPTY = np.zeros((0, 3))
SCALAR = np.float32(2.5)

RUNNING = (np.cumsum, np.cumprod, np.nancumsum, np.nancumprod)
RUNNING_ARRAY_API = (np.cumulative_sum, np.cumulative_prod) if hasattr(np, "cumulative_sum") else ()

ROWS = [
    *[sample(f, a) for f in RUNNING for a in (A0, A1, A2, A3, TRUTH, COMPLEX, EMPTY, SCALAR)],
    *[sample(f, A3, axis) for f in RUNNING for axis in (0, -1)],
    *[sample(f, A2, axis=1, dtype=np.float64) for f in RUNNING],
    *[sample(f, A1, dtype=np.int8) for f in RUNNING],
    *[error(f, A3, axis=3) for f in RUNNING],
    *[error(f, A3, axis=(0, 1)) for f in RUNNING],
    *[error(f, TEXT) for f in RUNNING],
    *[sample(f, a) for f in RUNNING_ARRAY_API for a in (A1, TRUTH)],
    *[sample(f, A3, axis=1, include_initial=True) for f in RUNNING_ARRAY_API],
    *[sample(f, A1, dtype=np.float32, include_initial=True) for f in RUNNING_ARRAY_API],
    *[sample(f, EMPTY, axis=0, include_initial=True) for f in RUNNING_ARRAY_API],
    *[error(f, A3) for f in RUNNING_ARRAY_API],
    *[sample(f, a, axis=-1) for f in RUNNING_ARRAY_API for a in (A0, SCALAR)],
    *[error(f, A3, axis=3) for f in RUNNING_ARRAY_API],
    *[sample(np.diff, a) for a in (A1, A2, A3, TRUTH, COMPLEX, DAYS, EMPTY)],
    sample(np.diff, A3, 2, 0),
    sample(np.diff, A3, n=9, axis=-1),
    sample(np.diff, A1, prepend=0, append=[1, 2]),
    sample(np.diff, A1, prepend=np.float64(1.5)),
    sample(np.diff, A3, axis=1, append=np.ones((2, 1, 4))),
    sample(np.diff, EMPTY, axis=0),
    error(np.diff, A0),
    error(np.diff, A1, -1),
    error(np.diff, A3, axis=3),
    error(np.diff, A3, axis=1, append=np.ones((2, 1, 3))),
    error(np.diff, A3, axis=1, append=np.ones(4)),
    error(np.diff, TEXT),
    sample(np.diff, A1, 0),
    sample(np.diff, A0, n=0),
    *[sample(np.ediff1d, a) for a in (A0, A1, A2, EMPTY, DAYS, SCALAR)],
    sample(np.ediff1d, A1, to_end=5),
    sample(np.ediff1d, A2, to_begin=A2[0], to_end=[[1, 2], [3, 4]]),
    error(np.ediff1d, A1, to_end=1.5),
    error(np.ediff1d, TEXT),
    *[sample(np.gradient, a) for a in (A1, A2, A3[:, :, :], COMPLEX, DAYS)],
    sample(np.gradient, A3, axis=1),
    sample(np.gradient, A3, axis=(0, -1)),
    sample(np.gradient, A3, 2.0),
    sample(np.gradient, A3, 2.0, np.float32(0.5), 3),
    sample(np.gradient, A1, np.array([0, 1, 3, 4, 6.0]), edge_order=2),
    sample(np.gradient, A3, [1, 2], 2, np.arange(4.0) ** 2),
    sample(np.gradient, A3, A3[0, :, 0], axis=1),
    error(np.gradient, A3, 1, 2),
    error(np.gradient, A3, np.arange(4.0), axis=1),
    error(np.gradient, A3, np.ones((2, 2)), axis=1),
    error(np.gradient, A1[:1]),
    error(np.gradient, A2, edge_order=2),
    error(np.gradient, A1, edge_order=3),
    error(np.gradient, A3, axis=5),
    error(np.gradient, EMPTY),
    *[sample(np.trapezoid, a) for a in (A1, A2, A3, COMPLEX, TRUTH, EMPTY, A1[:1])],
    sample(np.trapezoid, A3, axis=0),
    sample(np.trapezoid, A3, dx=np.float32(0.5)),
    sample(np.trapezoid, A1, [1, 2, 4, 8, 16]),
    sample(np.trapezoid, A3, np.arange(3), axis=1),
    sample(np.trapezoid, A3, A3, axis=1),
    sample(np.trapezoid, A2, np.ones((5, 2, 3))),
    sample(np.trapezoid, A3, dx=np.ones((3, 1))),
    sample(np.trapezoid, EMPTY, axis=0),
    error(np.trapezoid, A3, np.arange(5)),
    error(np.trapezoid, A3, axis=4),
    error(np.trapezoid, A0),
]
