"""Sample and error inputs: polynomials given by their coefficients."""

import numpy as np

from ..table import error, refused, sample

P = np.array([1.0, -2, 3], np.float32)
Q = np.array([2, 1], np.int16)
C = np.array([1 + 1j, 2])
X = np.arange(8.0)
Y = X**2
GRID = X.reshape(2, 4).astype(np.float32)
TEXT = np.array(["a"])

ROWS = [
    sample(np.polyval, P, GRID),
    sample(np.polyval, P, 2.0),
    sample(np.polyval, [1, 2], GRID),
    sample(np.polyval, C, X),
    sample(np.polyval, P, np.float64(2)),
    sample(np.polyval, np.ones((2, 4)), GRID),
    sample(np.polyval, np.zeros(0), X),
    error(np.polyval, np.ones((2, 3)), GRID),
    error(np.polyval, TEXT, X),
    sample(np.polyadd, P, Q),
    sample(np.polyadd, Q, 1),
    refused(np.polyadd, np.poly1d([1, 2]), P),
    error(np.polyadd, P, TEXT),
    sample(np.polysub, C, P),
    sample(np.polysub, [1, 2, 3, 4], Q),
    error(np.polysub, P > 0, P > 0),
    sample(np.polymul, P, Q),
    sample(np.polymul, np.zeros(2), C),
    error(np.polymul, GRID, P),
    sample(np.polydiv, P, Q),
    sample(np.polydiv, Q, P),
    sample(np.polydiv, X, C),
    error(np.polydiv, np.zeros(0), P),
    sample(np.polyder, P),
    sample(np.polyder, Q, 0),
    sample(np.polyder, P, m=5),
    error(np.polyder, P, -1),
    error(np.polyder, np.float32(2)),
    sample(np.polyint, P),
    sample(np.polyint, Q, 2, 1.5),
    sample(np.polyint, C, m=2, k=[1, 2]),
    sample(np.polyint, Q, 0),
    error(np.polyint, P, -1),
    error(np.polyint, P, 3, [1, 2]),
    sample(np.poly, P).with_known_lengths(),
    sample(np.poly, Q).with_known_lengths(),
    refused(np.poly, C).with_known_lengths(),
    refused(np.poly, np.eye(2)).with_known_lengths(),
    error(np.poly, GRID).with_known_lengths(),
    sample(np.polyfit, X, Y, 2),
    sample(np.polyfit, X.astype(np.float32), np.stack([Y, Y], 1), 1),
    sample(np.polyfit, X, Y, deg=3, full=True),
    sample(np.polyfit, X, Y, 1, 1e-3, True),
    sample(np.polyfit, X, Y, 1, cov=True),
    sample(np.polyfit, X, np.stack([Y, Y], 1), 2, cov="unscaled", w=np.ones(8)),
    error(np.polyfit, X, P, 1),
    error(np.polyfit, X, Y, -1),
    error(np.polyfit, GRID, Y, 1),
    error(np.polyfit, X[:2], Y[:2], 2, cov=True),
    error(np.polyfit, X, Y, 1, w=P),
    error(np.polyfit, X[:0], Y[:0], 1),
]
