"""The result of a comparison: the cost of a first call, the time of later ones, and when tracing pays for itself."""

from __future__ import annotations

import math
from typing import Any

from tracefn.events import TimingMeasured
from tracefn.records import dataclass
from tracefn.timing.figure import comparison_figure
from tracefn.timing.report import headline, html_report, text_report
from tracefn.timing.sampling import Quartiles, Samples, are_apart


@dataclass(frozen=True, slots=True)
class Comparison:
    """Eager against graph for one function on given arguments. Times are in ns.

    `phases` are the parts of the first call (bind, rewrite, trace, passes, program, first_run), `eager` and `graph` the
    steady times of one call. `tier` names the program that `graph` is of: 'native program' or 'NumPy program'. Where
    native code came into use meanwhile, `before_native` has the times of the NumPy program that ran until then. `made`
    has the paths of arguments in whose place others of the same dtype and shape were given (`measure`). `reference`
    names `eager`: of a derivative, which plain Python has not, a trace for each call. `faster` is the part of the turns
    in which the graph took less time. `break_even_before_native` is `break_even` if native code never came into use;
    None also where it was in use from the start.
    `repr`, `str` and notebooks show it as a report; `figure()` draws it.

    >>> import numpy as np, tracefn
    >>> found = tracefn.timing.compare(tracefn.function(np.tanh), np.ones(3))
    >>> found.eager.median > 0, found.signature_text
    (True, 'args[0]: float64[3]')
    """

    name: str
    function: str
    signature: str
    signature_text: str
    phases: dict[str, int]
    eager: Quartiles
    graph: Quartiles
    faster: float
    tier: str = "NumPy program"
    before_native: Quartiles | None = None
    break_even_before_native: int | None = None
    made: tuple[str, ...] = ()
    reference: str = "eager"

    @property
    def first_call_ns(self) -> int:
        """The whole first call, in ns."""
        return sum(self.phases.values())

    @property
    def speedup(self) -> float:
        """How many times faster a later call of the graph is than eager code, by the medians."""
        return self.eager.median / self.graph.median

    @property
    def differs(self) -> bool:
        """Whether one is clearly faster: in three of four turns, and by the medians."""
        return are_apart(self.speedup, self.faster)

    @property
    def break_even(self) -> int | None:
        """The number of calls, the first included, after which tracing has paid for itself.

        None if it never does, or if the graph is not clearly faster.
        """
        return _calls_until_even(self.first_call_ns, self.eager.median, self.graph.median) if self.differs else None

    def event(self) -> TimingMeasured:
        """The comparison as an event for the panel."""
        return TimingMeasured(
            function=self.function,
            signature=self.signature,
            eager_ns=self.eager.as_tuple(),
            graph_ns=self.graph.as_tuple(),
            tier=self.tier,
            before_native_ns=None if self.before_native is None else self.before_native.as_tuple(),
            made=self.made,
            phases=dict(self.phases),
            speedup=self.speedup,
            differs=self.differs,
            break_even=self.break_even,
            break_even_before_native=self.break_even_before_native,
        )

    def headline(self) -> str:
        """The comparison in one line."""
        return headline(self)

    def figure(self) -> Any:
        """A Plotly figure: the phases of the first call, and the total time over the number of calls.

        Raises ImportError where Plotly is not installed.
        """
        return comparison_figure(self)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as data for JSON. Times are in ns, quartiles are [lower, median, upper]."""
        return {
            "name": self.name,
            "function": self.function,
            "signature": self.signature,
            "signature_text": self.signature_text,
            "phases": dict(self.phases),
            "first_call_ns": self.first_call_ns,
            "eager_ns": list(self.eager.as_tuple()),
            "graph_ns": list(self.graph.as_tuple()),
            "tier": self.tier,
            "before_native_ns": None if self.before_native is None else list(self.before_native.as_tuple()),
            "made": list(self.made),
            "reference": self.reference,
            "samples": self.eager.samples,
            "speedup": self.speedup,
            "differs": self.differs,
            "break_even": self.break_even,
            "break_even_before_native": self.break_even_before_native,
        }

    def __str__(self) -> str:
        return text_report(self)

    def __repr__(self) -> str:
        return text_report(self)

    def _repr_html_(self) -> str:
        return html_report(self)


def break_even(first_call_ns: float, eager: Samples, graph: Samples) -> int | None:
    """The number of calls after which a first call has paid for itself; None if the graph is not clearly faster."""
    eager_ns, graph_ns = eager.quartiles.median, graph.quartiles.median
    apart = are_apart(eager_ns / graph_ns, graph.faster_than(eager))
    return _calls_until_even(first_call_ns, eager_ns, graph_ns) if apart else None


def _calls_until_even(first_call_ns: float, eager_ns: float, graph_ns: float) -> int | None:
    gain = eager_ns - graph_ns
    return None if gain <= 0 else max(1, math.ceil((first_call_ns - graph_ns) / gain))
