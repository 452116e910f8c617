"""Python's texts: f-strings, `str`, `repr`, `%` and the methods of `str` on values that each call computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..ir.op import Op, register
from ..ir.template import Field, TextOf
from ..ir.types import Kind, TensorType, ghost, python

_GIVEN = {
    bool: "__contains__ __eq__ __ge__ __gt__ __le__ __lt__ __ne__ endswith isalnum isalpha isascii isdecimal isdigit "
    "islower isnumeric isspace istitle isupper startswith",
    int: "__len__ count find rfind",
    str: "__add__ __getitem__ __mul__ capitalize casefold center expandtabs join ljust lower lstrip removeprefix "
    "removesuffix replace rjust rstrip strip swapcase title upper zfill",
}
"""The methods of `str` that a graph can hold, by their results."""


def _op(name: str, call: Callable[..., Any], result: type) -> Op:
    def rule(*args: Any) -> TensorType:
        if name in _OPERATORS:
            _try_types(call, args)
        return python(result)

    return register(Op(name, call, rule, style="builtin", raises=_RAISES.get(name)))


def _times(text: str, n: Any) -> Any:
    return text * n


def _item(text: str, index: Any) -> Any:
    return text[index]


_OPERATORS: dict[str, Callable[..., Any]] = {"str.__mul__": _times, "str.__getitem__": _item}
"""The calls of methods that Python's operators are: these raise errors of their own."""


def _try_types(call: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Raises Python's error for values of these types, whatever they are."""
    if any(map(_is_object, args)):
        return
    try:
        call(*map(_example, args))
    except (IndexError, OverflowError, MemoryError):
        return


def _takes_item(text: Any, index: Any) -> bool:
    return not isinstance(index, slice)


def _may_not_fit(text: Any) -> bool:
    """True for a text with a format that is not for values of the type, or is of a library's object, which may not know
    it."""
    return isinstance(text, TextOf) and any(isinstance(part, Field) and not _fits(part) for part in text.parts)


def _fits(field: Field) -> bool:
    if field.conversion or field.spec == "":
        return True
    if _is_object(field.value) or type(field.spec) is not str:
        return False
    try:
        format(_example(field.value), field.spec)
    except (TypeError, ValueError):
        return False
    return True


def _is_object(value: Any) -> bool:
    return isinstance(value, TensorType) and value.kind is Kind.OBJECT


_RAISES: dict[str, Callable[..., bool]] = {"str.__getitem__": _takes_item, "str": _may_not_fit}


def _mod_rule(text: Any, values: Any, /) -> TensorType:
    """`'%.2f' % x`: raises Python's error for values of these types. Errors of objects are not known."""
    if type(text) is str and not any(map(_is_object, _each(values))):
        text % _example(values)
    return python(str)


def _is_formatted(text: Any, values: Any, /) -> bool:
    """True where a number must be finite, as in `'%5d' % x`, or an object a number."""
    pattern = _OF_NUMBERS if any(map(_is_object, _each(values))) else _OF_INTEGERS
    return type(text) is not str or re.search(pattern, text) is not None


_OF_INTEGERS = r"%(\(\w*\))?[^a-zA-Z%]*[dioxXuc]"
_OF_NUMBERS = r"%(\(\w*\))?[^a-zA-Z%]*[dioxXuceEfFgG]"


def _each(values: Any) -> tuple[Any, ...]:
    if isinstance(values, dict):
        return tuple(values.values())
    return values if type(values) is tuple else (values,)


def _example(value: Any) -> Any:
    if type(value) is tuple:
        return tuple(map(_example, value))
    if isinstance(value, dict):
        return {k: _example(v) for k, v in value.items()}
    if type(value) is slice:
        return slice(*map(_example, (value.start, value.stop, value.step)))
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
        name: _op(f"str.{name}", _OPERATORS.get(f"str.{name}", getattr(str, name)), result)
        for result, names in _GIVEN.items()
        for name in names.split()
    },
}
"""The ops of these methods, by name."""
