"""Sample and error inputs: reading by index."""

from operator import getitem

import numpy as np

from ..table import error, late_error, sample

A0 = np.array(3.5)
A1 = np.arange(6, dtype=np.int16)
A2 = np.arange(12, dtype=np.float32).reshape(3, 4)
A4 = np.arange(2 * 3 * 4 * 5, dtype=np.int64).reshape(2, 3, 4, 5)
COMPLEX = np.array([1 + 2j, 3 - 1j])
TEXT = np.array(["b", "abc"])
SCALAR = np.float64(2.5)
EMPTY = np.zeros((0, 3))
I0 = np.array(1)
I1 = np.array([0, 2, -1])
I2 = np.array([[0, 1], [1, 0]], np.uint8)
COLUMN = np.array([[0], [1]])
ONE = np.int64(1)
SHORT = np.int8(-1)
YES = np.True_
MASK1 = np.array([True, False, True])
MASK2 = A2 > 5
NOTHING = np.zeros(3, bool)

BASIC = [
    0,
    -3,
    ONE,
    SHORT,
    (1, 2),
    (1, SHORT),
    (ONE, slice(None)),
    slice(None),
    slice(1, None),
    slice(None, -1),
    slice(-2, None),
    slice(None, 99),
    slice(2, 1),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(None, None, -2),
    slice(5, 0, -2),
    slice(np.int64(1), ONE),
    (slice(1, 3), slice(None, 2)),
    (slice(None), 1),
    Ellipsis,
    (Ellipsis, 0),
    (0, Ellipsis),
    (0, Ellipsis, 1),
    (0, 1, Ellipsis),
    None,
    (None, 0),
    (slice(None), None, slice(None, None, -1)),
    (None, Ellipsis, None),
    slice(I0, None),
    (slice(None, I0), slice(I0 + 1, I0 + 2)),
    (slice(None, 2, I0), I1[:2]),
    (),
]
ADVANCED = [
    [0, 2],
    [],
    [[]],
    [[0, 1], [1, 2]],
    I0,
    (I0, 1),
    (I0, Ellipsis),
    I1,
    I2,
    (I1, I1),
    (COLUMN, I1),
    (slice(None), I1),
    (I1, slice(1, None)),
    ([0, 1], 2),
    (slice(None, 2), [0, 1, 1]),
    (None, I1),
    (I1, None, 0),
    (I1, ONE),
    (Ellipsis, I1),
    True,
    False,
    (True, I1),
    (None, False),
    MASK1,
    MASK2,
    YES,
    [True, False, True],
    (MASK1, 0),
    (MASK1, slice(1, None)),
    (MASK1, [0, 1]),
    (slice(None), [True, False, False, True]),
    (MASK1, None),
    (slice(I0, None), MASK2[0]),
    NOTHING,
    [ONE, SHORT],
    [YES, YES, np.False_],
]
FOUR_AXES = [
    (0, slice(None), [0, 1]),
    ([0, 1], slice(None), [0, 1]),
    (slice(None), [0, 1], [0, 1]),
    (slice(None), 0, I2),
    (slice(None), I2, Ellipsis, 0),
    (0, I2, slice(None), I2),
    (Ellipsis, MASK1, slice(None), 0),
    (I1 // 2, Ellipsis, I1),
    (slice(None), A4[0, :, :, 0] > 50),
    (None, 1, None, I1, None),
    (slice(None, None, -1), slice(None), I1, slice(2, None)),
    (slice(None), MASK1, slice(1, 3), I1[:2]),
]

ROWS = [
    *[sample(getitem, A2, index) for index in BASIC + ADVANCED],
    *[sample(getitem, A4, index) for index in BASIC[2:] + FOUR_AXES],
    sample(getitem, A1, 2),
    sample(getitem, A1, ONE),
    sample(getitem, A1, I0),
    sample(getitem, A1, (0, Ellipsis)),
    sample(getitem, A1, slice(ONE, None)),
    sample(getitem, A1, slice(None, None, np.int64(2))),
    sample(getitem, COMPLEX, 1),
    sample(getitem, TEXT, slice(1)),
    sample(getitem, TEXT, 1),
    *[sample(getitem, a, index) for a in (A0, SCALAR) for index in ((), Ellipsis, None, True, (None, Ellipsis))],
    sample(getitem, EMPTY, slice(None)),
    sample(getitem, EMPTY, (slice(None), 2)),
    sample(getitem, EMPTY, np.zeros(0, bool)),
    sample(getitem, EMPTY, np.zeros((0, 3), bool)),
    sample(getitem, EMPTY, (np.zeros((0, 1), int), [0, 1])),
    error(getitem, A2, 3),
    error(getitem, A2, -4),
    error(getitem, A2, (0, 4)),
    error(getitem, A2, (0, 0, 0)),
    error(getitem, A2, (Ellipsis, Ellipsis)),
    error(getitem, A2, 1.0),
    error(getitem, A2, "x"),
    error(getitem, A2, SCALAR),
    error(getitem, A2, slice(0.5, None)),
    error(getitem, A2, slice(None, None, 0)),
    error(getitem, A2, slice(I1, None)),
    error(getitem, A2, slice(None, YES)).since("2.3.0"),
    error(getitem, A0, 0),
    error(getitem, SCALAR, 0),
    error(getitem, EMPTY, 0),
    error(getitem, A2, [0, 5]),
    error(getitem, A2, [0.5]),
    error(getitem, A2, A2),
    error(getitem, A2, (I1, I1[:2])),
    error(getitem, A2, (I1, I1, I1)),
    error(getitem, A2, [slice(0, 1)]),
    error(getitem, A2, [None]),
    error(getitem, A2, np.ones(4, bool)),
    error(getitem, A2, np.ones((3, 3), bool)),
    error(getitem, A2, [True, False]),
    error(getitem, A2, np.ones((3, 4, 1), bool)),
    error(getitem, A2, (I1, [True, False])),
    late_error(getitem, A2, np.array([0, 5])),
    late_error(getitem, A2, np.array(7)),
    late_error(getitem, A2, (MASK1, I1)),
]
