"""`measure(f)`: eager against graph for a signature that was traced, without its arguments at hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tracefn.errors import UnsupportedFunctionError, message
from tracefn.function import Function
from tracefn.function.history.examples import arguments_again
from tracefn.function.traced import FUNCTIONS
from tracefn.timing.arguments import Call
from tracefn.timing.comparing import compared
from tracefn.timing.comparison import Comparison


def measure(f: Function | str, trace: int | None = None) -> Comparison:
    """`compare` with the arguments of the call that made a trace of `f`: trace number `trace`, or the newest one.

    No array is kept for this but those that `config.kept_arguments` allows. One that is gone is replaced by another of
    its dtype and shape, with random numbers from 0 to 1 (zeros for integers and booleans); `Comparison.made` names
    these. `f` may be the id of a traced function, as events have it. Raises `UnsupportedFunctionError` where the
    function or trace is gone, or an object among the arguments, and errors of `compare`, with a note where arguments
    were replaced.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def shifted(x):
    ...     return x * 2 + 1
    >>> _ = shifted(np.arange(4.0))
    >>> tracefn.timing.measure(shifted).made
    ('x',)
    """
    function, args, kwargs, made = call_again(f, trace)
    with noting_made(made):
        return compared(function, args, kwargs, made)


def call_again(
    f: Function | str, trace: int | None
) -> tuple[Function, tuple[Any, ...], dict[str, Any], tuple[str, ...]]:
    """The call that made a trace: the function, its arguments as far as they are there, and the paths of those that are
    others in their place."""
    known = arguments_of_trace(f, trace)
    return known.function, *as_call(known.function, known.arguments), known.made


@contextmanager
def noting_made(made: tuple[str, ...]) -> Iterator[None]:
    """Adds to errors of the block that arguments at the paths `made` have random values: these may be the cause."""
    try:
        yield
    except Exception as error:
        if made:
            remedy = "keep them in variables, or have `tracefn.config.kept_arguments` keep them"
            error.add_note(f"  with made-up values for {', '.join(made)}: the arrays of the call are gone; {remedy}")
        raise


class TraceArguments(NamedTuple):
    """The arguments of the call that made a trace, by parameter name; those at the paths `made` are others."""

    function: Function
    signature: str
    arguments: dict[str, Any]
    made: tuple[str, ...]


def arguments_of_trace(f: Function | str, trace: int | None) -> TraceArguments:
    """Those of trace number `trace` of a function, or of the newest one."""
    function = FUNCTIONS.living(f) if isinstance(f, str) else f
    if function is None:
        raise UnsupportedFunctionError(message(f"the function {f!r} no longer exists", fix="Run its cell again."))
    records = [r for r in function._history.records if r.concrete is not None and trace in (None, r.number)]
    if not records:
        what = f"`{function.name}` has no trace" + ("" if trace is None else f" number {trace}")
        raise UnsupportedFunctionError(message(what, fix="Call it first."))
    record = records[-1]
    arguments, made = arguments_again(record.call, record.example, function.name)
    return TraceArguments(function, f"{function.function_id}/{record.number}", arguments, made)


def as_call(function: Function, arguments: dict[str, Any]) -> Call:
    """Arguments by parameter name as a call of a function gives them."""
    args, kwargs = function._parameters.call(_given, arguments)
    return args[len(function._wrapped.args) :], kwargs


def _given(*args: Any, **kwargs: Any) -> Call:
    return args, kwargs
