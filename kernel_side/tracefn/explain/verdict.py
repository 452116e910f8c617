"""Whether a retrace was needless: its graph against those of the earlier traces."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..function.added import added, adds
from ..function.history import TraceRecord
from .canonical import Fingerprints

KINDS = ("nothing", "numbers", "shapes", "different")
"""In what the graph differs from that of an earlier trace."""

_TEXTS = {
    "nothing": "Same graph as #{}",
    "numbers": "Same graph as #{} but for the numbers in it",
    "shapes": "Same graph as #{} but for lengths",
    "different": "Another graph than those before",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` says in what the new graph differs from that of trace `same_as`: 'nothing', 'numbers' (Python numbers that
    are written into it), 'shapes' (lengths, and numbers), or 'different': then there is no such trace."""

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
    mine = marks_of(record)
    for kind, name in zip(KINDS, ("exact", "numbers", "shapes"), strict=False):
        for other in earlier:
            if getattr(marks_of(other), name) == getattr(mine, name):
                return Verdict(kind, other.number)
    return Verdict("different")


@adds("verdict")
def verdict_in_words(record: TraceRecord, earlier: Sequence[TraceRecord]) -> tuple[str, int | None]:
    """The verdict on a trace that was just made, as the event has it; empty for a first one."""
    if not earlier:
        return "", None
    verdict = judge(record, earlier)
    return verdict.kind, verdict.same_as


def marks_of(record: TraceRecord) -> Fingerprints:
    """The fingerprints of a trace, made once."""
    if record.fingerprints is None:
        record.fingerprints = added("fingerprints")(record.concrete)
    return record.fingerprints
