"""Calls and attribute reads in rewritten code: the user's functions are rewritten too, Python's own functions know
traced values, and effects while tracing are reported."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import provided
from ...active import TRACING, current
from ...code.plain import holds, plain, stored
from ...context import Trace
from ...control.one_of import MadeOfOne, OneOf
from ...control.undefined import Maybe
from ...control.where_set import refuse_class_value, where_set
from ...foreign import (
    OWN_NAMES,
    Foreign,
    as_foreign,
    attribute_of,
    belongs_to_numpy,
    is_foreign_class,
    is_foreign_function,
    is_foreign_type,
)
from ...numpy_api.makers import owned
from ...origin import is_library
from ...state.reads import MUTATORS
from ...state.resolve import CHANGED_BY_PARTS
from ...tensor import Tensor
from ...values.graph_container import is_container
from ...values.graph_list import GraphList
from ...values.random import comes_from_numpy
from ...values.random import function as random_function
from ...values.random import method_of as random_method
from ...values.traced_text import Text
from ..callbacks import calls_back, dispatched, dispatches, method_by_type, of_operator, with_rewritten
from ..containers.contents import extend
from ..containers.kept_arrays import is_array, unwritten
from ..containers.pending import given_items
from ..containers.split import method_of_contents
from ..hooks.attribute_dicts import AttributeDict, attribute_dict
from ..hooks.attributes import holder_of, of_tensor
from ..hooks.places import store_attribute
from ..hooks.shown import text_by
from ..hooks.texts import method_of_text
from ..special import special
from .attributes import refuse_reading
from .builtins import BUILTINS
from .caches import CACHES, cached, refuse_cache
from .called_objects import CALLED_OBJECTS, FUNCTIONS_IN_C, OF_TEXTS
from .classes import _class, _foreign_method, _of_options, _vectorize, new_object
from .container_methods import CONTAINERS, HANDING_ON, ContainerMethod, container_method, dict_method, inherited_method
from .effects import effect_call, watched
from .errors import method_of_error
from .foreign import foreign_call
from .heaps import in_order
from .noted import noted
from .numpy_calls import numpy_call, ufunc_call
from .ordering import sort_list


def owner_attribute(owner: Any, name: str) -> Any:
    """`owner.name`, of which a part is read or changed next."""
    held = stored(owner, "__dict__")
    if TRACING and held is not None and type(held.get(name)) in CHANGED_BY_PARTS and (trace := current()) is not None:
        return trace.observe_owner(owner, "attr", name, held[name])
    return attribute(owner, name)


def sized(function: Any, owner: Any, name: str) -> Any:
    """`owner.name`, the argument of a function that is called `len`."""
    return owner_attribute(owner, name) if function is len else attribute(owner, name)


def sized_name(function: Any, value: Any) -> Any:
    """The same for the value of an outer variable."""
    return value if function is len else whole(value)


def whole(value: Any) -> Any:
    """The value of an outer variable, of a container as a whole."""
    if TRACING and type(value) in CHANGED_BY_PARTS and (trace := current()) is not None:
        if trace.is_outside(value) and id(value) not in trace.root.keyed:
            trace.read_items(value)
    return value


def attribute(owner: Any, name: str) -> Any:
    """`owner.name`."""
    return _traced_attribute(owner, name) if TRACING else getattr(owner, name)


def _traced_attribute(owner: Any, name: str) -> Any:
    """The same in a trace. It is a function of its own because closure cells would slow the hook down."""
    if type(owner) is OneOf:
        if name == "flat":
            return MadeOfOne(owner, lambda option: attribute(option, name))
        return owner.split(lambda option: attribute(option, name))
    if type(owner) is Tensor:
        return of_tensor(owner, name)
    if type(owner) is Foreign and name in OWN_NAMES:
        return attribute_of(owner, name)
    if name in MUTATORS and type(owner) in CHANGED_BY_PARTS:
        return ContainerMethod(getattr(owner, name))
    if is_container(owner):
        return owner.attribute(name)
    if type(owner) in _NOT_WATCHED:
        return str if name == "__class__" and type(owner) is Text else getattr(owner, name)
    trace, owner = current(), holder_of(owner)
    if trace is None:
        return getattr(owner, name)
    if type(owner) is np.ndarray:
        return of_tensor(trace.captured(owner), name) if _is_read(trace, owner) else getattr(owner, name)
    if is_foreign_class(type(owner)):
        return attribute_of(as_foreign(owner), name)
    if name == "__dict__" and not isinstance(owner, type):
        return attribute_dict(owner)
    if type(plain(type(owner).__getattribute__)) is types.FunctionType:
        refuse_reading(type(owner), name)
    if (computed := computation(trace, owner, name)) is not None:
        return computed()
    if (chosen := method_by_type(trace, owner, name)) is not None:
        return chosen
    try:
        value = getattr(owner, name)
    except AttributeError:
        trace.lacks(owner, "attr", name)
        raise
    if type(value) is Maybe:
        if hasattr(type(owner), name) or hasattr(type(owner), "__getattr__"):
            refuse_class_value(owner, name)
        return where_set(value, AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}"))
    return as_foreign(trace.observe(owner, "attr", name, value))


def computation(trace: Trace, owner: Any, name: str) -> Callable[[], Any] | None:
    """The code of the user's that computes `owner.name`, rewritten: a property, a descriptor or `__getattr__`.

    None for an attribute that is only read.
    """
    cls = type(owner)
    base = next((base for base in cls.__mro__ if name in base.__dict__), None)
    descriptor = None if base is None else base.__dict__[name]
    is_kept = holds(owner, name)
    if type(descriptor) is property:
        getter = _users(descriptor.fget)
        if getter is None:
            return None
        trace.uses_method(cls, name, getattr(cls, name))
        return lambda: callee(getter)(owner)
    if type(descriptor) is functools.cached_property:
        getter = None if is_kept else _users(descriptor.func)
        return None if getter is None else lambda: _compute_once(trace, owner, name, callee(getter))
    if descriptor is not None and not isinstance(owner, type | types.ModuleType):
        is_first = hasattr(type(descriptor), "__set__")
        if (is_first or not is_kept) and (get := special(descriptor, "__get__")) is not None:
            if not is_first:
                trace.lacks(owner, "attr", name)
            assert base is not None
            trace.uses_descriptor(base, name, descriptor)
            return lambda: get(owner, cls)
    if descriptor is None and not is_kept and (missing := special(owner, "__getattr__")) is not None:
        trace.lacks(owner, "attr", name)
        return lambda: missing(name)
    if descriptor is None and not is_kept and isinstance(owner, dict):
        missing = getattr(cls, "__getattr__", None)
        if missing is dict.__getitem__ or missing is dict.get:
            trace.lacks(owner, "attr", name)
            return lambda: dict_method(owner, missing.__name__)(name)
    return None


def _users(getter: Any) -> Any:
    """A function of the user's that computes an attribute. None for those of a library."""
    getter = plain(getter)
    return getter if type(getter) is types.FunctionType and not is_library(getter.__code__.co_filename) else None


def _compute_once(trace: Trace, owner: Any, name: str, getter: Callable[[Any], Any]) -> Any:
    """The value of a `functools.cached_property` that has not been asked yet; it is kept."""
    trace.lacks(owner, "attr", name)
    value = getter(owner)
    store_attribute(value, owner, name)
    return value


_NOT_WATCHED = {Text, GraphList, AttributeDict, str, int, float, list, dict, tuple}


def _is_read(trace: Any, array: Any) -> bool:
    """True for an array from outside that each call reads."""
    return trace.is_outside(array)


def method(owner: Any, name: str) -> Any:
    """The function that `owner.name(…)` calls."""
    return _traced_method(owner, name) if TRACING else getattr(owner, name)


def _traced_method(owner: Any, name: str) -> Any:
    """The same in a trace."""
    kind = type(owner)
    if kind is Tensor:
        return of_tensor(owner, name)
    if kind is GraphList and name == "sort" and not owner.is_staged:
        return functools.partial(sort_list, owner, owner)
    trace = current()
    if kind is AttributeDict or is_container(owner):
        return attribute(owner, name)
    if kind is GraphList or kind is Text:
        found = getattr(owner, name)
        if kind is GraphList and name == "extend":
            found = functools.partial(extend, owner)
        return given_items(owner, name, found) if trace is not None and trace.root.keyed else found
    if trace is None:
        return getattr(owner, name)
    if kind is OneOf:
        return lambda *args, **kwargs: owner.split(lambda option: method(option, name)(*args, **kwargs))
    if kind is np.ndarray and _is_read(trace, owner):
        return of_tensor(trace.captured(owner), name)
    if is_array(owner):
        known = unwritten(getattr(owner, name), (owner,))
        return lambda *args, **kwargs: owned(trace, known(*args, **kwargs), (owner, *args, *kwargs.values()))
    if comes_from_numpy(owner):
        return random_method(owner, name)
    if isinstance(owner, io.IOBase):
        return callee(getattr(owner, name))
    if kind is Foreign or is_foreign_class(kind):
        return attribute_of(as_foreign(owner), name)
    if kind is CACHES and name in ("cache_info", "cache_clear"):
        refuse_cache(owner)
    if isinstance(owner, CONTAINERS) and name not in OF_TEXTS:
        if trace.root.has_undecided and (found := method_of_contents(trace, owner, name, method)) is not None:
            return found
        found = container_method(trace, owner, name)
        if found is not None:
            unseen = trace.root.unseen
            looks = functools.partial(unseen.may_happen, owner)
            found = unseen.around(found, unseen.may_ask if name in HANDING_ON else looks)
            return given_items(owner, name, found) if trace.root.keyed else found
    return callee(attribute(owner, name))


def callee(function: Any) -> Any:
    """The function to call in the place of another: a rewritten copy of a user's own, one that knows traced values."""
    if not TRACING:
        return function
    if type(function) is OneOf:
        return lambda *args, **kwargs: function.split(lambda option: callee(option)(*args, **kwargs))
    handler = _BY_TYPE.get(type(function)) or (_class if isinstance(function, type) else None)
    if handler is not None:
        if (trace := current()) is None:
            return handler(function)
        root = trace.root
        if type(function) in _OF_NUMPY:
            key = function, root.has_undecided, bool(root.keyed)
            if (made := root.numpy_callees.get(key)) is None:
                made = root.numpy_callees[key] = noted(root, function, handler(function))
        else:
            made = noted(root, function, handler(function))
        may_choose = root.has_undecided or trace.fixed.in_use  # arguments come to be later
        return _of_options(function, made) if may_choose else made
    if getattr(function, "__module__", None) == "numpy.random":  # functions in Cython
        return random_function(function)
    return _class(function) if isinstance(function, type) else _object(function)


_OF_NUMPY = (np.ufunc, type(np.sum))
"""Types of functions that are called again and again, and always in the same way."""


def _function(function: Any) -> Any:
    trace = current()
    if trace is None:
        return function
    if (known := BUILTINS.get(function)) is not None:
        return known
    if function.__code__ is _MAKES_MANAGER and not belongs_to_numpy(function):
        return contextlib.contextmanager(callee(function.__wrapped__))
    if belongs_to_numpy(function):
        return foreign_call(function) if is_foreign_function(function) else numpy_call(function)
    if (effect := effect_call(function)) is not None:
        return effect
    if is_foreign_function(function):
        return foreign_call(function)
    if dispatches(function):
        return lambda *args, **kwargs: callee(dispatched(function, args))(*args, **kwargs)
    if calls_back(function):
        return with_rewritten(watched(function))
    copy = trace.function_copy(function)
    return watched(function) if copy is function and is_library(function.__code__.co_filename) else copy


_MAKES_MANAGER = contextlib.contextmanager(iter).__code__
"""The code of functions that `contextlib.contextmanager` decorates."""


def _method(bound: types.MethodType) -> Any:
    trace, function = current(), bound.__func__
    if getattr(function, "__code__", None) is _MAKES_MANAGER:
        return types.MethodType(_function(function), bound.__self__)
    if comes_from_numpy(bound.__self__):
        return random_function(bound)
    if (effect := effect_call(bound)) is not None:
        return effect
    if trace is not None and is_foreign_function(bound):
        return _foreign_method(bound)
    if trace is not None and type(function) is CACHES:
        return types.MethodType(cached(function), bound.__self__)
    if trace is None or type(function) is not types.FunctionType:
        return bound
    copy = trace.function_copy(function)
    if copy is function and isinstance(bound.__self__, CONTAINERS) and is_library(function.__code__.co_filename):
        copy = watched(function)
    return bound if copy is function else types.MethodType(copy, bound.__self__)


def _builtin(function: Any) -> Any:
    if function.__self__ is None or type(function.__self__) is types.ModuleType:
        if (known := BUILTINS.get(function)) is not None:
            return known
        if (effect := effect_call(function)) is not None:
            return effect
    if type(function.__self__) is str:
        return method_of_text(function)
    if function == object.__new__:
        return new_object
    if function.__name__ == "__format__" and type(function.__self__).__format__ is object.__format__:
        return functools.partial(text_by, object.__format__, function.__self__)
    if isinstance(function.__self__, BaseException) and (found := method_of_error(function)) is not None:
        return found
    if isinstance(function.__self__, CONTAINERS):
        return inherited_method(function) or method(function.__self__, function.__name__)
    if comes_from_numpy(function.__self__):
        return random_function(function)
    if type(function.__self__) is np.ufunc:
        return ufunc_call(function)
    if (effect := effect_call(function)) is not None:
        return effect
    if belongs_to_numpy(function):
        return numpy_call(function)
    if calls_back(function):
        return in_order(function, with_rewritten(watched(function)))
    called = _foreign_method(function) if is_foreign_function(function) else watched(function)
    return in_order(function, called)


def _partial(function: Any) -> Any:
    return functools.partial(callee(function.func), *function.args, **function.keywords)


def _object(value: Any) -> Any:
    """An object that is called: by its own `__call__`, rewritten."""
    if (known := CALLED_OBJECTS.get(type(value))) is not None and current() is not None:
        return known(value)
    if (found := of_operator(value)) is not None:
        return found
    if is_foreign_type(type(value)):
        return value
    if is_foreign_class(type(value)):
        return as_foreign(value)
    if is_foreign_function(value):  # functions in Cython, and those that `functools` has wrapped
        return foreign_call(value)
    held = inspect.getattr_static(type(value), "__call__", None)
    call = plain(held)
    if type(call) is not types.FunctionType or is_library(call.__code__.co_filename):
        return special(value, "__call__") or value
    if (trace := current()) is not None:
        trace.uses_method(type(value), "__call__", held)
    return _method(types.MethodType(call, value))


_BY_TYPE: dict[type, Callable[[Any], Any]] = {
    types.FunctionType: _function,
    types.MethodType: _method,
    **dict.fromkeys(FUNCTIONS_IN_C, _builtin),
    type: _class,
    functools.partial: _partial,
    type(np.sum): numpy_call,
    np.vectorize: _vectorize,
    np.ufunc: ufunc_call,
    CACHES: lambda function: cached(function) if current() is not None else function,
}


provided.attribute = attribute
provided.computation = computation
provided.callee = callee
provided.method = method
