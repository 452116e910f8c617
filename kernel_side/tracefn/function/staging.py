"""The staging report: the source of a traced function with what became of each line of its control flow."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Sequence
from types import CodeType

from ..trace.staging_log import Staged


def staging_text(code: CodeType | None, found: Sequence[Staged], effects: Sequence[tuple[str, int, str]]) -> str:
    """The source with a mark before each line: `staged`, `ran once`, `unrolled ×3`, `not converted`, or the kind of a
    side effect. `effects` are (file, line, kind). What stands in other files and functions follows, line by line."""
    marks: dict[tuple[str, int], list[str]] = {}
    for record in found:
        mark = f"unrolled ×{record.rounds}" if record.how == "unrolled" else record.how
        _add(marks, (record.file, record.line), mark)
    for file, line, kind in effects:
        _add(marks, (file, line), f"effect: {kind}")
    out = []
    lines: list[str] = []
    start = 0
    if code is not None:
        with contextlib.suppress(OSError):
            lines, start = inspect.getsourcelines(code)
    width = max([len(", ".join(m)) for m in marks.values()], default=0)
    for number, text in enumerate(lines, start):
        mark = ", ".join(marks.pop((code.co_filename if code else "", number), []))
        out.append(f"{mark:>{width}} | {number:4} {text.rstrip()}".rstrip())
    out += [f"{', '.join(mark):>{width}} | {file} line {line}" for (file, line), mark in sorted(marks.items())]
    details = [record.text for record in found if record.detail]
    return "\n".join([*out, *details])


def _add(marks: dict[tuple[str, int], list[str]], place: tuple[str, int], mark: str) -> None:
    known = marks.setdefault(place, [])
    if mark not in known:
        known.append(mark)
