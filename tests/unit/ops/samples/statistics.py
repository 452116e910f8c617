"""Sample and error inputs: statistics of samples."""

import numpy as np
from tracefn.ops.statistics import HISTOGRAMDD

from ..table import error, late_error, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4, 1, 5], np.int16)
A2 = np.array([[1.25, -2, 0.5], [3, 0, -1]], np.float32)
COMPLEX = np.array([[1 + 2j, 3, 1j]])
EDGES = np.array([-1.0, 0, 2, 9])
TEXT = np.array(["1", "23"])
SCALAR = np.float32(2.5)
NONE = np.zeros(0)

ROWS = [
    *[sample(np.histogram, a) for a in (A0, A1, A2, SCALAR, NONE)],
    *[sample(np.histogram, A2, b) for b in (4, EDGES, [0, 1, 2], "auto", np.int64(3), np.array(2))],
    sample(np.histogram, A2, 5, (0, 1)),
    sample(np.histogram, A2, 5, density=True),
    sample(np.histogram, A2, EDGES, weights=A2.astype(np.float64)),
    sample(np.histogram, A1, 3, weights=[1, 2, 3, 4, 5]),
    error(np.histogram, A2, 0),
    error(np.histogram, A2, 1.5),
    error(np.histogram, A2, "no such rule"),
    error(np.histogram, A2, A2),
    error(np.histogram, A2, [2, 1]),
    error(np.histogram, A2, range=(2, 1)),
    error(np.histogram, A2, weights=A1),
    error(np.histogram, A2, weights=np.ones((2, 2))),
    error(np.histogram, TEXT),
    late_error(np.histogram, A2, np.array([2, 1])),
    *[sample(np.histogram_bin_edges, A2, b) for b in (4, EDGES, [0, 1, 2], "auto", np.int64(3))],
    sample(np.histogram_bin_edges, A1.astype(np.float16), 5, (0, 1), weights=A1),
    error(np.histogram_bin_edges, A2, 0),
    error(np.histogram_bin_edges, A2, weights=A1),
    error(np.histogram_bin_edges, TEXT),
    *[sample(np.histogram2d, A1, A1 * 2, b) for b in (4, [2, 3], [0, 1, 2], [2, [1, 2, 3]])],
    sample(np.histogram2d, A1, [1, 2, 3, 4, 5.5], 3, [[0, 1], [2, 3]], True, A1),
    error(np.histogram2d, A1, A1[:2]),
    error(np.histogram2d, A1, A1, weights=A1[:2]),
    error(np.histogram2d, A1, A1, [1, 2, 1]),
    error(np.histogram2d, A1, A1, 0),
    sample(HISTOGRAMDD.call, A2.T, [2, 3], None, None, None).with_known_lengths(),
    sample(HISTOGRAMDD.call, A2, 2, [(0, 1), (0, 2), (0, 3)], True, np.ones(2)).with_known_lengths(),
    sample(HISTOGRAMDD.call, A1, 3, None, None, None),
    error(HISTOGRAMDD.call, A2, [2], None, None, None).with_known_lengths(),
    error(HISTOGRAMDD.call, A2, 0, None, None, None).with_known_lengths(),
    error(HISTOGRAMDD.call, A2, 2, None, None, A1).with_known_lengths(),
    *[sample(f, A2).with_known_lengths() for f in (np.cov, np.corrcoef)],
    *[sample(f, a) for f in (np.cov, np.corrcoef) for a in (A1, COMPLEX, SCALAR, A0)],
    *[sample(f, A2, rowvar=False).with_known_lengths() for f in (np.cov, np.corrcoef)],
    *[sample(f, A2, A2[0] * 2).with_known_lengths() for f in (np.cov, np.corrcoef)],
    *[sample(f, A1, [1, 2, 3, 4, 7]) for f in (np.cov, np.corrcoef)],
    *[sample(f, A2.T, A2.T[:, :1], False).with_known_lengths() for f in (np.cov, np.corrcoef)],
    *[sample(f, A2.astype(np.float64), dtype=np.float32).with_known_lengths() for f in (np.cov, np.corrcoef)],
    sample(np.cov, A1, bias=True, fweights=np.arange(1, 6)),
    sample(np.cov, A1, ddof=0, aweights=[1, 2, 3, 4, 5.5]),
    error(np.cov, A2, ddof=0.5),
    error(np.cov, A2, fweights=np.arange(4)).with_known_lengths(),
    late_error(np.cov, A2, fweights=np.array([1, 1.5, 2])).with_known_lengths(),
    error(np.cov, A2, aweights=A2),
    late_error(np.cov, A2, fweights=np.array([1, -1, 1])).with_known_lengths(),
    *[error(f, np.ones((2, 3, 4))) for f in (np.cov, np.corrcoef)],
    *[error(f, A2, A1).with_known_lengths() for f in (np.cov, np.corrcoef)],
    *[error(f, TEXT) for f in (np.cov, np.corrcoef)],
]
