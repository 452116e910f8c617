"""A text that each call makes: an f-string with traced values in it, and operations on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from ...errors import TensorConversionError, UnsupportedFunctionError, message
from ...ir.op import by_name
from ...ir.template import Field, TextOf, formatted
from ...ir.types import ghost
from ...ops.texts import METHODS, chosen
from ..active import current
from ..context import Trace
from ..kinds import is_choice
from ..origin import user_source, where
from ..tensor import Tensor
from ..tensor_parts.formatting import FORMATTING
from .graph_list import GraphList
from .symbolic_int import SymbolicInt


class Text:
    """Stands for a `str`. Returned from a traced function it is the text of that call.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: f"{x.mean():.2f}".rjust(8))
    >>> f(np.arange(4.0)), f(np.ones(4))
    ('    1.50', '    1.00')
    """

    __slots__ = ("_shown", "tensor")

    def __init__(self, tensor: Tensor, shown: Callable[[], str] | None = None) -> None:
        self.tensor = tensor
        self._shown = shown

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], None]:
        return (self.tensor,), None

    @classmethod
    def __tracefn_unflatten__(cls, metadata: None, children: tuple[Any, ...]) -> Any:
        (child,) = children
        return child if type(child) is str else cls(child)

    def __str__(self) -> str:
        """The text that `print` shows while tracing: the values in it as Tensors."""
        if FORMATTING.stack:
            return str(self.tensor)
        return repr(self.tensor) if self._shown is None else self._shown()

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self.tensor if FORMATTING.stack else str(self), spec)

    def __getattr__(self, name: str) -> Any:
        if name in METHODS and not name.startswith("__"):
            return lambda *args: text_call(name, self, *args)
        if name.startswith("__") or not hasattr(str, name):
            raise AttributeError(f"'str' object has no attribute '{name}'")
        self._refuse(f"was used with .{name}()")

    def __getitem__(self, index: Any) -> Any:
        return text_call("__getitem__", self, index)

    def __add__(self, other: Any) -> Any:
        return text_call("__add__", self, other) if _is_text(other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return text_call("__add__", other, self) if _is_text(other) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return text_call("__mul__", self, times)

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> Any:
        return text_call("__mod__", self, values)

    def __bool__(self) -> NoReturn:
        self._refuse("was used as a condition", "Write `len(text) > 0`.")

    def __hash__(self) -> int:
        self._refuse("was hashed (dict key, set)")

    def __iter__(self) -> Iterator[Any]:
        self._refuse("was iterated over")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self._refuse("was made an array")

    def _refuse(self, what: str, fix: str = "Return the text, and do this outside the traced function.") -> NoReturn:
        raise TensorConversionError(message(f"a text with traced values in it {what}", where(user_source(4)), fix))


def _comparison(name: str) -> Callable[..., Any]:
    def compare(self: Text, other: Any) -> Any:
        return text_call(name, self, other) if _is_text(other) else NotImplemented

    return compare


for _name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(Text, _name, _comparison(_name))


def _is_text(value: Any) -> bool:
    return type(value) is Text or isinstance(value, str)


def is_traced(value: Any) -> bool:
    """True for traced values, and containers that hold some: they have no text while tracing."""
    if type(value) in (list, tuple, GraphList, deque):
        return any(map(is_traced, value))
    if issubclass(type(value), dict):
        return any(map(is_traced, dict.values(value)))
    return type(value) in (Tensor, SymbolicInt, Text) or _is_foreign(value) or _is_choice_of_texts(value)


def _is_foreign(value: Any) -> bool:
    """True for the stand-in for an object of a library: a date, a Decimal, a Series."""
    return hasattr(type(value), "__tracefn_foreign__")


def _is_choice_of_texts(value: Any) -> bool:
    return is_choice(value) and not value.values and all(type(value.option(n)) is str for n in value.numbers)


def text_call(name: str, *args: Any) -> Any:
    """The result of a method of `str`, in the graph."""
    trace = current()
    assert trace is not None
    return _made(trace.record(METHODS[name], tuple(map(_plain, args)), {}), None)


def converted(op_name: str, value: Any) -> Any:
    """`str` or `repr` of a traced value."""
    trace = current()
    assert trace is not None
    plain: Callable[[Any], str] = {"str": str, "repr": repr}[op_name]  # type: ignore[assignment]
    return _made(trace.record(by_name(op_name), (_plain(value),), {}), lambda: plain(value))


def text(*parts: Any) -> Any:
    """The text of an f-string, whose parts are texts and fields: (value, conversion, spec)."""
    trace = current()
    fields = [p for p in parts if type(p) is tuple]
    if trace is not None and not FORMATTING.stack:
        choice = next((f for f in fields if is_choice(f[0])), None)
        if choice is not None:  # of a few values that a traced one chooses from
            return choice[0].split(lambda v: text(*[(v, *choice[1:]) if p is choice else p for p in parts]))
        if any(is_traced(value) or is_traced(spec) for value, _, spec in fields):
            return _recorded(trace, parts)
    return plain_text(formatted, TextOf(tuple([Field(*p) if type(p) is tuple else p for p in parts])), _itself)


def plain_text(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A text that Python makes while tracing, which all calls have. Raises `TensorConversionError` for one that shows
    the trace's stand-in for a value: a view of a dict, an exception and other objects put their parts into their
    texts."""
    before = FORMATTING.stand_ins
    made = function(*args, **kwargs)
    if FORMATTING.stand_ins != before and current() is not None:
        raise TensorConversionError(
            message(
                "a text shows an object that holds traced values",
                where(user_source(3)),
                "Make the text of the values, or of a list or dict of them.",
            )
        )
    return made


def _recorded(trace: Trace, parts: tuple[Any, ...]) -> Any:
    found = []
    for part in parts:
        if type(part) is tuple:
            value, conversion, spec = part
            if type(value) is Tensor and type(spec) is str and spec and not conversion:
                format(ghost(value._node.type), spec)  # raises where there is no such format
            part = Field(_plain(value), conversion, TextOf((Field(_plain(spec)),)) if is_traced(spec) else spec)
        found.append(part)
    made = trace.record(by_name("str"), (TextOf(tuple(found)),), {})
    return _made(made, lambda: "".join([p if type(p) is str else _shown(*p) for p in parts]))


def _shown(value: Any, conversion: str, spec: Any) -> str:
    if type(value) is Text or not is_traced(value):
        return format(
            value if conversion == "" or type(value) is Text else repr(value), "" if is_traced(spec) else spec
        )
    return repr(value)


def _made(found: Tensor, shown: Callable[[], str] | None) -> Any:
    return Text(found, shown) if found.dtype.char == "T" else found


def _plain(value: Any) -> Any:
    """An argument of a text op: a Text as its Tensor."""
    if type(value) in (list, tuple, GraphList):
        return (tuple if type(value) is tuple else list)(map(_plain, value))
    if type(value) is dict:
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, dict | deque) and is_traced(value):
        kind = type(value).__name__
        raise UnsupportedFunctionError(
            message(
                f"a text is made of a {kind} with traced values in it", where(user_source(4)), "Use a list or dict."
            )
        )
    if _is_choice_of_texts(value):
        trace = current()
        assert trace is not None
        options = {n: value.option(n) for n in value.numbers}
        return trace.record(chosen, (options, value.which), {}) if type(value.which) is Tensor else options[value.which]
    if _is_foreign(value):
        return value._tensor()
    if not isinstance(value, _SHOWN_AS_IS):
        plain_text(repr, value)
    return value.tensor if type(value) is Text else value


_SHOWN_AS_IS = (str, bytes, int, float, complex, type(None), np.ndarray, np.generic, Tensor, SymbolicInt, Text)


def _itself(value: Any) -> Any:
    return value
