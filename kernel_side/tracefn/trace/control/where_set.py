"""Reads of variables and attributes that may be unset: the value, and a check at each call, which raises as eager."""

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
    """The value of a variable or attribute. If it is unset, raises `error` while tracing, or at the call."""
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
    """Raises for an attribute that may be unset while the class has one of the same name."""
    cls = type(owner).__name__
    raise ControlFlowError(
        message(
            f"`{name}` of a `{cls}` is set by some branches or rounds that a traced value decides, and is "
            "otherwise that of its class",
            where(user_source(3)),
            f"Set `{name}` in `__init__`.",
        )
    )
