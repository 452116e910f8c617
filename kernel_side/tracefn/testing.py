"""For tests of traced functions: `assert_trace_count`, and a pytest plugin that comes with the package.

The plugin has the fixture `no_retrace` (the test runs in a `tracefn.no_retrace()` block), the fixture `no_fallback` (it
runs in a `tracefn.no_fallback()` block: a function that ran eagerly fails the test) and the marker `max_traces(n)`
(each function may be traced n times in the test).
"""

from __future__ import annotations

import contextlib
from typing import Any

from .explain import explain, no_fallback, no_retrace

__all__ = ["assert_trace_count", "no_fallback", "no_retrace"]


def assert_trace_count(function: Any, count: int) -> None:
    """Raises AssertionError, with the reason of every trace, unless `function` was traced `count` times so far.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x + 1)
    >>> _ = f(np.ones(2)), f(np.ones(2))
    >>> assert_trace_count(f, 1)
    """
    found = function.tracing_count
    if found != count:
        plain = getattr(function, "function", function)
        reasons = [f"  {explain(plain, record.number).headline}" for record in plain._history.records]
        raise AssertionError("\n".join([f"`{function.name}` was traced {found} times, not {count}:", *reasons]))


def pytest_configure(config: Any) -> None:
    """Called by pytest: makes the fixtures and the marker known."""
    import pytest

    config.addinivalue_line("markers", "max_traces(n): each traced function may be traced n times in the test")

    class Plugin:
        @pytest.fixture(name="no_retrace")
        def forbidding(self) -> Any:
            """The test fails where a traced function is traced again."""
            with no_retrace() as block:
                yield block

        @pytest.fixture(name="no_fallback")
        def graphs_alone(self) -> None:
            """The test fails where a traced function runs eagerly."""

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call(self, item: Any) -> Any:
            marker = item.get_closest_marker("max_traces")
            with contextlib.ExitStack() as blocks:
                if marker is not None:
                    blocks.enter_context(no_retrace(after=_limit(marker)))
                if "no_fallback" in getattr(item, "fixturenames", ()):
                    blocks.enter_context(no_fallback())
                return (yield)

    config.pluginmanager.register(Plugin(), "tracefn-no-retrace")


def _limit(marker: Any) -> int:
    if len(marker.args) != 1 or marker.kwargs or not isinstance(marker.args[0], int):
        raise TypeError("write the marker as @pytest.mark.max_traces(2)")
    return int(marker.args[0])
