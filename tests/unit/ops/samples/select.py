"""Sample and error inputs: choosing elements by index or condition."""

import numpy as np

from ..table import error, late_error, sample

A0 = np.array(3.5)
A1 = np.arange(6, dtype=np.int16)
A2 = np.arange(6, dtype=np.float32).reshape(2, 3)
A3 = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
COMPLEX = np.array([1 + 2j, 3 - 1j])
BYTES = np.arange(3, dtype=np.uint8)
TEXT = np.array(["b", "abc", "d"])
SCALAR = np.float32(2.5)
EMPTY = np.zeros((0, 3))
I0 = np.array(1)
I1 = np.array([0, 2, -1])
I2 = np.array([[0, 1], [1, 0]], np.uint8)
ONE = np.int64(1)
MASK1 = np.array([True, False, True])
MASK2 = A2 > 2
YES = np.True_

ROWS = [
    *[sample(np.take, A2, i) for i in (0, ONE, I0, I1, I2, [[0, 5]], [], -6)],
    *[sample(np.take, A3, i, 1) for i in (0, ONE, I0, I1, [[0, 2]], -1)],
    *[sample(np.take, A3, [1, 9, -7], axis=-1, mode=m) for m in ("clip", "wrap")],
    *[sample(np.take, a, 0) for a in (A0, SCALAR, TEXT)],
    sample(np.take, A0, [0, 0], axis=0),
    sample(np.take, EMPTY, [], 0),
    sample(np.take, EMPTY, [0, 2], 1),
    error(np.take, A2, 6),
    error(np.take, A3, [0, 4], axis=-1),
    error(np.take, A3, 0, axis=3),
    error(np.take, A2, 0, mode="no such mode"),
    error(np.take, EMPTY, [0], 0),
    error(np.take, A1, TEXT),
    late_error(np.take, A1, np.array([9])),
    sample(np.take_along_axis, A2, np.argsort(A2, axis=1), 1),
    sample(np.take_along_axis, A3, np.array([[[0], [1], [0]]]), axis=-1),
    sample(np.take_along_axis, A2, np.zeros((1, 3), int), 0),
    sample(np.take_along_axis, A2, np.array([5, 0]), None),
    error(np.take_along_axis, A2, I1, 1),
    error(np.take_along_axis, A2, np.zeros((3, 1), int), 1),
    error(np.take_along_axis, A2, A2, 1),
    error(np.take_along_axis, A2, I2, None),
    error(np.take_along_axis, A2, I2, 2),
    late_error(np.take_along_axis, A2, np.array([[7], [0]]), 1),
    sample(np.compress, MASK1, A1),
    sample(np.compress, [True, False], A3, axis=0),
    sample(np.compress, [1, 0, 1], A3, 1),
    sample(np.compress, MASK1, A3, axis=-1),
    sample(np.compress, [True], SCALAR),
    error(np.compress, MASK2, A2),
    error(np.compress, True, A1),
    error(np.compress, MASK1, A3, axis=3),
    late_error(np.compress, np.array([True, False, True]), A2, axis=0),
    sample(np.extract, MASK2, A2),
    sample(np.extract, A1 > 2, A1),
    sample(np.extract, [True, False], COMPLEX),
    sample(np.extract, YES, SCALAR),
    late_error(np.extract, np.ones(9, bool), A1),
    sample(np.choose, I2, [10, 20]),
    sample(np.choose, I2, [A2[0, :2], np.float64(1)]),
    sample(np.choose, [0, 1], np.ones((2, 3, 2))).with_known_lengths(),
    sample(np.choose, I0, [A2, SCALAR]),
    sample(np.choose, ONE, (1, 2.5)),
    sample(np.choose, I1 + 5, [A2, -1], mode="wrap"),
    sample(np.choose, I1 - 5, [A2, -1], mode="clip"),
    sample(np.choose, [1, 0], COMPLEX).with_known_lengths(),
    sample(np.choose, ONE, [TEXT[0], "longer"]),
    error(np.choose, I2, []),
    error(np.choose, [0, 2], [A2[0, :2], 1]),
    error(np.choose, I2, [A2, 1]),
    error(np.choose, A2, [1, 2]),
    error(np.choose, I2, [1, 2], mode="no such mode"),
    late_error(np.choose, np.array([5]), [1, 2]),
    sample(np.select, [A2 > 3, A2 < 1], [A2, -A2]),
    sample(np.select, [A1 > 3], [1.5], default=A1),
    sample(np.select, [MASK1, [True, True, False]], [[1, 2, 3], SCALAR], 7),
    sample(np.select, [np.array(True), YES], [A0, ONE]),
    sample(np.select, [MASK1, ~MASK1], np.ones((2, 3), np.int8)).with_known_lengths(),
    error(np.select, [], []),
    error(np.select, [MASK1], [1, 2]),
    error(np.select, [I1], [1]),
    error(np.select, [MASK1, MASK2[:, :2]], [1, 2]),
    *[
        sample(np.where, MASK2, x, y)
        for x, y in ((A2, 0), (1, 2.5), (A2, A2.astype(np.float64)), (SCALAR, 1), ([1, 2, 3], A0))
    ],
    *[sample(np.where, c, A2, 0) for c in (True, YES, [True, False, True], A2, np.ones((4, 1, 1)))],
    sample(np.where, MASK1, BYTES, 200),
    sample(np.where, MASK1, TEXT, "longer"),
    sample(np.where, YES, SCALAR, 1),
    sample(np.where, MASK1, COMPLEX[:1], False),
    sample(np.where, MASK2),
    sample(np.where, [0, 1, 2]),
    error(np.where, A0).since("2.1.0"),
    error(np.where, MASK1, A1),
    error(np.where, MASK1, A1, 0),
    error(np.where, MASK2, A2, np.ones(2)),
    sample(np.nonzero, A3),
    sample(np.nonzero, TEXT),
    sample(np.nonzero, EMPTY),
    error(np.nonzero, A0).since("2.1.0"),
    error(np.nonzero, SCALAR).since("2.1.0"),
    *[sample(f, a) for f in (np.flatnonzero, np.argwhere) for a in (A3, A1, A0, SCALAR, EMPTY)],
    sample(np.ravel_multi_index, (I1[:2], I1[:2]), (3, 4)),
    sample(np.ravel_multi_index, (I2, 1, [0, 1]), (2, 3, 4), order="F"),
    sample(np.ravel_multi_index, (I2, 5), (2, 3), mode=("raise", "wrap")),
    sample(np.ravel_multi_index, (ONE, 1), (3, 4)),
    sample(np.ravel_multi_index, np.array([[1, 2], [0, 3]]), (3, 4), mode="clip").with_known_lengths(),
    error(np.ravel_multi_index, (I2,), (3, 4)),
    error(np.ravel_multi_index, (I2, 4), (3, 4)),
    error(np.ravel_multi_index, (A2, 1), (3, 4)),
    error(np.ravel_multi_index, (I2, I1), (3, 4)),
    error(np.ravel_multi_index, (I2, 1), (3, 4), mode="no such mode"),
    late_error(np.ravel_multi_index, (np.array([7]), 1), (3, 4)),
    sample(np.unravel_index, I2, (3, 4)),
    sample(np.unravel_index, I0, (3, 4, 5), order="F"),
    sample(np.unravel_index, ONE, 7),
    sample(np.unravel_index, I1[:2], shape=[2, 2]),
    error(np.unravel_index, A2, (3, 4)),
    error(np.unravel_index, I1, (3, "x")),
    late_error(np.unravel_index, np.array([50]), (3, 4)),
    *[sample(f, A2, k) for f in (np.tril_indices_from, np.triu_indices_from) for k in (0, 1, -1, 5, -5)],
    *[sample(f, EMPTY) for f in (np.tril_indices_from, np.triu_indices_from)],
    *[error(f, A1) for f in (np.tril_indices_from, np.triu_indices_from)],
    sample(np.diag_indices_from, np.ones((3, 3))),
    sample(np.diag_indices_from, np.ones((2, 2, 2))),
    error(np.diag_indices_from, A1),
    error(np.diag_indices_from, A2),
    sample(np.ix_, I1, [1, 2]),
    sample(np.ix_, MASK1, I1, np.array([], int)),
    sample(np.ix_, [True, False, True], I1),
    error(np.ix_, I2),
    error(np.ix_, I0, I1),
]
