"""Runs the benchmarks: `python -m benchmarks`, or only some of them: `python -m benchmarks imports steady`.

Prints the results as Markdown. A whole run also writes docs/performance.md and build/benchmarks.html; with `--full` it
takes a quarter of an hour, and writes more to the page and build/benchmarks_full.html.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks import ROOT
from benchmarks.background import background
from benchmarks.beyond import beyond
from benchmarks.building import building
from benchmarks.control_flow import control_flow
from benchmarks.datasets import datasets
from benchmarks.engines import EVERYONE
from benchmarks.first_call import first_calls
from benchmarks.full.beside import beside_numpy
from benchmarks.full.page import figures as full_figures
from benchmarks.full.page import kept_section, section
from benchmarks.gradients import gradients
from benchmarks.graph_on_screen import graph_on_screen
from benchmarks.imports import imports
from benchmarks.kernels import kernels
from benchmarks.page import figures, html
from benchmarks.panel_load import panel_load
from benchmarks.panel_memory import panel_memory
from benchmarks.programs import programs
from benchmarks.report import markdown
from benchmarks.results import Results
from benchmarks.retraces import retraces
from benchmarks.scalar_loops import scalar_loops
from benchmarks.steady import steady_calls
from benchmarks.streaming import streaming

PAGE = ROOT / "docs" / "performance.md"

PARTS: dict[str, Callable[[], Any]] = {
    "imports": imports,
    "first_call": first_calls,
    "steady": steady_calls,
    "beyond": beyond,
    "control_flow": control_flow,
    "programs": programs,
    "kernels": kernels,
    "background": background,
    "building": building,
    "scalar_loops": scalar_loops,
    "gradients": gradients,
    "datasets": datasets,
    "retraces": retraces,
    "streaming": streaming,
    "graph_on_screen": graph_on_screen,
    "panel_load": panel_load,
}

#: Parts that take long, and are measured where they are asked for or in a full run.
LONG_PARTS: dict[str, Callable[[], Any]] = {"panel_memory": panel_memory}


def main() -> None:
    """Measures the parts that were asked for, or everything."""
    every = PARTS | LONG_PARTS
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(every)}; all if none is named")
    parser.add_argument(
        "--full", action="store_true", help="more peers and shapes of work; that takes a quarter of an hour"
    )
    options = parser.parse_args()
    asked = options.parts
    if unknown := set(asked) - set(every):
        parser.error(f"there is no part {sorted(unknown)[0]!r}; there are {', '.join(every)}")
    found = {}
    for name in asked or (every if options.full else PARTS):
        begin = time.perf_counter()
        print(f"{name} … ", end="", file=sys.stderr, flush=True)
        found[name] = every[name]()
        print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)
    results = Results(**found)
    more = _full() if options.full else kept_section(PAGE.read_text(encoding="utf-8"))
    text = markdown(results, more)
    print(text)
    if not asked:
        PAGE.write_text(text, encoding="utf-8")
        _write("benchmarks.html", html(figures(results)))


def _full() -> str:
    """Measures the parts of a full run alone, writes its plots, and gives its part of the page."""
    beside, first = beside_numpy(), first_calls(EVERYONE)
    _write("benchmarks_full.html", html(full_figures(beside)))
    return section(beside, first)


def _write(name: str, text: str) -> None:
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    (build / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
