"""Refusals of foreign calls, by place and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ...errors import UnsupportedFunctionError, message
from ...ir.graph import Node
from ...ir.op import INPUT
from ...ir.types import Kind
from ..libraries import is_pure
from ..origin import user_source, where
from .arguments import Arguments
from .proxy import Foreign
from .undo import stays_as_it_is


def is_operator(function: Any, args: tuple[Any, ...]) -> bool:
    """True for an operator of objects of libraries that are known to be pure."""
    found = [a.known for a in args if type(a) is Foreign]
    return getattr(function, "__module__", None) == "_operator" and all(map(is_pure, found))


def check_place(given: Arguments, nodes: Sequence[Node], pure: bool, name: str) -> None:
    """Refuses steps in branches and loops that may do more than compute: while tracing they are made on the values that
    the branch or the first round would have, whether it runs or not."""
    if not pure or given.is_shared or any(n.type.kind.is_random for n in nodes):
        refuse(name, "is called in a branch or loop that a traced value decides", "Call it before or after that.")


def check_objects(given: Arguments, nodes: Sequence[Node], real: Sequence[Any], name: str, kwargs: Any) -> None:
    """The same for objects from around the branch or loop, which the step might change."""
    if not stay(given, nodes, real, name, kwargs):
        refuse(
            name, "may change an object, in a branch or loop that a traced value decides", "Call it before or after."
        )


def stay(given: Arguments, nodes: Sequence[Node], real: Sequence[Any], name: str, kwargs: Any) -> bool:
    """True if a step leaves the objects that were there before the trace, branch or loop as they are."""
    return all(stays_as_it_is(v, name, kwargs) for v in objects_around(given, nodes, real))


def objects_around(given: Arguments, nodes: Sequence[Node], real: Sequence[Any]) -> list[Any]:
    """The objects among the arguments that were there before."""
    around = [v for n, v in zip(nodes, real, strict=True) if n.type.kind is Kind.OBJECT and n.op is INPUT]
    return [*around, *[refer() for refer in given.outside]]


def check_writes(name: str, kwargs: dict[str, Any]) -> None:
    for key, value in kwargs.items():
        if (key == "out" and value is not None) or (key.startswith("overwrite_") and value is not False):
            refuse(name, f"writes into an array that it is given (`{key}=`)", f"Leave out `{key}`.")


def refuse(name: str, what: str, fix: str) -> NoReturn:
    raise UnsupportedFunctionError(message(f"`{name}` {what}", where(user_source(4)), fix))
