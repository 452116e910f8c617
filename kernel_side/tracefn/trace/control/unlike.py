"""Values of which branches give different types or structures: a number tells which, and each has its own type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.types import Kind
from ..context import Trace
from ..state.place import Contents, Held
from .joins import are_of_one_type, is_value, join, placeholder, value_type
from .one_of import VALUE, OneOf, is_option, settle_fixed
from .outside_containers import flatten_made
from .types import Typed, settle_types
from .undefined import Maybe, settle_undefined

MAX_OPTIONS = 4
"""More types than a value that is used may have: all that is done with it is traced for each."""


def settle(trace: Trace, key: Any, values: list[Any], bodies: Sequence[Trace]) -> list[Any]:
    """What branches with these bodies leave under a key, as values that can become one."""
    values = settle_fixed(trace, settle_undefined(key, values))
    if key != "result" and not isinstance(key, Held):  # that of a function that is given to `cond`
        values = settle_types(values, bodies)
        if not isinstance(key, Contents) and (unlike := settle_unlike(trace, values, bodies)) is not values:
            values = settle_types(unlike, bodies)  # numbers in parts that they now have in common
    return values


def settle_unlike(trace: Trace, values: list[Any], bodies: Sequence[Trace] = ()) -> list[Any]:
    """The values that branches give a variable; where these have no type in common, each as a `OneOf`. Without `bodies`
    the options of those that are one already stay in order."""
    first = values[0]
    if len(values) < 2 or all(v is first for v in values) or are_of_one_type(values) or _are_settled(values):
        return values
    if all(type(v) is Maybe for v in values):
        inner = settle_unlike(trace, [v.value for v in values], bodies)
        if all(new is v.value for v, new in zip(values, inner, strict=True)):
            return values
        return [Maybe(v.name, new, v.is_set) for v, new in zip(values, inner, strict=True)]
    if type(first) in (tuple, list) and all(type(v) is type(first) and len(v) == len(first) for v in values):
        columns = [list(parts) for parts in zip(*values, strict=True)]
        settled = [settle_unlike(trace, column, bodies) for column in columns]
        if all(new is old for old, new in zip(columns, settled, strict=True)):
            return values
        return [type(first)(row) for row in zip(*settled, strict=True)]
    options: list[Any] = []
    for value in sorted(values, key=lambda v: type(v) is not OneOf):
        for option in value.values if type(value) is OneOf else (value,):
            if is_option(option) or not _is_understood(option):
                return values
            if not any(are_alike(option, other) for other in options):
                options.append(option)
    if len(options) < 2 or len(options) > MAX_OPTIONS or any(type(v) is OneOf and v.numbers for v in values):
        return values
    inside: Sequence[Trace | None] = bodies or [None] * len(values)
    found = [_as_one_of(trace, v, options, b) for v, b in zip(values, inside, strict=True)]
    return values if any(v is None for v in found) else found


def _are_settled(values: list[Any]) -> bool:
    """True for numbers that may each have the same types."""
    return all(type(v) is Typed and v.types == values[0].types for v in values)


def _as_one_of(trace: Trace, value: Any, options: list[Any], body: Trace | None) -> Any:
    """A value that a body leaves as one of these types. None for one of several in another order without a body."""
    given = list(value.values) if type(value) is OneOf else [value]
    numbers = [next(i for i, other in enumerate(options) if are_alike(option, other)) for option in given]
    is_in_order = numbers == list(range(len(given)))
    if type(value) is OneOf and not is_in_order and body is None:
        return None
    if type(value) is OneOf and is_in_order and len(given) == len(options):
        return value
    held = [placeholder(option) for option in options]
    for number, option in zip(numbers, given, strict=True):
        held[number] = option
    which: Any = VALUE - numbers[0]
    if type(value) is OneOf:
        which = value.which if body is None or is_in_order else _moved(value, numbers, body)
    return OneOf(trace.root.fixed, (), which, *held)


def _moved(value: OneOf, numbers: list[int], body: Trace) -> Any:
    """The number of an option where the options of a value have these numbers."""
    moved = {id(option): VALUE - number for option, number in zip(value.values, numbers, strict=True)}
    with body.active():
        which = value.split(lambda option: moved[id(option)])
    body.ended = False
    return which


def _is_understood(value: Any) -> bool:
    found = flatten_made(value, "")[0]
    return all(
        value_type(leaf).kind is not Kind.LIST if is_value(leaf) else leaf is not value and is_option(leaf)
        for _, leaf in found
    )


def are_alike(left: Any, right: Any) -> bool:
    """True for values that one value can stand for."""
    found, tree = flatten_made(left, "")
    others, other_tree = flatten_made(right, "")
    return tree == other_tree and all(_fit(a, b) for (_, a), (_, b) in zip(found, others, strict=True))


def _fit(left: Any, right: Any) -> bool:
    """The same for single ones. Those that are fixed are the same for all calls."""
    if is_value(left) and is_value(right):
        return _have_one_type(left, right)
    return left is right or (type(left) is type(right) and isinstance(left, str | bytes) and left == right)


def _have_one_type(left: Any, right: Any) -> bool:
    one, other = value_type(left), value_type(right)
    if Kind.PYTHON in (one.kind, other.kind):
        return one.ndim == other.ndim and Kind.ARRAY not in (one.kind, other.kind)  # an array without axes is none
    return join(one, other) is not None
