"""Sample and error inputs: questions that a type answers."""

import numpy as np

from ..table import error, refused, sample

A0 = np.array(3.0)
A2 = np.arange(6, dtype=np.float32).reshape(2, 3)
EMPTY = np.zeros((0, 3), bool)
SCALAR = np.float64(2.5)

ROWS = [
    sample(np.shape, A2),
    sample(np.shape, SCALAR),
    sample(np.shape, EMPTY),
    sample(np.ndim, A0),
    sample(np.ndim, A2),
    sample(np.size, A2),
    sample(np.size, A2, 1),
    sample(np.size, SCALAR),
    sample(np.size, EMPTY, axis=-1),
    error(np.size, A2, 2),
    sample(np.result_type, A2, np.int8),
    sample(np.result_type, A2, 1.5, "i8"),
    sample(np.result_type, SCALAR, EMPTY),
    error(np.result_type, A2, "no such dtype"),
    sample(np.common_type, A2, np.arange(2)),
    sample(np.common_type, A2, np.complex64(1)),
    error(np.common_type, A2, np.array(["a"])),
    sample(np.can_cast, A2, np.float64),
    sample(np.can_cast, A2, "i4", casting="unsafe"),
    sample(np.can_cast, SCALAR, np.float32),
    error(np.can_cast, A2, "i4", "no such casting"),
    sample(np.min_scalar_type, A2),
    refused(np.min_scalar_type, A0),
    sample(np.iscomplexobj, A2),
    sample(np.iscomplexobj, np.complex64(1)),
    sample(np.isrealobj, EMPTY),
]
