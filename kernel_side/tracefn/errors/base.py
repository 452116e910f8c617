"""The base class of all errors, and how their messages are put together."""

from __future__ import annotations


class TracefnError(Exception):
    """The base class of all errors that tracefn raises by itself.

    Errors of NumPy come out as NumPy raises them, while tracing too: a shape that does not fit is a ValueError with
    NumPy's own words.
    """


def message(what: str, where: str = "", fix: str = "") -> str:
    """The text of an error: what happened, where, and what to do."""
    lines = [what]
    if where:
        lines.append(f"  at {where}")
    if fix:
        lines.append(f"  {fix}")
    return "\n".join(lines)
