"""Sample and error inputs: ops that give the same elements another shape."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..table import error, sample

A0 = np.array(3.0)
A1 = np.arange(6, dtype=np.int16)
A2 = np.arange(6, dtype=np.float32).reshape(2, 3)
A3 = np.arange(24, dtype=complex).reshape(2, 3, 4)
ROW = np.ones((1, 3), np.uint8)
EMPTY = np.zeros((0, 3), bool)
TEXT = np.array([["a", "bcd"], ["ef", ""]])
SCALAR = np.float64(2.5)

ROWS = [
    sample(np.reshape, A2, (3, 2)),
    sample(np.reshape, A2, 6),
    sample(np.reshape, A2, -1),
    sample(np.reshape, A3, (4, -1, 2)),
    sample(np.reshape, A3, [2, -1], order="F"),
    sample(np.reshape, A2, np.array([3, 2])),
    sample(np.reshape, A0, (1, 1)),
    sample(np.reshape, A0, ()),
    sample(np.reshape, SCALAR, ()),
    sample(np.reshape, np.ones((1, 1)), ()),
    sample(np.reshape, EMPTY, (3, 0)),
    sample(np.reshape, EMPTY, (-1, 3)),
    sample(np.reshape, TEXT, (4,)),
    error(np.reshape, A2, (4, 2)),
    error(np.reshape, A2, (-1, 4)),
    error(np.reshape, A2, (-1, -1)),
    error(np.reshape, EMPTY, (0, -1)),
    error(np.reshape, A2, (2.0, 3)),
    error(np.reshape, A2, (3, 2), order="K"),
    sample(np.ravel, A3),
    sample(np.ravel, A3, order="F"),
    sample(np.ravel, A2, "K"),
    sample(np.ravel, SCALAR),
    error(np.ravel, A2, "X"),
    sample(np.resize, A2, (4, 3)),
    sample(np.resize, A2, 2),
    sample(np.resize, EMPTY, (2, 2)),
    sample(np.resize, A0, (2,)),
    error(np.resize, A2, (-1, 2)),
    sample(np.broadcast_to, ROW, (2, 3)),
    sample(np.broadcast_to, A1, (4, 6)),
    sample(np.broadcast_to, A0, 3),
    sample(np.broadcast_to, SCALAR, ()),
    sample(np.broadcast_to, ROW, shape=(0, 3)),
    sample(np.broadcast_to, TEXT, (3, 2, 2)),
    error(np.broadcast_to, A2, (3, 2)),
    error(np.broadcast_to, A3, (3, 4)),
    error(np.broadcast_to, A1, -1),
    sample(np.broadcast_arrays, A2, ROW),
    sample(np.broadcast_arrays, A0, A3, 2.5),
    sample(np.broadcast_arrays, SCALAR, A0),
    error(np.broadcast_arrays, A2, A1),
    sample(np.meshgrid, A1, A2),
    sample(np.meshgrid, A1, A0, [1.5, 2.5]),
    sample(np.meshgrid, A1, SCALAR, A2, indexing="ij"),
    sample(np.meshgrid, A1, A2, sparse=True),
    sample(np.meshgrid, A1, A2, ROW, sparse=True, copy=False, indexing="ij"),
    sample(np.meshgrid, A1),
    error(np.meshgrid, A1, A2, indexing="yx"),
    sample(sliding_window_view, A1, 3),
    sample(sliding_window_view, A3, (1, 2), axis=(0, -1)),
    sample(sliding_window_view, A2, (2, 2)),
    sample(sliding_window_view, A1, (2, 2), axis=(0, 0)),
    sample(sliding_window_view, A1, 6),
    error(sliding_window_view, A1, 7),
    error(sliding_window_view, A1, -1),
    error(sliding_window_view, A2, 2),
    error(sliding_window_view, A2, 2, axis=2),
]
if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
    ROWS += [sample(np.reshape, A2, shape=(3, 2), copy=True)]
