"""One trace explained: the earlier traces that it missed, the reason, the cost, and the reads that it rests on."""

from __future__ import annotations

from typing import Any

from ..events import Cause, Location
from ..events.units import duration
from ..function import Function
from ..function.history.traces import Comparison, TraceRecord
from ..function.made.built import EARLIER_PROCESS
from ..records import dataclass
from ..trace.signature import TensorSpec
from .advice import Fix, advise
from .eager import EagerCalls, eager_calls
from .hints import hint
from .outside import OutsideRead, outside_reads
from .report import as_dict, html, text
from .verdict import Verdict, judge
from .words import all_changes, place


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a trace was made. Shows itself as text and, in a notebook, as HTML; `to_dict()` is data for JSON.

    `comparisons` has every earlier trace, the nearest first, each with all its `causes`. `verdict` says whether the
    trace was needless, `fix` is the change to make (None where none is proved to help), and `hint` then the usual
    advice, where there is one. `phases` are in ns. `relaxed` says which lengths were left open, and why. `reads` are
    the places outside its arguments that the trace depends on, and `frozen` the side effects that happened only while
    it was made. Both are empty once the trace is dropped. `taken_over` says where it comes from, if it was made before,
    `not_kept` why a later one cannot take it over: it is empty where it can, and None where that is not known. `eager`
    are the calls that ran eagerly; where there is no trace at all, `trace` is 0 and they are all that is said.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1)
    >>> x, y = f(np.ones(2)), f(np.ones(3))
    >>> f.explain().verdict.kind, f.explain().comparisons[0].causes[0].text
    ('shapes', 'x: shape (2,) → (3,) at dimension 0')
    """

    name: str
    trace: int
    signature: str
    location: Location | None
    phases: dict[str, int]
    comparisons: tuple[Comparison, ...]
    verdict: Verdict | None = None
    fix: Fix | None = None
    relaxed: tuple[Cause, ...] = ()
    reads: tuple[OutsideRead, ...] = ()
    frozen: tuple[str, ...] = ()
    hint: str = ""
    eager: tuple[EagerCalls, ...] = ()
    taken_over: str = ""
    not_kept: str | None = None

    @property
    def cost_ns(self) -> int:
        """The whole first call, in ns."""
        return sum(self.phases.values())

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The differences from the nearest earlier trace. Empty for a first trace."""
        return self.comparisons[0].causes if self.comparisons else ()

    @property
    def headline(self) -> str:
        """The trace, its cost, its place and its reason, in one line."""
        if self.trace == 0:
            return f"{self.name} runs eagerly: {self.eager[0].text}"
        head = f"(#{self.trace}, {duration(self.cost_ns)}){place(self.location)}"
        if not self.comparisons:
            what = f"was taken over from {self.taken_over}" if self.taken_over else "was traced for the first time"
            return f"{self.name} {what} {head}"
        why = all_changes(self.causes) or "something outside changed during the call"
        is_kept = self.taken_over == EARLIER_PROCESS
        what = f"took another trace over from {self.taken_over}" if is_kept else "retraced"
        return f"{self.name} {what} {head}: {why}. {self.advice}"

    @property
    def advice(self) -> str:
        """Whether the trace was needless, and the advice: `Same graph as #1: pass n as np.asarray(n) – …`. Advice that
        is not proved is a sentence of its own: `Same graph as #1. Keep one object for c …`."""
        if self.verdict is None:
            return ""
        if self.fix is not None:
            return f"{self.verdict.text}: {self.fix.sentence}."
        return f"{self.verdict.text}. {self.hint}".strip()

    def to_dict(self) -> dict[str, Any]:
        """The explanation as data for JSON."""
        return as_dict(self)

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return html(self)


def explain(function: Function, trace: int | None = None, may_run: bool = True) -> Explanation:
    """The explanation of the last trace of a function, or of number `trace`; of its eager calls where it has none.
    Raises ValueError where there is neither. Of a method that is read from its class it is that of the instance that
    was traced last; each instance numbers its own traces.

    To find a fix, the function may be traced once more, unless it `may_run` nothing of the user's.
    """
    if trace is None:
        function = max(function._with_instances, key=_last_traced_ns)
    with function._lock:
        return _explained(function, trace, may_run)


def _last_traced_ns(function: Function) -> int:
    built = function._history.records[-1].built if function._history.records else None
    return 0 if built is None else built.time_ns


def _explained(function: Function, trace: int | None, may_run: bool) -> Explanation:
    history = function._history
    record = next((r for r in reversed(history.records) if trace in (None, r.number)), None)
    eager = eager_calls(function)
    if record is None and trace is None and eager:
        return Explanation(function.name, 0, "", eager[0].location, {}, (), eager=eager)
    if record is None:
        raise ValueError(f"`{function.name}` has no trace" + ("" if trace is None else f" number {trace}"))
    concrete = record.concrete
    comparisons = tuple(history.compared(record))
    effects = concrete.side_effects if concrete is not None else ()
    fix = advise(function, may_run) if comparisons else None
    reads = outside_reads(concrete) if concrete is not None else ()
    causes = comparisons[0].causes if comparisons else ()
    return Explanation(
        name=function.name,
        trace=record.number,
        signature=record.signature.text,
        location=record.location,
        phases=dict(record.phases),
        comparisons=comparisons,
        verdict=judge(record, [c.earlier for c in comparisons]) if comparisons else None,
        fix=fix,
        relaxed=relaxations(record),
        reads=reads,
        frozen=tuple(f"{e.source.file} line {e.source.line}: {e.text}" if e.source else e.text for e in effects),
        hint=hint(record, causes, reads) if fix is None else "",
        eager=eager,
        taken_over="" if concrete is None else concrete._built.taken_from,
        not_kept=None if concrete is None else concrete.not_kept,
    )


def relaxations(record: TraceRecord) -> tuple[Cause, ...]:
    """The lengths that a trace left open though the call had one, each as a cause of kind 'relaxed'."""
    found = []
    for path, asked, made in zip(record.call.paths, record.call.leaves, record.signature.leaves, strict=True):
        if isinstance(asked, TensorSpec) and isinstance(made, TensorSpec):
            for axis, (length, now) in enumerate(zip(asked.shape, made.shape, strict=True)):
                if now is None and length is not None:
                    text = f"{path}: dimension {axis} is left open from here on, as earlier calls had other lengths"
                    found.append(Cause(path, "relaxed", str(length), "None", text, axis))
    return tuple(found)
