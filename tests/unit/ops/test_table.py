"""Every row of the op table: the type that is inferred against what NumPy returns, also where lengths are unknown."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from tracefn.ir import template
from tracefn.ir.dims import Dim, length_value
from tracefn.ir.graph import pure_symbol
from tracefn.ir.infer import RuleError, infer
from tracefn.ir.op import Op, Static, all_ops
from tracefn.ir.template import Ref
from tracefn.ir.types import Kind, TensorType, type_of
from tracefn.ops.index import getitem_op
from unit.ops.table import Row, raised_by, rows_by_op, run_each

ROWS = rows_by_op()

#: Ops that take any array of any dtype that can be traced, so that NumPy has no error for them.
WITHOUT_ERRORS = {
    *("argwhere", "array_equiv", "flatnonzero", "ndim", "operator.eq", "operator.ne", "shape"),
    *("imag", "iscomplex", "iscomplexobj", "isreal", "isrealobj", "min_scalar_type", "real", "real_if_close"),
    "lib.recfunctions.repack_fields",
    *("unique_all", "unique_counts", "unique_inverse", "unique_values"),
}

every_op = pytest.mark.parametrize("name", sorted(ROWS))


class Inputs:
    """The arrays of a call as inputs of a node: their types, and the call with references in their place."""

    def __init__(self, row: Row, traced: tuple[type, ...], length: Callable[[int], Any]) -> None:
        self.op = row.op
        self.types: list[TensorType] = []
        self.arrays: list[Any] = []
        args, kwargs = self.op.parameters.canonical(row.args, row.kwargs)

        def leaf(value: Any) -> Any:
            if not isinstance(value, traced):
                return value
            found = type_of(value)
            shape = tuple(length(n) if n != 1 else 1 for n in found.shape)
            self.types.append(TensorType(found.dtype, shape, found.kind))
            self.arrays.append(value)
            return Ref(len(self.types) - 1)

        def static_leaf(value: Any) -> Any:
            return value.tolist() if isinstance(value, np.ndarray) else value

        def freeze(name: str, value: Any) -> Any:
            if name in self.op.static:
                return template.freeze(static_leaf(value), static_leaf)
            return template.freeze(value, leaf)

        names = self.op.parameters.positional + [""] * len(args)
        self.args = tuple([freeze(name, a) for name, a in zip(names, args, strict=False)])
        self.kwargs = tuple([(name, freeze(name, a)) for name, a in kwargs.items()])
        if self.op.style == "index":
            self.op = getitem_op(template.fill(self.args[1], lambda ref: self.types[ref.index]))

    def infer(self, hints: dict[str, int] | None = None) -> Any:
        return infer(self.op, tuple(self.types), self.args, self.kwargs, hints)


def check(found: Any, value: Any, lengths: dict[str, int]) -> None:
    """Asserts that a type is the type of a value. Lengths that only the values decide are learned from it."""
    if isinstance(found, Static):
        expected = template.fill(template.freeze(found.value, lambda v: v), lambda d: length_value(d, lengths))
        assert type(expected) is type(value)
        assert expected == value
    elif isinstance(found, TensorType):
        kind = {np.ndarray: Kind.ARRAY}.get(type(value), Kind.SCALAR if isinstance(value, np.generic) else Kind.PYTHON)
        assert found.kind is kind
        actual = type_of(value)
        if kind is Kind.SCALAR and actual.dtype.kind in "SU":
            # A text scalar has the length of its text.
            assert (found.dtype.kind, found.dtype.itemsize >= actual.dtype.itemsize) == (actual.dtype.kind, True)
        else:
            assert found.dtype == actual.dtype
        assert len(found.shape) == len(actual.shape)
        for length, expected in zip(found.shape, actual.shape, strict=True):
            if isinstance(length, Dim) and (name := pure_symbol(length)) is not None:
                lengths.setdefault(name, expected)
            if not isinstance(length, Dim) or length.symbols() <= lengths.keys():
                assert length_value(length, lengths) == expected
    else:
        assert type(found) is type(value)
        for part, expected in zip(found, value, strict=True):
            check(part, expected, lengths)


def unknown_lengths(alike: bool) -> tuple[Callable[[int], Dim], dict[str, int]]:
    """A function that gives a symbol for a length, and the lengths of the symbols it gave.

    Every axis gets a symbol of its own, or where `alike` is set, axes of equal length share one.
    """
    lengths: dict[str, int] = {}

    def symbol(length: int) -> Dim:
        name = f"n{length}" if alike else f"n{len(lengths)}"
        lengths[name] = length
        return Dim.symbol(name)

    return symbol, lengths


def check_known(row: Row) -> None:
    """The types that are inferred from known lengths, with NumPy scalars traced and with NumPy scalars known."""
    for traced in (np.ndarray, np.generic), (np.ndarray,):
        if row.outcome == "error":
            assert raised_by(lambda: Inputs(row, traced, int).infer()) is raised_by(row.eager) is not None  # noqa: B023
            continue
        inputs = Inputs(row, traced, int)
        if not inputs.types:
            continue  # Nothing is traced where only NumPy scalars could be.
        if row.outcome == "refused":
            assert (raised_by(inputs.infer), raised_by(row.eager)) == (RuleError, None)
        elif row.outcome == "value":
            check(inputs.infer(), row.eager(), {})
        else:
            assert raised_by(row.eager) is not None
            # What is late for a traced scalar may be early for a known one.
            assert raised_by(inputs.infer) is None or traced == (np.ndarray,)


def check_unknown(row: Row) -> None:
    """The types that are inferred from unknown lengths, given the lengths."""
    for alike in False, True:
        symbol, lengths = unknown_lengths(alike)
        try:
            found = Inputs(row, (np.ndarray, np.generic), symbol).infer(lengths)
        except RuleError:
            assert row.outcome == "refused" or row.needs_lengths
        except Exception as caught:
            # An error that depends on lengths may also wait until the call.
            assert type(caught) is raised_by(row.eager)
        else:
            if row.outcome == "value":
                check(found, row.eager(), dict(lengths))


@every_op
def test_the_inferred_types_are_numpys(name: str) -> None:
    run_each(ROWS[name], check_known)


@every_op
def test_types_with_unknown_lengths(name: str) -> None:
    run_each(ROWS[name], check_unknown)


def ops_with(outcomes: Iterable[str]) -> set[str]:
    return {name for name, rows in ROWS.items() if any(row.outcome in outcomes for row in rows)}


#: Functions that have no array among their arguments, so that rewritten code alone can trace them: see
#: tests/unit/trace/autograph/test_numpy_calls.py and test_numpy_makers.py.
MADE_FROM_SHAPES = {
    *("zeros", "ones", "empty", "full", "eye", "identity", "arange", "indices", "tri", "tril_indices", "triu_indices"),
    *("diag_indices", "bartlett", "blackman", "hamming", "hanning", "kaiser", "fft.fftfreq", "fft.rfftfreq"),
    *("mgrid", "ogrid", "r_", "c_", "ascontiguousarray", "asfortranarray", "require", "asarray_chkfinite"),
}


#: Ops that take the place of `ravel` where that copies, and of `eig` of real matrices: see test_layouts.py and
#: test_real_or_complex.py in tests/footguns. What a checkpoint computes again: see tests/unit/gradients. An array that
#: is written into itself: see tests/unit/trace/test_writes.py.
OF_OTHERS = {"flatten", "complex_eig", "complex_eigvals", "complex_roots", "computed_again", "drawn", "came_from"}


def called_ops() -> list[Op]:
    styles = ("leaf", "control", "effect", "draw", "list", "builtin", "write")
    return [op for op in all_ops() if op.style not in styles and op.name not in MADE_FROM_SHAPES | OF_OTHERS]


def test_every_op_has_a_sample() -> None:
    assert {op.name for op in called_ops()} - ops_with(["value"]) == set()


def test_every_op_has_an_error_where_one_is_possible() -> None:
    assert {op.name for op in called_ops()} - ops_with(["error", "late error"]) == WITHOUT_ERRORS


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="rules have the parameters of a newer NumPy")
@pytest.mark.parametrize("op", [op for op in called_ops() if inspect.isfunction(inspect.unwrap(op.call))], ids=repr)
def test_rules_have_the_parameters_of_the_numpy_function(op: Op) -> None:
    expected = inspect.signature(op.call).parameters
    found = inspect.signature(op.rule).parameters
    assert [(n, p.kind) for n, p in found.items()] == [(n, p.kind) for n, p in expected.items()]
    for left, right in zip(found.values(), expected.values(), strict=True):
        assert left.default is right.default or left.default == right.default


def check_views(row: Row) -> None:
    """Results that share memory with an argument are results of which the op says so."""
    if row.outcome != "value":
        return
    inputs = Inputs(row, (np.ndarray,), int)
    value = row.eager()
    for i, output in enumerate(value if isinstance(value, tuple | list) else [value]):
        viewed = inputs.op.viewed(inputs.args, inputs.kwargs, i)
        for k, array in enumerate(inputs.arrays):
            if isinstance(output, np.ndarray) and np.may_share_memory(output, array) and viewed != Ref(k):
                assert not np.shares_memory(output, array), f"result {i} is a view of input {k}, not of {viewed}"


@every_op
def test_results_that_share_memory_are_declared(name: str) -> None:
    run_each(ROWS[name], check_views)
