"""Classes, methods and objects of libraries that are called in rewritten code."""

from __future__ import annotations

import collections
import functools
import types
from typing import Any

import numpy as np

from ....ir.module_name import module_of
from ... import provided
from ...active import current
from ...code.hidden import refuse_finalizer
from ...code.plain import plain
from ...control.one_of import MadeOfOne, OneOf, with_option
from ...foreign import as_foreign, belongs_to_numpy, is_foreign_class, is_foreign_function
from ...numpy_api.makers import number
from ...origin import file_of, is_library, is_users
from ...values.graph_container import GraphContainer
from ...values.random import function as random_function
from ..callbacks import calls_back, with_rewritten
from ..containers.contents import copied
from ..containers.copies import note_made
from ..containers.live import live
from ..containers.new import converted
from ..hooks.bindings import kept
from ..iterators.advancing import refuse_iterator
from .builtins import BUILTINS
from .effects import effect_call
from .foreign import foreign_call
from .numpy_calls import NUMPY_CALLS


def _is_of_library(function: Any) -> bool:
    inner = getattr(function, "__func__", function)
    if isinstance(inner, types.FunctionType):
        return not is_users(inner)
    if isinstance(function, type):
        return function.__module__ != "__main__" and is_library(file_of(function) or "<frozen ")
    return isinstance(function, types.BuiltinFunctionType | np.ufunc | type(np.sum))


def _of_options(function: Any, called: Any) -> Any:
    """The called function, which takes arguments that a traced value chooses one by one, unless it is a user's."""
    module = str(getattr(function, "__module__", None) or "builtins")
    if function is print or module.partition(".")[0] not in _ASKED or type(function) is types.MethodType:
        return called
    if isinstance(function, type) and issubclass(function, BaseException):
        return called

    def call(*args: Any, **kwargs: Any) -> Any:
        choice = next((a for a in (*args, *kwargs.values()) if type(a) in (OneOf, MadeOfOne)), None)
        if choice is None:
            return called(*args, **kwargs)

        def with_one(option: Any) -> Any:
            return call(*with_option(choice, option, args), **with_option(choice, option, kwargs))

        if any(function is iterating for iterating in (enumerate, zip, reversed)):
            if type(choice) is MadeOfOne:
                return MadeOfOne(choice.choice, lambda option: with_one(choice.make(option)))
            if choice.is_iterated_by_option:
                return MadeOfOne(choice, with_one)
        return choice.split(with_one)

    return call


_ASKED = {"builtins", "numpy", "math", "cmath"}


def _class(cls: Any) -> Any:
    known = BUILTINS.get(cls)
    if known is not None:
        return known
    if issubclass(cls, np.number | np.bool_):
        return number(cls)
    if belongs_to_numpy(cls) and not is_foreign_class(cls):
        return random_function(cls) if module_of(cls).startswith("numpy.random") else NUMPY_CALLS.get(cls, cls)
    if is_foreign_function(cls):
        return foreign_call(cls)
    if calls_back(cls):
        return with_rewritten(lambda *args, **kwargs: cls(*map(_drawn_from, _kept(args, kwargs)), **kwargs))
    effect_call(cls)  # refuses
    if cls in _MADE_OF_ITEMS:
        return functools.partial(_made_of_items, cls)
    if cls.__module__ == "itertools":
        return lambda *args, **kwargs: cls(*map(_drawn_from, _kept(args, kwargs)), **kwargs)
    init = plain(cls.__init__)
    if (trace := current()) is not None and type(call := plain(type(cls).__call__)) is types.FunctionType:
        if not is_library(call.__code__.co_filename):
            trace.uses_method(type(cls), "__call__", type(cls).__call__)
            return provided.callee(types.MethodType(call, cls))
    new = plain(cls.__new__)
    if trace is not None and type(cls).__call__ is type.__call__ and _is_written(new):
        return functools.partial(_make_by, new, cls)
    if type(cls).__call__ is not type.__call__ or cls.__new__ is not object.__new__:
        takes = cls.__module__ in ("array", "builtins")
        return lambda *args, **kwargs: cls(*_kept(args, kwargs, takes), **kwargs)
    if init is object.__init__ and not is_library(file_of(cls)):
        return functools.partial(_make, cls, init)
    if type(init) is not types.FunctionType or is_library(init.__code__.co_filename):
        return cls
    return functools.partial(_make, cls, init)


def _is_written(new: Any) -> bool:
    """True for a `__new__` of the user's, and not for that of a named tuple, which Python writes."""
    return type(new) is types.FunctionType and is_users(new) and new.__code__.co_filename != "<string>"


def _drawn_from(value: Any) -> Any:
    """An argument of an iterator, which takes one item after the other."""
    return live(value, copied(value))


def _kept(args: tuple[Any, ...], kwargs: dict[str, Any], takes: bool = False) -> tuple[Any, ...]:
    """Arguments of which an object may keep some, or takes the items."""
    for argument in args if takes else ():
        refuse_iterator(argument)
    kept(args)
    kept(kwargs.values())
    return args


_MADE_OF_ITEMS = {
    dict, set, frozenset, tuple,
    collections.deque, collections.OrderedDict, collections.Counter, collections.defaultdict,
}  # fmt: skip


def _made_of_items(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A container of the items of another one."""
    if len(args) == 1 and not kwargs and isinstance(args[0], GraphContainer):
        if (made := converted(cls, args[0])) is not None:
            return made
    return cls(*[copied(a, of_pairs=issubclass(cls, dict)) for a in _kept(args, kwargs)], **kwargs)


def _make(cls: Any, init: Any, /, *args: Any, **kwargs: Any) -> Any:
    trace = current()
    if trace is not None:
        refuse_finalizer(cls)
    if trace is None or init is object.__init__:
        made = cls(*args, **kwargs)
    else:
        trace.uses_method(cls, "__init__", cls.__init__)
        made = cls.__new__(cls)
        trace.function_copy(init)(made, *args, **kwargs)
    if trace is not None:
        note_made(trace, made)
    return made


def _make_by(new: types.FunctionType, cls: Any, /, *args: Any, **kwargs: Any) -> Any:
    """An object of a class of the user's with a `__new__`, which may give one that is there already."""
    trace = current()
    if trace is None:
        return cls(*args, **kwargs)
    refuse_finalizer(cls)
    trace.uses_method(cls, "__new__", cls.__new__)
    made = trace.function_copy(new)(cls, *args, **kwargs)
    init = plain(type(made).__init__)
    if isinstance(made, cls) and type(init) is types.FunctionType:
        trace.uses_method(type(made), "__init__", type(made).__init__)
        trace.function_copy(init)(made, *args, **kwargs)
    return made


def new_object(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`object.__new__(cls)`."""
    made = object.__new__(cls, *args, **kwargs)
    if (trace := current()) is not None:
        note_made(trace, made)
    return made


def _foreign_method(bound: Any) -> Any:
    """A function in C, or a method, of a library."""
    owner = bound.__self__
    if owner is None or isinstance(owner, type | types.ModuleType):
        return foreign_call(bound)
    return getattr(as_foreign(owner), bound.__name__)


def _vectorize(function: Any) -> Any:
    return provided.vectorized(function)
