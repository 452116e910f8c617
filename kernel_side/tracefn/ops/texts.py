"""Python's texts: f-strings, `str`, `repr`, `%` and the methods of `str` on values that each call computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.op import Op, register
from ..ir.types import TensorType, ghost, python

_GIVEN = {
    bool: "__contains__ __eq__ __ge__ __gt__ __le__ __lt__ __ne__ endswith isalnum isalpha isascii isdecimal isdigit "
    "islower isnumeric isspace istitle isupper startswith",
    int: "__len__ count find rfind",
    str: "__add__ __getitem__ __mul__ capitalize casefold center expandtabs join ljust lower lstrip removeprefix "
    "removesuffix replace rjust rstrip strip swapcase title upper zfill",
}
"""The methods of `str` that a graph can hold, by what they give."""


def _op(name: str, call: Callable[..., Any], result: type) -> Op:
    def rule(*args: Any) -> TensorType:
        return python(result)

    return register(Op(name, call, rule, style="builtin", raises=_raises if name == "str.__getitem__" else None))


def _raises(text: Any, index: Any) -> bool:
    return not isinstance(index, slice)


def _mod_rule(text: Any, values: Any, /) -> TensorType:
    """`'%.2f' % x`: raises what Python raises for values of these types."""
    if type(text) is str:
        text % (tuple(map(_example, values)) if type(values) is tuple else _example(values))
    return python(str)


def _is_formatted(text: Any, values: Any, /) -> bool:
    """True where a number must be finite: `'%d' % x`."""
    return type(text) is not str or any(f"%{kind}" in text for kind in "dioxXuc")


def _example(value: Any) -> Any:
    return ghost(value) if isinstance(value, TensorType) else value


to_str = _op("str", str, str)
to_repr = _op("repr", repr, str)
mod = register(Op("str.__mod__", str.__mod__, _mod_rule, style="builtin", raises=_is_formatted))


def _choice_rule(options: Any, number: Any, /) -> TensorType:
    return python(str)


chosen = register(Op("dict.__getitem__", dict.__getitem__, _choice_rule, style="builtin"))
"""One of a few texts, by the number that each has."""

METHODS = {
    "__mod__": mod,
    **{
        name: _op(f"str.{name}", getattr(str, name), result)
        for result, names in _GIVEN.items()
        for name in names.split()
    },
}
"""The ops of these methods, by name."""
