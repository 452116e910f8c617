"""Retraces explained: the reason, the cost, whether it was needless, and the change that avoids it.

A retrace imports what judges it and counts it. The rest waits until something is asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from ..function.history.extensions import Hooks, install
from .canonical import Fingerprints, fingerprints
from .graph_diff import GraphDiff, graph_diff
from .no_fallback import no_fallback
from .no_retrace import no_retrace, refuse
from .storm import watch
from .verdict import Verdict, verdict_in_words

if TYPE_CHECKING:
    from .advice import Fix, advise, find_fix
    from .costs import Costs, ledger
    from .eager import EagerCalls
    from .explanation import Explanation, explain
    from .other_policies import Outcome, WhatIf, what_if
    from .rewriting import written
    from .timeline import Timeline

_LATE = {
    "advice": ("Fix", "advise", "find_fix"),
    "costs": ("Costs", "ledger"),
    "eager": ("EagerCalls",),
    "explanation": ("Explanation", "explain"),
    "other_policies": ("Outcome", "WhatIf", "what_if"),
    "rewriting": ("written",),
    "timeline": ("Timeline",),
}
"""File → the names in it. None is the name of a file, which would take its place here."""

_FILES = {name: file for file, names in _LATE.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _FILES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(f".{_FILES[name]}", __name__), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILES})


def _explain(function: Any, trace: int | None) -> Any:
    from .explanation import explain

    return explain(function, trace)


def _what_if(function: Any) -> Any:
    from .other_policies import what_if

    return what_if(function)


install(
    Hooks(
        refuse=refuse,
        verdict=verdict_in_words,
        watch=watch,
        fingerprints=fingerprints,
        explain=_explain,
        what_if=_what_if,
    )
)

__all__ = [
    "Costs",
    "EagerCalls",
    "Explanation",
    "Fingerprints",
    "Fix",
    "GraphDiff",
    "Outcome",
    "Timeline",
    "Verdict",
    "WhatIf",
    "advise",
    "explain",
    "find_fix",
    "fingerprints",
    "graph_diff",
    "ledger",
    "no_fallback",
    "no_retrace",
    "watch",
    "what_if",
    "written",
]
