"""Sample and error inputs: every elementwise ufunc, on every dtype that it takes and on some that it refuses."""

import itertools

import numpy as np
from tracefn.ir.op import all_ops

from ..table import error, late_error, sample

NUMBERS = [
    np.array([True, False, True]),
    np.array([-3, 0, 7], np.int8),
    np.array([200, 0, 7], np.uint8),
    np.array([-3, 1, 7], np.int64),
    np.array([0.5, -2, np.nan], np.float16),
    np.array([0.5, -np.inf, -0.0], np.float32),
    np.array([0.5, np.nan, 1e300]),
    np.array([1 + 2j, np.nan, -1j], np.complex64),
]
TIMES = [
    np.array(["2024-01-05", "NaT", "1970-01-01"], "M8[D]"),
    np.array([5, 0, -3], "m8[h]"),
    np.array([1, 2, 3], "m8[s]"),
]
TEXT = [np.array(["b", "abc", ""])]
OTHERS = [2, -1.5, True, 1j, np.float32(2.5), np.int8(3), np.float64(0), np.array(3, np.int16), [1, 2, 3]]
A2 = np.arange(6, dtype=np.float32).reshape(2, 3) + 1
COLUMN = np.array([[1], [2]], np.int16)
EMPTY = np.zeros((0, 3))
MASK = np.array([[True], [False]])

UFUNCS = [op.call for op in all_ops() if op.elementwise and op.name == op.call.__name__]
UNARY = [u for u in UFUNCS if u.nin == 1]
BINARY = [u for u in UFUNCS if u.nin == 2]


def row(call, *args):
    """A sample row where NumPy has a value, an error row where no loop fits; negative powers are found when run."""
    try:
        with np.errstate(all="ignore"):
            call(*args)
    except ValueError:
        return late_error(call, *args)
    except Exception:
        return error(call, *args)
    return sample(call, *args)


ROWS = [
    *[row(u, a) for u in UNARY for a in (*NUMBERS, *TIMES, *TEXT)],
    *[row(u, a) for u in UNARY for a in (A2, EMPTY, NUMBERS[5][1], NUMBERS[1][2], np.array(0.5), NUMBERS[7][0])],
    *[row(u, a, b) for u in BINARY for a, b in itertools.product(NUMBERS, NUMBERS)],
    *[row(u, a, b) for u in BINARY for a, b in itertools.product(NUMBERS[2::3], OTHERS)],
    *[row(u, b, a) for u in BINARY for a, b in itertools.product(NUMBERS[2::3], OTHERS)],
    *[row(u, a, b) for u in BINARY for a, b in itertools.product(TIMES, (*TIMES, *NUMBERS[1:7:5], 3))],
    *[row(u, TEXT[0], b) for u in BINARY for b in (TEXT[0], "abc", NUMBERS[1])],
    *[row(u, *pair) for u in BINARY for pair in ((COLUMN, NUMBERS[1]), (EMPTY, NUMBERS[3]), (COLUMN, np.int8(1)))],
    *[row(u, np.float32(1.5), np.int8(2)) for u in BINARY],
    *[error(u, NUMBERS[3], np.arange(2)) for u in BINARY],
    *[error(u, NUMBERS[0], where=np.ones(2, bool)) for u in UNARY],
    *[error(u, A2) for u in (np.add, np.power)],
    sample(np.add, A2, 1, dtype=np.float64),
    sample(np.multiply, COLUMN, COLUMN, dtype=np.int32),
    sample(np.add, A2, COLUMN, casting="unsafe", dtype=np.int8),
    sample(np.sqrt, COLUMN, dtype=np.complex64),
    sample(np.add, A2, 1, where=MASK).with_unspecified_values(),
    sample(np.sin, NUMBERS[6], where=MASK).with_unspecified_values(),
    error(np.add, A2, COLUMN, dtype=np.int8),
    error(np.add, A2, 1, where=A2),
    error(np.add, A2, 1, where=np.ones(2, bool)),
    error(np.add, A2, 1, casting="no such casting"),
    error(np.add, NUMBERS[2], 300),
    error(np.sin, A2, no_such_argument=1),
]
