"""Sample and error inputs: new arrays from old ones."""

import numpy as np
from tracefn.ops.create import astype_op

from ..table import error, late_error, refused, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4], np.int16)
A2 = np.array([[1, 2, 3.5], [1, 0, 2]], np.float32)
BYTES = np.arange(3, dtype=np.uint8)
COMPLEX = np.array([1 + 2j, 3 - 1j])
TEXT = np.array(["1", "23"])
SCALAR = np.float32(2.5)
EMPTY = np.zeros((0, 3))
TRUTH = np.array([True, False, True])
DAYS = np.array(["2024-01-05", "NaT"], "M8[D]")
ALL = (A0, A1, A2, COMPLEX, TEXT, SCALAR, EMPTY, TRUTH, DAYS)

FILLED = (np.zeros_like, np.ones_like)
astype = astype_op.call

ROWS = [
    *[sample(f, a) for f in FILLED for a in ALL if not (f is np.ones_like and a is DAYS)],
    *[sample(f, A2, d) for f in FILLED for d in (np.int8, "c8", bool, "U5", float)],
    *[sample(f, A2, shape=s) for f in FILLED for s in ((4, 1), 5, (), [0, 2])],
    *[sample(f, A2, np.int8, "F", False, (2, 2), device="cpu") for f in FILLED],
    *[error(f, A2, shape=(-1, 2)) for f in FILLED],
    *[error(f, A2, shape=1.5) for f in FILLED],
    *[error(f, A2, dtype="no such dtype") for f in FILLED],
    *[error(f, A2, order="X") for f in FILLED],
    *[error(f, A2, device="moon") for f in FILLED],
    *[sample(np.empty_like, a).with_unspecified_values() for a in ALL],
    sample(np.empty_like, A2, np.int8, shape=(2, 1)).with_unspecified_values(),
    error(np.empty_like, A2, shape=-1),
    error(np.empty_like, A2, dtype="no such dtype"),
    *[sample(np.full_like, a, 1) for a in ALL if a is not DAYS],
    sample(np.full_like, A1, 2.5),
    sample(np.full_like, A2, A1),
    sample(np.full_like, A2, [[1], [2]]),
    sample(np.full_like, A2, SCALAR, dtype=np.int32),
    sample(np.full_like, A0, A1, shape=(2, 3)),
    sample(np.full_like, TEXT, "abc"),
    error(np.full_like, A2, [1, 2]),
    error(np.full_like, A2, np.ones((4, 2, 3))),
    error(np.full_like, A1, A1, shape=(3, 1)),
    error(np.full_like, BYTES, 300).since("2.2.0"),
    error(np.full_like, A2, 1, dtype="no such dtype"),
    late_error(np.full_like, A2, np.array("x")),
    *[sample(np.copy, a) for a in ALL],
    sample(np.copy, A2, "F"),
    error(np.copy, A2, order="X"),
    *[
        sample(astype, a, d)
        for a in (A0, A1, A2, COMPLEX, SCALAR, TRUTH, EMPTY)
        for d in (np.float64, "i1", bool, complex)
    ],
    *[sample(astype, a, "U10") for a in (A0, A1, TRUTH, TEXT, DAYS)],
    *[sample(astype, a, "U") for a in (A1, A2, COMPLEX, TRUTH)],
    sample(astype, TEXT, np.float32),
    sample(astype, A1, "m8[s]"),
    sample(astype, DAYS, "M8[s]"),
    sample(astype, DAYS, np.int64),
    sample(astype, A1, np.float32, casting="safe"),
    sample(astype, A2, np.float64, "F", "safe", True, False),
    sample(astype, A1, ">i4"),
    error(astype, A2, np.int16, casting="same_kind"),
    error(astype, A2, np.int16, casting="no such casting"),
    error(astype, A2, np.float64, order="X"),
    error(astype, DAYS, np.complex64, casting="same_kind"),
    late_error(astype, np.array(["x"]), float),
    sample(astype, A2, np.float32, copy=False),
    sample(astype, A2, np.float64, copy=False),
    refused(astype, TEXT, "M8"),
    refused(astype, SCALAR, "U"),
    *[
        sample(np.astype, A2, dtype, copy=copy)
        for dtype in (np.int8, np.float32)
        for copy in (True, False)
        if hasattr(np, "astype")
    ],
]

# np.array itself does not dispatch: the op stands for lists of traced values in calls that do.
LISTS = [
    sample(np.array, [A1, A1]),
    sample(np.array, [A1, [1.5, 2, 3]]),
    sample(np.array, ((A1, TRUTH), [A1, BYTES])),
    sample(np.array, [SCALAR, 2.0]),
    sample(np.array, [SCALAR, 2]),
    sample(np.array, [np.int8(1), 2]),
    sample(np.array, [[SCALAR], [A0]], dtype=np.float16),
    sample(np.array, [A0, True], ndmin=3),
    sample(np.array, [TEXT, ["abc", "d"]]),
    sample(np.array, [TEXT], dtype=np.float64),
    sample(np.array, A2),
    sample(np.array, SCALAR),
    sample(np.array, A2, np.int8, ndmin=3),
    sample(np.array, [EMPTY, EMPTY]),
    error(np.array, [A1, A1[:2]]),
    error(np.array, [A1, 1]),
    error(np.array, [A1, [1, 2, 3, 4]]),
    error(np.array, [A1, A2]),
    refused(np.array, [A1], dtype="U"),
]
ROWS += [row.hidden_from_dispatch() for row in LISTS]
ROWS += [error(np.array, [A1], dtype="no such dtype")]
