"""Every op with a result of floats has a derivative, which is what finite differences give, or stands here."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import numpy as np
import pytest
import sizes
from roundings import ON_MACHINE_CODE
from tracefn.ir.op import Op, by_name
from unit.ops.derivative_checks import NotSmooth, check_rule, generic
from unit.ops.derivative_samples import CALLS, WRITES
from unit.ops.derivative_samples_linalg import LINALG
from unit.ops.derivative_traces import check_second_order, check_traced
from unit.ops.table import Row, rows_by_op, sample

EVERY = sizes.of(3, 1) if ON_MACHINE_CODE else 1
"""Of how many ops the traced derivatives of one run: as machine code those of a third, but in `make fuzz`."""

MANY = 40
"""The number of rows of an op of which some are left out."""


def chosen() -> dict[str, list[Row]]:
    """Rows with a value, of ops that have a derivative. Those of ufuncs are numbers at the edges: they have others."""
    rows = rows_by_op()
    found: dict[str, list[Row]] = {}
    for name, known in rows.items():
        if _has_rule(known[0].op) and not known[0].op.elementwise and known[0].op.style != "operator":
            values = [row for row in known if row.outcome == "value" and not row.unspecified_values]
            values = values[:: len(values) // MANY + 1]
            if name.startswith("linalg."):
                values = [dataclasses.replace(row, args=tuple(map(generic, row.args))) for row in values]
            found[name] = values
    for call, args, kwargs in [*CALLS, *LINALG]:
        row = sample(call, *args, **kwargs)
        if _has_rule(row.op):
            found.setdefault(row.op.name, []).append(row)
    return found


def _has_rule(op: Op) -> bool:
    return op.partials is not None or op.vjp is not None


def _may_have_ties(row: Row) -> bool:
    """True for rows of the op table, which are not made for derivatives."""
    return not (row.place.startswith("test_derivatives") or row.op.name.startswith("linalg."))


ROWS = chosen()

SEVERAL = 4
"""The stride of the sample of ops that are differentiated twice."""

OF_SYMMETRIC = {"linalg.cholesky", "linalg.eigh", "linalg.eigvalsh"}
"""Ops that read half of a matrix: derivatives are symmetric, differences along directions that are not are others."""


@pytest.mark.parametrize("name", sorted(ROWS))
def test_derivatives_are_those_of_finite_differences(name: str) -> None:
    failures, compared = [], 0
    for row in ROWS[name]:
        try:
            compared += check_rule(row.call, row.op, row.args, row.kwargs, without_ties=_may_have_ties(row))
        except NotSmooth:
            continue
        except Exception as failure:
            failures.append(f"{row}: {type(failure).__name__}: {failure}")
    assert not failures, "\n".join([f"{len(failures)} of {len(ROWS[name])} rows fail", *failures[:10]])
    assert compared, "no row has a slope"


@pytest.mark.parametrize("case", WRITES, ids=lambda case: case[0])
def test_derivatives_of_writes_are_those_of_finite_differences(case: tuple[Any, ...]) -> None:
    name, *args = case
    op = by_name(name)
    check_rule(op.call, op, tuple(args), {})


# which has np.roots call it
@pytest.mark.parametrize("name", sorted(ROWS.keys() - {"complex_roots"})[::EVERY])
def test_traced_derivatives_are_those_of_the_rules(name: str) -> None:
    """Two calls of each op, one with open lengths."""
    rows = ROWS[name]
    for row, open_lengths in ((rows[-1], False), (rows[len(rows) // 2], not rows[len(rows) // 2].needs_lengths)):
        with contextlib.suppress(NotSmooth):
            check_traced(row, _may_have_ties(row), open_lengths)


@pytest.mark.parametrize("name", sorted(ROWS.keys() - OF_SYMMETRIC)[:: SEVERAL * EVERY])
def test_second_derivatives_are_those_of_finite_differences(name: str) -> None:
    with contextlib.suppress(NotSmooth):
        check_second_order(ROWS[name][-1], _may_have_ties(ROWS[name][-1]))


WITHOUT_DERIVATIVE = {
    "empty_like",  # its values are of no one's making
    "lib.recfunctions.structured_to_unstructured",  # of structures, which have no derivative
    "divmod.outer",
    *("ldexp.reduce", "power.reduce", "float_power.reduce", "arctan2.reduce"),  # of NumPy's own making
    *(f"{ufunc.__name__}.reduceat" for ufunc in vars(np).values() if isinstance(ufunc, np.ufunc)),  # but for sums
}
"""Ops that have floats as results, and no derivative that is known: derivatives through them are refused."""


def test_every_op_of_floats_has_a_derivative() -> None:
    missing = {name for name, rows in rows_by_op().items() if not _has_rule(rows[0].op) and _gives_floats(rows)}
    assert missing <= WITHOUT_DERIVATIVE


def _gives_floats(rows: list[Row]) -> bool:
    found = [row.eager() for row in rows if row.outcome == "value"]
    outs = [o for value in found for o in (value if isinstance(value, tuple | list) else [value])]
    return any(isinstance(o, np.ndarray | np.generic) and o.dtype.kind in "fc" for o in outs)
