"""Every op with a result of floats has a derivative, which is what finite differences give, or stands here."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from tracefn.ir.op import Op, by_name
from unit.ops.derivative_checks import NotSmooth, check_rule, generic
from unit.ops.derivative_samples import CALLS, WRITES
from unit.ops.derivative_samples_linalg import LINALG
from unit.ops.table import Row, rows_by_op, sample

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


ROWS = chosen()


@pytest.mark.parametrize("name", sorted(ROWS))
def test_derivatives_are_those_of_finite_differences(name: str) -> None:
    failures, compared = [], 0
    for row in ROWS[name]:
        try:
            is_own = row.place.startswith("test_derivatives") or name.startswith("linalg.")
            compared += check_rule(row.call, row.op, row.args, row.kwargs, without_ties=not is_own)
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
