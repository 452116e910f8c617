"""Arguments of ops that are no arrays."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NoReturn

from ...errors import UnsupportedFunctionError, message
from ...ir.op import Op
from ..context import Trace
from ..origin import user_source, where
from ..tensor import Tensor


def fixed_argument(op: Op, value: Any) -> Any:
    """An argument that stays as it is. Raises UnsupportedFunctionError for a container that may change until then."""
    if isinstance(value, deque | set | dict | bytearray) and op.style not in ("effect", "control"):
        kind = type(value).__name__
        raise UnsupportedFunctionError(
            message(f"np.{op.name} is given a {kind}, which may change", where(user_source(5)), "Make a list of it.")
        )
    return value


WHOLES = (list, tuple, dict)


def read_as_wholes(trace: Trace, args: Iterable[Any]) -> None:
    """Notes that a call or operator takes lists, tuples and dicts from outside as a whole: their numbers are no inputs
    of the graph."""
    for value in args:
        if type(value) in WHOLES:
            if trace.is_outside(value):
                trace.read_whole(value)
            else:
                read_as_wholes(trace, value.values() if type(value) is dict else value)


def refuse_list(op: Op, value: Tensor) -> NoReturn:
    fix = "Make it an array first: `np.stack(ys)`, or `.stack()` of a TensorArray."
    raise UnsupportedFunctionError(
        message(f"np.{op.name} on {value.describe()}, which is no array", where(user_source(5)), fix)
    )


def refuse_generator(op: Op, value: Tensor) -> NoReturn:
    raise TypeError(message(f"np.{op.name} on {value.describe()}, which is no array", where(user_source(5))))
