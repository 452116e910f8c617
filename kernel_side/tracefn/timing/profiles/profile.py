"""The result of a profile: steps, lines, shares, memory."""

from __future__ import annotations

import linecache
from typing import Any

from tracefn import events
from tracefn.events import ProfileLine, ProfileMeasured, ProfileStep, ProfileTime
from tracefn.ir.place import Source
from tracefn.records import dataclass
from tracefn.timing.profiles.kinds import KINDS
from tracefn.timing.profiles.report import html_report, text_report
from tracefn.timing.sampling import Quartiles

MOST_SHOWN = 300
"""The slowest steps that the event has in full: a program may have thousands. Of the others it has the time."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the program: line number `line`, which ran `rounds` times in a call and took `ns` in all. `text` is
    the line, or the steps of a kernel.

    `kind` is 'kernel', 'linalg', 'numpy', 'copy' or 'python'. `nodes` are the ids of the nodes of the graph that it
    computes, `places` the lines of the user's code. `memory` is the memory that NumPy and Python have allocated between
    the start of the program and the end of the line, `peak` the most while it ran, in bytes.
    """

    line: int
    text: str
    kind: str
    ns: float
    rounds: int
    nodes: tuple[str, ...]
    places: tuple[Source, ...]
    memory: int
    peak: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the user's code: its time in the graph and as plain Python, in ns for a call."""

    place: Source
    graph_ns: float
    eager_ns: float

    @property
    def source(self) -> str:
        """The line itself."""
        return linecache.getline(self.place.file, self.place.line).strip()


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the time of one call goes. Times are in ns, memory in bytes.

    `eager` and `graph` are the times of a whole call, `steps` those of the program in order, of `runs` runs; `tier`
    names the program: 'native program' or 'NumPy program'. `lines` are the lines of the user's code. `made` has the
    paths of arguments in whose place others of the same dtype and shape were given (`profile_trace`). `repr`, `str` and
    notebooks show it as a report.

    >>> import numpy as np, tracefn
    >>> found = tracefn.profile(tracefn.function(lambda x: np.tanh(x) * 2), np.ones(1000))
    >>> found.runs > 0, found.steps_ns > 0, found.peak_memory >= 8000
    (True, True, True)
    """

    name: str
    function: str
    signature: str
    signature_text: str
    tier: str
    eager: Quartiles
    graph: Quartiles
    runs: int
    steps: tuple[Step, ...]
    lines: tuple[Line, ...]
    made: tuple[str, ...] = ()

    @property
    def steps_ns(self) -> float:
        """The time of all steps together."""
        return sum(step.ns for step in self.steps)

    @property
    def total_ns(self) -> float:
        """The whole of the shares: the time of a call. Where machine code takes whole calls, the steps may take longer
        one by one."""
        return max(self.graph.median, self.steps_ns)

    @property
    def shares(self) -> dict[str, float]:
        """The part of the time by the kind of work, largest first. 'python' includes the work between the steps:
        the checks of a call, loops, and making the result."""
        found = dict.fromkeys(KINDS, 0.0)
        for step in self.steps:
            found[step.kind] += step.ns
        found["python"] += self.total_ns - self.steps_ns
        parts = {kind: ns / self.total_ns for kind, ns in found.items() if ns > 0}
        return dict(sorted(parts.items(), key=lambda part: -part[1]))

    def slowest(self, number: int = 10) -> list[Step]:
        """The steps that take most of the time, the slowest first."""
        return sorted(self.steps, key=lambda step: -step.ns)[:number]

    @property
    def peak(self) -> Step | None:
        """The step with the most memory in use; None where there are no steps."""
        return max(self.steps, key=lambda step: step.peak, default=None)

    @property
    def peak_memory(self) -> int:
        """The most memory that was in use, besides the arguments and captured arrays."""
        return 0 if self.peak is None else self.peak.peak

    def rows(self) -> list[dict[str, Any]]:
        """A row for each step, in the order of the program."""
        return [
            {
                "step": step.text,
                "kind": step.kind,
                "ns": step.ns,
                "share": step.ns / self.total_ns,
                "rounds": step.rounds,
                "line": step.places[0].line if step.places else None,
                "file": step.places[0].file if step.places else None,
                "nodes": " ".join(step.nodes),
                "memory": step.memory,
                "peak": step.peak,
            }
            for step in self.steps
        ]

    def to_frame(self) -> Any:
        """The steps as a pandas DataFrame. Raises ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """The profile as data for JSON. Times are in ns, quartiles are [lower, median, upper]."""
        return {
            "name": self.name,
            "function": self.function,
            "signature": self.signature,
            "signature_text": self.signature_text,
            "tier": self.tier,
            "eager_ns": list(self.eager.as_tuple()),
            "graph_ns": list(self.graph.as_tuple()),
            "runs": self.runs,
            "shares": self.shares,
            "peak": self.peak_memory,
            "steps": self.rows(),
            "lines": [
                {"file": n.place.file, "line": n.place.line, "graph_ns": n.graph_ns, "eager_ns": n.eager_ns}
                for n in self.lines
            ],
            "made": list(self.made),
        }

    def event(self) -> ProfileMeasured:
        """The profile as an event for the panel."""
        shown = {*self.slowest(MOST_SHOWN), *([] if self.peak is None else [self.peak])}
        return ProfileMeasured(
            function=self.function,
            signature=self.signature,
            tier=self.tier,
            eager_ns=self.eager.as_tuple(),
            graph_ns=self.graph.as_tuple(),
            runs=self.runs,
            total_ns=self.total_ns,
            shares=self.shares,
            steps=tuple([_as_event(step) for step in self.steps if step in shown]),
            steps_count=len(self.steps),
            others=tuple([ProfileTime(step.ns, step.nodes) for step in self.steps if step not in shown]),
            lines=tuple([ProfileLine(events.locate(*n.place), n.graph_ns, n.eager_ns) for n in self.lines]),
            peak=self.peak_memory,
            made=self.made,
        )

    def __str__(self) -> str:
        return text_report(self)

    def __repr__(self) -> str:
        return text_report(self)

    def _repr_html_(self) -> str:
        return html_report(self)


def _as_event(step: Step) -> ProfileStep:
    place = events.locate(*step.places[0]) if step.places else None
    return ProfileStep(step.text, step.kind, step.ns, step.rounds, step.nodes, place, step.memory, step.peak)
