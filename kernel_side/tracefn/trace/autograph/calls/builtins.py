"""Python's built-in functions on traced values: the meaning of each. On other values they are themselves."""

from __future__ import annotations

import copy
import itertools
import operator
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import ControlFlowError, message
from ....ir.op import by_name
from ....ir.types import Kind, class_name
from ....ops.python_math import MATH
from ... import provided
from ...active import current, note_address
from ...foreign import Foreign
from ...foreign import call as step
from ...origin import user_source, where
from ...reads import in_trace
from ...tensor import Tensor
from ...values.graph_container import is_container
from ...values.graph_list import GraphList
from ...values.symbolic_int import SymbolicInt
from ...values.traced_range import Indexed, TracedRange
from ...values.traced_text import Text, text_call
from ..augmented import IN_PLACE
from ..containers.changes import decided, refuse_unknown
from ..containers.contents import drawn_from, elements_of, items_of, rounds_over, size_of
from ..containers.copies import deep, shallow
from ..containers.ends import as_known, length_of
from ..containers.foreseen import foresee, is_foreseen
from ..containers.numbers import numbers_of
from ..containers.symbolic import holds_what_is_found
from ..hooks.comprehensions import list_comp
from ..hooks.identity import identity
from ..hooks.items import changed_by_operator, item
from ..hooks.loops import each
from ..hooks.places import delete_item, store_item
from ..hooks.side_effects import noted_print
from ..hooks.texts import conversion, format_, percent, refuse_ascii
from ..iterators.advancing import Items, advanced, is_taken_from, refuse_in_body
from ..iterators.iterables import Enumerated, OneTime, Reversed, Zipped, is_staged_iterable
from ..special import inherits, special
from .asking import is_callable, is_scalar, type_of
from .attributes import attributes_of, del_attribute, get_attribute, has_attribute, refuse_names, set_attribute
from .class_checks import is_instance, is_subclass
from .least import least
from .numbers import of_numbers, to_bool, to_number
from .ordering import sorted_


def _range(*args: Any) -> Any:
    args = tuple(map(as_known, args))
    if not any(type(a) in (Tensor, SymbolicInt) for a in args):
        return range(*args)
    bounds = [a if type(a) in (Tensor, SymbolicInt) else operator.index(a) for a in args]
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    return TracedRange(start, stop, step)


def _len(value: Any) -> Any:
    if type(value) is GraphList or is_container(value):
        return value.length()
    if type(value) is Tensor and value.ndim:
        return value.shape[0]
    if type(value) is Tensor and value._node.type.kind in (Kind.SCALAR, Kind.PYTHON):
        if value.dtype.kind in "SU":
            return value._trace.record(by_name("int"), (np.strings.str_len(value),), {})
        raise TypeError(f"object of type {class_name(value._node.type)!r} has no len()")
    if type(value) is Text:
        return text_call("__len__", value)
    if isinstance(value, Zipped | Enumerated | Reversed | TracedRange):
        return value.length
    return len(value) if (mine := special(value, "__len__")) is None else mine()


def _sum(values: Any, /, start: Any = 0) -> Any:
    if not is_staged_iterable(values):
        return sum(values, start)
    total = [start]

    def add(item: Any) -> None:
        total[0] = total[0] + item

    def put(state: tuple[Any, ...]) -> None:
        total[0] = state[0]

    each(values, add, lambda: (total[0],), put, ("sum",))
    return total[0]


def _any(values: Any, /) -> Any:
    return _folded(values, np.any, np.logical_or, True)


def _all(values: Any, /) -> Any:
    return _folded(values, np.all, np.logical_and, False)


def _folded(values: Any, of_array: Any, join: Any, decisive: bool) -> Any:
    """`any` or `all`: the first value of which Python knows that it is `decisive` ends it."""
    if type(values) is GraphList and values.is_of_numbers:
        values = values.as_array(of_no_elements=True)
    if type(values) is Tensor and values.ndim == 1:
        return _truth(of_array(values))
    result: Any = not decisive
    trace, noted = current(), 0
    for value in values:
        if trace is not None and type(result) is Tensor and trace.journal.noted != noted:
            raise ControlFlowError(
                message(
                    "`any` or `all` goes over values of which a traced one decides whether the rest, which changes "
                    "something, is computed",
                    where(user_source(3)),
                    "Compute them all first, in a list.",
                )
            )
        truth = _truth(value) if type(in_trace(value)) is Tensor else bool(value)
        if truth is decisive:
            return decisive
        if type(truth) is Tensor:
            result = truth if type(result) is bool else _truth(join(result, truth))
            noted = 0 if trace is None else trace.journal.noted
    return result


def _truth(value: Any) -> Any:
    trace = current()
    return bool(value) if trace is None else trace.record(by_name("bool"), (value,), {})


def _zip(*iterables: Any, strict: bool = False) -> Any:
    if not any(map(is_staged_iterable, iterables)):
        return zip(*iterables, strict=strict)
    zipped = Zipped(*iterables)
    if strict:
        zipped.require_equal_lengths()
    return zipped


def _enumerate(iterable: Any, start: int = 0) -> Any:
    return Enumerated(iterable, start) if is_staged_iterable(iterable) else enumerate(iterable, start)


def _reversed(sequence: Any, /) -> Any:
    return Reversed(sequence) if is_staged_iterable(sequence) else reversed(sequence)


def _list(*values: Any) -> Any:
    """`list(values)`: of an array whose length values decide, and of a list in the graph, one in the graph."""
    (given,) = values or (None,)
    if type(given) is GraphList and given.is_staged:
        return given.copy()
    if type(given) is Reversed and type(given.parts[0]) is GraphList:
        given.taken()
        return given.parts[0][::-1]
    if type(given) is TracedRange and any(type(bound) is Tensor for bound in (given.start, given.stop, given.step)):
        trace = current()
        assert trace is not None
        return GraphList.of(trace.record(by_name("list_range"), (given.start, given.stop, given.step), {}))
    if type(given) is Tensor and given.ndim and type(given.shape[0]) is SymbolicInt and given.shape[0].is_traced:
        found = GraphList()
        found.stage(given._trace)
        found.extend(given)
        return found
    if isinstance(given, Indexed) and type(given.length) is Tensor:
        return list_comp(given, lambda item: item, part=type(given).__name__)
    return list(*values)


def _map(function: Any, /, *iterables: Any) -> Any:
    """`map(function, *iterables)`, with the function rewritten."""
    called = provided.callee(function)
    return (called(*values) for values in zip(*iterables, strict=False))


def _set_item(owner: Any, key: Any, value: Any, /) -> None:
    store_item(value, owner, key)


def _hash(value: Any, /) -> Any:
    """`hash(value)`: by a method of the user's, or by Python's, in whose place there may be one later."""
    if (mine := special(value, "__hash__")) is not None and type(made := mine()) is int:
        return (
            made if -sys.maxsize <= made + 1 <= sys.maxsize + 1 and made != -1 else hash(made)
        )  # a long one is shortened
    inherits(value, "__hash__")
    note_address()
    return hash(value)


def _next(iterator: Any, /, *default: Any) -> Any:
    trace = current()
    if trace is None:
        return next(iterator, *default)
    if (mine := special(iterator, "__next__")) is not None:
        try:
            return mine()
        except StopIteration:
            if default:
                return default[0]
            raise
    if isinstance(iterator, OneTime):
        iterator.refuse_next()
    if trace.is_outside(iterator):
        return advanced(trace, iterator, default)
    refuse_in_body(trace, iterator)
    return next(iterator, *default)


def _iter(value: Any, /, *sentinel: Any) -> Any:
    """`iter(value)`: of a container from outside all is read."""
    trace = current()
    if trace is not None and isinstance(value, list | dict | set | deque) and trace.is_outside(value):
        if is_foreseen(value):
            return iter(foresee(value, list))
        refuse_unknown(trace, value)
        if trace.is_changed(value):
            holds_what_is_found(trace, value)
        else:
            trace.read_whole(decided(value))
    return iter(value, *sentinel)


def _islice(iterable: Any, /, *bounds: Any) -> Any:
    """`itertools.islice`: the first items of an iterator from outside."""
    trace = current()
    is_taken = trace is not None and is_taken_from(trace, iterable)
    if is_taken and list(map(type, bounds)) == [int] and bounds[0] >= 0:
        return Items(iterable, bounds[0])
    found = in_trace(iterable)
    known = [operator.index(n) if type(n) in (Tensor, SymbolicInt) else n for n in bounds]  # says which value it was
    return itertools.islice(items_of(found) if is_taken else drawn_from(found), *known)


def _remainder(left: Any, right: Any, /) -> Any:
    """`operator.mod`: of a text, it is filled in."""
    return percent(left, right) if isinstance(left, str | Text) else left % right


BUILTINS: dict[Any, Any] = {
    range: _range, len: _len, sum: _sum, any: _any, all: _all, zip: _zip, map: _map, enumerate: _enumerate,
    reversed: _reversed, sorted: sorted_, list: _list,
    min: least("min", operator.lt), max: least("max", operator.gt),
    int: to_number("int", int), float: to_number("float", float),
    complex: to_number("complex", complex), str: conversion(str), repr: conversion(repr), format: format_,
    **{function: of_numbers(function, op) for function, op in MATH.items()},
}  # fmt: skip
"""The replacements of built-in functions in rewritten code."""


_NUMBERS = frozenset({int, float, complex})
_ITERATES = frozenset({zip, map, enumerate, reversed, range})
_IN_ROUNDS = frozenset({zip, enumerate, reversed, map})
_SHOWS = frozenset({str, repr, format})
_GOES_OVER = frozenset({zip, map, enumerate, sum, any, all, sorted, list, min, max})
_COPIES = frozenset({list, sorted})
_TAKES_ALL = frozenset({sum, any, all, min, max})


def _of_values(builtin: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if Foreign in map(type, args) and current() is not None and builtin not in _ITERATES:
            return step(builtin, args, kwargs, reads=True)
        if builtin in _NUMBERS and args and type(args[0]) is Text:
            return step(builtin, args, kwargs, reads=True)
        if len(args) > 1 and builtin in (min, max):
            return function(*map(in_trace, args), **kwargs)
        if builtin is len and len(args) == 1 and (length := length_of(args[0])) is not None:
            return length
        if builtin is len and len(args) == 1 and (length := size_of(args[0])) is not None:
            return length
        if builtin is len and len(args) == 1 and is_foreseen(args[0]):
            return foresee(args[0], len)
        if builtin in _SHOWS:
            return function(*map(in_trace, args), **kwargs)
        if (
            builtin in _TAKES_ALL
            and args
            and "key" not in kwargs
            and (held := numbers_of(in_trace(args[0]))) is not None
        ):
            args = (held, *args[1:])
            kwargs.pop("default", None)
        if builtin is len and is_container(args[0]):
            return args[0].length()
        taken = elements_of if builtin in _GOES_OVER else items_of
        if builtin in _IN_ROUNDS:
            taken = rounds_over
        if builtin in _COPIES | _IN_ROUNDS:
            args = tuple([a if (held := numbers_of(in_trace(a))) is None else held for a in args])
        return function(*[taken(in_trace(a)) for a in args], **kwargs)

    return call


BUILTINS = {builtin: _of_values(builtin, function) for builtin, function in BUILTINS.items()}
BUILTINS |= {
    bool: to_bool, copy.copy: shallow, copy.deepcopy: deep,
    print: noted_print, getattr: get_attribute, hasattr: has_attribute, setattr: set_attribute, delattr: del_attribute,
    vars: attributes_of, globals: refuse_names, dir: refuse_names, ascii: refuse_ascii, operator.mod: _remainder,
    operator.getitem: item, operator.setitem: _set_item, operator.delitem: delete_item,
    iter: _iter, next: _next, itertools.islice: _islice, type: type_of, id: identity, hash: _hash,
    isinstance: is_instance, issubclass: is_subclass, callable: is_callable, np.isscalar: is_scalar,
}  # fmt: skip
BUILTINS |= {function: changed_by_operator(function) for function in (*IN_PLACE.values(), operator.iconcat)}
