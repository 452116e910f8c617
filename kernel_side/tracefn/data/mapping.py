"""Steps that call a traced function on each element: map and filter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, starmap
from typing import Any

import numpy as np

from ..errors import SymbolicDimensionError, message
from ..function import Function
from ..function.bound import bound_function
from ..trace.signature import TensorSpec
from .conform import Conform
from .node import UNKNOWN_CARDINALITY, Node
from .specs import result_spec


class Map(Node):
    """The results of a function for each element. It is traced when the step is made, which gives the spec."""

    def __init__(self, source: Node, function: Callable[..., Any]) -> None:
        self._call = _traced(function)
        label = f"map({self._call.name})"
        spec = result_spec(_outputs(self._call, source.spec, label), label)
        super().__init__(label, spec, source.cardinality, [source])
        self._conform = Conform(spec, label)

    def __iter__(self) -> Iterator[Any]:
        return map(self._conform, count(), _calls(self._call, self.inputs[0]))


class Filter(Node):
    """The elements for which a function returns True."""

    def __init__(self, source: Node, predicate: Callable[..., Any]) -> None:
        self._call = _traced(predicate)
        label = f"filter({self._call.name})"
        result = _outputs(self._call, source.spec, label)
        truth = isinstance(result, TensorSpec) and result.shape == () and result.dtype == np.bool_
        if not truth and not isinstance(result, bool):
            fix = "Return one truth value, as `x > 0` or `np.all(x > 0)` give it."
            raise TypeError(message(f"{label}: the function returns {result!r}, not a boolean scalar", fix=fix))
        length = UNKNOWN_CARDINALITY if source.cardinality else 0
        super().__init__(label, source.spec, length, [source])

    def __iter__(self) -> Iterator[Any]:
        call = self._call
        if type(self.spec) is tuple:
            return (element for element in self.inputs[0] if call(*element))
        return (element for element in self.inputs[0] if call(element))


def _traced(function: Callable[..., Any]) -> Any:
    """The function as it is if it is traced already."""
    is_traced = isinstance(function, Function) or bound_function(function) is not None
    return function if is_traced else Function(function)


def _outputs(traced: Any, spec: Any, label: str) -> Any:
    """The function's results for elements of this spec, a plain tuple being its arguments."""
    try:
        return traced.get_concrete_function(*(spec if type(spec) is tuple else (spec,))).structured_outputs
    except Exception as error:
        error.add_note(f"  while Dataset.{label} was traced for elements {spec!r}")
        if isinstance(error, SymbolicDimensionError):
            error.add_note("  batch(..., drop_remainder=True) gives every batch one known length")
        raise


def _calls(traced: Any, source: Node) -> Iterator[Any]:
    return starmap(traced, source) if type(source.spec) is tuple else map(traced, source)
