"""Functions that `functools.lru_cache` keeps the results of: asked while tracing where these never change."""

from __future__ import annotations

import functools
import types
import weakref
from collections import deque
from typing import Any, NoReturn

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ir.types import Kind
from ... import provided
from ...active import current
from ...foreign import call
from ...origin import is_library, user_source, where
from ...tensor import Tensor
from ...tree import containers
from ..iterators.running import reads_nothing_else

CACHES = type(functools.lru_cache(lambda: None))

_PLAIN = (int, float, complex, str, bytes, type(None), types.EllipsisType, range)


def cached(function: Any) -> Any:
    """The replacement of a function with a cache."""

    def asked(*args: Any, **kwargs: Any) -> Any:
        if not all(_is_plain(value) for value in (*args, *kwargs.values())):
            refuse_cache(function)
        trace = current()
        if trace is None:
            return function(*args, **kwargs)
        # the cache itself is not asked: eager code repeats the calls of a trace that fails, and may ask for its hits
        found = _shadow(trace, function)(*args, **kwargs)
        if isinstance(found, set | deque) or any(True for _ in containers(found, ())):
            refuse_container(function)
        if isinstance(found, np.ndarray):
            made = call(function, args, kwargs, foreseen=found)  # it may be written into
            known = _ARRAYS.setdefault(trace, {})  # bodies have their own
            return known.setdefault(id(found), (found, made))[1]
        if not _is_plain(found):
            return function(*args, **kwargs)
        trace.root.printed.append(functools.partial(function, *args, **kwargs))
        return found

    def derived(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or not trace.root.sources or not any(map(_is_number, (*args, *kwargs.values()))):
            return asked(*args, **kwargs)
        known = _KNOWN.setdefault(trace, {})
        key = function, *[(name, _key(value)) for name, value in (*enumerate(args), *sorted(kwargs.items()))]
        if key not in known:
            known[key] = provided.callee(function.__wrapped__)(*args, **kwargs)
        return known[key]

    code = getattr(function.__wrapped__, "__code__", None)
    if code is not None and is_library(code.co_filename):
        return function
    if not _depends_on_arguments(function):
        refuse_cache(function)
    return derived


_KNOWN: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()
"""Results of functions in a trace for the numbers that derivatives are taken by, as a cache would keep them."""


_SHADOWS: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()
"""The caches that stand in a trace for those of the functions: a result is one object as long as a cache keeps it."""


_ARRAYS: weakref.WeakKeyDictionary[Any, dict[int, tuple[Any, Any]]] = weakref.WeakKeyDictionary()
"""The arrays that these caches gave in a trace and the values of the graph for them, by their ids."""


def _shadow(trace: Any, function: Any) -> Any:
    known = _SHADOWS.setdefault(trace.root, {})
    if function not in known:
        known[function] = functools.lru_cache(**function.cache_parameters())(function.__wrapped__)
    return known[function]


def _is_number(value: Any) -> bool:
    return type(value) is Tensor and value._node.type.kind is not Kind.ARRAY and value.dtype.kind in "fc"


def _key(value: Any) -> Any:
    return value._node if type(value) is Tensor else (type(value), value)


def _is_plain(value: Any) -> bool:
    return all(map(_is_plain, value)) if type(value) in (tuple, frozenset) else isinstance(value, _PLAIN)


def _depends_on_arguments(function: Any) -> bool:
    """True for a function that reads and changes nothing but its arguments."""
    inner = function.__wrapped__
    if type(inner) is not types.FunctionType or inner.__closure__:
        return False
    return reads_nothing_else(inner.__code__, inner.__globals__, function)


def refuse_cache(function: Any) -> NoReturn:
    """Raises for a cache that is queried or cleared."""
    _refuse(function, "reads or changes more than its arguments")


def refuse_container(function: Any) -> NoReturn:
    """Raises for a cache with lists, dicts or the like, each of which is one object for all calls."""
    _refuse(function, "gives the same list, dict or set to each caller")


def _refuse(function: Any, why: str) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            f"`{function.__name__}` keeps its results in a cache, and {why}",
            where(user_source(4)),
            "Ask it outside the traced function, and pass the result.",
        )
    )
