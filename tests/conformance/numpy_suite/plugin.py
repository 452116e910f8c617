"""The pytest plugin that runs NumPy's tests traced and writes what came of each to the file of `--outcomes`."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.explain import storm

from . import calls, rewriting

_RECORD = pytest.StashKey[calls.Record]()
_OUTCOMES: dict[str, tuple[str, str]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", type=Path, help="the file for test id → [outcome, reason]")


def pytest_configure() -> None:
    tracefn.config.on_unsupported("error")  # what runs eagerly is no test of a trace
    # A test tries one call with many dtypes and shapes, and may look at the warnings.
    storm.TRACES = sys.maxsize
    rewriting.install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    np.random.seed(0)
    gc.freeze()  # what is there by now is not gone through when a trace looks for garbage
    item.stash[_RECORD] = calls.Record()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with calls.running(item.stash[_RECORD]):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with calls.running(item.stash[_RECORD]):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Any:
    report = yield
    outcome = _outcome(report, item.stash[_RECORD], call)
    if outcome is not None:
        report.user_properties.append(("outcome", outcome))
    return report


def _outcome(report: pytest.TestReport, record: calls.Record, call: Any) -> tuple[str, str] | None:
    """What came of a test and why; None for a phase of it that says nothing."""
    if report.failed:
        return "failed", f"{call.excinfo.typename}: {call.excinfo.value}".strip()[:300]
    if hasattr(report, "wasxfail"):
        return "skipped", "expected to fail in NumPy"
    if report.skipped:
        return "skipped", str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
    if report.when != "call":
        return None
    if record.refusals:
        return "refused", record.refusals[0]
    return ("passed", "") if record.traced else ("untraced", "")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Here the outcomes of all workers arrive."""
    _OUTCOMES.update((report.nodeid, value) for key, value in report.user_properties if key == "outcome")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.option.outcomes.write_text(json.dumps(_OUTCOMES, indent=0))
