"""Sample and error inputs: functions that leave the real numbers."""

import numpy as np

from ..table import error, sample

C = np.array([[1 + 1j, -2], [0.5, 3j]])
C64 = C.astype(np.complex64)
X = np.array([0.5, 2.0])
TEXT = np.array(["a"])

ROWS = []
for call in (
    np.emath.arccos,
    np.emath.arcsin,
    np.emath.arctanh,
    np.emath.log,
    np.emath.log10,
    np.emath.log2,
    np.emath.sqrt,
):
    ROWS += [sample(call, C), sample(call, C64[0]), sample(call, C[0, 0]), error(call, TEXT)]
ROWS += [
    sample(np.emath.logn, 2.0, C),
    sample(np.emath.logn, C64, X.astype(np.float32)),
    sample(np.emath.logn, X, C[0, 0]),
    error(np.emath.logn, C, np.ones(3)),
    sample(np.emath.power, C, 2.5),
    sample(np.emath.power, X, C64),
    error(np.emath.power, C, np.ones(3)),
]
