"""The traces and calls of a cell, made from its events: the facts behind the summary below a `%%tracefn` cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from tracefn.events import (
    AutographFallback,
    Calls,
    Error,
    Event,
    Fallback,
    GraphBuilt,
    Location,
    RetraceExplained,
    SideEffect,
    TraceFinished,
    TraceStarted,
)
from tracefn.events.units import count, duration
from tracefn.explain import Verdict
from tracefn.notebook.summary_html import summary_html
from tracefn.notebook.summary_text import summary_text
from tracefn.records import dataclass


@dataclass(slots=True)
class SignatureLine:
    """One signature: `traced_here` says whether this cell made it; `calls` counts the calls of this cell alone. `eager`
    says why these run the Python function, `spent_ns` is their time."""

    text: str
    trace: int
    traced_here: bool = False
    cost_ns: int | None = None
    nodes: tuple[int, int] | None = None
    reason: str | None = None
    verdict: str | None = None
    error: str | None = None
    eager: str | None = None
    spent_ns: int = 0
    calls: int = 0


@dataclass(slots=True)
class FunctionBlock:
    """One function with its signatures, in the order of their traces."""

    name: str
    defined: Location | None = None
    signatures: dict[str, SignatureLine] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TimingLine:
    """Eager against graph for one function, in one line."""

    function: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """All that a cell traced and called. Shows itself as text and, in a notebook, as HTML."""

    functions: dict[str, FunctionBlock]
    timings: tuple[TimingLine, ...] = ()
    notes: tuple[str, ...] = ()

    def with_notes(self, notes: Iterable[str]) -> Summary:
        """The same summary with further notes at its end."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def traces(self) -> list[SignatureLine]:
        """The signatures that were traced in the cell."""
        return [line for line in self.lines if line.traced_here and line.eager is None]

    @property
    def lines(self) -> list[SignatureLine]:
        """All signatures that were traced or called in the cell."""
        return [line for block in self.functions.values() for line in block.signatures.values()]

    def headline(self) -> str:
        """The first line: the numbers of traces and calls, and the cost of the traces."""
        traces = self.traces
        retraces = sum(line.reason is not None for line in traces)
        calls = sum(line.calls for line in self.lines)
        eager = [line for line in self.lines if line.eager is not None]
        if not traces and not calls:
            return "tracefn: no traced function was called"
        parts = ["nothing traced"]
        if traces:
            parts = [count(len(traces), "trace"), duration(sum(line.cost_ns or 0 for line in traces))]
        if retraces:
            parts.insert(1, count(retraces, "retrace"))
        if eager:
            ran = count(sum(line.calls for line in eager), "eager call")
            return "tracefn: " + " · ".join([*parts, f"{count(calls, 'call')}, of these {ran}"])
        return "tracefn: " + " · ".join([*parts, count(calls, "call")])

    def __str__(self) -> str:
        return summary_text(self)

    def __repr__(self) -> str:
        return summary_text(self)

    def _repr_html_(self) -> str:
        return summary_html(self)


def summarize(
    events: Sequence[Event],
    calls_before: dict[str, int],
    known: Iterable[Event] = (),
    timings: Iterable[TimingLine] = (),
) -> Summary:
    """The summary of a block of code from the `events` that it made.

    `calls_before` has the call count of each signature when the block began. `known` are earlier events, which name the
    signatures that the block only called.
    """
    started = {event.signature: event for event in known if isinstance(event, TraceStarted)}
    started |= {event.signature: event for event in events if isinstance(event, TraceStarted)}
    fallbacks = {event.signature: event for event in [*known, *events] if isinstance(event, Fallback)}
    functions: dict[str, FunctionBlock] = {}
    notes: list[str] = []

    def line_of(event: Event) -> SignatureLine:
        start = started.get(event.signature)
        function, signature = event.function or "", event.signature or ""
        name = start.function_name if start else function.rpartition("#")[0]
        block = functions.setdefault(function, FunctionBlock(name, start.defined if start else None))
        if signature not in block.signatures and (fallback := fallbacks.get(signature)) is not None:
            block.signatures[signature] = SignatureLine(fallback.signature_text, 0, eager=_reason(fallback))
        if signature not in block.signatures:
            trace = start.trace if start else int(signature.rpartition("/")[2] or 0)
            block.signatures[signature] = SignatureLine(start.signature_text if start else signature, trace)
        return block.signatures[signature]

    def set_failed_aside(event: TraceStarted) -> None:
        """A trace that failed leaves its id to the next one."""
        signatures = functions[event.function or ""].signatures if event.function in functions else {}
        failed = signatures.get(event.signature or "")
        if failed is not None and failed.error is not None:
            signatures[f"{event.signature} failed {len(signatures)}"] = signatures.pop(event.signature or "")

    def fall_back(event: Fallback) -> None:
        """The trace that failed leaves its place to the calls that run eagerly."""
        line = line_of(event)
        line.traced_here, line.cost_ns = event.trace_ns > 0, event.trace_ns
        functions[event.function or ""].signatures.pop(event.attempt or "", None)

    for event in events:
        match event:
            case TraceStarted():
                set_failed_aside(event)
                line = line_of(event)
                line.text, line.traced_here = event.signature_text, True
            case TraceFinished():
                line_of(event).cost_ns = event.total_ns
            case GraphBuilt():
                line_of(event).nodes = (event.nodes_before, event.nodes_after)
                line_of(event).verdict = Verdict(event.verdict, event.same_as).text if event.verdict else None
            case RetraceExplained():
                line_of(event).reason = event.text
            case Calls():
                line = line_of(event)
                line.calls = event.count - calls_before.get(event.signature or "", 0)
                line.spent_ns = event.timed_ns * line.calls // event.timed if event.timed else 0
            case Fallback():
                fall_back(event)
            case Error() if event.signature in started:
                # The rest of the message is in the traceback above the summary.
                first_line = event.message.partition("\n")[0]
                line_of(event).error = f"{event.error}: {first_line}"
            case SideEffect():
                notes.append(f"{place(event.location)}{event.text}. {event.alternative}")
            case AutographFallback():
                notes.append(f"{place(event.location)}{event.construct} was not staged: {event.cause}")
    return Summary(functions, tuple(timings), tuple(notes))


def _reason(event: Fallback) -> str:
    """The reason why calls run eagerly, the place, and the advice."""
    return f"{place(event.location)}{event.reason}. {event.fix}".rstrip()


def place(location: Location | None) -> str:
    """Where something happened, to begin a sentence with; empty where that is not known."""
    if location is None:
        return ""
    if location.cell_number is not None:
        return f"In cell [{location.cell_number}] line {location.line}: "
    return f"{location.file}, line {location.line}: "
