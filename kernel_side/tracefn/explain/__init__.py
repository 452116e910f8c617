"""Retraces explained: the reason, the cost, whether it was needless, and the change that avoids it."""

from ..function.history.extensions import Hooks, install
from .advice import Fix, advise, find_fix
from .canonical import Fingerprints, fingerprints
from .costs import Costs, ledger
from .eager import EagerCalls
from .explanation import Explanation, explain
from .graph_diff import GraphDiff, graph_diff
from .no_fallback import no_fallback
from .no_retrace import no_retrace, refuse
from .rewriting import written
from .storm import watch
from .timeline import Timeline
from .verdict import Verdict, verdict_in_words
from .what_if import Outcome, WhatIf, what_if

install(
    Hooks(
        refuse=refuse,
        verdict=verdict_in_words,
        watch=watch,
        fingerprints=fingerprints,
        explain=explain,
        what_if=what_if,
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
