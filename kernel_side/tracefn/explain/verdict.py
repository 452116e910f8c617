"""Whether a retrace was needless: its graph against those of the earlier traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..function.history.traces import History, TraceRecord
from ..ir.alike import alike
from ..ir.dims import Dim
from ..ir.template import key
from ..ir.types import TensorType
from ..records import dataclass
from .canonical import Fingerprints, fingerprints, is_number

MARKS = {"nothing": "exact", "numbers": "numbers", "shapes": "shapes"}
"""The possible difference of graphs of which this fingerprint is equal."""

_TEXTS = {
    "nothing": "Same graph as #{}",
    "numbers": "Same graph as #{} but for the numbers in it",
    "shapes": "Same graph as #{} but for lengths",
    "different": "Another graph than those before",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` is the difference of the new graph from that of trace `same_as`: 'nothing', 'numbers' (Python numbers that
    are written into it), 'shapes' (lengths, and numbers), or 'different': then there is no such trace.

    >>> from tracefn.explain import Verdict
    >>> Verdict("shapes", same_as=1).needless, Verdict("different").needless
    (True, False)
    """

    kind: str
    same_as: int | None = None

    @property
    def needless(self) -> bool:
        """True if one graph could have served both."""
        return self.kind != "different"

    @property
    def text(self) -> str:
        return _TEXTS[self.kind].format(self.same_as)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "same_as": self.same_as, "needless": self.needless, "text": self.text}


def judge(record: TraceRecord, earlier: Sequence[TraceRecord]) -> Verdict:
    """The verdict on a trace: the earlier trace that it resembles most, of equals the first."""
    for kind, mark in MARKS.items():
        mine = getattr(marks_of(record), mark)
        for other in earlier:
            if getattr(marks_of(other), mark) == mine:
                return Verdict(kind, other.number)
    return Verdict("different")


def verdict_in_words(history: History, record: TraceRecord, nearest: TraceRecord | None) -> tuple[str, int | None]:
    """The verdict on a trace that was just made, as the event has it; empty for a first one.

    `nearest` is the earlier trace that explains it. Of several that resemble it as much, the nearest is named.
    """
    if nearest is None:
        return "", None
    if _differ_in_lengths(record, nearest) and history.is_only_one_of_its_types(record):
        return "shapes", nearest.number  # without the fingerprints, which may be asked for later
    for earlier in history.unmarked():
        if earlier is not record:
            history.mark(earlier, tuple(_named_marks(earlier).values()))
    marks = _named_marks(record)
    found = judge(record, [nearest])
    for kind, mark in marks.items():
        if kind == found.kind:
            break
        if (other_kept := history.nearest_kept(record, history.marked(mark))) is not None:
            found = Verdict(kind, other_kept.number)
            break
    history.mark(record, tuple(marks.values()))
    return found.kind, found.same_as


def _differ_in_lengths(record: TraceRecord, nearest: TraceRecord) -> bool:
    """True if it is soon found that two traces that are there do the same, up to numbers and lengths."""
    if record.concrete is None or nearest.concrete is None:
        return False
    mine, its = record.concrete._execution.target, nearest.concrete._execution.target
    if any(target.store or target.assignments for target in (mine, its)):
        return False
    kinds = {kind for kind, _ in mine.result_leaves}
    if "value" in kinds or (mine.result, mine.result_leaves) != (its.result, its.result_leaves):
        return False
    has_one_program = record.concrete.program is nearest.concrete.program
    if has_one_program and not (record.concrete.is_rewritten or nearest.concrete.is_rewritten):
        return True  # graphs were compared before one took over the program of the other
    return alike(record.concrete.traced_graph, nearest.concrete.traced_graph, _of_one_rank, _same_or_numbers)


def _of_one_rank(found: TensorType, other: TensorType) -> bool:
    return found.dtype.str == other.dtype.str and found.kind is other.kind and len(found.shape) == len(other.shape)


def _same_or_numbers(template: Any, other: Any) -> bool:
    if is_number(template) or type(template) is Dim:
        return is_number(other) or type(other) is Dim
    return bool(key(template) == key(other))


def _named_marks(record: TraceRecord) -> dict[str, tuple[str, str]]:
    """For each kind of verdict the mark that two traces of that kind have in common."""
    return {kind: (mark, getattr(marks_of(record), mark)) for kind, mark in MARKS.items()}


def marks_of(record: TraceRecord) -> Fingerprints:
    """The fingerprints of a trace, made once."""
    if record.fingerprints is None:
        assert record.concrete is not None
        record.fingerprints = fingerprints(record.concrete)
    return record.fingerprints
