"""Sample and error inputs: evenly spaced numbers."""

import numpy as np

from ..table import error, late_error, sample

A0 = np.array(3.5)
A1 = np.array([3, 1, 4], np.int16)
A2 = np.array([[1.25, 2, 0.5], [3, 1, 1]], np.float32)
COMPLEX = np.array([1 + 2j, 3, 1j])
TEXT = np.array(["1", "23"])
SCALAR = np.float32(2.5)
ONE = np.float32(1)

SPACES = (np.linspace, np.logspace, np.geomspace)

ROWS = [
    *[sample(f, 1, b, 5) for f in SPACES for b in (A0, A1, A2, COMPLEX, SCALAR)],
    *[sample(f, ONE, SCALAR) for f in SPACES],
    *[sample(f, A1, A2, 4, axis=a) for f in SPACES for a in (0, 1, -1)],
    *[sample(f, A2, [1, 2, 3], 3, False) for f in SPACES],
    *[sample(f, 1, A1, num=n) for f in SPACES for n in (0, 1, 2)],
    *[sample(f, 1, A0, 3, dtype=np.int32) for f in SPACES],
    *[error(f, A1, A2[:, :2]) for f in SPACES],
    *[error(f, 1, A1, -1) for f in SPACES],
    # np.geomspace looks first whether the values are zero, which is not known.
    *[error(f, 1, A1, 2.5) for f in SPACES[:2]],
    *[error(f, 1, A1, 5, axis=2) for f in SPACES[:2]],
    *[error(f, 1, A1, 5, dtype="no such dtype") for f in SPACES[:2]],
    *[error(f, 1, TEXT) for f in SPACES],
    *[sample(np.linspace, A1, b, n, retstep=True) for b in (A2, 5, SCALAR) for n in (1, 5)],
    sample(np.linspace, A0, SCALAR, 3, retstep=True),
    sample(np.linspace, 0, A0, 3, device="cpu"),
    error(np.linspace, 0, A0, 3, device="moon"),
    sample(np.logspace, 0, A1, 3, base=np.array([[2.0], [3.0]])),
    sample(np.logspace, 0, SCALAR, 3, base=2),
    error(np.logspace, 0, A1, 3, base=[2, 3]),
    error(np.geomspace, 0, A1),
    late_error(np.geomspace, 1, np.array([0.0, 1.0])),
]
