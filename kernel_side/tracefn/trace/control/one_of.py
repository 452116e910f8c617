"""Values of which a traced number says what they are: `None` or an array, one of two texts, one of two functions."""

from __future__ import annotations

import enum
import functools
import operator
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...errors import ControlFlowError, TracefnError, message
from ...ir.op import by_name
from ..captures.resolve import same_value
from ..context import Trace, current
from ..fixed import Fixed
from ..origin import user_source, where
from ..tensor import FORMATTING, Tensor
from .joins import placeholder
from .undefined import Maybe

VALUE = -1
"""The number of the option that is an array or number, or a structure of them; the fixed ones count from 0."""

_NONE = object()
_FIXED: tuple[type, ...] = (
    str, bytes, type, enum.Enum, np.dtype, np.ufunc, slice, functools.partial,
    types.FunctionType, types.BuiltinFunctionType, types.MethodType,
)  # fmt: skip


class OneOf:
    """A value that is one of several: those of `fixed` with these `numbers`, and perhaps a `value` of the graph.

    `which` is the number of what it is. Whatever is done with it is done in branches, one for each option: what raises
    for `None` raises at the calls where it is `None`. Returned from a traced function it is what it is at that call.
    """

    __slots__ = ("fixed", "numbers", "value", "which")
    __array_ufunc__ = None  # NumPy leaves its operators to this class
    __tracefn_choice__ = True

    def __init__(self, fixed: Fixed, numbers: tuple[int, ...], which: Any, value: Any = _NONE) -> None:
        self.fixed = fixed
        self.numbers = numbers
        self.which = which
        self.value = value

    @property
    def has_value(self) -> bool:
        return self.value is not _NONE

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], Any]:
        return (self.which, self.value) if self.has_value else (self.which,), (self.fixed, self.numbers)

    @classmethod
    def __tracefn_unflatten__(cls, metadata: tuple[Fixed, tuple[int, ...]], children: tuple[Any, ...]) -> Any:
        made = cls(*metadata, *children)
        return made.option(made.which) if current() is None and type(made.which) is int else made

    def option(self, number: int) -> Any:
        return self.value if number == VALUE else self.fixed.values[number]

    def is_option(self, value: Any) -> Any:
        """Whether it is this fixed value: a traced bool, or a Python one where that is certain."""
        number = self.fixed.number(value)
        if number not in self.numbers:
            return False
        if type(self.which) is int:
            return self.which == number
        return True if self.numbers == (number,) and not self.has_value else self.which == number

    def split(self, function: Callable[[Any], Any]) -> Any:
        """What a function gives for the option that it is."""
        if type(self.which) is int:
            return function(self.option(self.which))
        return self._branches([*self.numbers, *([VALUE] if self.has_value else [])], function)

    def _branches(self, numbers: list[int], function: Callable[[Any], Any]) -> Any:
        from .branches import choose, run_side  # they join branches whose values differ by this class

        number, *others = numbers
        trace = current()
        if trace is None or not others:
            return _of_option(function, self.option(number))
        sides = {"if_true": [number], "if_false": others}
        test = self.which == number
        traced = [
            run_side(trace, name, lambda left=left: {"the value": self._branches(left, function)})  # type: ignore[misc]
            for name, left in sides.items()
        ]
        return choose(trace, "cond", test, traced)["the value"]

    def truth(self) -> Any:
        """Whether it counts as true."""
        return self.split(_truth)

    def __tracefn_tensor__(self) -> Any:
        """Its value. A call in which it is something else raises TypeError."""
        if not self.has_value:
            self.refuse("used as an array or number")

        def check(option: Any) -> None:
            if option is not self.value:
                raise TypeError(f"expected an array or a number, not {option!r}")

        self.split(check)
        return self.value

    def __iter__(self) -> Any:
        def check(option: Any) -> None:
            if option is not self.value:
                iter(option)
                self.refuse("iterated over")

        self.split(check)
        return iter(self.value)

    def __repr__(self) -> str:
        shown = [repr(self.fixed.values[n]) for n in self.numbers]
        return " or ".join([*shown, repr(self.value)] if self.has_value else shown)

    def __bool__(self) -> NoReturn:
        self.refuse("used as a condition in code that is not rewritten")

    __hash__ = None  # type: ignore[assignment]

    def __format__(self, spec: str) -> str:
        if spec or FORMATTING.stack:
            self.refuse("turned into text", "Use tracefn.print, return it, or add texts.")
        return repr(self)

    def __str__(self) -> str:
        return format(self)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self.refuse("made an array")

    def refuse(self, what: str, fix: str = "Compare it, or return it.") -> NoReturn:
        """Raises `ControlFlowError`."""
        raise ControlFlowError(
            message(f"a value that is {self!r}, as a traced value decides, was {what}", where(user_source(3)), fix)
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.split(lambda option: getattr(option, name))

    def __getitem__(self, key: Any) -> Any:
        return self.split(lambda option: option[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.split(lambda option: operator.setitem(option, key, value))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.split(lambda option: option(*args, **kwargs))


_OPERATORS = ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert")
_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *others: self.split(lambda option: function(option, *others))


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: self.split(lambda option: function(other, option))


for _name in _OPERATORS:
    setattr(OneOf, f"__{_name}__", _operator(getattr(operator, f"__{_name}__")))
for _name in _BINARY:
    setattr(OneOf, f"__{_name}__", _operator(getattr(operator, f"__{_name}__")))
    setattr(OneOf, f"__r{_name}__", _reflected(getattr(operator, f"__{_name}__")))
    setattr(OneOf, f"__i{_name}__", _operator(getattr(operator, f"__i{_name}__")))


def _truth(value: Any) -> Any:
    trace = current()
    return trace.record(by_name("bool"), (value,), {}) if trace is not None and type(value) is Tensor else bool(value)


def _of_option(function: Callable[[Any], Any], option: Any) -> Any:
    """`function(option)`. What is not traced for `None` is an error of the calls where it is `None`."""
    try:
        found = function(option)
    except TracefnError as error:
        if option is not None:
            raise
        raise TypeError(f"an array or number is needed, not None: {str(error).partition(chr(10))[0]}") from error
    if option is None and type(found) is Tensor and found.dtype.hasobject:
        raise TypeError("an array or number is needed, not None")
    return found


def refuse_choices(value: Any, what: str) -> None:
    """Raises `ControlFlowError` for a structure that holds a `OneOf`."""
    if type(value) is OneOf:
        value.refuse(what)
    for part in value.values() if type(value) is dict else value if type(value) in (tuple, list) else ():
        refuse_choices(part, what)


def is_fixed(value: Any) -> bool:
    """True for what a branch may choose and the graph does not compute."""
    return value is None or (
        type(value) is not Tensor and isinstance(value, _FIXED) and not isinstance(value, np.generic)
    )


def settle_fixed(trace: Trace, values: list[Any]) -> list[Any]:
    """The values that branches give a variable; where some are fixed and others are not the same, each as a `OneOf`."""
    first = values[0]
    if all(v is first for v in values[1:]):
        return values
    if all(type(v) is type(first) for v in values):
        if type(first) is Maybe:
            inner = settle_fixed(trace, [v.value for v in values])
            if all(new is v.value for v, new in zip(values, inner, strict=True)):
                return values
            return [Maybe(v.name, new, v.is_set) for v, new in zip(values, inner, strict=True)]
        if type(first) in (tuple, list, dict) and _keys(first) and all(_keys(v) == _keys(first) for v in values):
            return _settle_parts(trace, values)
    if not any(type(v) is OneOf or is_fixed(v) for v in values):
        return values
    if all(map(is_fixed, values)) and all(same_value(first, v) for v in values):
        return values
    fixed = trace.root.fixed
    given = [v.value if type(v) is OneOf else v for v in values if not is_fixed(v)]
    stand_in = next((placeholder(v) for v in given if v is not _NONE), _NONE)
    numbers = {n for v in values if type(v) is OneOf for n in v.numbers}
    numbers |= {fixed.number(v) for v in values if is_fixed(v)}
    return [_as_one_of(v, fixed, tuple(sorted(numbers)), stand_in) for v in values]


def _keys(value: Any) -> Any:
    return list(value) if type(value) is dict else list(range(len(value)))


def _settle_parts(trace: Trace, values: list[Any]) -> list[Any]:
    keys = _keys(values[0])
    parts = [[v[key] for v in values] for key in keys]
    columns = [settle_fixed(trace, part) for part in parts]
    if all(column is part for column, part in zip(columns, parts, strict=True)):
        return values
    rows = zip(*columns, strict=True)
    kind = type(values[0])
    return [dict(zip(keys, row, strict=True)) if kind is dict else kind(row) for row in rows]


def _as_one_of(value: Any, fixed: Fixed, numbers: tuple[int, ...], stand_in: Any) -> OneOf:
    if is_fixed(value):
        return OneOf(fixed, numbers, fixed.number(value), stand_in)
    if type(value) is not OneOf:
        return OneOf(fixed, numbers, VALUE, value)
    if value.numbers == numbers and value.has_value is (stand_in is not _NONE):
        return value
    return OneOf(fixed, numbers, value.which, value.value if value.has_value else stand_in)
