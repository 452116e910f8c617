"""Calls of library functions that do something, or whose answer is of the moment: steps of the graph, or refused."""

from __future__ import annotations

import collections
import functools
import io
import types
import warnings
from collections.abc import Callable
from typing import Any

from ....errors import UnsupportedFunctionError, message
from ... import provided
from ...active import current
from ...foreign import called_from, is_foreign_value, warn_step
from ...libraries import does_more, dotted_name, keeps_state
from ...of_the_moment import is_of_the_moment
from ...origin import user_frame, user_source, where
from ...state.place import Contents
from ...tensor import Tensor
from ..containers.changes import decided, name_of
from ..hooks.side_effects import later
from ..iterators.advancing import refuse_generator, refuse_iterator
from .container_methods import CONTAINERS
from .foreign import foreign_call

_QUIET = frozenset({"builtins", "math", "cmath", "itertools", "typing", "dataclasses", "enum", "abc", "contextlib"})
"""Modules whose functions change nothing that they are given."""


_TAKE = frozenset({"math", "itertools"})
"""Those of them with functions that take from an iterator: `fsum`, `tee`."""


def effect_call(function: Any) -> Callable[..., Any] | None:
    """The replacement of a function with an effect, None for all others."""
    trace = current()
    if trace is None:
        return None
    owner = getattr(function, "__self__", None)
    if is_of_the_moment(function) and not is_foreign_value(owner):
        return _opened if function is open else foreign_call(function)
    if type(owner) is types.GeneratorType and trace.is_outside(owner):
        refuse_generator(owner)
    if isinstance(owner, io.IOBase) and trace.is_outside(owner):
        raise UnsupportedFunctionError(
            message(
                f"`{function.__name__}` reads or writes a file from outside, which each call has to do",
                where(user_source(3)),
                "Pass its contents as an argument, or write with tracefn.py_function.",
            )
        )
    if does_more(function):
        raise UnsupportedFunctionError(
            message(
                f"`{dotted_name(function)}` may use files, threads or settings, which each call has to do",
                where(user_source(3)),
                "Call it outside of the traced function.",
            )
        )
    if owner is not None and keeps_state(owner) and trace.is_outside(owner):
        raise UnsupportedFunctionError(
            message(
                f"`{dotted_name(function)}` uses an object from outside that it may change",
                where(user_source(3)),
                "Call it outside of the traced function.",
            )
        )
    if function is warnings.warn:
        return warn
    logged = later(function)
    return None if logged is function else logged


def _opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
    """`open`, a step of the graph for reading."""
    if not {"w", "a", "x", "+"}.isdisjoint(mode):
        raise UnsupportedFunctionError(
            message(
                f"`open(…, {mode!r})` writes a file, which each call has to do",
                where(user_source(3)),
                "Write it outside the traced function, or with tracefn.py_function.",
            )
        )
    return foreign_call(open)(file, mode, *args, **kwargs)


def warn(text: Any, category: Any = None, stacklevel: int = 1, *args: Any, **kwargs: Any) -> None:
    """`warnings.warn`: at each call, with the line of the traced code."""
    trace, frame = current(), user_frame(2)
    if trace is None or frame is None:
        warnings.warn(text, category, stacklevel + 1, *args, **kwargs)
        return
    if stacklevel not in (1, 2) or args or kwargs:
        raise UnsupportedFunctionError(
            message(
                "`warnings.warn` names a line further out than the caller's",
                where(user_source(3)),
                "Leave `stacklevel` out, or make it 2.",
            )
        )
    category = type(text) if isinstance(text, Warning) else category or UserWarning
    place: Any = frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__", "<unknown>")
    if stacklevel == 2:
        place = called_from(frame) or ()
    warn_step(trace, (category, *place), text)


def watched(function: Any) -> Any:
    """A library function that may change a container that it is given, which the trace notes if the container is from
    outside, or the call in a branch or loop. An iterator would be advanced while tracing."""
    module = getattr(function, "__module__", None)
    if module in _QUIET or str(module).startswith("tracefn.optimize"):
        return function if module not in _TAKE else _not_of_iterators(function)

    @functools.wraps(function)
    def watching(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        for argument in args:
            refuse_iterator(argument)
        if trace is not None and _reads_attributes(module, (*args, *kwargs.values())):
            raise UnsupportedFunctionError(
                message(
                    f"`{dotted_name(function)}` reads attributes, which is not recorded",
                    where(user_source(3)),
                    "Read the attributes by their names, or call it outside.",
                )
            )
        if trace is not None:
            for argument in args:
                is_outside = isinstance(argument, CONTAINERS) and trace.is_outside(argument)
                if is_outside:
                    trace.read_whole(decided(argument))
                if is_outside or (trace is not trace.root and isinstance(argument, CONTAINERS)):
                    trace.journal.will_change(Contents(argument, name_of(argument)), user_source(3))
        return function(*args, **kwargs)

    return watching


def _not_of_iterators(function: Any) -> Any:
    """A function in C that takes from iterators among its arguments: while tracing, no call would do that again."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        for argument in args:
            refuse_iterator(argument)
        return function(*args, **kwargs)

    return called


def _reads_attributes(module: Any, values: tuple[Any, ...]) -> bool:
    """True for functions that read attributes of what they are given in ways that no hook sees."""
    return module == "inspect" or (module in ("_pickle", "pickle") and any(map(_holds_objects, values)))


def _holds_objects(value: Any) -> bool:
    """True for an object of the user's with attributes, and for what holds one."""
    if isinstance(value, list | tuple | dict | set | frozenset | collections.deque):
        return any(map(_holds_objects, (*value, *value.values()) if isinstance(value, dict) else value))
    return type(value) is not Tensor and hasattr(value, "__dict__") and not isinstance(value, type | types.ModuleType)


provided.warn = warn
