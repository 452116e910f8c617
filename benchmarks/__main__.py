"""Runs the benchmarks: `python -m benchmarks`, or only some of them: `python -m benchmarks imports steady`.

Prints the results as Markdown. A whole run also writes docs/performance.md and build/benchmarks.html.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks import ROOT
from benchmarks.control_flow import control_flow
from benchmarks.datasets import datasets
from benchmarks.first_call import first_calls
from benchmarks.graph_on_screen import graph_on_screen
from benchmarks.imports import imports
from benchmarks.kernels import kernels
from benchmarks.programs import programs
from benchmarks.report import markdown
from benchmarks.results import Results
from benchmarks.retraces import retraces
from benchmarks.scalar_loops import scalar_loops
from benchmarks.steady import steady_calls
from benchmarks.streaming import streaming

PARTS: dict[str, Callable[[], Any]] = {
    "imports": imports,
    "first_call": first_calls,
    "steady": steady_calls,
    "control_flow": control_flow,
    "programs": programs,
    "kernels": kernels,
    "scalar_loops": scalar_loops,
    "datasets": datasets,
    "retraces": retraces,
    "streaming": streaming,
    "graph_on_screen": graph_on_screen,
}


def main() -> None:
    """Measures what was asked for, or everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}; all if none is named")
    asked = parser.parse_args().parts
    if unknown := set(asked) - set(PARTS):
        parser.error(f"there is no part {sorted(unknown)[0]!r}; there are {', '.join(PARTS)}")
    found = {}
    for name in asked or PARTS:
        begin = time.perf_counter()
        print(f"{name} … ", end="", file=sys.stderr, flush=True)
        found[name] = PARTS[name]()
        print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)
    results = Results(**found)
    text = markdown(results)
    print(text)
    if not asked:
        _write(results, text)


def _write(results: Results, text: str) -> None:
    from benchmarks.page import html

    (ROOT / "docs" / "performance.md").write_text(text, encoding="utf-8")
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    (build / "benchmarks.html").write_text(html(results), encoding="utf-8")


if __name__ == "__main__":
    main()
