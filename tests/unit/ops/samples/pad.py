"""Sample and error inputs: padding."""

import numpy as np

from ..table import error, refused, sample

A0 = np.array(3.0)
A1 = np.arange(4, dtype=np.int16)
A2 = np.arange(6, dtype=np.float32).reshape(2, 3)
A3 = np.arange(24, dtype=complex).reshape(2, 3, 4)
EMPTY = np.zeros((0, 3), bool)
TEXT = np.array(["a", "bcd"])

ROWS = [
    sample(np.pad, A1, 2),
    sample(np.pad, A2, (1, 2)),
    sample(np.pad, A2, ((1, 0), (0, 3)), "constant", constant_values=7),
    sample(np.pad, A2, [[1], [2]], constant_values=((1, 2), (3, 4))),
    sample(np.pad, A3, (1,), constant_values=np.array([[1], [2], [3]])),
    sample(np.pad, A1, pad_width=(0, 1), constant_values=np.float64(1)),
    sample(np.pad, A2, np.array([1, 0]), mode="edge"),
    sample(np.pad, A2, 1, "linear_ramp", end_values=(5, -4)),
    sample(np.pad, A2, 1, "maximum"),
    sample(np.pad, A2, 2, "mean", stat_length=2),
    sample(np.pad, A1, 2, "median", stat_length=((1, 2),)),
    sample(np.pad, A1, 1, "minimum", stat_length=None),
    sample(np.pad, A2, 3, "reflect", reflect_type="odd"),
    sample(np.pad, A2, 1, "symmetric"),
    sample(np.pad, A3, ((0, 0), (1, 1), (2, 2)), "wrap"),
    sample(np.pad, A1, 0, mode="reflect"),
    sample(np.pad, EMPTY, 1),
    sample(np.pad, EMPTY, ((0, 0), (1, 1)), "edge"),
    sample(np.pad, A0, 1),
    sample(np.pad, TEXT, 1, constant_values="z"),
    refused(np.pad, A1, 1, lambda vector, width, axis, kwargs: vector),
    error(np.pad, A1, -1),
    error(np.pad, A1, 1.5),
    error(np.pad, A2, (1, 2, 3)),
    error(np.pad, A1, 1, "no such mode"),
    error(np.pad, A1, 1, "edge", constant_values=1),
    error(np.pad, A2, 1, constant_values=(1, 2, 3)),
    error(np.pad, A1, 1, "maximum", stat_length=0),
    error(np.pad, EMPTY, 1, "edge"),
]
