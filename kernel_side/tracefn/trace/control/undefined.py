"""Variables that are not set, or set only if a branch or loop has run."""

from __future__ import annotations

from typing import Any, NoReturn

from ...errors import ControlFlowError, message
from ..active import current
from ..origin import user_source, where
from ..state.place import MISSING
from .joins import placeholder

RETURN_VALUE = "the return value"
"""The name of the variable with a function's result."""


class Undefined:
    """The value of a variable that is not set. Any use raises UnboundLocalError with the reason."""

    __slots__ = ("_name", "_reason")

    def __init__(self, name: str, reason: str = "") -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_reason", reason)

    def __getattribute__(self, attribute: str) -> Any:
        if attribute == "__class__":
            return Undefined
        raise_unbound(self)

    def __repr__(self) -> str:
        return "<undefined>"


def raise_unbound(value: Any) -> NoReturn:
    raise UnboundLocalError(reason_of(value))


def reason_of(value: Undefined) -> str:
    """Why a variable is not set, as the error says it."""
    name, reason = object.__getattribute__(value, "_name"), object.__getattribute__(value, "_reason")
    text = unbound_text(name)
    return f"{text}: {reason}" if reason else text


def unbound_text(name: str) -> str:
    return f"cannot access local variable '{name}' where it is not associated with a value"


def _use(value: Any, *args: Any) -> Any:
    raise_unbound(value)


_OPERATIONS = (
    "bool", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod",
    "pow", "rpow", "matmul", "rmatmul", "neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne", "iter",
    "len", "getitem", "call", "int", "float", "index", "array", "str", "format", "hash", "and", "or", "xor", "contains",
)  # fmt: skip

for _name in _OPERATIONS:
    setattr(Undefined, f"__{_name}__", _use)


class Maybe:
    """The value of a variable that is set where `is_set` holds, a traced condition. Rewritten code never hands it out:
    a read of the variable gives the value, and adds a check to the graph."""

    __slots__ = ("is_set", "name", "value")

    def __init__(self, name: str, value: Any, is_set: Any) -> None:
        self.name = name
        self.value = value
        self.is_set = is_set
        if (trace := current()) is not None:
            trace.root.has_undecided = True

    def __tracefn_flatten__(self) -> tuple[tuple[Any, Any], str]:
        return (self.value, self.is_set), self.name

    @classmethod
    def __tracefn_unflatten__(cls, name: str, children: tuple[Any, Any]) -> Maybe:
        return cls(name, *children)


def _refuse_use(value: Maybe, *args: Any) -> Any:
    raise ControlFlowError(
        message(
            f"an inner function reads `{value.name}`, which may not be set: only some rounds or branches that a traced "
            "value decides set it",
            where(user_source(3)),
            f"Set `{value.name}` before, or pass it to the inner function.",
        )
    )


for _name in _OPERATIONS:
    setattr(Maybe, f"__{_name}__", _refuse_use)


def settle_undefined(key: Any, values: list[Any]) -> list[Any]:
    """The values that branches give a variable, where some do not set it: with a flag that says whether it is set."""
    if not any(type(v) in (Undefined, Maybe) or v is MISSING for v in values):
        return values
    known = [v.value if type(v) is Maybe else v for v in values if type(v) is not Undefined and v is not MISSING]
    if not known:
        return [values[0] for _ in values]
    stand_in = placeholder(known[0])
    if key == RETURN_VALUE:
        return [stand_in if type(v) is Undefined else v for v in values]
    return [as_maybe(str(key), v, stand_in) for v in values]


def as_maybe(name: str, value: Any, stand_in: Any) -> Any:
    """A value of a variable that may be unset."""
    if type(value) is Undefined or value is MISSING:
        return Maybe(name, stand_in, False)
    return value if type(value) is Maybe else Maybe(name, value, True)


def unset_before(key: Any, after: Any) -> Any:
    """The value of a variable before a loop that sets it to `after`, and does not find it set."""
    value = after.value if type(after) is Maybe else after
    return placeholder(value) if key == RETURN_VALUE else Maybe(str(key), placeholder(value), False)
