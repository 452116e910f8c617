"""Traced functions that are made of others: the derivative of a function is one."""

from __future__ import annotations

import contextvars
import functools
import inspect
import types
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ..config import functions_run_eagerly, run_functions_eagerly
from ..function import Function
from ..function.bound import BoundFunction
from ..function.one_call import run_once
from ..function.options import Options
from ..trace.active import current
from ..trace.libraries import belongs_to_numpy, is_foreign_function
from ..trace.origin import is_users
from ..trace.tree import is_an_object

Run = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Given a function and the arguments of a call, runs in the trace that is under way."""


def derived(function: Any, name: str, key: Hashable, run: Run, same_parameters: bool = True) -> Any:
    """The traced function that does `run` with the arguments of its calls: those of `function`, if it has the
    `same_parameters`.

    One function has one of each `key`, so that `grad(f)(x)` in a loop is traced once; so has a method, which is given
    its object. In a trace it is called by a part of that trace.

    Raises TypeError for objects that cannot be called.
    """
    if not callable(function):
        raise TypeError(f"tracefn.{name} needs something callable, got {type(function).__name__}: {function!r}")
    if current() is not None:
        return _calling(function, run, signature_of(function) if same_parameters else None)
    call = inspect.getattr_static(type(function), "__call__", None)
    if type(call) is types.FunctionType and is_users(call):
        function = types.MethodType(call, function)
    elif isinstance(function, Function) and _is_of_method(function):
        function = types.MethodType(function._wrapped.function, function._wrapped.args[0])
    if not isinstance(function, types.MethodType):
        return _known(function, name, key, run, same_parameters)

    def of_method(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return run(types.MethodType(function, args[0]), args[1:], kwargs)

    known = _known(function.__func__, name, ("method", key), of_method, same_parameters)
    is_an_object(function.__self__)
    return BoundFunction(known, function.__self__)


def is_derived(function: Any) -> bool:
    """True for a derivative, which can run in a trace alone."""
    return hasattr(function._wrapped.function, "__tracefn_made_as__")


def _is_of_method(function: Any) -> bool:
    """True for a traced function of a method, or of an object that is called: its object is as an argument is."""
    wrapped = function._wrapped
    return len(wrapped.args) == 1 and not wrapped.partials and wrapped.is_traced and function._declared is None


def _known(function: Any, name: str, key: Hashable, run: Run, same_parameters: bool) -> Any:
    """The derivative made of a function, or one that is made now. The function itself has it: the two live equally
    long."""
    owner, known = getattr(function, "__dict__", {}).get(_DERIVED, (None, {}))
    if owner is not function:  # a wrapper has a copy of the wrapped function's attributes
        known = {}
    if key in known:
        return known[key]
    signature = signature_of(function) if same_parameters else None
    target = _calling(function, run, signature)
    functools.update_wrapper(target, function, updated=())
    if is_foreign_function(target):  # by its module, which would make the derivative a step as well
        target.__module__ = __name__
    del target.__wrapped__  # type: ignore[attr-defined]
    target.__tracefn_signature__ = signature  # type: ignore[attr-defined]
    target.__tracefn_made_as__ = repr(key)  # type: ignore[attr-defined]
    target.__tracefn_of__ = function  # type: ignore[attr-defined]
    target.__tracefn_without_graph__ = "a trace for each call"  # type: ignore[attr-defined]
    named = f"{name} of {getattr(function, '__name__', type(function).__name__)}"
    made: Any = Function(target, Options(name=named))
    if isinstance(function, types.FunctionType | Function):
        known[key] = made
        function.__dict__[_DERIVED] = function, known
    return made


_DERIVED = "__tracefn_derived__"
"""The attribute of a function that has its derivatives, and the function itself."""


def _calling(function: Any, run: Run, signature: inspect.Signature | None) -> Callable[..., Any]:
    # No part of `derivative`, whose trace would rest on the signature, which another process cannot recognise.
    def complete(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return with_defaults(signature, args, kwargs)

    def derivative(*args: Any, **kwargs: Any) -> Any:
        if current() is None:
            return _outside(function, derivative, args, kwargs)
        return run(function, *complete(args, kwargs))

    return derivative


def _outside(function: Any, derivative: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call where there is no trace: it makes one, as there is no other way to a derivative. Where that one
    is refused, too, the function itself runs, to raise the error of the user's code as it should be raised."""
    if derivative in _AGAIN.get():
        return function(*args, **kwargs)
    again = _AGAIN.set((*_AGAIN.get(), derivative))
    eagerly = functions_run_eagerly()
    run_functions_eagerly(False)
    try:
        return run_once(Function(derivative, Options(on_unsupported="error")), args, kwargs)
    finally:
        run_functions_eagerly(eagerly)
        _AGAIN.reset(again)


_AGAIN: contextvars.ContextVar[tuple[Any, ...]] = contextvars.ContextVar("again", default=())
"""The derivatives of which a call is traced once more. Functions that its steps call back have others."""


def with_defaults(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, each by position that can be, with those that have defaults."""
    if signature is None:
        return args, kwargs
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


def signature_of(function: Any) -> inspect.Signature | None:
    """The parameters of a function. None where they are not known, as of those in C, and of NumPy's, whose defaults may
    not be passed."""
    if isinstance(function, Function):  # of a method, or a callable object: without the object that it is bound to
        wrapped = function._wrapped
        function = functools.partial(wrapped.function, *wrapped.args, **wrapped.kwargs)
    if belongs_to_numpy(function) or isinstance(function, np.ufunc | types.BuiltinFunctionType):
        return None
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None
