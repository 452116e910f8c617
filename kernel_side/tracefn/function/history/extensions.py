"""The hooks of `tracefn.explain`, which is above this package: it installs them when it is imported, and that is when
something is to be explained."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...records import dataclass
from ...runtime.garbage import no_collection

if TYPE_CHECKING:
    from ...events import Cause
    from ..concrete import ConcreteFunction
    from .traces import History, TraceRecord


@dataclass(frozen=True)
class Hooks:
    """The calls from traced functions into `tracefn.explain`.

    `refuse` is called before a trace is made, `verdict` when its graph is known, and `watch` when it is finished.
    `fingerprints` are taken of a trace that is let go. `explain` and `what_if` are methods of `Function`.
    """

    refuse: Callable[[Any, TraceRecord], None]
    verdict: Callable[[History, TraceRecord, TraceRecord | None], tuple[str, int | None]]
    watch: Callable[[Any, TraceRecord, Sequence[Cause]], None]
    fingerprints: Callable[[ConcreteFunction], Any]
    explain: Callable[[Any, int | None], Any]
    what_if: Callable[[Any], Any]


_INSTALLED: list[Hooks] = []


def install(hooks: Hooks) -> None:
    """Makes these the hooks of all traced functions."""
    _INSTALLED[:] = [hooks]


def hooks() -> Hooks:
    """The hooks in use."""
    if not _INSTALLED:
        with no_collection(for_good=True):
            importlib.import_module("tracefn.explain")
    return _INSTALLED[0]


def refuse(function: Any, record: TraceRecord) -> None:
    """Raises where a block of code forbids the trace that is about to be made. None does before there are hooks."""
    if _INSTALLED:
        _INSTALLED[0].refuse(function, record)
