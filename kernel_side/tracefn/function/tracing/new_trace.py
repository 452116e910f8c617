"""The consequences of a trace for a new kind of call: the graph, its place in the cache, reports, and native code."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from ...config import jit_mode
from ...ir.serialise import NotSerialisable
from ...runtime.garbage import no_collection
from ...runtime.tiers import Heat, native_now
from ...trace.origin import where
from ...trace.signature import CallSignature, TensorSpec, relaxed
from ...trace.trace_parts.variable_states import Creation
from ..concrete import ConcreteFunction
from ..evicting import Evicting
from ..guards import Now
from ..history.call_log import CallLog
from ..history.extensions import hooks
from ..input_signature import Declared
from ..kept.outside import CameThrough
from ..kept.store import keep_later, key_of, look_up
from ..kept.surroundings import are_kept
from ..made.built import Built
from ..options import Options
from ..transfer.pattern import Pattern
from .building import Attempt, Building
from .report import Report

MAX_PATTERNS = 4
"""Traces of a function, or of a method of all instances, that are asked for other objects."""

MAX_KEPT = 32
"""The traces of a function that are kept on disk. Keeping takes as long as tracing: that of a storm is not repaid."""

_FIRST = iter([True] * 8)
"""For the first traces of a process, which fill caches that stay: their objects go to the oldest generation at once.
Their collection took a thirtieth of the first ten calls of a short function."""


class Tracing(Building, Evicting):
    """The part of `Function` that traces."""

    __slots__ = ()

    reduce_retracing: bool
    max_traces: int | None
    jit: str | None
    precise: bool
    options: Options
    _declared: Declared | None
    _log: CallLog
    _instance: Callable[[], Any]
    _class_has: Any
    _patterns: tuple[Pattern, ...]
    _again: Callable[..., Any]

    def _trace(
        self, call: CallSignature, arguments: dict[str, Any], now: Now, bind_ns: int, attempt: Attempt | None = None
    ) -> ConcreteFunction:
        """Makes the trace for a call. Leaves the cache as it was if anything raises."""
        signature = call
        if self.reduce_retracing and self._declared is None:
            signature = relaxed(call, [c.signature for c in self._cache.traces])
        number = self._history.begin()
        report = Report(self, number, signature, self._history)
        report.started(call, now, bind_ns)
        self._changing.learn({*self._cache.of_key(call.key()), *self._cache.traces[-1:]}, now)
        start = time.perf_counter_ns()
        key, why = self._key(number, signature, now)
        kept = self._taken_over(key, number, signature, now, report) if key else None
        kept = kept or self._transferred(number, signature, now, report)
        attempt = Attempt(math.inf, math.inf) if attempt is None else attempt
        try:
            if kept is None:
                with no_collection(for_good=next(_FIRST, False)):
                    built = self._build(number, arguments, signature, report, attempt)
                concrete = self._concrete(built, number, signature)
            else:
                concrete, built = kept, kept._built
        except BaseException as error:
            self._history.give_up(number)
            report.failed(error, time.perf_counter_ns() - start + bind_ns)
            raise
        concrete._instance = self._instance
        built.phases = concrete.phases = {"bind": bind_ns, **built.phases}
        self._history.made += 1
        record = report.record
        record.concrete, record.phases = concrete, concrete.phases
        self._history.note_outside(record, concrete)
        self._history.add(record)
        if concrete._created:  # other calls do not make variables: they need another trace
            lines = ", ".join(where(s) for s in concrete._created.sources)
            text = f"the first call created variables ({lines}), which other calls do not; this trace is kept"
            report.finished(concrete, built)
            self._history.drop(record, "creating", text)
            return concrete
        self._creation = Creation(True, self._creation.sources)
        self._storm.needs_traces |= built.watches_arrays
        self._cache.add(concrete, call)
        if self.max_traces is not None and len(self._cache.traces) > self.max_traces:
            self._storm.evicted()
            self._evict(self._cache.least_recent(), "evicted", f"max_traces={self.max_traces}")
        surroundings = record.surrounding, record.surrounding_but_numbers
        self._log.append(signature, number, sum(concrete.phases.values()), surroundings)
        report.finished(concrete, built)
        if report.causes:
            hooks().watch(self, record, report.causes)
        with attempt.native:
            self._consider_native(concrete)
        if kept is None and attempt.seen and (pattern := Pattern.of(concrete, attempt.seen[0].functions)) is not None:
            owner = self if self._class_has is None else self._class_has
            owner._patterns = (pattern, *owner._patterns[: MAX_PATTERNS - 1])
        if kept is None and are_kept():
            keep_later(concrete, key, why, CameThrough(attempt.seen[0]) if key and attempt.seen else None)
        return concrete

    def _concrete(self, built: Built, number: int, signature: CallSignature) -> ConcreteFunction:
        device, earlier = self._device(signature), self._cache.newest
        return ConcreteFunction(
            built, signature, self._parameters, self.function_id, number, device, earlier, self._again
        )

    def _key(self, number: int, signature: CallSignature, now: Now) -> tuple[str, str]:
        """The name under which the trace is kept. Empty where none is, with the reason."""
        if not are_kept():
            return "", ""
        try:
            if number > MAX_KEPT:
                raise NotSerialisable(f"the function had {MAX_KEPT} traces before it")
            if self._instance() is not None or self._device(signature) != "cpu":
                raise NotSerialisable("it is a method, or runs on a GPU")
            numbers = self._changing.numbers()
            if any(type(leaf) is TensorSpec for leaf in now.leaves) or numbers.changing or numbers.growing:
                raise NotSerialisable("it is traced for no call, or for numbers or lengths outside that change")
            return key_of(self._wrapped, self.options, signature, self._may_fall_back), ""
        except NotSerialisable as why_not:
            return "", str(why_not)

    def _taken_over(
        self, key: str, number: int, signature: CallSignature, now: Now, report: Report
    ) -> ConcreteFunction | None:
        """The trace that an earlier process has kept, if all that it rests on is as it was."""
        start = time.perf_counter_ns()
        built = look_up(key, self._wrapped, f"{self.function_id}/{number}")
        if built is None:
            return None
        concrete = self._concrete(built, number, signature)
        if next(concrete._execution.broken_guards(Now(signature, now.leaves, now.arguments)), None) is not None:
            return None
        built.phases = {"taken_over": time.perf_counter_ns() - start}
        report.phase("taken_over", built.phases["taken_over"])
        return concrete

    def _transferred(self, number: int, signature: CallSignature, now: Now, report: Report) -> ConcreteFunction | None:
        """A trace that was made for other objects of the same classes, if all that it rests on is the same in these."""
        start = time.perf_counter_ns()
        owner = self if self._class_has is None else self._class_has
        for pattern in owner._patterns:
            found = pattern.for_call(signature, now, f"{self.function_id}/{number}")
            if found is None or not self._changing.allows(found[0]):
                continue
            built, accepted = found
            concrete = self._concrete(built, number, accepted)
            if next(concrete._execution.broken_guards(Now(accepted, now.leaves, now.arguments)), None) is None:
                built.phases = {"taken_over": time.perf_counter_ns() - start}
                report.phase("taken_over", built.phases["taken_over"])
                return concrete
        return None

    def _consider_native(self, concrete: ConcreteFunction) -> None:
        """Native code for a new trace: at once, when it turns out to be worth it, or never."""
        execution = concrete._execution
        execution.on_native, execution.precise = self._cache.publish, self.precise
        mode = self.jit or jit_mode()
        if mode == "off" or concrete.device != "cpu":
            return
        concrete.calls.on_doubling = self._cache.reorder
        if mode == "now":
            native_now(execution)
        else:
            concrete.calls.heat = Heat(execution)
