"""Sample and error inputs: sorting."""

import numpy as np

from ..table import error, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4, 1, 5, 3], np.int16)
A2 = np.array([[1, 2, np.nan], [1, 0, 2]], np.float32)
A3 = np.arange(24, dtype=np.float64).reshape(2, 3, 4) % 5
COMPLEX = np.array([1 + 2j, 3 - 1j, 1 - 1j])
TEXT = np.array(["b", "abc", "b"])
SCALAR = np.float32(2.5)
EMPTY = np.zeros((0, 3))
TRUTH = np.array([True, False, True])
DAYS = np.array(["2024-01-05", "NaT", "2023-12-31"], "M8[D]")

SORTS = (np.sort, np.argsort)
PARTITIONS = (np.partition, np.argpartition)

ROWS = [
    *[sample(f, a) for f in SORTS for a in (A1, A2, A3, COMPLEX, TEXT, EMPTY, TRUTH, DAYS)],
    *[sample(f, A3, axis) for f in SORTS for axis in (0, 1, -3, None)],
    *[sample(f, a, axis=None) for f in SORTS for a in (A0, SCALAR)],
    *[sample(f, A2, kind="mergesort") for f in SORTS],
    *[sample(f, A2, stable=True) for f in SORTS],
    sample(np.argsort, A0),
    sample(np.argsort, SCALAR),
    error(np.sort, A0),
    error(np.sort, SCALAR),
    *[error(f, A3, axis=3) for f in SORTS],
    *[error(f, A3, kind="no such kind") for f in SORTS],
    *[error(f, A3, order="field") for f in SORTS],
    *[error(f, A3, kind="stable", stable=True) for f in SORTS],
    # Which of the elements before and after the kth stand where is not specified: inputs with one possible order.
    sample(np.partition, A1[:2], 0),
    sample(np.partition, A2, 1, axis=0),
    sample(np.partition, A3[:, :, :2], [0, 1]),
    sample(np.partition, COMPLEX, (0, 1, 2)),
    sample(np.partition, TEXT, [0, -1, 1]),
    sample(np.partition, A3, list(range(24)), axis=None),
    sample(np.argpartition, A1[:2], -1),
    sample(np.argpartition, A2, 1, 0),
    sample(np.argpartition, DAYS, [0, 1, 2]),
    *[sample(f, EMPTY, 0) for f in PARTITIONS],
    *[sample(f, EMPTY, 7, axis=1) for f in PARTITIONS],
    *[sample(f, SCALAR, 0, axis=None) for f in PARTITIONS],
    *[error(f, A1, 6) for f in PARTITIONS],
    *[error(f, A1, -7) for f in PARTITIONS],
    *[error(f, A3, [0, 4], axis=-1) for f in PARTITIONS],
    *[error(f, A1, 1.0) for f in PARTITIONS],
    *[error(f, A1, []) for f in PARTITIONS],
    *[error(f, A1, [[0]]) for f in PARTITIONS],
    *[error(f, A1, True).since("2.3.0") for f in PARTITIONS],
    *[error(f, A3, 0, axis=3) for f in PARTITIONS],
    *[error(f, A1, 0, kind="no such kind") for f in PARTITIONS],
    error(np.partition, A0, 0),
    sample(np.lexsort, (A1, A1[::-1])),
    sample(np.lexsort, (A3, A3 > 2), axis=0),
    sample(np.lexsort, [A3, A3 > 2]).hidden_from_dispatch(),
    sample(np.lexsort, (A1, [6, 5, 4, 3, 2, 1])),
    sample(np.lexsort, (A0,)),
    sample(np.lexsort, A2).with_known_lengths(),
    error(np.lexsort, (A1, A1[:2])),
    error(np.lexsort, (A1, A2)),
    error(np.lexsort, (A1, A1), axis=1),
    error(np.lexsort, EMPTY),
    *[sample(np.sort_complex, a) for a in (A1, A1.astype(np.int8), A2, COMPLEX, A3, EMPTY)],
    error(np.sort_complex, A0),
    error(np.sort_complex, SCALAR),
]
