"""Sample and error inputs: methods of ufuncs."""

import numpy as np

from ..table import error, sample

A0 = np.array(3.5)
A1 = np.array([3, -1, 4, 1, 5], np.int8)
A2 = np.array([[0.5, -2.0, 3.0], [4.0, 1.0, 7.25]], np.float32)
A3 = np.arange(24).reshape(2, 3, 4)
TRUTH = np.array([[True, False], [True, True]])
TEXT = np.array(["b", "abc"])
EMPTY = np.zeros((0, 3))
SCALAR = np.float32(2.5)

BINARY = [u for u in vars(np).values() if isinstance(u, np.ufunc) and u.nin == 2 and u.nout == 1 and not u.signature]
UFUNCS = sorted(set(BINARY), key=lambda u: u.__name__)


INPUTS = (A2, A3 + 1, TRUTH)


def row(call, *args):
    try:
        call(*args)
    except Exception:
        return error(call, *args)
    return sample(call, *args)


def rows(method, *args):
    """Rows for the method of every ufunc that has it for some dtype: there is no np.ldexp.reduce, for instance."""
    for ufunc in UFUNCS:
        found = [row(getattr(ufunc, method), a, *args) for a in INPUTS]
        if any(r.outcome == "value" for r in found):
            yield from found


ROWS = [
    *rows("reduce"),
    *rows("accumulate"),
    *rows("reduceat", [0, 1]),
    *[row(u.outer, a, b) for u in UFUNCS for a, b in ((A2, A1), (A3 + 1, A3[0] + 1), (TRUTH, True))],
]
VALUES = {row.call: row.args[0] for row in ROWS if row.outcome == "value"}
ROWS += [
    *[error(m, a, axis=3) for m, a in VALUES.items() if m.__name__ in ("reduce", "accumulate")],
    *[error(m, a, [7]) for m, a in VALUES.items() if m.__name__ == "reduceat"],
    *[error(m, a, a, no_such_argument=1) for m, a in VALUES.items() if m.__name__ == "outer"],
    sample(np.add.reduce, A3, 1),
    sample(np.add.reduce, A3, axis=(0, 2), keepdims=True),
    sample(np.add.reduce, A3, None, np.float32),
    sample(np.add.reduce, A0),
    sample(np.add.reduce, SCALAR),
    sample(np.add.reduce, A2, 0, None, None, True, 2.5, A2 > 1),
    sample(np.add.reduce, EMPTY),
    sample(np.maximum.reduce, EMPTY, axis=1),
    sample(np.logical_or.reduce, A3, axis=-1),
    sample(np.subtract.reduce, A3, axis=2),
    error(np.maximum.reduce, EMPTY),
    error(np.subtract.reduce, A3, axis=(0, 1)),
    error(np.add.reduce, A3, axis=3),
    error(np.add.reduce, A3, where=np.ones(3, bool)),
    sample(np.multiply.accumulate, A3, axis=-1, dtype=np.float64),
    sample(np.add.accumulate, EMPTY),
    error(np.add.accumulate, A0),
    error(np.add.accumulate, A3, axis=(0, 1)),
    error(np.add.accumulate, A3, 3),
    sample(np.add.outer, SCALAR, 1.5),
    sample(np.add.outer, A1, 1.5),
    sample(np.add.outer, A1, [1.5]),
    sample(np.multiply.outer, A0, A0),
    sample(np.add.outer, A1, A2, dtype=np.float64),
    sample(np.divmod.outer, A2, A1),
    error(np.add.outer, A1, TEXT),
    error(np.divmod.outer, A1, TEXT),
    error(np.add.outer, A1, A2, dtype=np.int8),
    sample(np.add.reduceat, A3, [0, 2, 1], axis=1),
    sample(np.add.reduceat, A1, np.array([0, 3]), dtype=np.float32),
    sample(np.add.reduceat, A1, np.array([], int)),
    sample(np.add.reduceat, EMPTY, [0, 1], axis=1),
    error(np.add.reduceat, A1, [0, 5]),
    error(np.add.reduceat, A1, [-1]),
    error(np.add.reduceat, A1, 0),
    error(np.add.reduceat, A1, np.array([0.5])),
    error(np.add.reduceat, A3, [0], axis=3),
    error(np.add.reduceat, EMPTY, [0]),
]
