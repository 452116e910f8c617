"""Tagged values, of which a traced number chooses one: `None` or an array, one of two texts, real or complex."""

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
from .. import provided
from ..active import current
from ..context import Trace
from ..keys import key_text
from ..origin import user_source, where
from ..state.compared import same_value
from ..tensor import Tensor
from ..tensor_parts.formatting import FORMATTING
from ..trace_parts.fixed import Fixed
from .chosen import Chosen, ChosenDict
from .joins import common, is_found, placeholder
from .outside_containers import is_outside_container
from .undefined import Maybe

VALUE = -1
"""The number of the first option that is an array or number, or a structure of them, and less for further ones; the
fixed ones count from 0."""

_NONE = object()
_FIXED: tuple[type, ...] = (
    str, bytes, type, enum.Enum, np.dtype, np.ufunc, slice, functools.partial,
    types.FunctionType, types.BuiltinFunctionType, types.MethodType,
)  # fmt: skip


class OneOf:
    """A value that is one of several: those of `fixed` with these `numbers`, and `values` of the graph.

    `which` is the number of the option. Whatever is done with it is done in branches, one for each option: an error
    for `None` is raised at the calls where it is `None`. Returned from a traced function it is the option of that call.
    """

    __slots__ = ("fixed", "numbers", "values", "which")
    __tracefn_choice__ = True

    def __init__(self, fixed: Fixed, numbers: tuple[int, ...], which: Any, *values: Any) -> None:
        self.fixed = fixed
        self.numbers = numbers
        self.which = which
        self.values = values
        fixed.in_use = True

    @property
    def value(self) -> Any:
        """The first option that is an array or number."""
        return self.values[0] if self.values else _NONE

    @property
    def has_value(self) -> bool:
        return bool(self.values)

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], Any]:
        return (self.which, *self.values), (self.fixed, self.numbers)

    @classmethod
    def __tracefn_unflatten__(cls, metadata: tuple[Fixed, tuple[int, ...]], children: tuple[Any, ...]) -> Any:
        made = cls(*metadata, *children)
        if current() is not None or type(made.which) is not int:
            return made
        is_one = made.which in made.numbers or -len(made.values) <= made.which < 0
        return made.option(made.which) if is_one else made  # else it is in an option that was not chosen

    def option(self, number: int) -> Any:
        return self.values[VALUE - number] if number < 0 else self.fixed.values[number]

    def is_option(self, value: Any) -> Any:
        """Whether it is this fixed value: a traced bool, or a Python one where that is certain."""
        number = self.fixed.number(value)
        if number not in self.numbers:
            return False
        if type(self.which) is int:
            return self.which == number
        return True if self.numbers == (number,) and not self.has_value else self.which == number

    def split(self, function: Callable[[Any], Any]) -> Any:
        """The result of a function for the option that it is."""
        if type(self.which) is int:
            return function(self.option(self.which))
        known = self.fixed.decided.get(id(self.which))
        if known is not None:
            return function(self.option(known))
        return self._branches(self.all_numbers(), function)

    def all_numbers(self) -> list[int]:
        """The numbers of all options."""
        return [*self.numbers, *[VALUE - i for i in range(len(self.values))]]

    def _branches(self, numbers: list[int], function: Callable[[Any], Any]) -> Any:
        number, *others = numbers
        trace = current()
        if trace is None or not others:
            decided = self.fixed.decided
            self.fixed.decided = {**decided, id(self.which): number}
            try:
                return _of_option(function, self.option(number))
            finally:
                self.fixed.decided = decided
        test = self.which == number
        sides = [
            provided.run_side(trace, name, lambda left=left: {"the value": self._branches(left, function)})
            for name, left in (("if_true", [number]), ("if_false", others))
        ]
        given = [side.value("the value") for side in sides]
        if len(self.values) == 2 and all(type(v) is Tensor for v in given) and common(given) is None:
            for side, kept, other in zip(sides, ("first", "second"), ("second", "first"), strict=True):
                stands = placeholder(given[0] if kept == "second" else given[1])
                written = {key: value for key, value in (side.values or {}).items() if key != "the value"}
                side.values = {**written, kept: side.value("the value"), other: stands}
            found = provided.choose(trace, "cond", test, sides)
            return OneOf(self.fixed, (), self.which, found["first"], found["second"])
        return provided.choose(trace, "cond", test, sides)["the value"]

    def truth(self) -> Any:
        """Whether it counts as true."""
        return self.split(_truth)

    def __tracefn_tensor__(self) -> Any:
        """Its value. A call in which it is something else raises TypeError."""
        if len(self.values) != 1:
            self.refuse("used as an array or number")

        def check(option: Any) -> None:
            if option is not self.value:
                raise TypeError(f"expected an array or a number, not {option!r}")

        self.split(check)
        return self.value

    def __iter__(self) -> Any:
        options = list(map(self.option, self.all_numbers()))
        if self.has_containers and all(isinstance(v, list | tuple) and len(v) == len(options[0]) for v in options):
            return iter([self.split(functools.partial(_item_of, key=key)) for key in range(len(options[0]))])
        if len(self.values) > 1:
            if any(len(v) != len(self.value) for v in self.values):
                self.refuse("iterated over outside a `for` statement")
            return iter([self[i] for i in range(len(self.value))])

        def check(option: Any) -> None:
            if option is not self.value:
                iter(option)
                self.refuse("iterated over")

        self.split(check)
        return iter(self.value)

    def __repr__(self) -> str:
        shown = [key_text(self.fixed.values[n]) for n in self.numbers]
        return FORMATTING.stand_in(" or ".join([*shown, *map(repr, self.values)]))

    def __bool__(self) -> NoReturn:
        self.refuse("used as a condition in code that is not rewritten")

    def __hash__(self) -> int:
        self.refuse("hashed (dict key, set, lru_cache)", "Choose by a Python value.")

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

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        call = getattr(ufunc, method)
        return self.split(lambda option: call(*with_option(self, option, inputs), **with_option(self, option, kwargs)))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.split(lambda option: func(*with_option(self, option, args), **with_option(self, option, kwargs)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse_unseen()
        return self.split(lambda option: getattr(option, name))

    def __getitem__(self, key: Any) -> Any:
        return self.split(lambda option: option[key])

    @property
    def has_containers(self) -> bool:
        """True if some of the fixed options are containers from outside."""
        return any(is_outside_container(self.option(number)) for number in self.numbers)

    @property
    def is_iterated_by_option(self) -> bool:
        """True if a loop over it is a loop over each option: over more than one that is no `None`."""
        return len(self.values) > 1 or self.has_containers

    def _refuse_unseen(self) -> None:
        """Raises `ControlFlowError` for code that is not rewritten: its changes of containers are not seen."""
        if self.has_containers:
            self.refuse("used in code that is not rewritten")

    def __setitem__(self, key: Any, value: Any) -> None:
        self._refuse_unseen()
        self.split(lambda option: operator.setitem(option, key, value))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.split(lambda option: option(*args, **kwargs))


class MadeOfOne:
    """A value made of a `OneOf` that has none of its own in the graph: its elements in C order, pairs for a loop. It
    is made anew in each branch in which it is used."""

    def __init__(self, choice: OneOf, make: Callable[[Any], Any]) -> None:
        self.choice = choice
        self.make = make

    def split(self, function: Callable[[Any], Any]) -> Any:
        """The result of a function for the value made of the option that the choice is."""
        return self.choice.split(lambda option: function(self.make(option)))

    def __iter__(self) -> Any:
        self.choice.refuse("iterated over outside a `for` statement")


_OPERATORS = ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert")
_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *others: self.split(lambda option: function(option, *others))


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: OneOf, other: Any) -> Any:
        self._refuse_unseen()
        return self.split(lambda option: function(option, other))

    return method


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: self.split(lambda option: function(other, option))


for _name in _OPERATORS:
    setattr(OneOf, f"__{_name}__", _operator(getattr(operator, f"__{_name}__")))
for _name in _BINARY:
    setattr(OneOf, f"__{_name}__", _operator(getattr(operator, f"__{_name}__")))
    setattr(OneOf, f"__r{_name}__", _reflected(getattr(operator, f"__{_name}__")))
    setattr(OneOf, f"__i{_name}__", _operator(getattr(operator, f"__i{_name}__")))


def _item_of(option: Any, key: int) -> Any:
    return provided.item(option, key)


def with_option(choice: OneOf, option: Any, value: Any) -> Any:
    """Arguments with the option in the place of the choice."""
    if type(value) is dict:
        return {k: with_option(choice, option, v) for k, v in value.items()}
    if type(value) in (tuple, list):
        return type(value)([with_option(choice, option, v) for v in value])
    return option if value is choice else value


def _truth(value: Any) -> Any:
    trace = current()
    return trace.record(by_name("bool"), (value,), {}) if trace is not None and type(value) is Tensor else bool(value)


def _of_option(function: Callable[[Any], Any], option: Any) -> Any:
    """`function(option)`. A refusal for `None` is an error of the calls where it is `None`."""
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
    for part in value.values() if type(value) is dict else value if isinstance(value, tuple | list) else ():
        refuse_choices(part, what)


def is_fixed(value: Any) -> bool:
    """True for values that a branch may choose and the graph does not compute."""
    if type(value) is slice:
        return not any(type(part) is Tensor or is_found(part) for part in (value.start, value.stop, value.step))
    return value is None or (
        type(value) is not Tensor and isinstance(value, _FIXED) and not isinstance(value, np.generic)
    )


def is_option(value: Any) -> bool:
    """True for a fixed value, and for a container from outside."""
    return is_fixed(value) or is_outside_container(value)


_OF_THE_GRAPH = frozenset({Tensor, int, float, bool})
"""Types of most values that branches and rounds leave. None of these is fixed."""


def settle_fixed(trace: Trace, values: list[Any]) -> list[Any]:
    """The values that branches give a variable; where some are fixed and others are not the same, each as a `OneOf`."""
    first = values[0]
    if _OF_THE_GRAPH.issuperset(map(type, values)) or all(v is first for v in values[1:]):
        return values
    if all(type(v) is type(first) for v in values):
        if type(first) is Maybe:
            inner = settle_fixed(trace, [v.value for v in values])
            if all(new is v.value for v, new in zip(values, inner, strict=True)):
                return values
            return [Maybe(v.name, new, v.is_set) for v, new in zip(values, inner, strict=True)]
        is_tuple = type(first) is tuple or hasattr(type(first), "_make")
        is_container = type(first) in (list, dict, Chosen, ChosenDict) and not any(map(is_outside_container, values))
        if (is_tuple or is_container) and _keys(first) and all(_keys(v) == _keys(first) for v in values):
            return _settle_parts(trace, values)
    if not any(type(v) is OneOf or is_option(v) for v in values):
        return values
    if all(map(is_fixed, values)) and all(same_value(first, v) for v in values):
        return values
    if any(type(v) is OneOf and len(v.values) > 1 for v in values):
        return values
    fixed = trace.root.fixed
    given = [v.value if type(v) is OneOf else v for v in values if not is_option(v)]
    stand_in = next((placeholder(v) for v in given if v is not _NONE), _NONE)
    numbers = {n for v in values if type(v) is OneOf for n in v.numbers}
    numbers |= {fixed.number(v) for v in values if is_option(v)}
    return [_as_one_of(trace, v, tuple(sorted(numbers)), stand_in) for v in values]


def _keys(value: Any) -> Any:
    return list(value) if isinstance(value, dict) else list(range(len(value)))


def _settle_parts(trace: Trace, values: list[Any]) -> list[Any]:
    keys = _keys(values[0])
    parts = [[v[key] for v in values] for key in keys]
    columns = [settle_fixed(trace, part) for part in parts]
    if all(column is part for column, part in zip(columns, parts, strict=True)):
        return values
    rows = zip(*columns, strict=True)
    kind = type(values[0])
    if issubclass(kind, dict):
        return [kind(zip(keys, row, strict=True)) for row in rows]
    if hasattr(kind, "_fields"):  # a named tuple, whose `_make` may be decorated
        return [tuple.__new__(kind, row) for row in rows]
    return [kind(row) for row in rows]


def _as_one_of(trace: Trace, value: Any, numbers: tuple[int, ...], stand_in: Any) -> OneOf:
    fixed = trace.root.fixed
    if is_option(value):
        return OneOf(fixed, numbers, fixed.number(value), *([] if stand_in is _NONE else [stand_in]))
    if type(value) is not OneOf:
        return OneOf(fixed, numbers, VALUE, value)
    if value.numbers == numbers and value.has_value is (stand_in is not _NONE):
        return value
    return OneOf(fixed, numbers, value.which, *(value.values or ([] if stand_in is _NONE else [stand_in])))
