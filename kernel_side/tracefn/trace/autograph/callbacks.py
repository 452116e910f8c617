"""Functions of the user's that Python's own functions call: they are given rewritten ones."""

from __future__ import annotations

import functools
import operator
import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .. import provided
from ..code.plain import holds
from ..context import Trace
from ..origin import is_library

_MODULES = frozenset({"itertools", "heapq", "_heapq"})
_FUNCTIONS = (filter, iter, functools.reduce, functools.cmp_to_key)
_OPERATORS = (operator.methodcaller, operator.attrgetter)
_CALLED = (functools.partial, types.BuiltinFunctionType, *_OPERATORS)
_DISPATCHER: Any = functools.singledispatch(len)


def calls_back(function: Any) -> bool:
    """True for a function or class that calls its arguments."""
    return getattr(function, "__module__", None) in _MODULES or function in _FUNCTIONS


def given(value: Any) -> Any:
    """The replacement of a value among the arguments of such a function."""
    function = getattr(value, "__func__", value)
    if type(function) is types.FunctionType and not is_library(function.__code__.co_filename):
        return provided.callee(value)
    return provided.callee(value) if type(value) in _CALLED else value


def with_rewritten(function: Any) -> Callable[..., Any]:
    """A function that gives its arguments on like this."""
    return lambda *args, **kwargs: function(*map(given, args), **{k: given(v) for k, v in kwargs.items()})


def of_operator(value: Any) -> Callable[[Any], Any] | None:
    """The traced call of an `operator.methodcaller` or `operator.attrgetter`. None for other objects."""
    made: Any = value.__reduce__() if type(value) in _OPERATORS else None
    if type(value) is operator.methodcaller:
        first, args = made
        if type(first) is functools.partial:  # there are keywords
            return lambda owner: provided.method(owner, first.args[0])(*args, **first.keywords)
        return lambda owner: provided.method(owner, args[0])(*args[1:])
    if type(value) is operator.attrgetter:
        found = [functools.partial(functools.reduce, provided.attribute, name.split(".")) for name in made[1]]
        return lambda owner: found[0](owner) if len(found) == 1 else tuple([one(owner) for one in found])
    return None


def dispatched(function: Any, args: tuple[Any, ...]) -> Any:
    """The function that one of `functools.singledispatch` calls."""
    kind: Any = args[0].__class__
    return function.dispatch(kind)


def dispatches(function: types.FunctionType) -> bool:
    return function.__code__ is _DISPATCHER.__code__


def method_by_type(trace: Trace, owner: Any, name: str) -> Any:
    """The method of an object or class that `functools.singledispatchmethod` decorates. None for other attributes."""
    cls = owner if isinstance(owner, type) else type(owner)
    base = next((base for base in cls.__mro__ if name in base.__dict__), None)
    held = None if base is None else base.__dict__[name]
    if base is None or type(held) is not functools.singledispatchmethod or (holds(owner, name) and owner is not base):
        return None
    trace.uses_descriptor(base, name, held)

    def call(*args: Any, **kwargs: Any) -> Any:
        found = held.dispatcher.dispatch(args[0].__class__)
        return provided.callee(found.__get__(None if owner is cls else owner, cls))(*args, **kwargs)

    return call


def made_default(owner: Any, key: Any) -> bool:
    """True if a defaultdict was given the item that its factory makes. A class of Python's own makes it in C."""
    factory = owner.default_factory if type(owner) is defaultdict else None
    if factory is None or (isinstance(factory, type) and factory.__module__ in ("builtins", "collections")):
        return False
    owner[key] = provided.callee(factory)()
    return True
