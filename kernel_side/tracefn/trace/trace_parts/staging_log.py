"""The treatment of each line of control flow: staged into the graph, run once in tracing, unrolled, not converted."""

from __future__ import annotations

import time
import types
from collections import Counter, defaultdict

from ...ir.place import Source
from ...records import dataclass
from ..origin import user_source


@dataclass(frozen=True, slots=True)
class Staged:
    """`how` is 'staged', 'ran once', 'unrolled', 'not converted' or 'python'. `rounds` counts those of a loop that was
    unrolled, `nodes` the nodes that it added. `detail` says why, where there is a reason."""

    file: str
    line: int
    construct: str
    how: str
    rounds: int = 0
    nodes: int = 0
    detail: str = ""

    @property
    def text(self) -> str:
        """On one line: `line 5: for, unrolled ×3 (12 nodes)`."""
        count = f" ×{self.rounds} ({self.nodes} nodes)" if self.how == "unrolled" else ""
        return f"line {self.line}: {self.construct}, {self.how}{count}" + (f": {self.detail}" if self.detail else "")


class Staging:
    """Collects it while a function is traced. A line that is reached several times is kept for each way it went.

    `failed` counts the trials of loops that failed, by the code of their bodies; `better_unrolled` has those that were
    not worth it, with their numbers of rounds.
    """

    def __init__(self) -> None:
        self.failed: Counter[types.CodeType] = Counter()
        self.better_unrolled: set[tuple[types.CodeType, int]] = set()
        self._found: dict[tuple[str, int, str, str], Staged] = {}
        self._ns: defaultdict[Source | None, int] = defaultdict(int)
        self._last = time.perf_counter_ns()

    def recorded(self, source: Source | None) -> None:
        """A node of this line was recorded."""
        now = time.perf_counter_ns()
        self._ns[source] += now - self._last
        self._last = now

    @property
    def spent(self) -> dict[Source, int]:
        """The time of each line, in ns: from the node that was recorded before to those of the line. Code that
        records no node counts for the next line that records one."""
        return {source: ns for source, ns in self._ns.items() if source is not None}

    def note(self, construct: str, how: str, rounds: int = 0, nodes: int = 0, detail: str = "", depth: int = 3) -> None:
        source = user_source(depth)
        if source is None:
            return
        key = (source.file, source.line, construct, how)
        known = self._found.get(key)
        if known is not None:
            rounds, nodes, detail = max(rounds, known.rounds), max(nodes, known.nodes), detail or known.detail
        self._found[key] = Staged(source.file, source.line, construct, how, rounds, nodes, detail)

    def lines(self) -> tuple[Staged, ...]:
        """All of it, in the order of files and lines."""
        return tuple(sorted(self._found.values(), key=lambda s: (s.file, s.line)))
