"""A profile as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracefn import events
from tracefn.events.units import count, duration, percent, shortened, size
from tracefn.timing.profiles.kinds import KINDS
from tracefn.timing.tables import Rows, aligned, html_table

if TYPE_CHECKING:
    from tracefn.timing.profiles.profile import Line, Profile, Step

SHOWN_LINES = 20
"""Lines of the user's code that a report has: those that take longest."""

MOST_TEXT = 60
"""Characters of a step or line."""


def text_report(profile: Profile) -> str:
    """The profile in plain text: the whole call, the ten slowest steps, and line by line."""
    tables = [facts(profile), steps(profile), lines(profile)]
    return "\n".join([_title(profile), *["\n".join(aligned(rows)) for rows in tables if rows]])


def html_report(profile: Profile) -> str:
    """The same as small tables in the text colour of the theme, all text escaped."""
    return html_table("profile", _title(profile), facts(profile), steps(profile), lines(profile))


def facts(profile: Profile) -> Rows:
    """The facts about the whole call."""
    shares = " · ".join(f"{KINDS[kind]} {percent(part)}" for kind, part in profile.shares.items())
    found = [
        ("call", f"{duration(profile.graph.median)} ({profile.tier}), eager {duration(profile.eager.median)}"),
        ("time", shares),
    ]
    if profile.peak is not None:
        found.append(("memory", f"{size(profile.peak_memory)} at most, in {_short(profile.peak.text)}"))
    if profile.made:
        found.append(("made up", ", ".join(profile.made)))
    return list(found)


def steps(profile: Profile) -> Rows:
    """The ten slowest steps. The one with the most memory has a mark."""
    shown = profile.slowest()
    if not shown:
        return []
    left = len(profile.steps) - len(shown)
    head = "slowest steps" if not left else f"slowest steps of {len(profile.steps)}"
    return [("time", "share", head, "kind", "memory", "place"), *[_step_row(profile, step) for step in shown]]


def lines(profile: Profile) -> Rows:
    """The slowest lines, in the order in which they stand."""
    shown = sorted(profile.lines, key=lambda n: -max(n.graph_ns, n.eager_ns))[:SHOWN_LINES]
    if not shown:
        return []
    return [("graph", "eager", "line"), *[_line_row(n) for n in profile.lines if n in shown]]


def _step_row(profile: Profile, step: Step) -> tuple[str, ...]:
    rounds = "" if step.rounds == 1 else f" ({count(step.rounds, 'round')})"
    peak = " ← peak" if step is profile.peak else ""
    where = events.locate(*step.places[0]).text if step.places else ""
    share = percent(step.ns / profile.total_ns)
    return duration(step.ns), share, _short(step.text) + rounds, KINDS[step.kind], size(step.memory) + peak, where


def _line_row(line: Line) -> tuple[str, ...]:
    where = events.locate(*line.place).text
    times = [duration(ns) if ns else "" for ns in (line.graph_ns, line.eager_ns)]
    return (*times, _short(f"{where}: {line.source}"))


def _title(profile: Profile) -> str:
    return f"{profile.name}({shortened(profile.signature_text)}), {count(profile.runs, 'run')}"


def _short(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"
