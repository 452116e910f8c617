"""Traced functions that are made of others: the derivative of a function is one."""

from __future__ import annotations

import contextvars
import functools
import inspect
import types
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ..config import functions_run_eagerly, run_functions_eagerly
from ..function import Function
from ..function.one_call import run_once
from ..function.options import Options
from ..trace.active import current
from ..trace.libraries import belongs_to_numpy

Run = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Given a function and the arguments of a call, runs in the trace that is under way."""


def derived(function: Any, name: str, key: Hashable, run: Run, same_parameters: bool = True) -> Any:
    """The traced function that does `run` with the arguments of its calls: those of `function`, if it has the
    `same_parameters`.

    One function has one of each `key`, so that `grad(f)(x)` in a loop is traced once. In a trace it is what a part of
    that trace calls.

    Raises TypeError for what cannot be called.
    """
    if not callable(function):
        raise TypeError(f"tracefn.{name} needs something callable, got {type(function).__name__}: {function!r}")
    signature = _signature_of(function) if same_parameters else None
    if current() is not None:
        return _calling(function, run, signature)
    known = _known(function)
    if known is not None and key in known:
        return known[key]
    target = _calling(function, run, signature)
    functools.update_wrapper(target, function, updated=())
    del target.__wrapped__  # type: ignore[attr-defined]
    target.__tracefn_signature__ = signature  # type: ignore[attr-defined]
    named = f"{name} of {getattr(function, '__name__', type(function).__name__)}"
    made: Any = Function(target, Options(name=named))
    if known is not None:
        known[key] = made
    return made


def _calling(function: Any, run: Run, signature: inspect.Signature | None) -> Callable[..., Any]:
    def derivative(*args: Any, **kwargs: Any) -> Any:
        if current() is None:
            return _outside(function, derivative, args, kwargs)
        if signature is not None:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        return run(function, args, kwargs)

    return derivative


def _outside(function: Any, derivative: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call does where there is no trace: it makes one, as there is no other way to a derivative. Where that one
    is refused, too, the function itself runs, to raise the error of the user's code as it should be raised."""
    if _AGAIN.get():
        return function(*args, **kwargs)
    again = _AGAIN.set(True)
    eagerly = functions_run_eagerly()
    run_functions_eagerly(False)
    try:
        return run_once(Function(derivative, Options(on_unsupported="error")), args, kwargs)
    finally:
        run_functions_eagerly(eagerly)
        _AGAIN.reset(again)


_AGAIN: contextvars.ContextVar[bool] = contextvars.ContextVar("again", default=False)
"""True where a call is traced once more."""


def _signature_of(function: Any) -> inspect.Signature | None:
    """The parameters of a function. None where they are not known, as of those in C, and of NumPy's, whose defaults may
    not be passed."""
    if belongs_to_numpy(function) or isinstance(function, np.ufunc | types.BuiltinFunctionType):
        return None
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


_KNOWN: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()
_OF_METHODS: weakref.WeakKeyDictionary[Any, weakref.WeakKeyDictionary[Any, dict[Any, Any]]]
_OF_METHODS = weakref.WeakKeyDictionary()


def _known(function: Any) -> dict[Any, Any] | None:
    """What was made of a function so far, or of a method of one object. None for others, which are not remembered."""
    if isinstance(function, types.FunctionType | Function):
        return _KNOWN.setdefault(function, {})
    return None
