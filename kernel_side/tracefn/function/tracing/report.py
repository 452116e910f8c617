"""The events and warnings that say how a trace is made."""

from __future__ import annotations

import warnings
from types import CodeType
from typing import Any

from ... import events
from ...errors import AutographWarning
from ...events import Location
from ...ir.graph import Graph, Node
from ...trace.autograph import UNROLL, has_control_flow, why_not_converted
from ...trace.origin import error_source, notes_of, user_frame
from ...trace.signature import CallSignature, stable_hash
from ...trace.trace_parts.staging_log import Staged
from ..concrete import ConcreteFunction
from ..guards import Now
from ..history.examples import remembered
from ..history.extensions import hooks, refuse
from ..history.traces import Comparison, History, TraceRecord, compare
from ..made.built import Built
from .tracing_only import warn_of


class Report:
    """Emits the events of one trace of a `Function`, in order: started, explained, phases, and failed or finished."""

    def __init__(self, function: Any, number: int, signature: CallSignature, history: History) -> None:
        self._function = function
        self._number = number
        self._signature = signature
        self._history = history
        self._id: dict[str, Any] = {"function": function.function_id, "signature": f"{function.function_id}/{number}"}
        self._location: Location | None = None
        self.causes: tuple[events.Cause, ...] = ()
        self._partial: tuple[Graph, Node | None] | None = None

    def started(self, call: CallSignature, now: Now, bind_ns: int) -> None:
        frame = user_frame(4)
        if frame is not None:
            self._location = events.locate(frame.f_code.co_filename, frame.f_lineno)
        broken = self._history.guards(call, now)
        self.record = TraceRecord(
            self._number, call, self._signature, self._location, broken, example=remembered(now.leaves)
        )
        refuse(self._function, self.record)
        self._nearest = self._history.nearest(self.record)
        wrapped = self._function._wrapped
        defined = None
        if (code := wrapped.written) is not None:
            defined = events.locate(code.co_filename, code.co_firstlineno)
        text = self._signature.text
        events.emit(
            events.TraceStarted(
                **self._id,
                location=self._location,
                function_name=_shown_name(self._function),
                function_key=wrapped.key,
                defined=defined,
                trace=self._number,
                signature_text=text,
                signature_hash=stable_hash(text),
                arguments=self._signature.arguments(),
                cell=events.CELLS.trace(),
            )
        )
        if self._nearest is not None:
            guards = self.record.guards.get(self._nearest.number, ())
            self._explain(compare(self._nearest, call, guards, self._number))
        self.phase("bind", bind_ns)

    def _explain(self, nearest: Comparison) -> None:
        """The differences from the nearest earlier trace, in words."""
        self.causes = nearest.causes
        text = nearest.text or "something outside changed while it was called"
        events.emit(
            events.RetraceExplained(
                **self._id,
                location=self._location,
                trace=self._number,
                nearest=nearest.earlier.number,
                nearest_signature=f"{self._function.function_id}/{nearest.earlier.number}",
                causes=nearest.causes,
                text=text
                if nearest.earlier.state == "creating"
                else f"{text}; nearest earlier trace #{nearest.earlier.number}",
            )
        )

    def phase(self, name: str, duration_ns: int) -> None:
        events.emit(events.TracePhase(**self._id, phase=name, duration_ns=duration_ns))

    def cannot_rewrite(self, code: CodeType | None, error: Exception) -> None:
        """The function ran as it is written, and that was its end: an event, and the reason in the error."""
        cause = "it is not written in Python" if code is None else why_not_converted(code)
        error.args = (f"{error}\n  AutoGraph did not rewrite `{self._function.name}`: {cause}.",)
        if code is not None and not self._function._may_fall_back:
            self._warn(self._function.name, code, cause)
        events.emit(
            events.AutographFallback(
                **self._id,
                location=self._location,
                construct="control flow on a traced value",
                cause=f"`{self._function.name}` is not rewritten: {cause}",
                ran_instead="the Python function" if self._function._may_fall_back else "nothing: the error is raised",
            )
        )

    def _not_converted(self, function: Any, cause: str) -> None:
        """A function of the user's runs as it is written: an event, and a warning where that can matter."""
        code = function.__code__
        self._fallback(
            events.locate(code.co_filename, code.co_firstlineno),
            f"the function `{function.__qualname__}`",
            cause,
            "the function as it is written",
        )
        self._warn(function.__qualname__, code, cause)

    @staticmethod
    def _warn(name: str, code: CodeType, cause: str) -> None:
        if has_control_flow(code) and not cause.startswith("it is marked"):
            warnings.warn_explicit(
                f"AutoGraph cannot convert `{name}`: {cause}. It runs as it is written; branches and loops on traced "
                "values in it are errors.",
                AutographWarning,
                code.co_filename,
                code.co_firstlineno,
            )

    def _unrolled(self, record: Staged) -> None:
        cause = record.detail or "its items are Python values, or their use needs Python values"
        ran = f"its body {record.rounds} times while tracing: {record.nodes} nodes"
        self._fallback(events.locate(record.file, record.line), f"`{record.construct}` loop", cause, ran)

    def _fallback(self, location: Location, construct: str, cause: str, ran: str) -> None:
        events.emit(
            events.AutographFallback(**self._id, location=location, construct=construct, cause=cause, ran_instead=ran)
        )

    def came_to(self, graph: Graph, node: Node | None) -> None:
        """Notes how far the graph of a trace came that failed, and which node raised."""
        self._partial = graph, node

    def failed(self, error: BaseException, total_ns: int) -> None:
        if self._partial is not None:
            graph, node = self._partial
            self._history.keep_partial(
                events.emit(
                    events.GraphBuilt(
                        **self._id,
                        location=self._location,
                        nodes_before=len(graph),
                        nodes_after=len(graph),
                        passes=(),
                        graph=graph,
                        failed=node,
                    )
                )
            )
        source = error_source(error)
        events.emit(
            events.Error(
                **self._id,
                location=self._location,
                error=type(error).__name__,
                message=str(error),
                phase="trace",
                note=notes_of(error),
                raised=None if source is None else events.locate(source.file, source.line),
            )
        )
        events.emit(events.TraceFinished(**self._id, ok=False, total_ns=total_ns, phases={}))

    def finished(self, concrete: ConcreteFunction, built: Built) -> None:
        for function, cause in built.not_converted:
            self._not_converted(function, cause)
        for record in built.staging:
            if record.how == "unrolled" and record.rounds > UNROLL:
                self._unrolled(record)
        for effect in built.effects:
            source = effect.source
            events.emit(
                events.SideEffect(
                    **self._id,
                    location=self._location if source is None else events.locate(source.file, source.line),
                    kind=effect.kind,
                    text=effect.text,
                    alternative=effect.alternative,
                )
            )
        warn_of(self._function._wrapped.key, self._function.name, built.effects)
        self._history.keep_partial(None)
        verdict, same_as = "", None
        if self._nearest is not None:
            verdict, same_as = hooks().verdict(self._history, self.record, self._nearest)
        self.record.built = events.emit(
            events.GraphBuilt(
                **self._id,
                nodes_before=concrete.nodes_before,
                nodes_after=concrete.nodes_after,
                passes=concrete.passes,
                graph=concrete.graph,
                verdict=verdict,
                same_as=same_as,
                memory=concrete.nbytes,
            )
        )
        events.emit(
            events.PlanReady(
                **self._id,
                plan="numpy",
                device=concrete.device,
                source=concrete.program,
                duration_ns=concrete.phases.get("program", 0),
            )
        )
        events.emit(
            events.TraceFinished(
                **self._id,
                location=self._location,
                ok=True,
                total_ns=sum(concrete.phases.values()),
                phases=concrete.phases,
                replayed=built.replayed,
            )
        )


def _shown_name(function: Any) -> str:
    """The name of a function, with that of its class where it is a method: classes may have methods of one name."""
    qualified = getattr(function, "__qualname__", "").rpartition("<locals>.")[2]
    return str(qualified if qualified.endswith(f".{function.name}") else function.name)
