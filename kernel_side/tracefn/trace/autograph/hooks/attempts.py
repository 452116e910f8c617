"""`try` and context managers that keep exceptions: errors caught at a call are known while tracing, or refused.

An exception of Python code comes while tracing, and is caught there. A step of the graph raises at the call, when the
handlers are gone: then the Python function has to do the call from the start. A trace for which that is not possible is
refused at its end (`Trace.caught` has the errors that say so).
"""

from __future__ import annotations

import contextlib
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ....errors import (
    ControlFlowError,
    InPlaceWriteError,
    LeakedTensorError,
    SymbolicDimensionError,
    TensorConversionError,
    TensorIterationError,
    TracefnError,
    UnsupportedArgumentError,
    UnsupportedFunctionError,
    UnsupportedResultError,
    message,
)
from ....ir.graph import Node
from ....ir.infer import may_raise
from ....ir.template import Ref
from ...active import current
from ...code.bytecode import instructions
from ...context import Trace
from ...foreign import Foreign
from ...origin import error_source, is_library, user_source, where
from ...stand_ins import file_of, names_stand_in, raised_by_tracing
from ..special import Entered, is_rewritten
from .managers import followed

Classes = tuple[type[BaseException], ...]

REFUSALS = (
    ControlFlowError, InPlaceWriteError, LeakedTensorError, SymbolicDimensionError, TensorConversionError,
    TensorIterationError, UnsupportedArgumentError, UnsupportedFunctionError, UnsupportedResultError,
)  # fmt: skip
"""Errors that are raised because the code is traced: eager code would not get there, and its handlers are not meant."""

_NUMERIC: Classes = (ValueError, TypeError, ArithmeticError, IndexError)
_RAISED: dict[str, Classes] = {
    "linalg": (np.linalg.LinAlgError,),
    "getitem": (IndexError,),
    "setitem": (IndexError,),
    "take": (IndexError,),
    "list_get": (IndexError,),
    "list_pop": (IndexError,),
    "py_function": (Exception,),
    "numpy_function": (Exception,),
    "check": (Exception,),
    "opaque": (Exception,),
}
"""The errors that steps of the graph may raise, by the name of their op or its module, where not any numeric error."""
_OF_NUMBERS: dict[str, Classes] = {
    **dict.fromkeys(("truediv", "floordiv", "mod", "pow"), (ZeroDivisionError, OverflowError)),
    **dict.fromkeys(("lshift", "rshift"), (ValueError, OverflowError)),
}
"""The errors that Python's operators on numbers may raise."""


class Attempt:
    """A block around which exceptions are caught: of the classes that `classes()` gives."""

    def __init__(self, classes: Callable[[], Any]) -> None:
        self._classes = classes

    def catches(self, raised: Classes) -> type[BaseException] | None:
        """The first class for which one of these may be caught."""
        for handled in self._handled():
            if any(issubclass(r, handled) or issubclass(handled, r) for r in raised):
                return handled
            if issubclass(handled, Warning) and not issubclass(handled, DeprecationWarning):
                return handled  # that any step may give, if the user made errors of them
        return None

    def _handled(self) -> list[type[BaseException]]:
        try:
            return _flat(self._classes())
        except Exception as error:  # eager code looks at them when something is raised, which may be never
            what = f"an `except` names a class that cannot be looked up ({type(error).__name__}: {error})"
            fix = "Name classes of exceptions that there are."
            raise UnsupportedFunctionError(message(what, where(user_source(3)), fix)) from None

    def note_error(self, error: BaseException) -> None:
        """Notes that this error, which a call may come to or not, would be caught here."""
        trace = current()
        if trace is not None and (caught := self.catches((type(error),))) is not None:
            source = error_source(error) or user_source(3)
            what = f"{type(error).__name__}, which a traced value decides,"
            trace.root.caught.append(refusal(what, caught, source))


def _flat(classes: Any) -> list[type[BaseException]]:
    return [c for part in classes for c in _flat(part)] if isinstance(classes, tuple) else [classes]


def raised_by(node: Node) -> Classes:
    """The errors that a node may raise at the call: none for most."""
    if node.op.name == "raise_error":
        made = node.args[0]
        return (made,) if isinstance(made, type) else (Exception,)
    if node.op.name.startswith("operator."):
        return () if _divides_by_a_known_number(node) else _OF_NUMBERS.get(node.op.name.removeprefix("operator."), ())
    if node.op.name in ("int", "float", "complex"):
        kind = node.inputs[0].types[0].dtype.kind if node.inputs else "i"
        return (ValueError, OverflowError) if kind in "SUT" or (node.op.name == "int" and kind == "f") else ()
    if node.op.style == "draw" and len(node.inputs) < 2:
        return ()  # of numbers that are known, and were right while tracing
    known = _RAISED.get(node.op.name) or _RAISED.get(node.op.name.partition(".")[0])
    if node.op.style not in ("effect", "draw") and not may_raise(node):
        return ()
    return known or (() if node.op.style == "effect" else _NUMERIC)


def _divides_by_a_known_number(node: Node) -> bool:
    """True for a float over a constant that is not 0."""
    if node.op.name.removeprefix("operator.") not in ("truediv", "floordiv", "mod") or type(node.args[0]) is not Ref:
        return False
    divisor = node.args[1]
    is_known = type(divisor) is float or (type(divisor) is int and abs(divisor) < _MAX_EXACT_INT)
    return is_known and divisor != 0 and node.inputs[node.args[0].index].types[0].dtype.kind == "f"


_MAX_EXACT_INT = 2**53
"""Ints below this are floats, too: a float over one of them cannot overflow."""


@contextlib.contextmanager
def attempt(classes: Callable[[], Any]) -> Iterator[None]:
    """Around the body of a `try` that has handlers."""
    trace: Trace | None = current()
    if trace is None:
        yield
        return
    around, start = trace.attempts, len(trace.nodes)
    mine = Attempt(classes)
    trace.attempts = (*around, mine)
    try:
        yield
    except REFUSALS:
        raise
    except Exception as error:
        if _is_of_tracing(error):
            raise raised_by_tracing(error) from error
        trace.guard_lengths()  # calls with other lengths may not come here
        _check(trace, mine, start)
        raise
    else:
        _check(trace, mine, start)
    finally:
        trace.attempts = around


def _is_of_tracing(error: Exception) -> bool:
    """True for an error that eager code would not raise, as far as is known."""
    return isinstance(error, AssertionError) and is_library(file_of(error)) or names_stand_in(error)


def _check(trace: Trace, block: Attempt, start: int) -> None:
    for node in _steps(trace.nodes[start:]):
        raised = raised_by(node)
        if raised and (caught := block.catches(raised)) is not None:
            error = refusal(f"`{node.op.symbol or _call(node)}`, which may raise at a call,", caught, node.source)
            if node.pure and not may_raise(node):
                raise error  # where nothing uses its result it is left out, and raises nothing
            trace.root.caught.append(error)


def _steps(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if not node.bodies:
            yield node
        for body in node.bodies:
            yield from _steps(body.graph.nodes)


def _call(node: Node) -> str:
    return {"getitem": "x[i]", "setitem": "x[i] = v"}.get(node.op.name, node.op.name)


def refusal(what: str, caught: type[BaseException], source: Any) -> ControlFlowError:
    return ControlFlowError(
        message(
            f"{what} stands in a `try` that catches {caught.__name__}, and errors of the graph are not caught there",
            where(source),
            "Test for it before (`np.linalg.cond(a)`, `i < len(x)`), or keep the `try` outside the traced function.",
        )
    )


def handled(classes: Any) -> Any:
    """The classes of an `except`, none of them where tracing itself has failed: that is no error of the user's."""
    error = sys.exception()
    if current() is None or not (isinstance(error, REFUSALS) or _is_ours(error)):
        return classes
    return tuple([c for c in _flat(classes) if isinstance(c, type) and issubclass(c, TracefnError)])


_OURS = (
    "Tensor",
    "OneOf",
    "Maybe",
    "Typed",
    "SymbolicInt",
    "GraphList",
    "GraphDeque",
    "GraphSet",
    "GraphDict",
    "Keyed",
    "Chosen",
    "Foreign",
)
"""The names of stand-ins for values while tracing."""


def _is_ours(error: BaseException | None) -> bool:
    """True for an error of Python code that has met the stand-in for a value, and not the value."""
    return isinstance(error, TypeError | AttributeError) and any(f"'{name}'" in str(error) for name in _OURS)


def entered(manager: Any) -> Any:
    """The context manager of a `with`: one that keeps exceptions is a `try` as well."""
    trace = current()
    if trace is None:
        return manager
    if isinstance(manager, warnings.catch_warnings):
        raise UnsupportedFunctionError(
            message(
                "`warnings.catch_warnings` is used in traced code, whose steps warn at the call, outside of it",
                where(user_source(3)),
                "Put it around the call, or write `with np.errstate(...)`, which holds for the steps.",
            )
        )
    manager = followed(manager, entered)
    if type(manager) is Foreign:
        manager.__enter__()  # refuses
    kept = _kept_by(manager)
    used = Entered(manager) if is_rewritten(manager) else manager
    return _Keeping(used, kept) if kept else used


def _kept_by(manager: Any) -> tuple[Any, ...]:
    """The exceptions that a context manager may keep to itself."""
    if isinstance(manager, contextlib.suppress):
        return manager._exceptions  # type: ignore[attr-defined]
    if isinstance(manager, contextlib._GeneratorContextManager):
        code = getattr(manager.gen, "gi_code", None)
        return (BaseException,) if code is not None and _handles(code) else ()
    leave = getattr(type(manager), "__exit__", None)
    return (BaseException,) if type(leave) is types.FunctionType and _may_be_true(leave.__code__) else ()


def _handles(code: types.CodeType) -> bool:
    """True for code with an `except`, or a `with suppress(...)`."""
    names = [name for name, _ in instructions(code)]
    is_bare = ("PUSH_EXC_INFO", "POP_TOP") in zip(names, names[1:], strict=False)
    return is_bare or "CHECK_EXC_MATCH" in names or "suppress" in code.co_names


def _may_be_true(code: types.CodeType) -> bool:
    """True for a function that returns something else than None or False, as far as its code shows."""
    previous: tuple[str, Any] = ("", None)
    for name, argument in instructions(code):
        if name == "RETURN_VALUE" and not (previous[0] == "LOAD_CONST" and not previous[1]):
            return True
        if name == "RETURN_CONST" and argument:
            return True
        previous = name, argument
    return False


class _Keeping:
    """A context manager that keeps exceptions, but for those that come of tracing."""

    def __init__(self, manager: Any, kept: tuple[Any, ...]) -> None:
        self._manager = manager
        self._attempt = attempt(lambda: kept)

    def __enter__(self) -> Any:
        entered = self._manager.__enter__()
        self._attempt.__enter__()
        return entered

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        try:
            self._attempt.__exit__(kind, error, traceback)
        except BaseException as raised:
            if raised is not error:
                self._manager.__exit__(type(raised), raised, raised.__traceback__)
                raise
        if isinstance(error, REFUSALS):
            self._manager.__exit__(kind, error, traceback)
            return False
        return self._manager.__exit__(kind, error, traceback)
