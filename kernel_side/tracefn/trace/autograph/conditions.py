"""What decides where a value is used as a condition in rewritten code."""

from __future__ import annotations

from typing import Any

from ..context import TRACING, current
from ..control.one_of import OneOf
from ..foreign import Foreign, call
from ..graph_list import GraphList
from ..state.compared import CONTAINERS
from ..symbolic_int import SymbolicInt
from ..tensor import Tensor
from ..variable_reads import in_trace
from .ends import is_filled
from .foreseen import filled
from .special import truth_of
from .split import split, undecided


def condition(value: Any) -> Any:
    """A traced value for what the call decides, the value itself for what Python does."""
    value = in_trace(value)
    if type(value) is Tensor and (trace := current()) is not None and trace.root.lengths is not None:
        return trace.root.lengths.decided(trace, value)
    if undecided(value):
        return split(value, lambda: bool(value))
    if type(value) is Foreign:
        return call(bool, (value,), {}, reads=True)
    if type(value) is SymbolicInt and value.is_traced:
        return value._trace.dimension(value.dim)
    if type(value) is GraphList and value.is_staged:
        return value.length()
    if TRACING and isinstance(value, CONTAINERS) and (trace := current()) is not None:
        found = filled(value)
        if found is value and trace.is_outside(value):
            if (known := is_filled(trace, value)) is not None:
                return known
            trace.read_length(value)
        value = found
    return value.truth() if type(value) is OneOf else truth_of(value)
