"""The surroundings of a foreign function while tracing: no trace, and the random state that eager code finds."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ...ir.dims import NUMBERS
from ..active import ACTIVE
from ..trace_parts.own_time import OwnTime


@contextlib.contextmanager
def outside_of_traces() -> Iterator[None]:
    """No trace is under way in this thread: functions run on real values, and their time is not that of the trace."""
    stack, last = ACTIVE.stack, NUMBERS.last
    ACTIVE.stack = []
    try:
        with OwnTime():
            yield
    finally:
        ACTIVE.stack, NUMBERS.last = stack, last


@contextlib.contextmanager
def warnings_kept(all_of_them: bool = False) -> Iterator[list[Any]]:
    """Collects warnings instead of showing them. The filters apply as before; `all_of_them` includes the warnings
    that they suppress. (The version of the filters stays: a new one would repeat warnings that are shown once.)"""
    kept: list[Any] = []
    module: Any = warnings
    filters, every = module.filters, ("always", None, Warning, None, 0)
    if all_of_them:
        filters.insert(0, every)
    shown, done = module.showwarning, module._showwarnmsg_impl
    module.showwarning, module._showwarnmsg_impl = module._showwarning_orig, kept.append
    try:
        yield kept
    finally:
        module.showwarning, module._showwarnmsg_impl = shown, done
        if all_of_them:
            filters.remove(every)


def show(kept: list[Any]) -> None:
    """Shows warnings that were kept."""
    module: Any = warnings
    for warning in kept:
        module._showwarnmsg(warning)


def _numpy_state() -> Any:
    """The global random state of NumPy, if it has been used."""
    module = sys.modules.get("numpy.random.mtrand")
    return None if module is None else module._rand


class RandomStates:
    """The global random states: of NumPy and of Python."""

    def __init__(self) -> None:
        self.of_numpy: Any = None
        self.of_python: Any = None

    @classmethod
    def now(cls) -> RandomStates:
        found = cls()
        state = _numpy_state()
        found.of_numpy = None if state is None else state.get_state(legacy=False)
        import random

        found.of_python = random.getstate()
        return found

    def set(self) -> None:
        state = _numpy_state()
        if self.of_numpy is not None and state is not None:
            state.set_state(self.of_numpy)
        import random

        random.setstate(self.of_python)

    def equals(self, other: RandomStates) -> bool:
        return self.of_python == other.of_python and _same(self.of_numpy, other.of_numpy)


def _same(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    keys = left["state"]["key"].tobytes() == right["state"]["key"].tobytes()
    rest = left["state"]["pos"] == right["state"]["pos"] and left["has_gauss"] == right["has_gauss"]
    return bool(keys and rest and left["gauss"] == right["gauss"])


def with_warnings(run: Callable[[], Any], all_of_them: bool) -> tuple[Any, RandomStates | None, list[Any]]:
    """The result of a call, the random states that it left, and the warnings that it shows, or `all_of_them`."""
    with warnings_kept(all_of_them) as warned:
        try:
            returned, states = run()
        except Exception:
            if warned:
                with warnings.catch_warnings():  # entering it clears the record of warnings that are shown once
                    pass
            raise
    return returned, states, warned
