"""The objects that can be decorated – functions, methods, lambdas, partials, callables – brought to one plain form."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..errors import UnsupportedFunctionError, message
from ..records import dataclass
from ..runtime.unseen_frames import unseen_by_warnings
from ..trace.libraries import is_of_known_library, is_of_library
from ..trace.origin import becomes_own
from ..trace.state.place import reads_itself


@dataclass(frozen=True, slots=True)
class Wrapped:
    """`function` runs; `args` and `kwargs` are put before the arguments of every call (a partial's own)."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    partials: tuple[functools.partial[Any], ...]  # the inner one first
    name: str
    key: str
    is_traced: bool = True

    @property
    def kwargs(self) -> dict[str, Any]:
        """The keywords of the partials at this moment: they are dicts, which change in place."""
        return {name: value for partial in self.partials for name, value in partial.keywords.items()}

    @property
    def has_own(self) -> bool:
        """True for wrappers that may put arguments of their own before those of a call."""
        return bool(self.args or self.partials)

    @property
    def code(self) -> types.CodeType | None:
        return getattr(self.function, "__code__", None)

    @property
    def runs(self) -> types.CodeType | None:
        """The code that an eager call runs: for a stand-in, that of the library's function."""
        called: Any = self.function.__globals__["called"] if calls_library(self.function) else self.function
        return getattr(called, "__code__", None)

    @property
    def written(self) -> types.CodeType | None:
        """The code that the user has written: of a derivative, that of the function that it is of."""
        function: Any = self.function
        while (of := getattr(function, "__tracefn_of__", None)) is not None:
            function = unwrap(getattr(of, "python_function", of)).function
        return getattr(function, "__code__", None)

    @property
    def runs_piecewise(self) -> bool:
        """True for generators and async functions, whose calls run none of their code."""
        return self.code is not None and bool(self.code.co_flags & _PIECEWISE)

    @property
    def reads_attributes(self) -> bool:
        """True for a `__getattribute__`, which runs where anything reads an attribute of an instance."""
        return bool(self.function.__name__ == "__getattribute__")

    def refuse_reading(self, values: Iterable[Any]) -> None:
        """Raises `UnsupportedFunctionError` for a `__getattribute__`, and for an argument whose class has one: tracing
        reads attributes of arguments, and that may call the function itself."""
        if self.reads_attributes or any(reads_itself(type(v)) and _is_users(type(v)) for v in values):
            what = "`__getattribute__` runs where any attribute is read, also where tracing reads one"
            fix = "Trace the methods that do the array work, or write `__getattr__`."
            raise UnsupportedFunctionError(message(what, fix=fix))

    def refuse(self) -> None:
        """Raises `UnsupportedFunctionError` for a function that runs piecewise, or into which no trace sees."""
        if self.runs_piecewise:
            what = f"`{self.name}` is a generator or async function, which runs piece by piece"
            fix = "Trace the function that does the array work, and call it from there."
            raise UnsupportedFunctionError(message(what, fix=fix))
        if not self.is_traced:
            what = f"`{self.name}` belongs to an installed package with extension modules, which no trace sees into"
            fix = "Trace a function of your own that calls it, or add the package to tracefn.config.pure_packages."
            raise UnsupportedFunctionError(message(what, fix=fix))


def _is_users(cls: type) -> bool:
    """True for a class of an object that is neither an array nor one of a library."""
    return not issubclass(cls, np.ndarray | types.ModuleType) and not is_of_library(cls.__module__)


_PIECEWISE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def unwrap(target: Any) -> Wrapped:
    """The plain function behind something callable. Raises TypeError where there is nothing to trace."""
    args: tuple[Any, ...] = ()
    partials: tuple[functools.partial[Any], ...] = ()
    original = target
    while True:
        if isinstance(target, functools.partial):
            args = (*target.args, *args)
            partials = (target, *partials)
            target = target.func
        elif is_of_known_library(target):
            break
        elif isinstance(target, types.MethodType):
            args = (target.__self__, *args)
            target = target.__func__
        elif isinstance(target, staticmethod | classmethod):
            target = target.__func__
        elif not isinstance(target, types.FunctionType) and not isinstance(target, type) and _has_python_call(target):
            args = (target, *args)
            target = type(target).__call__
        else:
            break
    if not callable(target):
        raise TypeError(f"tracefn.function needs something callable, got {type(original).__name__}: {original!r}")
    named = original if hasattr(original, "python_function") else target  # traced once already
    name = getattr(named, "__name__", type(named).__name__)
    key = f"{getattr(named, '__module__', None) or '?'}.{getattr(named, '__qualname__', name)}"
    is_traced = True
    if not isinstance(target, types.FunctionType) or is_of_known_library(target):  # in C or Cython, a class
        target = _calling(target)
    else:
        is_traced = becomes_own(target.__code__.co_filename)
    return Wrapped(target, args, partials, "lambda" if name == "<lambda>" else name, key, is_traced)


def _calling(target: Any) -> Any:
    """A function in Python that calls another one."""
    made = types.FunctionType(_CALL.__code__, {"__builtins__": __builtins__, "called": target}, "call")
    functools.update_wrapper(made, target)
    del made.__wrapped__  # type: ignore[attr-defined]  # its signature may have defaults that may not be passed
    made.__dict__.pop("__signature__", None)  # NumPy caches it there
    return made


@unseen_by_warnings
def _CALL(*args: Any, **kwargs: Any) -> Any:
    return called(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


def calls_library(function: Any) -> bool:
    """True for the stand-in of a decorated function that is a library's own."""
    return getattr(function, "__code__", None) is _CALL.__code__


def _has_python_call(target: Any) -> bool:
    return isinstance(inspect.getattr_static(type(target), "__call__", None), types.FunctionType)


def attribute_of(function: Any, name: str) -> Any:
    """An attribute of the Python function that the traced one lacks. Raises `AttributeError`."""
    inner = getattr(_held(function, "_wrapped"), "function", None)
    if name in _OF_FUNCTIONS and hasattr(inner, name):
        return getattr(inner, name)
    if name == "__signature__" and calls_library(inner):
        with contextlib.suppress(ValueError, TypeError):  # functions in C may have none
            return inspect.signature(_held(function, "python_function"))
    if name == "__isabstractmethod__" and (is_abstract := getattr(_held(function, "python_function"), name, False)):
        return is_abstract
    kept = getattr(_held(function, "python_function"), "__dict__", {})
    if name in kept and not name.startswith("__"):
        return kept[name]
    raise AttributeError(f"{type(function).__name__!r} object has no attribute {name!r}", name=name, obj=function)


def _held(function: Any, name: str) -> Any:
    """Its own attribute; None before it is made, where `__getattr__` would ask for it again."""
    try:
        return object.__getattribute__(function, name)
    except AttributeError:
        return None


def part_of_function(name: str) -> property:
    """A part of the Python function that may be replaced, on the traced one as well: the next call sees it."""

    def replace(function: Any, value: Any) -> None:
        held = function.python_function
        setattr(held.__func__ if isinstance(held, staticmethod | classmethod) else held, name, value)

    return property(lambda function: attribute_of(function, name), replace)


_OF_FUNCTIONS = frozenset({"__closure__", "__code__", "__defaults__", "__globals__", "__kwdefaults__"})
