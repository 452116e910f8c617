"""Calls that run the Python function itself, as no trace can be made for them: which, why, and how they are found."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ... import events
from ...config import unsupported_choice
from ...errors import (
    ArgumentMismatchError,
    AssertionFailedError,
    DeviceUnavailableError,
    FallbackWarning,
    InputSignatureError,
    PyFunctionResultError,
    RetraceError,
    TensorConversionError,
    TracefnError,
    UnsupportedFunctionError,
    message,
)
from ...events import Location
from ...events.units import count, duration
from ...ir.bail_out import BailOut
from ...ir.place import Source
from ...records import dataclass
from ...runtime.calls.eager_entry import LOOK_FIRST
from ...trace.origin import error_source, is_of_tracefn, where
from ...trace.stand_ins import file_of, is_given_stand_in, is_refusal, names_stand_in
from ...trace.trace_parts.budget import LONGER
from .rests import RestsOn

MAX_ATTEMPTS = 3
"""Signatures that are tried in vain for one reason; after that, all calls that no trace fits run eagerly."""

ANY = "any"
"""The signature of a fallback of all calls that no trace fits."""

_INSIDE = "calls by functions whose traces were refused here"
"""The signature of the fallback of such calls."""

_FINAL = (ArgumentMismatchError, DeviceUnavailableError, InputSignatureError, RetraceError)
"""Errors for the caller, which are no refusals to trace."""


@dataclass(eq=False)
class Fallback:
    """Why calls of one signature run eagerly.

    `signature_text` is the signature, or 'any' for all that no trace fits. `error` is the class of the obstacle,
    `reason` and `fix` are its words, `location` is the line. `trace_ns` was spent on the attempt to trace, `eager_ns`
    is the time of the first eager call. `rests_on` is the state outside: where that changes, the next call is traced
    again. So it is where calls have taken as long as a trace with the limit `longer`, which is 0 where that does not
    matter. `outer` is the fallback of the function that was last refused in this one.
    """

    signature_text: str
    error: str
    reason: str
    fix: str
    location: Location | None
    trace_ns: int = 0
    eager_ns: int = 0
    attempt: str | None = None
    on_unsupported: str | None = None
    rests_on: RestsOn | None = None
    longer: float = 0
    outer: Fallback | None = dataclasses.field(default=None, repr=False)
    counter: events.CallCounter = dataclasses.field(default_factory=lambda: events.CallCounter("", ""), repr=False)

    @property
    def id(self) -> str:
        """Its id in events and the panel: `f#3/eager1`."""
        return self.counter.signature

    @property
    def calls(self) -> int:
        """How often the Python function ran for this reason."""
        return self.counter.count

    @property
    def spent_ns(self) -> int:
        """The total time of these calls, extrapolated from the timed ones."""
        counter = self.counter
        return counter.timed_ns * counter.count // counter.timed if counter.timed else self.eager_ns

    @property
    def summary(self) -> str:
        """The number of eager calls, their time, and the time of the failed trace, in words."""
        said = f"{count(self.calls, 'call')} in {duration(self.spent_ns)}"
        return f"{said}; tracing took {duration(self.trace_ns)}" if self.trace_ns else said

    @contextlib.contextmanager
    def timed(self) -> Iterator[None]:
        """Around a call that runs eagerly: counts and times it."""
        self.counter.counted += 1
        start = time.perf_counter_ns()
        yield
        self.counter.time(time.perf_counter_ns() - start)

    def looks(self, leaves: Any) -> bool:
        """True while the cause of the fallback persists, as far as it is checked."""
        if (self.on_unsupported or unsupported_choice()) != "eager":
            return False
        if self.longer and self.spent_ns >= LONGER * self.trace_ns:
            return False
        rests_on = self.rests_on
        return rests_on is None or rests_on.holds(leaves, self.counter.count <= LOOK_FIRST)

    @property
    def text(self) -> str:
        """The reason with its line, on one line."""
        place = "" if self.location is None else f"{where_of(self.location)}: "
        return f"{place}{self.reason}"

    @property
    def key(self) -> Any:
        """Equal for equal reasons."""
        return self.error, self.location, None if self.location is not None else self.reason


def where_of(location: Location) -> str:
    """A place as messages name it."""
    name = f"cell [{location.cell_number}]" if location.cell_number is not None else os.path.basename(location.file)
    return f"{name} line {location.line}"


class Fallbacks:
    """The fallbacks of one Python function, which traced methods of all instances share."""

    def __init__(self) -> None:
        self.found: list[Fallback] = []
        self.always: Fallback | None = None
        self._attempts: Counter[Any] = Counter()
        self._warned: set[Any] = set()
        self._made = 0

    def add(self, function: Any, fallback: Fallback, warns: bool = True) -> None:
        """Adds a fallback of a `Function`; `warns` if its reason is new. After several fallbacks for one reason, or one
        for 'any', all calls run eagerly."""
        self._attempts[fallback.key] += 1
        self._take(function, fallback)
        if fallback.signature_text == ANY:
            self.always = fallback
        elif self._attempts[fallback.key] >= MAX_ATTEMPTS and self.always is None:
            self.always = dataclasses.replace(
                fallback,
                signature_text=ANY,
                trace_ns=0,
                eager_ns=0,
                attempt=None,
                rests_on=None,
                longer=0,
                counter=events.CallCounter("", ""),
            )
            self._take(function, self.always)
        if warns and fallback.key not in self._warned:
            self._warned.add(fallback.key)
            _warn(function, fallback)

    def for_arguments(self, function: Any, error: Exception) -> Fallback:
        """The fallback of calls with arguments that have no place in a signature."""
        fallback = fallback_for(error, "", 0, None)
        known = next((f for f in self.found if f.attempt is None and f.key == fallback.key), None)
        if known is None:
            fallback.signature_text = "these arguments"
            self.add(function, fallback)
        return known or fallback

    def of_outer(self, function: Any, outer: Fallback) -> Fallback:
        """The fallback of calls by functions whose traces were refused in this one. Each of these counts as an attempt,
        but one attempt is left: alone, this function may be traced."""
        known = next((f for f in self.found if f.signature_text == _INSIDE and f.key == outer.key), None)
        if known is None:
            known = Fallback(_INSIDE, outer.error, outer.reason, outer.fix, outer.location)
            self.add(function, known)
        elif known.outer is not outer and self._attempts[known.key] < MAX_ATTEMPTS - 1:
            self._attempts[known.key] += 1
        known.outer = outer
        return known

    def _take(self, function: Any, fallback: Fallback) -> None:
        self._made += 1
        fallback.on_unsupported, counter = function.on_unsupported, fallback.counter
        counter.function, counter.signature = function.function_id, f"{function.function_id}/eager{self._made}"
        self.found.append(fallback)
        events.emit(
            events.Fallback(
                function=function.function_id,
                signature=fallback.id,
                location=fallback.location,
                attempt=fallback.attempt,
                error=fallback.error,
                reason=fallback.reason,
                fix=fallback.fix,
                signature_text=fallback.signature_text,
                trace_ns=fallback.trace_ns,
                eager_ns=fallback.eager_ns,
            )
        )

    def clear(self) -> None:
        """Forgets all of them: calls are traced again."""
        self.found.clear()
        self._attempts.clear()
        self.always = None


def falls_back(error: BaseException) -> bool:
    """True for an error of a trace after which the Python function runs instead. Errors of the user's code are
    among them: that run raises them as it should."""
    return isinstance(error, Exception) and not isinstance(error, _FINAL)


def raise_refusal(error: Exception) -> None:
    """Raises the refusal to trace that an error of a trace amounts to. An error of the user's code is none."""
    error = _first(error)
    if is_refusal(error) and not isinstance(error, AssertionFailedError | PyFunctionResultError):
        raise error
    if names_stand_in(error):
        raise unexpected(error) from error


def unexpected(error: Exception) -> TracefnError:
    """Says that tracing raises an error that eager code does not raise."""
    reason, fix = _words(error)
    refusal = TensorConversionError if is_given_stand_in(error) else UnsupportedFunctionError
    return refusal(message(reason, where(error_source(error)), fix))


def _first(error: Exception) -> Exception:
    """The refusal in whose place a handler of the user's code has raised an error, or the error."""
    context = error.__context__
    return context if isinstance(context, TracefnError) and not is_of_tracefn(file_of(error)) else error


def _words(error: Exception) -> tuple[str, str]:
    """The reason why there is no trace, and the advice, from the error."""
    if is_refusal(error):
        reason, *rest = str(error).splitlines() or [""]
        return reason, " ".join(line.strip() for line in rest if not line.startswith("  at "))
    if isinstance(error, BailOut):
        return error.reason, "Other calls of the same types take the graph."
    shown = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if is_given_stand_in(error):
        fix = "Call it in tracefn.py_function, or outside of the traced function."
        return f"code that takes no traced value is given one, and raises {shown}", fix
    return f"tracing it raised {shown}", "Eager code does not raise that: please report it."


def fallback_for(
    error: Exception, signature_text: str, trace_ns: int, attempt: str | None, source: Source | None = None
) -> Fallback:
    """The fallback that an error of a trace amounts to. `source` is the line to blame, where that is not the one which
    raised it."""
    error = _first(error)
    reason, fix = _words(error)
    source = source or error_source(error)
    location = None if source is None else events.locate(source.file, source.line)
    return Fallback(signature_text, type(error).__name__, reason, fix, location, trace_ns, attempt=attempt)


def _warn(function: Any, fallback: Fallback) -> None:
    how = without_graph(function)
    text = f"`{function.name}` {f'makes {how}' if how else 'runs eagerly'}: {fallback.reason}"
    if fallback.fix:
        text += f"\n  {fallback.fix}"
    if fallback.location is None:
        caller = _user_frame()  # whose module is left as it is: its code may go over its own names
        name = caller.f_globals.get("__name__")
        warnings.warn_explicit(text, FallbackWarning, caller.f_code.co_filename, caller.f_lineno, name)
        return
    line = events.CELLS.line_in_file(fallback.location)
    warnings.warn_explicit(text, FallbackWarning, fallback.location.file, line)


def without_graph(function: Any) -> str:
    """The calls of a traced function without a graph in words, where they are no eager code, as of derivatives. Empty
    for any other function."""
    return str(getattr(function.python_function, "__tracefn_without_graph__", ""))


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "")


def _user_frame() -> FrameType:
    """The first frame outside of tracefn."""
    package = _PACKAGE
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((package, "<tracefn ")):
        frame = frame.f_back
    return frame
