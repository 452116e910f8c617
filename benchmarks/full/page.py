"""The results of the full run, as parts of the Markdown page and as plots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go

from benchmarks.engines import EVERYONE, TITLES
from benchmarks.full.beside import Beside
from benchmarks.full.tasks import DTYPES, LENGTHS, SIZES, TASKS, chain_key
from benchmarks.measure import Spread
from benchmarks.report import amount, table

HEAD = "## All peers, all shapes of work"
TEXT = """\
Written by `make bench-full`. A value is the share of eager NumPy's time, measured in turns in one process, with the
quartiles in brackets; – where an engine is not installed or has no such functions.
"""

Found = dict[str, dict[str, Beside | None]]


def section(found: Found, first: dict[str, tuple[Spread, Spread] | None]) -> str:
    """The part of the page that only a full run measures."""
    parts = [HEAD, TEXT, "### First call and retrace of ten operations\n", _first_table(first)]
    groups: dict[str, list[str]] = {}
    for key, task in TASKS.items():
        groups.setdefault(task.group, []).append(key)
    for group, keys in groups.items():
        parts += [f"### {group}\n", _group_table(found, keys)]
    parts += ["### Speed of memory\n", _COPYING, _copying_table(found)]
    return "\n".join([*parts, "### Cost as sizes grow\n", _SLOPES, _slope_table(found)]).rstrip() + "\n"


_COPYING = """Bytes of arguments and result, divided by the time, as a share of what NumPy's copying reaches beside it.
"""
_SLOPES = """The exponent of the time between 10,000 and 10,000,000 elements (1 is linear), and what one more element
costs there.
"""


def kept_section(page: str) -> str:
    """The part of a page that a full run wrote. Empty where there is none."""
    begin = page.find(HEAD)
    return page[begin : page.index("\n## ", begin + 1)].rstrip() + "\n" if begin >= 0 else ""


def figures(found: Found) -> Iterator[Any]:
    """The plots of a full run."""
    for count in LENGTHS:
        for dtype in DTYPES:
            figure = go.Figure(layout={"title": f"{count} operations on {dtype}: nanoseconds an element"})
            for name in ("numpy", *EVERYONE):
                times = [
                    (size, t.median / size * 1e9) for size in SIZES if (t := _time(found, name, count, dtype, size))
                ]
                x, y = [size for size, _ in times], [each for _, each in times]
                figure.add_scatter(x=x, y=y, mode="lines+markers", name=TITLES[name])
            figure.update_xaxes(type="log", title="elements", dtick=1)
            figure.update_yaxes(type="log", title="ns an element")
            yield figure
    others = [key for key in TASKS if not key.startswith("chain")]
    figure = go.Figure(layout={"title": "Everything else, as a share of eager NumPy's time", "margin": {"l": 260}})
    for name in EVERYONE:
        there = [(TASKS[key], f.ratio) for key in others if (f := found[key][name]) is not None]
        titles, ratios = [f"{t.group}: {t.title}" for t, _ in there], [ratio.median for _, ratio in there]
        figure.add_scatter(x=ratios, y=titles, mode="markers", name=TITLES[name], marker={"size": 10})
    figure.add_vline(x=1, line_dash="dot")
    figure.update_xaxes(type="log", title="share of NumPy's time", dtick=1)
    yield figure


def _first_table(first: dict[str, tuple[Spread, Spread] | None]) -> str:
    rows = [[TITLES[n], *[amount(s.median, "s") for s in times]] for n, times in first.items() if times is not None]
    return table(["", "first call", "retrace"], rows)


def _group_table(found: Found, keys: list[str]) -> str:
    head = ["", TITLES["numpy"], *[TITLES[name] for name in EVERYONE]]
    rows = []
    for key in keys:
        own = found[key]["tracefn"]
        assert own is not None
        rows.append([TASKS[key].title, amount(own.eager.median, "s"), *[_share(found[key][name]) for name in EVERYONE]])
    return table(head, rows)


def _share(found: Beside | None) -> str:
    if found is None:
        return "–"
    ratio = found.ratio
    return f"{ratio.median:.2f} ({ratio.lower:.2f} … {ratio.upper:.2f})"


def _copying_table(found: Found) -> str:
    keys = [chain_key(count, dtype, SIZES[-1]) for count in LENGTHS for dtype in DTYPES]
    keys += ["stencil_2d", "stencil_3d", "total"]
    names = [name for name in EVERYONE if any(found[key][name] is not None for key in keys)]
    rows = [
        [
            f"{TASKS[k].group}: {TASKS[k].title}",
            *[f"{f.of_copying.median:.2f}" if (f := found[k][n]) else "–" for n in names],
        ]
        for k in keys
    ]
    return table(["", *[TITLES[name] for name in names]], rows)


def _slope_table(found: Found) -> str:
    names = [n for n in ("numpy", *EVERYONE) if _time(found, n, LENGTHS[0], DTYPES[0], SIZES[-1]) is not None]
    rows = []
    for count in LENGTHS:
        for dtype in DTYPES:
            slopes = [_slope(found, name, count, dtype) for name in names]
            rows.append([f"{count} operations, {dtype}", *slopes])
    return table(["", *[TITLES[name] for name in names]], rows)


def _slope(found: Found, name: str, count: int, dtype: str) -> str:
    small, large = (_time(found, name, count, dtype, size) for size in (SIZES[1], SIZES[-1]))
    if small is None or large is None:
        return "–"
    exponent = math.log(large.median / small.median) / math.log(SIZES[-1] / SIZES[1])
    return f"{exponent:.2f}, {(large.median - small.median) / (SIZES[-1] - SIZES[1]) * 1e9:.2f} ns"


def _time(found: Found, name: str, count: int, dtype: str, size: int) -> Spread | None:
    """What a chain took; NumPy's time is that beside tracefn."""
    times = found[chain_key(count, dtype, size)]["tracefn" if name == "numpy" else name]
    return times and (times.eager if name == "numpy" else times.engine)
