"""The tests of NumPy that are known not to pass traced, each with the reason: `skips.txt`, which may only shrink.

A line is the id of a test and, after two spaces, the reason. An id that ends in `*` stands for all that begin with it.
Tests whose reason begins with "not run" are not started at all.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

LIST = Path(__file__).with_name("skips.txt")
NOT_RUN = "not run"


@functools.cache
def listed() -> dict[str, str]:
    """Test id, or the beginning of ids with a `*` → reason."""
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    parts = [line.partition("  ") for line in lines]
    found = {name: reason.strip() for name, _, reason in parts}
    if len(found) < len(lines):
        raise ValueError(f"{LIST.name} names a test twice")
    if missing := [name for name, reason in found.items() if not reason]:
        raise ValueError(f"{LIST.name} gives no reason for {missing[0]}")
    return found


def not_run() -> list[str]:
    """What is not started."""
    return [name.removesuffix("*") for name, reason in listed().items() if reason.startswith(NOT_RUN)]


def differences(outcomes: Mapping[str, tuple[str, str]]) -> list[str]:
    """What the list says about the tests that ran and does not hold."""
    failed = {name: reason for name, (outcome, reason) in outcomes.items() if outcome == "failed"}
    expected = {name: reason for name, reason in listed().items() if not reason.startswith(NOT_RUN)}
    modules = {name.partition("::")[0] for name in outcomes}
    found = [f"fails: {n}: {why}" for n, why in failed.items() if not any(_matches(line, n) for line in expected)]
    for line in expected:
        if line.partition("::")[0] in modules and not any(_matches(line, name) for name in failed):
            found.append(f"passes now, take it off {LIST.name}: {line}")
    return found


def _matches(line: str, name: str) -> bool:
    return name.startswith(line[:-1]) if line.endswith("*") else name == line
