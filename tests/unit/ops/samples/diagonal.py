"""Sample and error inputs: ops on diagonals and triangles."""

import numpy as np

from ..table import error, sample

A1 = np.arange(4, dtype=np.int16)
A2 = np.arange(6, dtype=np.float32).reshape(2, 3)
A3 = np.arange(24, dtype=complex).reshape(2, 3, 4)
EMPTY = np.zeros((0, 3), bool)
TEXT = np.array([["a", "bcd"], ["ef", ""]])
SWAPPED = np.arange(4, dtype=">i4").reshape(2, 2)

ROWS = [
    sample(np.diagonal, A2),
    sample(np.diagonal, A2, 1),
    sample(np.diagonal, A2, -1),
    sample(np.diagonal, A2, offset=5),
    sample(np.diagonal, A3, 0, 1, 2),
    sample(np.diagonal, A3, axis1=-1, axis2=0, offset=2),
    sample(np.diagonal, EMPTY),
    sample(np.diagonal, TEXT),
    error(np.diagonal, A1),
    error(np.diagonal, A2, 0, 1, 1),
    error(np.diagonal, A2, 0, 0, 2),
    error(np.diagonal, A2, 1.5),
    sample(np.linalg.diagonal, A3, offset=1),
    sample(np.linalg.diagonal, A2),
    error(np.linalg.diagonal, A1),
    sample(np.trace, A2),
    sample(np.trace, A3, 1, 0, 2),
    sample(np.trace, A2.astype(np.int8), dtype=np.float32),
    sample(np.trace, np.ones((2, 2), bool)),
    sample(np.trace, A2, np.int64(1)),
    sample(np.trace, EMPTY),
    error(np.trace, A1),
    error(np.trace, A2, 0, 0, 3),
    error(np.trace, TEXT),
    sample(np.linalg.trace, A3, offset=1),
    sample(np.linalg.trace, A2.astype(np.uint8)),
    sample(np.linalg.trace, A2, dtype=np.complex64),
    error(np.linalg.trace, A1),
    sample(np.tril, A2),
    sample(np.tril, A3, k=-1),
    sample(np.tril, A1),
    sample(np.tril, SWAPPED, np.int64(1)),
    error(np.tril, np.array(1.0)),
    sample(np.triu, A2, 1),
    sample(np.triu, A1, -2),
    sample(np.triu, EMPTY),
    error(np.triu, np.array(1.0)),
    sample(np.diag, A1),
    sample(np.diag, A1, 2),
    sample(np.diag, A1, k=-1),
    sample(np.diag, A2),
    sample(np.diag, A2, -1),
    sample(np.diag, np.array(["a", "bc"])),
    error(np.diag, A3),
    error(np.diag, np.array(1.0)),
    sample(np.diagflat, A2),
    sample(np.diagflat, A1, -3),
    sample(np.diagflat, np.float32(2)),
    error(np.diagflat, A1, 1.5),
    sample(np.vander, A1),
    sample(np.vander, A1, 3),
    sample(np.vander, A1.astype(np.float32), N=0, increasing=True),
    sample(np.vander, np.array([1 + 2j])),
    error(np.vander, A2),
    error(np.vander, A1, -1),
]
