"""Sample and error inputs: functions that NumPy builds of ufuncs."""

import numpy as np

from ..table import error, refused, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4], np.int16)
A2 = np.array([[1.25, -2, np.nan], [np.inf, 0, -np.inf]], np.float32)
HALF = np.array([1, 2.5], np.float16)
BYTES = np.arange(3, dtype=np.uint8)
COMPLEX = np.array([1 + 2j, 3, np.nan * 1j])
SINGLE = COMPLEX.astype(np.complex64)
TEXT = np.array(["1", "23"])
SCALAR = np.float32(2.5)
NUMBER = np.complex128(1 + 2j)
EMPTY = np.zeros((0, 3))
TRUTH = np.array([True, False, True])
REAL = (A0, A1, A2, HALF, BYTES, SCALAR, EMPTY)
ALL = (*REAL, TRUTH, COMPLEX, SINGLE, NUMBER)

CLOSE = (np.isclose, np.allclose)

ROWS = [
    *[sample(f, a) for f in (np.real, np.imag, np.angle, np.iscomplex, np.isreal, np.sinc, np.nan_to_num) for a in ALL],
    *[sample(f, a) for f in (np.i0, np.isneginf, np.isposinf, np.fix, np.real_if_close) for a in REAL],
    *[sample(f, TEXT) for f in (np.real, np.iscomplex, np.isreal)],
    *[sample(f, TRUTH) for f in (np.isneginf, np.isposinf, np.fix)],
    *[error(f, TEXT) for f in (np.angle, np.sinc, np.isneginf, np.isposinf, np.fix)],
    *[error(f, COMPLEX) for f in (np.i0, np.isneginf, np.isposinf, np.fix)],
    sample(np.angle, COMPLEX, deg=True),
    sample(np.angle, A2, True),
    sample(np.nan_to_num, A2, nan=1.5, posinf=7, neginf=A2[0, 0]),
    sample(np.nan_to_num, A2, nan=[1, 2, 3], posinf=np.ones((2, 1))),
    sample(np.nan_to_num, TEXT),
    error(np.nan_to_num, A2, nan=[1, 2]),
    error(np.nan_to_num, A2, posinf=np.ones((4, 2, 3))),
    sample(np.nan_to_num, A2, posinf=np.ones((1, 2, 3))),
    refused(np.nan_to_num, A2.copy(), copy=False),
    *[sample(f, A2, b) for f in CLOSE for b in (A2, 1, SCALAR, A0, [1, 2, 3], np.ones((4, 1, 3)))],
    *[sample(f, a, a) for f in CLOSE for a in ALL],
    *[sample(f, A2, A2, rtol=np.ones((2, 1)), atol=SCALAR, equal_nan=True) for f in CLOSE],
    *[error(f, A2, A1[:2]) for f in CLOSE],
    *[error(f, TEXT, TEXT) for f in CLOSE],
    *[error(f, A2, A2, atol=np.ones(2)) for f in CLOSE],
    *[sample(f, A2, b) for f in (np.array_equal, np.array_equiv) for b in (A2, A1, A0, 1, TEXT, [[1, 2, 3]])],
    sample(np.array_equal, A2, A2, equal_nan=True),
    error(np.array_equal, TEXT, TEXT.copy(), equal_nan=True),
    *[sample(f, a) for f in (np.round, np.around) for a in (*REAL, TRUTH, COMPLEX)],
    *[sample(np.round, A2, d) for d in (1, -1, np.int64(2), np.array(1))],
    sample(np.round, A1, decimals=-1),
    error(np.round, TEXT),
    error(np.round, A2, 1.5),
    error(np.round, A2, np.array([1])),
    error(np.round, TRUTH, 1),
    *[sample(np.clip, a, 0, 2) for a in (*REAL, TRUTH, COMPLEX)],
    *[
        sample(np.clip, A2, lo, hi)
        for lo, hi in ((None, 2), (0, None), (A1, 5.5), (SCALAR, [1, 2, 3]), (np.ones((4, 1, 1)), A0))
    ],
    sample(np.clip, A2, min=0, max=1).since("2.1.0"),
    sample(np.clip, A2).since("2.1.0"),
    sample(np.clip, BYTES, -1, 300).since("2.3.0"),
    sample(np.clip, A2, 0, 1, dtype=np.float64),
    error(np.clip, A2, 0),
    error(np.clip, A2, 0, a_max=1, max=1),
    error(np.clip, A2, A1[:2], 5),
    error(np.clip, TEXT, 0, 1),
    error(np.clip, A2, 0, 1, dtype=np.int8),
]
