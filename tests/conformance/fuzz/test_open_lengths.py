"""Each op with open lengths: one trace gives what NumPy gives, at the lengths of its samples and at others."""

import os

import numpy as np
import pytest
import tracefn
from agreement import assert_alike, outcome
from tracefn.ir import template
from tracefn.ir.template import Ref
from unit.ops.table import rows_by_op

EVERY = 1 if os.environ.get("TRACEFN_FUZZ") else 20
"""Of how many ops one is tried: `make fuzz` tries all."""

LENGTHS = (4, 0, 1, 2)

#: NumPy itself leaves results of no elements without values.
WITHOUT_VALUES = {"unpackbits", "fft.irfft", "fft.irfft2", "fft.irfftn", "fft.hfft", "repeat_by"}

ROWS = rows_by_op()


def function_of(row):
    """The call as a function of its arrays, and these."""
    arrays = []

    def leaf(value):
        if not isinstance(value, np.ndarray):
            return value
        arrays.append(value)
        return Ref(len(arrays) - 1)

    def freeze(name, value):
        return value if name in row.op.static else template.freeze(value, leaf)

    names = row.op.parameters.positional + [""] * len(row.args)
    args = [freeze(name, a) for name, a in zip(names, row.args, strict=False)]
    kwargs = {name: freeze(name, a) for name, a in row.kwargs.items()}

    def function(*given):
        def fill(frozen):
            return template.fill(frozen, lambda ref: given[ref.index])

        return row.call(*map(fill, args), **{name: fill(a) for name, a in kwargs.items()})

    return function, arrays


def of_length(array, axes, length):
    """The array with its elements repeated, or cut, to a length along some axes."""
    for axis in axes:
        if array.shape[axis]:
            array = np.take(array, np.arange(length) % array.shape[axis], axis=axis)
    return array


def check(row):
    function, arrays = function_of(row)
    lengths = {n for a in arrays for n in a.shape if n}
    for open_length in lengths:
        axes = [[axis for axis, n in enumerate(a.shape) if n == open_length] for a in arrays]
        shapes = [[None if n == open_length else n for n in a.shape] for a in arrays]
        specs = [tracefn.TensorSpec(shape, a.dtype) for shape, a in zip(shapes, arrays, strict=True)]
        traced = tracefn.function(function, input_signature=specs)
        for length in (open_length, *LENGTHS):
            given = [of_length(a, along, length) for a, along in zip(arrays, axes, strict=True)]
            mine, theirs = outcome(traced, given), outcome(function, given)
            if mine[0] in ("UnsupportedFunctionError", "SymbolicDimensionError", "TensorConversionError"):
                break
            assert (mine[0] == "returned") == (theirs[0] == "returned"), (row, length, mine, theirs)
            if mine[0] == "returned":
                assert_alike(mine[1], theirs[1], (row, length))


@pytest.mark.parametrize("name", sorted(ROWS.keys() - WITHOUT_VALUES)[::EVERY])
def test_as_eager(name):
    rows = [row for row in ROWS[name] if row.outcome == "value" and not row.unspecified_values]
    for row in rows if EVERY == 1 else rows[:2]:
        check(row)
