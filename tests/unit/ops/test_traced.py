"""Every row of the op table as a traced function: value, dtype, shape, type and error as without tracing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sizes
import tracefn
from roundings import ON_MACHINE_CODE, are_close
from tracefn.ir import template
from tracefn.ir.template import Ref
from unit.ops.table import Row, raised_by, rows_by_op, run_each

EVERY = sizes.of(4 if ON_MACHINE_CODE else 2, 1)
"""Of how many rows of a ufunc one runs, with unknown lengths half as many: `make fuzz` runs all."""

FEW = sizes.of(20 if ON_MACHINE_CODE else 60, 60)
"""The number of rows up to which all rows of an op run."""


def chosen() -> dict[str, list[Row]]:
    """The rows that run. Of the ufuncs, which take each pair of dtypes, these are some, with another first one for the
    next ufunc: all pairs are tried. As machine code those run that get as far as a program."""
    rows = rows_by_op()
    many = sorted(name for name in rows if len(rows[name]) > FEW)
    first = {name: i % EVERY for i, name in enumerate(many)}
    kept = {name: found[first[name] :: EVERY] if name in first else found for name, found in rows.items()}
    if not ON_MACHINE_CODE:
        return kept
    compiled = {name: [r for r in found if r.outcome in ("value", "late error")] for name, found in kept.items()}
    return {name: found for name, found in compiled.items() if found}


ROWS = chosen()


def traced(row: Row, unknown_lengths: bool = False) -> Callable[[], Any] | None:
    """The call as a traced function of all its arrays and NumPy scalars but those that decide shapes.

    With `unknown_lengths` the function is declared for arrays of any length, but 1. None where a NumPy scalar is among
    its arguments: a `TensorSpec` is for arrays.
    """
    values: list[Any] = []
    op = row.op

    def leaf(value: Any) -> Any:
        if not isinstance(value, np.ndarray | np.generic):
            return value
        values.append(value)
        return Ref(len(values) - 1)

    def freeze(name: str, value: Any) -> Any:
        return value if name in op.static else template.freeze(value, leaf)

    names = op.parameters.positional + [""] * len(row.args)
    args = [freeze(name, a) for name, a in zip(names, row.args, strict=False)]
    kwargs = {name: freeze(name, a) for name, a in row.kwargs.items()}

    def function(*inputs: Any) -> Any:
        def fill(frozen: Any) -> Any:
            return template.fill(frozen, lambda ref: inputs[ref.index])

        return row.call(*map(fill, args), **{name: fill(a) for name, a in kwargs.items()})

    signature = None
    if unknown_lengths:
        if any(isinstance(value, np.generic) for value in values):
            return None
        signature = [tracefn.TensorSpec(tuple(n if n == 1 else None for n in v.shape), v.dtype) for v in values]
    function = tracefn.function(function, input_signature=signature)

    def run() -> Any:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*values)

    return run


def same(left: Any, right: Any, values: bool) -> bool:
    """True for results of one type, and where `values` is set, with the same bits (any NaN is like any other)."""
    if type(left) is not type(right):
        return False
    if isinstance(left, tuple | list):
        return len(left) == len(right) and all(same(a, b, values) for a, b in zip(left, right, strict=True))
    if not isinstance(left, np.ndarray | np.generic):
        return bool(left == right) or left != left
    if (left.dtype, left.shape) != (right.dtype, right.shape):
        return False
    return not values or bits(left) == bits(right) or (ON_MACHINE_CODE and are_close(left, right))


def bits(array: Any) -> Any:
    if array.dtype.kind == "T":
        return array.tolist()
    if array.dtype.kind in "fc":
        parts = np.stack([array.real, array.imag])
        array = np.where(np.isnan(parts), np.nan, parts)
    return array.tobytes()


def check(row: Row, unknown_lengths: bool = False) -> None:
    run = traced(row, unknown_lengths)
    if run is None:
        return
    if row.outcome == "value":
        found, expected = run(), row.eager()
        assert same(found, expected, not row.unspecified_values), f"{found!r} instead of {expected!r}"
        assert same(run(), expected, not row.unspecified_values), "another result at the second call"
    elif row.outcome == "refused":
        assert raised_by(run) in (tracefn.errors.UnsupportedFunctionError, tracefn.errors.UnsupportedArgumentError)
    else:
        assert raised_by(run) is raised_by(row.eager) is not None


@pytest.mark.parametrize("unknown_lengths", [False, True], ids=["known lengths", "unknown lengths"])
@pytest.mark.parametrize("name", sorted(ROWS))
def test_traced_as_without_tracing(name: str, unknown_lengths: bool) -> None:
    rows = ROWS[name]
    if unknown_lengths:
        is_small = len(rows) <= FEW // 2 and not ON_MACHINE_CODE
        rows = [row for row in rows if not row.needs_lengths][:: 1 if is_small else sizes.of(2, 1)]
    run_each(rows, lambda row: check(row, unknown_lengths))
