"""The event types: one frozen dataclass for each thing that can happen, and their JSON form.

Every event carries the same header (`Event`): its place in the stream, when, which engine, which function and
signature, and where in the user's code. The header's `seq` and `time_ns` are filled in by the bus. `docs/protocol.md`
documents the JSON form, of which `tools/protocol.py` makes files of the front end; a change of meaning raises
`PROTOCOL_VERSION`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from tracefn.events.event import (
    PROTOCOL_VERSION,
    Argument,
    Cause,
    Event,
    Location,
    PassCount,
    ProfileLine,
    ProfileStep,
    ProfileTime,
    SweepPoint,
)
from tracefn.records import dataclass

__all__ = [
    "PROTOCOL_VERSION",
    "Argument",
    "Cause",
    "Event",
    "Location",
    "PassCount",
    "ProfileLine",
    "ProfileStep",
    "ProfileTime",
    "SweepPoint",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStarted(Event):
    """A call found no signature that fits: a trace begins. `location` is the call site, `defined` the function's `def`.

    `function_key` names the function across redefinitions (`module.qualname`), `signature_hash` names the signature
    across sessions, `trace` counts the function's traces from 1. `cell` is the id of the notebook cell that runs, where
    the call site may be in another, or in a module.
    """

    type: ClassVar[str] = "trace.started"
    function_name: str
    function_key: str
    defined: Location | None
    trace: int
    signature_text: str
    signature_hash: str
    arguments: tuple[Argument, ...]
    cell: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellStarted(Event):
    """A notebook cell runs again in which functions were traced before, or that places in events are in. `cell` is its
    id, `number` its execution count. Places in the code compiled under the name `file` are in the cell as it is now."""

    type: ClassVar[str] = "cell.started"
    cell: str
    number: int
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePhase(Event):
    """One phase of a first call ended. `phase` is bind, rewrite, trace, passes, program or first_run; or
    bind, taken_over and first_run, where the trace was made by an earlier process or for other objects."""

    type: ClassVar[str] = "trace.phase"
    phase: str
    duration_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFinished(Event):
    """A trace ended: `ok` is False when it raised (an `error` event says how) and nothing was kept. `replayed` are the
    signatures of functions whose graphs were there already, so that a derivative did not run their Python again."""

    type: ClassVar[str] = "trace.finished"
    ok: bool
    total_ns: int
    phases: dict[str, int]
    replayed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetraceExplained(Event):
    """Why trace number `trace` was made although earlier traces exist: all differences from the nearest of them."""

    type: ClassVar[str] = "retrace.explained"
    trace: int
    nearest: int
    nearest_signature: str
    causes: tuple[Cause, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphBuilt(Event):
    """A graph is ready. `graph` is the graph itself; its JSON form travels beside the events, once per `graph_hash`,
    which is made when it is first asked for; `known_hash` is that of a graph that is let go.

    `verdict` says how it differs from the graph of the earlier trace number `same_as`: 'nothing', 'numbers' (that are
    written into it) or 'shapes' (lengths, and numbers); or it is 'different' from all; empty for a first trace.
    `memory` is about the size of graph and program, in bytes. The graph of a trace that fails is the recorded part;
    `raised` is the id of the node that raised, where one did.
    """

    type: ClassVar[str] = "graph.built"
    computed: ClassVar[tuple[str, ...]] = ("graph_hash", "raised")
    nodes_before: int
    nodes_after: int
    passes: tuple[PassCount, ...]
    graph: Any = dataclasses.field(metadata={"by_reference": True}, repr=False)
    verdict: str = ""
    same_as: int | None = None
    memory: int = 0
    known_hash: str = dataclasses.field(default="", metadata={"by_reference": True}, repr=False)
    failed: Any = dataclasses.field(default=None, metadata={"by_reference": True}, repr=False)

    @property
    def graph_hash(self) -> str:
        """The hash of the graph as it is drawn, by which it is asked for."""
        return self.known_hash or self.graph.drawn_hash

    @property
    def raised(self) -> str | None:
        """The id of the node that raised."""
        graph = self.graph
        return None if self.failed is None or graph is None else graph.names[self.failed]

    def release(self) -> None:
        """Let the graph go, as its trace is dropped. The event stays, without it."""
        object.__setattr__(self, "known_hash", self.graph_hash)
        object.__setattr__(self, "graph", None)
        object.__setattr__(self, "failed", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceKept(Event):
    """A trace was kept on disk for later processes, or, where not `kept`, it could not be: `reason` says why."""

    type: ClassVar[str] = "trace.kept"
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanBuild(Event):
    """A native program for the signature waits to be built (`state` is 'queued'), is being built ('building'), or is no
    longer wanted ('gone'). `plan.ready` or `plan.kept` ends it."""

    type: ClassVar[str] = "plan.build"
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReady(Event):
    """A program that can run the signature is ready and in use. `plan` is 'numpy' or 'native', `source` its text;
    `size` is the bytes of machine code in it."""

    type: ClassVar[str] = "plan.ready"
    plan: str
    device: str
    source: str
    duration_ns: int
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanKept(Event):
    """There is no faster program for the signature: `plan` stays in use. `reason` says why, `duration_ns` is the
    time spent on finding out."""

    type: ClassVar[str] = "plan.kept"
    plan: str
    reason: str
    duration_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls(Event):
    """Totals of a signature since it was made: `count` calls; `timed` of them were timed and took `timed_ns` in all.

    Never one event a call: the bus reads the counters of the signatures when something asks for them.
    """

    type: ClassVar[str] = "calls"
    count: int
    timed: int
    timed_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SideEffect(Event):
    """Python code with an effect ran while tracing and will not run at later calls."""

    type: ClassVar[str] = "side_effect"
    kind: str
    text: str
    alternative: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AutographFallback(Event):
    """A construct could not be staged."""

    type: ClassVar[str] = "autograph.fallback"
    construct: str
    cause: str
    ran_instead: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback(Event):
    """Calls of a signature run the Python function itself, as no trace could be made for them.

    The header's `signature` names these calls (`f#3/eager1`); `calls` events tell how many there are. `attempt` is the
    id of the trace that failed, None where there was none. `error` is the class of the obstacle, `reason` says
    it in words, `fix` is the advice; `location` is the line, `signature_text` names the signature ('any': all
    that no trace fits). `trace_ns` is the time of the attempt to trace, `eager_ns` that of the call.
    """

    type: ClassVar[str] = "fallback"
    attempt: str | None
    error: str
    reason: str
    fix: str
    signature_text: str
    trace_ns: int
    eager_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Numerics(Event):
    """A NaN, an Inf or a floating-point warning was seen while running."""

    type: ClassVar[str] = "numerics"
    kind: str
    op: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer(Event):
    """Data moved between devices. `direction` is 'to_device' or 'to_host', `size` is in bytes."""

    type: ClassVar[str] = "transfer"
    direction: str
    size: int
    duration_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Event):
    """Something raised. `error` is the class name; `phase` says where (a phase's name, or 'call').
    `raised` is the line of the user's code that raised, where `location` is that of the call. `node` is the id of the
    node that raised, where a call of a cached trace did and it is known: `loop/body/node` in a body of control flow.
    `note` has the notes of the error, one a line: the types that met, `matmul of float64[3], float64[4, 4]`."""

    type: ClassVar[str] = "error"
    error: str
    message: str
    phase: str
    note: str = ""
    raised: Location | None = None
    node: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheCleared(Event):
    """`count` traces of the function were dropped by `clear_cache()`."""

    type: ClassVar[str] = "cache.cleared"
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEvicted(Event):
    """Trace number `trace` was dropped and its memory freed. `reason` is `max_traces=…` or `evict()`."""

    type: ClassVar[str] = "trace.evicted"
    trace: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingMeasured(Event):
    """Eager against graph, measured. Times are ns for one call: (lower quartile, median, upper quartile). `tier` names
    the program of the graph that was timed, `before_native_ns` has the times of the NumPy program that ran before it.
    `made` names arguments in whose place others of their dtype and shape were given.

    `differs` says whether one is clearly faster. `break_even` is the number of calls after which tracing has paid for
    itself, None if it never does; `break_even_before_native` is the same with the NumPy program alone.
    """

    type: ClassVar[str] = "timing.measured"
    eager_ns: tuple[float, float, float]
    graph_ns: tuple[float, float, float]
    phases: dict[str, int]
    speedup: float
    differs: bool
    break_even: int | None
    tier: str = "NumPy program"
    before_native_ns: tuple[float, float, float] | None = None
    break_even_before_native: int | None = None
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileMeasured(Event):
    """Where the time and memory of a call go. `eager_ns` and `graph_ns` are the times of the whole call (lower
    quartile, median, upper quartile), `tier` names the program, `runs` is how often it ran with clocks. `shares` are
    parts of `total_ns` by the kind of work. `steps` are the slowest of `steps_count`, and the one with the most memory;
    of the `others` there is the time. `peak` is the most memory in use, in bytes. `made` is as in `timing.measured`.
    """

    type: ClassVar[str] = "profile.measured"
    tier: str
    eager_ns: tuple[float, float, float]
    graph_ns: tuple[float, float, float]
    runs: int
    total_ns: float
    shares: dict[str, float]
    steps: tuple[ProfileStep, ...]
    steps_count: int
    others: tuple[ProfileTime, ...]
    lines: tuple[ProfileLine, ...]
    peak: int
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepMeasured(Event):
    """Times over sizes, told after each size: `points` are those so far, of `total`. `lengths` says which lengths are
    the size. `growth` has by tier (eager, numpy, native) how its time grows, in words, `crossing` from which size on a
    graph is faster than eager code, and `crosses` that size, where there is one. `left_out` are sizes that would have
    taken too long. `made` is as in `timing.measured`.
    """

    type: ClassVar[str] = "sweep.measured"
    lengths: str
    points: tuple[SweepPoint, ...]
    total: int
    growth: dict[str, str]
    crossing: dict[str, str]
    crosses: dict[str, float]
    left_out: tuple[float, ...] = ()
    made: tuple[str, ...] = ()


EVENT_TYPES: dict[str, type[Event]] = {cls.type: cls for cls in Event.__subclasses__()}
