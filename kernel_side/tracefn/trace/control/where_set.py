"""Reads of what may not be set: the value, and a check at the call, which raises as eager code does."""

from __future__ import annotations

import functools
from typing import Any, NoReturn

from ...errors import ControlFlowError, message
from ..active import current
from ..origin import user_source, where
from ..tensor import Tensor
from .branches import choose, run_side
from .raising import raise_in_graph
from .undefined import Maybe


def where_set(value: Maybe, error: Exception) -> Any:
    """The value of a variable or attribute. Raises `error` where that is not set: now, or at the call that finds it."""
    if value.is_set is True:
        return value.value
    if type(value.is_set) is not Tensor:
        raise error
    trace = current()
    assert trace is not None
    unset = functools.partial(raise_in_graph, error)
    choose(trace, "cond", value.is_set, [run_side(trace, "if_set", dict), run_side(trace, "if_not_set", unset)])
    return value.value


def refuse_class_value(owner: Any, name: str) -> NoReturn:
    """Raises for an attribute that may not be set, in whose place the class has another."""
    cls = type(owner).__name__
    raise ControlFlowError(
        message(
            f"`{name}` of a `{cls}` is set by some branches or rounds that a traced value decides, and else what "
            "its class has",
            where(user_source(3)),
            f"Set `{name}` in `__init__`.",
        )
    )
