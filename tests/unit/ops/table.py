"""The rows of the op table: calls with sample inputs, calls that NumPy refuses, calls that tracefn refuses.

Each file of `samples/` has the rows of one family of ops as a list `ROWS`. `test_table.py` checks the types that are
inferred, `test_traced.py` runs the rows as traced functions.
"""

from __future__ import annotations

import dataclasses
import importlib
import operator
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tracefn.ir.op import Op, by_call
from tracefn.ops.index import getitem_op
from tracefn.ops.ufunc_methods import method_op


@dataclasses.dataclass(frozen=True, eq=False)
class Row:
    """One call. `outcome` is 'value', 'error', 'late error' or 'refused', by the function below that makes the row."""

    call: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outcome: str
    place: str
    needs_lengths: bool = False
    hidden: bool = False
    unspecified_values: bool = False
    new: bool = False

    def with_known_lengths(self) -> Row:
        """The row, of a call that can be traced only where the lengths of its arrays are known."""
        return dataclasses.replace(self, needs_lengths=True)

    def since(self, version: str) -> Row:
        """The row, of a call in which older versions of NumPy do something else."""
        return dataclasses.replace(self, new=np.lib.NumpyVersion(np.__version__) < version)

    def hidden_from_dispatch(self) -> Row:
        """The row, of a call whose traced arrays NumPy does not show to its dispatch: it is refused by the arrays."""
        return dataclasses.replace(self, hidden=True)

    def with_unspecified_values(self) -> Row:
        """The row, of a call whose result has a type and a shape, but no values."""
        return dataclasses.replace(self, unspecified_values=True)

    @property
    def op(self) -> Op:
        """The op that stands for the call."""
        owner = getattr(self.call, "__self__", None)
        if isinstance(owner, np.ufunc):
            return method_op(owner, self.call.__name__)
        found = getitem_op(self.args[1]) if self.call is operator.getitem else by_call(self.call)
        assert found is not None, f"no op stands for {self.call}"
        return found

    def eager(self) -> Any:
        """What NumPy returns. Raises what NumPy raises."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self.call(*self.args, **self.kwargs)

    def __repr__(self) -> str:
        return f"{getattr(self.call, '__name__', self.call)}-{self.place}"


def sample(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Row:
    """A call that gives a value."""
    return Row(call, args, kwargs, "value", _place())


def error(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Row:
    """A call in which NumPy raises, as dtypes, shapes and what else is known while tracing tell."""
    return Row(call, args, kwargs, "error", _place())


def late_error(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Row:
    """A call in which NumPy raises because of the values in its arrays: no error of the trace, but of the run."""
    return Row(call, args, kwargs, "late error", _place())


def refused(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Row:
    """A call that NumPy computes and tracefn refuses, because the values decide what kind of thing the result is."""
    return Row(call, args, kwargs, "refused", _place())


def rows_by_op() -> dict[str, list[Row]]:
    """All rows of the table, by the name of their op."""
    found: dict[str, list[Row]] = {}
    for path in sorted((Path(__file__).parent / "samples").glob("[a-z]*.py")):
        for row in importlib.import_module(f"unit.ops.samples.{path.stem}").ROWS:
            if not row.new:
                found.setdefault(row.op.name, []).append(row)
    return found


def run_each(rows: list[Row], check: Callable[[Row], None]) -> None:
    """Runs a check on every row, and fails with a line for each row that does not pass."""
    failures = []
    for row in rows:
        try:
            check(row)
        except Exception as failure:
            failures.append(f"{row}: {type(failure).__name__}: {failure}")
    assert not failures, "\n".join([f"{len(failures)} of {len(rows)} rows fail", *failures[:10]])


def raised_by(call: Callable[[], Any]) -> type[BaseException] | None:
    """The type of the exception that a call raises, or None."""
    try:
        call()
    except Exception as caught:
        return type(caught)
    return None


_rows_at: dict[str, int] = {}


def _place() -> str:
    frame = sys._getframe(2)
    place = f"{Path(frame.f_code.co_filename).stem}:{frame.f_lineno}"
    _rows_at[place] = _rows_at.get(place, 0) + 1
    return place if _rows_at[place] == 1 else f"{place}#{_rows_at[place]}"
