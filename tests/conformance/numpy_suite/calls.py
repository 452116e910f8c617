"""Traces the calls of a running test: arrays become traced arguments, and the test gets what the trace gives."""

from __future__ import annotations

import contextlib
import functools
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tracefn
from numpy_page import public_functions

FUNCTIONS = set(public_functions().values())

#: Methods of arrays that compute or move elements. Those that give a Python object are no array functions.
METHODS = frozenset(
    """all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod cumsum
    diagonal dot fill flatten max mean min nonzero partition prod put ravel repeat reshape round searchsorted sort
    squeeze std sum swapaxes take trace transpose var""".split()
)
UFUNC_METHODS = frozenset({"reduce", "accumulate", "reduceat", "outer", "at"})

#: With these a test makes its inputs: a test that traces nothing else is not counted.
SETUP = frozenset({"array", "asarray", "asanyarray", "astype", "copy", "reshape"})

#: What calls the function that it is given.
CALLERS = frozenset(
    {"assert_raises", "assert_raises_regex", "assert_warns", "assert_no_warnings", "assert_no_gc_cycles"}
    | {"raises", "warns", "assert_deprecated", "assert_not_deprecated", "assert_raises_fpe", "assert_op_raises_fpe"}
)

#: A test that loops over thousands of inputs is traced for so many calls; the rest runs as it is.
MAX_CALLS = 100

#: Longer lists and larger arrays are there to try NumPy's memory and limits.
MAX_LENGTH = 1000
MAX_BYTES = 1 << 24


class Record:
    """What one test's calls came to."""

    def __init__(self) -> None:
        self.calls = 0
        self.traced = 0
        self.refusals: list[str] = []
        self.functions: dict[Any, tracefn.Function] = {}


class _Running:
    """The record of the test that runs; None outside of a test, and while a call is being traced."""

    record: Record | None = None


RUNNING = _Running()


@contextlib.contextmanager
def running(record: Record) -> Iterator[None]:
    """Calls in here are traced and counted in `record`."""
    RUNNING.record = record
    try:
        yield
    finally:
        RUNNING.record = None


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)` of a test."""
    if RUNNING.record is None:
        return function(*args, **kwargs)
    kind = type(function)
    if kind is types.BuiltinFunctionType:
        if function.__name__ in METHODS and isinstance(function.__self__, np.ndarray | np.generic):
            return _traced(_method(function.__name__), (function.__self__, *args), kwargs, function.__name__)
        if function.__name__ in UFUNC_METHODS and function.__self__ in FUNCTIONS:
            return _traced(function, args, kwargs, f"{function.__self__.__name__}.{function.__name__}")
        if type(function.__self__) is not types.ModuleType:
            return function(*args, **kwargs)
    if kind in (types.FunctionType, types.MethodType) and function.__name__ in CALLERS:
        return function(*[_handed(a) for a in args], **kwargs)
    return _traced(function, args, kwargs, function.__name__) if _is_known(function) else function(*args, **kwargs)


def operation(function: Callable[..., Any], /, *operands: Any) -> Any:
    """`a + b`, `-a`, `a[i]` of a test."""
    if RUNNING.record is None or not any(isinstance(o, np.ndarray | np.generic) for o in operands):
        return function(*operands)
    if function is operator.mod and isinstance(operands[0], str | bytes):
        return function(*operands)
    return _traced(function, operands, {}, function.__name__)


def _is_known(function: Any) -> bool:
    try:
        return function in FUNCTIONS
    except (TypeError, ValueError):  # it has no hash
        return False


def _handed(argument: Any) -> Any:
    """A function that another one will call."""
    if not _is_known(argument) and type(argument) is not types.BuiltinFunctionType:
        return argument

    @functools.wraps(argument)
    def handed(*args: Any, **kwargs: Any) -> Any:
        return call(argument, *args, **kwargs)

    return handed


@functools.cache
def _method(name: str) -> Callable[..., Any]:
    def method(array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, name)(*args, **kwargs)

    return method


def _traced(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], name: str) -> Any:
    """The result of a trace of the call; of the call itself where tracefn refuses to trace it."""
    arrays: list[Any] = []
    record = RUNNING.record
    try:
        places = _without_arrays((args, kwargs), arrays)
    except OverflowError:
        return function(*args, **kwargs)
    if not arrays or record is None or record.calls >= MAX_CALLS:
        return function(*args, **kwargs)

    record.calls += 1
    RUNNING.record = None
    try:
        result = _function(record, function, places, name)(*arrays)
    except tracefn.TracefnError as error:
        record.refusals.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        return function(*args, **kwargs)
    finally:
        RUNNING.record = record
    record.traced += name not in SETUP
    return result


def _function(record: Record, function: Callable[..., Any], places: Any, name: str) -> tracefn.Function:
    """The traced function of a call: the one of an earlier call of the test that differs by its arrays alone."""

    def called(*arrays: Any) -> Any:
        args, kwargs = _with_arrays(places, arrays)
        return function(*args, **kwargs)

    try:
        key = (function, _key(places))
        return record.functions.setdefault(key, tracefn.function(called, name=name))
    except (TypeError, ValueError):  # an argument has no hash
        return tracefn.function(called, name=name)


def _key(value: Any) -> Any:
    """Tells arguments apart that are equal for Python: 1, 1.0 and True, 0.0 and -0.0."""
    if type(value) in (list, tuple):
        return type(value), *map(_key, value)
    if type(value) is dict:
        return dict, *[(key, _key(v)) for key, v in value.items()]
    if type(value) is slice:
        return slice, _key(value.start), _key(value.stop), _key(value.step)
    return type(value), repr(value) if isinstance(value, float | complex) else value


class _Place(int):
    """Where an array stands among the arguments: the number of the traced argument."""


def _without_arrays(value: Any, arrays: list[Any]) -> Any:
    """The structure of arguments with `_Place`s for its arrays, which are appended to `arrays`.

    Raises:
        OverflowError: an array or a list is too large to trace.
    """
    if isinstance(value, np.ndarray | np.generic):
        if value.nbytes > MAX_BYTES:
            raise OverflowError
        arrays.append(value)
        return _Place(len(arrays) - 1)
    if type(value) in (list, tuple):
        if len(value) > MAX_LENGTH:
            raise OverflowError
        return type(value)([_without_arrays(v, arrays) for v in value])
    if type(value) is dict:
        return {key: _without_arrays(v, arrays) for key, v in value.items()}
    return value


def _with_arrays(value: Any, arrays: tuple[Any, ...]) -> Any:
    if type(value) is _Place:
        return arrays[value]
    if type(value) in (list, tuple):
        return type(value)([_with_arrays(v, arrays) for v in value])
    if type(value) is dict:
        return {key: _with_arrays(v, arrays) for key, v in value.items()}
    return value
