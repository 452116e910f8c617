"""Sample and error inputs: the same memory seen anew."""

import numpy as np
from tracefn.ops.view import view as view_op

from ..table import error, late_error, sample

view = view_op.call
A = np.arange(12.0).reshape(3, 4)
SHORT = np.arange(6, dtype=np.int16).reshape(2, 3)
SCALAR = np.float32(1.5)
NONE = np.zeros((3, 0))
ZERO_D = np.array(2.5)
TEXT = np.array(["ab", "c"])
DAYS = np.array(["2024-01-05", "NaT"], "M8[D]")
BIG = np.arange(3, dtype=">i4")

ROWS = [
    *[sample(view, a) for a in (A, SHORT, NONE, ZERO_D, TEXT, DAYS, BIG)],
    *[sample(view, a, d) for a in (A, NONE, ZERO_D) for d in (np.int64, "M8[s]", ">f8")],
    *[sample(view, A, d) for d in (np.uint8, "f4", np.complex128, "S4", bool)],
    sample(view, SCALAR, np.int32),
    sample(view, TEXT, "U1"),
    sample(view, DAYS, np.int64),
    sample(view, SHORT.T.copy(), np.int32),
    sample(view, A.T, np.int64),
    sample(view, A[:, :0], np.uint8),
    late_error(view, A.T, np.uint8),
    late_error(view, A[:, ::2], np.complex128),
    error(view, SHORT, np.float64),
    error(view, A, object),
    error(view, A, "no such dtype"),
]
