"""Calls that no trace would do: they run eagerly, and the trace stays for others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.bail_out import RunsEagerlyOnce
from ...ir.op import by_name
from .. import provided
from ..active import current
from ..context import Trace
from ..tensor import Tensor

NAN = "a NaN is looked for, or a key"


def eagerly_where(trace: Trace, test: Any, reason: str) -> None:
    """Runs calls eagerly where the test holds."""
    error = RunsEagerlyOnce(reason)
    sides = [
        provided.run_side(trace, "if_refused", lambda: provided.raise_in_graph(error)),
        provided.run_side(trace, "if_not_refused", dict),
    ]
    provided.choose(trace, "cond", test, sides)


def told_by_value(number: Any) -> Any:
    """A number that a container is asked for. One that is NaN is told by its identity, which a graph does not keep:
    the call runs eagerly."""
    if type(number) is tuple:
        return tuple(map(told_by_value, number))
    trace = current()
    if trace is not None and type(number) is Tensor and number._node.types[0].dtype.kind == "f":
        eagerly_where(trace, trace.record(by_name("operator.ne"), (number, number), {}), NAN)
    elif trace is not None and isinstance(number, float | np.floating) and number != number:
        provided.raise_in_graph(RunsEagerlyOnce(NAN))
    return number
