"""The truth of a value that is used as a condition in rewritten code."""

from __future__ import annotations

from typing import Any

from ....ir.op import by_name
from ...active import TRACING, current
from ...control.branches import check_condition
from ...control.one_of import OneOf
from ...foreign import Foreign, call
from ...reads import in_trace
from ...state.compared import CONTAINERS
from ...tensor import Tensor
from ...this_call import now
from ...values.graph_container import is_container
from ...values.graph_list import GraphList
from ...values.symbolic_int import SymbolicInt
from ..containers.ends import is_filled
from ..containers.foreseen import filled
from ..containers.split import split, undecided
from ..special import truth_of


def condition(value: Any) -> Any:
    """A traced value where the call decides, the value itself where Python does."""
    value = in_trace(value)
    if type(value) is Tensor and (trace := current()) is not None:
        if trace.root.value_now is not None:
            return bool(now(value))
        if trace.root.lengths is not None:
            return trace.root.lengths.decided(trace, value)
    if undecided(value):
        return split(value, lambda: bool(value))
    if type(value) is Foreign:
        return call(bool, (value,), {}, reads=True)
    if type(value) is SymbolicInt and value.is_traced:
        return value._trace.dimension(value.dim)
    if (type(value) is GraphList and value.is_staged) or is_container(value):
        return value.length()
    if TRACING and isinstance(value, CONTAINERS) and (trace := current()) is not None:
        if (known := is_filled(trace, value)) is not None:
            return known
        found = filled(value)
        if found is value and trace.is_outside(value):
            trace.read_length(value)
        value = found
    return value.truth() if type(value) is OneOf else truth_of(value)


def truth(value: Any) -> Any:
    """Whether a value counts as true: traced where a traced value decides it."""
    value = condition(value)
    trace = current()
    if type(value) is not Tensor or trace is None:
        return bool(value)
    if value.dtype.kind == "b" and not value.ndim:
        return value
    check_condition(value)
    return trace.record(by_name("bool"), (value,), {})
