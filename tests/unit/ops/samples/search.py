"""Sample and error inputs: searching, membership, counting."""

import numpy as np

from ..table import error, late_error, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4, 1, 5, 3], np.int16)
A2 = np.array([[1, 2, np.nan], [1, 0, 2]], np.float32)
COUNTS = np.array([0, 1, 1, 3, 2], np.uint8)
SORTED = np.array([0.5, 1.5, 4.0])
COMPLEX = np.array([1 + 2j, 3 - 1j])
TEXT = np.array(["b", "abc", "b"])
SCALAR = np.float32(2.5)
EMPTY = np.zeros((0, 3))
TRUTH = np.array([True, False, True])
NONE = np.array([], np.int64)

DAYS = np.array(["2024-01-05"], "M8[D]")

SETS = (np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d)
UNIQUE_PARTS = (np.unique_all, np.unique_counts, np.unique_inverse, np.unique_values)

ROWS = [
    *[sample(np.searchsorted, SORTED, v) for v in (1, 2.5, SCALAR, A0, A2, [[1, 2]], A1)],
    sample(np.searchsorted, SORTED, A1, "right"),
    sample(np.searchsorted, A1, A2, sorter=np.argsort(A1)),
    sample(np.searchsorted, [1, 2, 3], A1),
    sample(np.searchsorted, np.sort(TEXT), "c"),
    error(np.searchsorted, A2, 1),
    error(np.searchsorted, A0, 1),
    error(np.searchsorted, SORTED, 1, side="no such side"),
    error(np.searchsorted, SORTED, 1, sorter=[0, 1]),
    error(np.searchsorted, SORTED, 1, sorter=SORTED),
    late_error(np.searchsorted, SORTED, 9, sorter=np.array([0, 1, 9])),
    *[sample(np.digitize, x, SORTED) for x in (1, SCALAR, A0, A1, A2)],
    sample(np.digitize, A1, [5, 3, 1], right=True),
    error(np.digitize, A1, A2),
    error(np.digitize, COMPLEX, SORTED),
    error(np.digitize, A1, [1, 3, 2]),
    late_error(np.digitize, A1, np.array([1, 3, 2])),
    *[sample(np.isin, x, [1, 2]) for x in (3, SCALAR, A0, A1, A2, COMPLEX, EMPTY, TRUTH)],
    sample(np.isin, A1, A1[:2], assume_unique=True, invert=True),
    sample(np.isin, A1, COUNTS, kind="table"),
    sample(np.isin, TEXT, ["b"]),
    error(np.isin, A2, [1], kind="table"),
    error(np.isin, A1, [1], kind="no such kind"),
    *[sample(np.unique, a) for a in (A0, A1, A2, COMPLEX, TEXT, EMPTY, TRUTH, SCALAR)],
    sample(np.unique, A2, return_index=True, return_inverse=True, return_counts=True),
    sample(np.unique, A1, True, True),
    sample(np.unique, A2, return_counts=True, equal_nan=False),
    sample(np.unique, A2, axis=0),
    sample(np.unique, A2, axis=-1, return_counts=True, return_index=True),
    sample(np.unique, EMPTY, axis=1),
    error(np.unique, A2, axis=2),
    error(np.unique, A0, axis=0),
    *[sample(f, a) for f in UNIQUE_PARTS for a in (A0, A1, A2, TEXT, EMPTY)],
    *[sample(f, A1, b) for f in SETS for b in ([1, 2], A2, A1[:2], A0, SCALAR, 3)],
    *[sample(f, TEXT, ["b", "longer"]) for f in SETS],
    *[sample(f, A1, COUNTS, assume_unique=True) for f in SETS[1:]],
    *[error(f, A1, DAYS) for f in SETS if f is not np.setdiff1d],
    error(np.setdiff1d, A1, DAYS, no_such_argument=1),
    sample(np.intersect1d, A1, A2, return_indices=True),
    *[sample(np.bincount, a) for a in (COUNTS, COUNTS.astype(np.int64), TRUTH, NONE, [1, 2])],
    sample(np.bincount, COUNTS, minlength=20),
    sample(np.bincount, COUNTS, SORTED[[0, 1, 2, 0, 1]]),
    sample(np.bincount, COUNTS, [1, 2, 3, 4, 5], 3),
    error(np.bincount, SORTED),
    error(np.bincount, np.array([[0, 1], [2, 3]])),
    error(np.bincount, np.array(1)),
    error(np.bincount, COUNTS, SORTED),
    error(np.bincount, COUNTS, COMPLEX[[0, 0, 0, 0, 0]]),
    error(np.bincount, COUNTS, minlength=-1),
    late_error(np.bincount, A1),
]
