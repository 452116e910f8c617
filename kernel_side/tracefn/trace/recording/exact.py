"""A call with the numbers of the traced one in the place of open lengths, each of which is guarded."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ...ir import template
from ...ir.dims import Dim, length_value
from ...ir.types import TensorType

if TYPE_CHECKING:
    from ..context import Trace


def exact_call(
    trace: Trace, types: tuple[TensorType, ...], args: Any, kwargs: Any
) -> tuple[tuple[TensorType, ...], Any, Any] | None:
    """The types of the inputs and the templates of the arguments. None where nothing is open, or there is no call."""
    hints = trace.hints
    lengths = {n for t in types for n in t.shape if isinstance(n, Dim)}
    lengths |= {n for n in template.leaves((args, kwargs)) if isinstance(n, Dim)}
    if not lengths or not all(n.symbols() <= hints.keys() for n in lengths):
        return None
    for length in lengths:
        trace.guard("==", length, length.value(hints), True)

    def leaf(item: Any) -> Any:
        return length_value(item, hints) if isinstance(item, Dim) else item

    shapes = [tuple([length_value(n, hints) for n in t.shape]) for t in types]
    exact = tuple([dataclasses.replace(t, shape=shape) for t, shape in zip(types, shapes, strict=True)])
    return exact, *[template.freeze(template.fill(a, leaf), lambda item: item) for a in (args, kwargs)]
