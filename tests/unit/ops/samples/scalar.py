"""Sample and error inputs: Python's operators on NumPy scalars and Python numbers."""

import itertools
import operator

import numpy as np

from ..table import error, late_error, sample

VALUES = [
    np.True_,
    np.int8(5),
    np.uint8(200),
    np.int64(-3),
    np.float32(-0.5),
    np.float64(4),
    np.complex64(1 + 2j),
]
PYTHON = [True, 2, 0.5, 1j]
UNARY = [operator.neg, operator.pos, operator.invert]
BINARY = [
    getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"),
        *("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "xor", "lshift", "rshift"),
    )
]


def loses_order(call, a, b):
    """`1j == np.float64(4)` is left to Python, but a traced value in its place is asked as `value == 1j`."""
    return call in (operator.eq, operator.ne) and type(b) is complex and type(a) is np.float64


def row(call, *args):
    try:
        with np.errstate(all="ignore"):
            call(*args)
    except ValueError:
        return late_error(call, *args)  # a negative power of an integer
    except Exception:
        return error(call, *args)
    return sample(call, *args)


ROWS = [
    *[row(f, a) for f in UNARY for a in VALUES],
    *[row(f, a, b) for f in BINARY for a, b in itertools.product(VALUES, VALUES)],
    *[row(f, a, b) for f in BINARY for a, b in itertools.product(VALUES, PYTHON)],
    *[row(f, b, a) for f in BINARY for a, b in itertools.product(VALUES, PYTHON) if not loses_order(f, a, b)],
    *[error(f, a, 300) for f in (operator.add, operator.and_) for a in (np.uint8(1), np.int8(1))],
    *[row(f, np.float32(2), np.str_("a")) for f in BINARY if f not in (operator.eq, operator.ne)],
    *[sample(operator.pow, np.arange(3.0), b) for b in (2, 0.5, -1, np.float64(2), np.int8(3), [1, 2, 3])],
    *[sample(operator.pow, np.arange(3), b) for b in (2, 0.5, 3, np.float32(2))],
    error(operator.pow, np.arange(3), np.arange(2)),
]
