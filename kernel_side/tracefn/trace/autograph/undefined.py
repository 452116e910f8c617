"""Variables that are not set."""

from __future__ import annotations

from typing import Any, NoReturn


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
    name, reason = object.__getattribute__(value, "_name"), object.__getattribute__(value, "_reason")
    text = f"cannot access local variable '{name}' where it is not associated with a value"
    raise UnboundLocalError(f"{text}: {reason}" if reason else text)


def _use(value: Any, *args: Any) -> Any:
    raise_unbound(value)


for _name in (
    "bool", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod",
    "pow", "rpow", "matmul", "rmatmul", "neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne", "iter",
    "len", "getitem", "call", "int", "float", "index", "array", "str", "format", "hash", "and", "or", "xor", "contains",
):  # fmt: skip
    setattr(Undefined, f"__{_name}__", _use)
