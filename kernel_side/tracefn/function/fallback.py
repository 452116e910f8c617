"""Calls that run the Python function itself, as no trace can be made for them: which, why, and how they are found."""

from __future__ import annotations

import dataclasses
import os
import sys
import warnings
from collections import Counter
from typing import Any

from .. import events
from ..errors import (
    ArgumentMismatchError,
    DeviceUnavailableError,
    FallbackWarning,
    InputSignatureError,
    RetraceError,
    TracefnError,
)
from ..events import Location
from ..trace.origin import error_source

MAX_ATTEMPTS = 3
"""Signatures that are tried in vain for one reason; after that, all calls that no trace fits run eagerly."""

_FINAL = (ArgumentMismatchError, DeviceUnavailableError, InputSignatureError, RetraceError)
"""What is said to the caller, and is no refusal to trace."""


@dataclasses.dataclass(eq=False)
class Fallback:
    """Why calls of one signature run eagerly.

    `signature_text` is the signature, or 'any' for all that no trace fits. `error` is the class of what stood in the
    way, `reason` and `fix` are its words, `location` is the line. `trace_ns` was spent on the attempt to trace,
    `eager_ns` is what the first eager call took.
    """

    signature_text: str
    error: str
    reason: str
    fix: str
    location: Location | None
    trace_ns: int = 0
    eager_ns: int = 0
    counted: int = 0

    @property
    def calls(self) -> int:
        """How often the Python function ran for this reason."""
        return self.counted

    @property
    def text(self) -> str:
        """The reason with its line, on one line."""
        place = "" if self.location is None else f"{where_of(self.location)}: "
        return f"{place}{self.reason}"

    @property
    def key(self) -> Any:
        """What is the same reason."""
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

    def add(self, name: str, fallback: Fallback) -> None:
        """Takes up a fallback; warns where its reason is new. Calls of any signature fall back after several."""
        self._attempts[fallback.key] += 1
        self.found.append(fallback)
        if self._attempts[fallback.key] >= MAX_ATTEMPTS and self.always is None:
            self.always = dataclasses.replace(fallback, signature_text="any", trace_ns=0, eager_ns=0)
            self.found.append(self.always)
        if fallback.key not in self._warned:
            self._warned.add(fallback.key)
            _warn(name, fallback)

    def clear(self) -> None:
        """Forgets all of them: calls are traced again."""
        self.found.clear()
        self._attempts.clear()
        self.always = None


def falls_back(error: BaseException) -> bool:
    """True for an error of a trace after which the Python function runs instead. What is wrong with the user's code is
    among them: that run raises it as it should be."""
    return isinstance(error, Exception) and not isinstance(error, _FINAL)


def fallback_for(error: Exception, signature_text: str, trace_ns: int) -> Fallback:
    """The fallback that an error of a trace amounts to."""
    if isinstance(error, TracefnError):
        reason, *rest = str(error).splitlines() or [""]
        fix = " ".join(line.strip() for line in rest if not line.startswith("  at "))
    else:
        reason = f"tracing it raised {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        fix = "Eager code does not raise that: please report it."
    source = error_source(error)
    location = None if source is None else events.locate(source.file, source.line)
    return Fallback(signature_text, type(error).__name__, reason, fix, location, trace_ns)


def _warn(name: str, fallback: Fallback) -> None:
    text = f"`{name}` runs eagerly: {fallback.reason}"
    if fallback.fix:
        text += f"\n  {fallback.fix}"
    if fallback.location is None:
        warnings.warn(text, FallbackWarning, stacklevel=_user_level())
        return
    warnings.warn_explicit(text, FallbackWarning, fallback.location.file, fallback.location.line)


def _user_level() -> int:
    """How far up the first frame outside of tracefn is."""
    package = os.path.dirname(os.path.dirname(__file__)) + os.sep
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    return level
