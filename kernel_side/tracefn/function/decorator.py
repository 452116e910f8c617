"""`tracefn.function`: makes a traced function of a Python function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from ..runtime import own_frames
from .options import MAX_TRACES, Options
from .traced import Function

P = ParamSpec("P")
R = TypeVar("R")
Descriptor = TypeVar(
    "Descriptor",
    bound="property | functools.cached_property[Any] | classmethod[Any, Any, Any] | staticmethod[Any, Any]",
)


class Decorator(Protocol):
    """The result of `tracefn.function` where it is called with options alone."""

    @overload
    def __call__(self, python_function: Descriptor, /) -> Descriptor: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, python_function: Callable[P, R], /) -> Function[P, R]: ...


@overload
def function(
    *,
    input_signature: Sequence[Any] | None = ...,
    reduce_retracing: bool = ...,
    autograph: bool = ...,
    name: str | None = ...,
    device: str | None = ...,
    max_traces: int | None = ...,
    jit: str | None = ...,
    precise: bool = ...,
    on_unsupported: str | None = ...,
) -> Decorator: ...
@overload
def function(  # type: ignore[overload-overlap]
    python_function: Descriptor,
    *,
    input_signature: Sequence[Any] | None = ...,
    reduce_retracing: bool = ...,
    autograph: bool = ...,
    name: str | None = ...,
    device: str | None = ...,
    max_traces: int | None = ...,
    jit: str | None = ...,
    precise: bool = ...,
    on_unsupported: str | None = ...,
) -> Descriptor: ...
@overload
def function(
    python_function: Callable[P, R],
    *,
    input_signature: Sequence[Any] | None = ...,
    reduce_retracing: bool = ...,
    autograph: bool = ...,
    name: str | None = ...,
    device: str | None = ...,
    max_traces: int | None = ...,
    jit: str | None = ...,
    precise: bool = ...,
    on_unsupported: str | None = ...,
) -> Function[P, R]: ...


@own_frames.hidden
def function(
    python_function: Any = None,
    *,
    input_signature: Sequence[Any] | None = None,
    reduce_retracing: bool = False,
    autograph: bool = True,
    name: str | None = None,
    device: str | None = None,
    max_traces: int | None = MAX_TRACES,
    jit: str | None = None,
    precise: bool = False,
    on_unsupported: str | None = None,
) -> Any:
    """Turns a function that uses NumPy into one that is traced to a graph and runs as that graph.

    As a decorator, with or without arguments, or as a function of a function.

    Parameters
    ----------
    python_function: callable
        A function, method, lambda, `functools.partial` or callable object.
    input_signature: sequence of TensorSpec, optional
        The specs of the arguments, in order, possibly nested in tuples, lists and dicts. The function is then traced
        once, and a call that does not fit raises `ArgumentMismatchError`.
    reduce_retracing: bool
        On a second call that differs in lengths alone, leave those lengths open, so that later lengths need no new
        trace.
    autograph: bool
        Whether Python control flow on traced values may be staged.
    name: str, optional
        Names the function in messages and in the panel.
    device: None, 'cpu' or 'gpu'
        Where it runs. None: where its arguments are (a CuPy array selects the GPU).
    max_traces: int or None
        How many traces are kept. Of more, the one that was not used for the longest is dropped, and an event says so.
        None: no limit.
    jit: None, 'auto', 'now' or 'off'
        When parts of the graph become machine code: in the background when calls are frequent or long, at once while
        tracing, or never. None: as `tracefn.config.jit` says.
    precise: bool
        Whether results keep NumPy's own bits also as machine code, which then leaves functions like exp to NumPy.
    on_unsupported: None, 'eager' or 'error'
        The treatment of a call that cannot be traced: the Python function itself runs, with a `FallbackWarning`, or
        the error names the unsupported part. None: as `tracefn.config.on_unsupported` says.

    Returns
    -------
    Function

    Raises TypeError where there is nothing to trace, `InputSignatureError` for a signature that cannot be right.

    >>> import numpy as np
    >>> @function
    ... def f(x, n=2):
    ...     return np.sum(x ** n)
    >>> f(np.arange(3.0)), f(np.arange(3.0), n=2), f.tracing_count
    (np.float64(5.0), np.float64(5.0), 1)
    """

    options = Options(
        input_signature, reduce_retracing, autograph, name, device, max_traces, jit, precise, on_unsupported
    )

    @own_frames.hidden
    def decorate(target: Any) -> Any:
        if isinstance(target, property):
            get, put, delete = (f and decorate(f) for f in (target.fget, target.fset, target.fdel))
            return property(get, put, delete, target.__doc__)
        if isinstance(target, functools.cached_property):
            return functools.cached_property(decorate(target.func))
        return Function(target, options)

    return decorate if python_function is None else decorate(python_function)
