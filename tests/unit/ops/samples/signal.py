"""Sample and error inputs: one-dimensional signals."""

import numpy as np

from ..table import error, late_error, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4, 1, 5], np.int16)
A2 = np.array([[1.25, -2, 0.5], [3, 0, -1]], np.float32)
SHORT = np.array([0.5, 1, 2])
COMPLEX = np.array([1 + 2j, 3, 1j])
TRUTH = np.array([True, False, True])
TEXT = np.array(["1", "23"])
SCALAR = np.float32(2.5)
NONE = np.zeros(0)

BOTH = (np.convolve, np.correlate)

ROWS = [
    *[sample(f, a, v, m) for f in BOTH for a, v in ((A1, SHORT), (SHORT, A1)) for m in ("full", "same", "valid")],
    *[
        sample(f, a, v)
        for f in BOTH
        for a, v in ((A1, COMPLEX), (TRUTH, TRUTH), (A1, [1, 2]), (A2[0], A2[1]), (A1, A1))
    ],
    *[sample(f, A1, SHORT, mode=m) for f in BOTH for m in (0, 1, 2)],
    sample(np.convolve, A1, SCALAR),
    sample(np.convolve, A0, A1),
    error(np.correlate, A0, A1),
    *[error(f, A1, A2) for f in BOTH],
    *[error(f, A1, NONE) for f in BOTH],
    *[error(f, NONE, A1) for f in BOTH],
    *[error(f, A1, SHORT, "no such mode") for f in BOTH],
    *[error(f, A1, TEXT) for f in BOTH],
    *[sample(np.interp, x, SHORT, [1, 5, 3]) for x in (1, SCALAR, A0, A1, A2, NONE)],
    sample(np.interp, A2, SHORT, COMPLEX),
    sample(np.interp, A2, SHORT, SHORT, left=-1, right=np.float64(9)),
    sample(np.interp, A2, A1, A1, period=4),
    error(np.interp, A2, SHORT, A1),
    error(np.interp, A2, NONE, NONE),
    error(np.interp, A2, A2, A2),
    error(np.interp, A2, A0, A0),
    error(np.interp, COMPLEX, SHORT, SHORT),
    error(np.interp, A2, SHORT, SHORT, period=0),
    late_error(np.interp, A2, SHORT, SHORT, period=np.float64(0)),
    *[sample(np.unwrap, p) for p in (A1, A2, SHORT * 9, NONE)],
    sample(np.unwrap, A2, 3, 0),
    sample(np.unwrap, A1, period=4),
    sample(np.unwrap, A1 * 2, discont=np.float64(2), period=SCALAR),
    error(np.unwrap, A0),
    error(np.unwrap, A2, axis=2),
    error(np.unwrap, COMPLEX),
    error(np.unwrap, A1, discont=[1, 2]),
]
