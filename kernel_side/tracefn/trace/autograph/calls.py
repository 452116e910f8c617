"""Calls and attribute reads in rewritten code: the user's functions are rewritten too, Python's own functions know
traced values, and what has an effect while tracing is reported."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..captures.resolve import MUTATORS
from ..context import TRACING, current
from ..control.one_of import OneOf, with_option
from ..graph_list import GraphList
from ..journal import Contents
from ..origin import is_library, user_source
from ..random import comes_from_numpy
from ..random import function as random_function
from ..random import method_of as random_method
from ..tensor import Tensor
from ..text import Text
from .attributes import of_tensor
from .builtin_calls import BUILTINS
from .lookup import get
from .numpy_calls import NUMPY_CALLS, numpy_call, ufunc_call
from .numpy_makers import number
from .ordering import sort_list
from .places import name_of
from .side_effects import note_call
from .texts import method_of_text


def attribute(owner: Any, name: str) -> Any:
    """`owner.name`."""
    if type(owner) is OneOf:
        return owner.split(lambda option: attribute(option, name))
    if type(owner) is Tensor:
        return of_tensor(owner, name)
    value = getattr(owner, name)
    if not TRACING or type(owner) in _NOT_WATCHED:
        return value
    trace = current()
    return value if trace is None else trace.observe(owner, "attr", name, value)


_NOT_WATCHED = {Text, types.ModuleType, GraphList, np.ndarray, str, int, float, list, dict, tuple}


def method(owner: Any, name: str) -> Any:
    """What `owner.name(…)` calls."""
    if not TRACING:
        return getattr(owner, name)
    kind = type(owner)
    if kind is Tensor:
        return of_tensor(owner, name)
    if kind is GraphList and name == "sort" and not owner.is_staged:
        return functools.partial(sort_list, owner)
    if kind is GraphList or kind is Text:
        return getattr(owner, name)
    trace = current()
    if trace is None:
        return getattr(owner, name)
    if kind is OneOf:
        return lambda *args, **kwargs: owner.split(lambda option: method(option, name)(*args, **kwargs))
    if comes_from_numpy(owner):
        return random_method(owner, name)
    if name == "get" and kind is dict:
        return functools.partial(get, owner)
    if name in MUTATORS and isinstance(owner, _CONTAINERS):
        trace.journal.will_change(Contents(owner, name_of(owner)), user_source(2))
        if name == "sort" and isinstance(owner, list):
            return functools.partial(sort_list, owner)
        return getattr(owner, name)
    return callee(attribute(owner, name))


_CONTAINERS = (list, dict, set)


def callee(function: Any) -> Any:
    """What is called in the place of a function: a rewritten copy of a user's own, one that knows traced values."""
    if not TRACING:
        return function
    if type(function) is OneOf:
        return lambda *args, **kwargs: function.split(lambda option: callee(option)(*args, **kwargs))
    handler = _BY_TYPE.get(type(function))
    if handler is not None:
        made = handler(function)
        trace = current()
        return made if trace is None or not trace.fixed.in_use else _of_options(function, made)
    if getattr(function, "__module__", None) == "numpy.random":  # functions in Cython
        return random_function(function)
    return function if type(type(function)) is not type else _object(function)


def _of_options(function: Any, called: Any) -> Any:
    """What is called, which takes arguments that a traced value chooses one by one, unless it is a user's function."""
    module = str(getattr(function, "__module__", None) or "builtins")
    if function is print or module.partition(".")[0] not in _ASKED or type(function) is types.MethodType:
        return called
    if isinstance(function, type) and issubclass(function, BaseException):
        return called

    def call(*args: Any, **kwargs: Any) -> Any:
        choice = next((a for a in (*args, *kwargs.values()) if type(a) is OneOf), None)
        if choice is None:
            return called(*args, **kwargs)
        return choice.split(lambda option: call(*with_option(choice, option, args), **with_option(choice, option, kwargs)))

    return call


_ASKED = {"builtins", "numpy", "math", "cmath"}


def _function(function: Any) -> Any:
    trace = current()
    if trace is None:
        return function
    if function.__module__ is not None and function.__module__.startswith("numpy"):
        return numpy_call(function)
    note_call(function)
    return trace.function_copy(function)


def _method(bound: types.MethodType) -> Any:
    trace = current()
    function = bound.__func__
    if comes_from_numpy(bound.__self__):
        return random_function(bound)
    if trace is None or type(function) is not types.FunctionType:
        return bound
    note_call(bound)
    copy = trace.function_copy(function)
    return bound if copy is function else types.MethodType(copy, bound.__self__)


def _builtin(function: Any) -> Any:
    known = BUILTINS.get(function) if function.__self__ is None or type(function.__self__) is types.ModuleType else None
    if known is not None:
        return known
    if type(function.__self__) is str:
        return method_of_text(function)
    if comes_from_numpy(function.__self__):
        return random_function(function)
    if type(function.__self__) is np.ufunc:
        return ufunc_call(function)
    note_call(function)
    if (function.__module__ or "").startswith("numpy"):
        return numpy_call(function)
    return function


def _class(cls: Any) -> Any:
    known = BUILTINS.get(cls)
    if known is not None:
        return known
    if issubclass(cls, np.number | np.bool_):
        return number(cls)
    if cls.__module__.startswith("numpy.random"):
        return random_function(cls)
    if cls.__module__.startswith("numpy"):
        return NUMPY_CALLS.get(cls, cls)
    init = cls.__dict__.get("__init__")
    if type(cls) is not type or type(init) is not types.FunctionType or cls.__new__ is not object.__new__:
        return cls
    return cls if is_library(init.__code__.co_filename) else functools.partial(_make, cls, init)


def _make(cls: Any, init: Any, /, *args: Any, **kwargs: Any) -> Any:
    made = cls.__new__(cls)
    trace = current()
    (init if trace is None else trace.function_copy(init))(made, *args, **kwargs)
    return made


def _partial(function: Any) -> Any:
    return functools.partial(callee(function.func), *function.args, **function.keywords)


def _object(value: Any) -> Any:
    """An object that is called: by its own `__call__`, rewritten."""
    call = inspect.getattr_static(type(value), "__call__", None)
    if type(call) is not types.FunctionType or is_library(call.__code__.co_filename):
        return value
    return _method(types.MethodType(call, value))


def _vectorize(function: Any) -> Any:
    from ..vectorize import vectorized

    return vectorized(function)


_BY_TYPE: dict[type, Callable[[Any], Any]] = {
    types.FunctionType: _function,
    types.MethodType: _method,
    types.BuiltinFunctionType: _builtin,
    type: _class,
    functools.partial: _partial,
    type(np.sum): numpy_call,
    np.vectorize: _vectorize,
    np.ufunc: ufunc_call,
}
