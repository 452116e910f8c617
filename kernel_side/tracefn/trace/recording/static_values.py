"""Arguments that decide the shape of a result, and so must be known while tracing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.op import Op, by_name
from ..origin import user_source, where
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt

if TYPE_CHECKING:
    from ..context import Trace


def with_static_values(trace: Trace, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call with concrete arrays in static parameters turned into lists, which are part of the graph. Its op is
    another one where these are traced, and it has one for that."""

    names = op.parameters.positional + [op.parameters.rest or ""] * len(args)
    given = list(zip(names, args, strict=False))
    if op.dynamic and any(_is_unknown(trace, v) for n, v in [*given, *kwargs.items()] if n in op.static):
        return with_static_values(trace, by_name(op.dynamic), args, kwargs)
    found = tuple([_known(trace, op, n, a) if n in op.static else a for n, a in given])
    return op, found, {k: _known(trace, op, k, v) if k in op.static else v for k, v in kwargs.items()}


def _known(trace: Trace, op: Op, name: str, value: Any) -> Any:
    """A static argument as a Python value. Raises `UnsupportedFunctionError` where a call decides it."""
    if isinstance(value, tuple | list):
        return type(value)([_known(trace, op, name, v) for v in value])
    if type(value) is Tensor and trace.node_of(value) in trace._captured_arrays:
        value = trace._captured_arrays[value._node]
    if type(value) is Tensor and (constant := value._known()) is not None:
        return constant[0].tolist()
    if type(value) is Tensor:
        raise UnsupportedFunctionError(
            message(
                f"np.{op.name}: its argument `{name}` is {value.describe()}, but it decides the shape of the "
                "result and must be known while tracing",
                where(user_source(4)),
                "Pass it as a Python value (each value then gets its own trace), or compute it outside.",
            )
        )
    if type(value) is SymbolicInt:
        return trace.public(value.dim)
    if isinstance(value, np.ndarray):
        trace.static_arrays.append((value, value.copy()))
        return value.tolist()
    return value


def _is_unknown(trace: Trace, value: Any) -> bool:
    """True for a traced value that is not known while tracing, and for lists and tuples that hold one."""
    if isinstance(value, tuple | list):
        return any(_is_unknown(trace, v) for v in value)
    return type(value) is Tensor and value._node not in trace._captured_arrays and value._known() is None
