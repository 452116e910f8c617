"""Whole classes as people write them: with their methods and functions decorated they do what they do undecorated."""

import contextlib
import functools
import importlib.util
import inspect
import linecache
import random
import signal
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
import tracefn
from conformance.state.snapshot import Snapshot, difference

pytestmark = pytest.mark.usefixtures("falls_back")

FILES = sorted(file for file in Path(__file__).parent.glob("*.py") if not file.name.startswith("test_"))

SECONDS = 20
"""How long a driver may take, decorated."""

CALLS = 8
"""How many times at least a driver calls what it drives."""


@functools.cache
def module_of(file):
    """The module, undecorated."""
    spec = importlib.util.spec_from_file_location(f"{file.stem}_as_written", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def drivers():
    """(file, name of a driver) of everything that is tried."""
    return [(file, name) for file in FILES for name in vars(module_of(file)) if name.startswith("drive_")]


def fresh(file, decorate):
    """The module anew, with its public functions and methods decorated."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for name, value in list(vars(module).items()):
        if isinstance(value, types.FunctionType) and not name.startswith(("drive_", "_")):
            if value.__module__ == module.__name__:
                setattr(module, name, decorate(value))
        elif isinstance(value, type) and value.__module__ == module.__name__:
            for key, method in list(vars(value).items()):
                if isinstance(method, types.FunctionType) and (key == "__call__" or not key.startswith("_")):
                    setattr(value, key, decorate(method))
    return module


def run(file, driver, decorate):
    """Yields what the driver yields, with all state that it can reach then."""
    module = fresh(file, decorate)
    random.seed(0)
    np.random.seed(0)
    calls = vars(module)[driver]()
    while True:
        try:
            value, error = next(calls), None
        except StopIteration:
            return
        except (KeyboardInterrupt, TimeoutError):
            raise
        except BaseException as raised:  # what is thrown inside a trace must not come out either
            value, error = None, (type(raised).__name__, str(raised))
        state, running = {}, calls
        while running is not None and running.gi_frame is not None:
            state |= running.gi_frame.f_locals
            running = running.gi_yieldfrom
        for name, held in vars(module).items():
            own = getattr(held, "__module__", module.__name__) == module.__name__
            if not name.startswith(("__", "drive_")) and own and not isinstance(held, types.ModuleType):
                state[f"global {name}"] = held
        state["yielded"] = value
        yield error, Snapshot(state, module.__name__)
        if error:
            return


def check(file, driver):
    """What differs first, in words; None where nothing does. And the reasons for which calls ran eagerly."""
    expected = list(run(file, driver, lambda function: function))
    assert expected[-1][0] is None and len(expected) >= CALLS
    with tracefn.events.record() as events, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            with at_most(SECONDS):
                found = first_difference(expected, run(file, driver, tracefn.function))
        except TypeError as error:
            found = f"at the decorator: {error}"
        except TimeoutError:
            found = f"takes more than {SECONDS} seconds"
    return found, [e for e in events if e.type == "fallback"], events


@contextlib.contextmanager
def at_most(seconds):
    """Raises TimeoutError where the block takes longer; when it ends once more, as a trace takes it for a reason to
    run eagerly."""
    late = []

    def too_long(*_):
        late.append(True)
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    if late:
        raise TimeoutError


def first_difference(expected, calls):
    count = 0
    for count, (want, got) in enumerate(zip(expected, calls, strict=False), 1):
        if got[0] is not None:
            return f"call {count}: traced raised {got[0][0]}: {got[0][1]}"
        if (what := difference(want[1], got[1])) is not None:
            return f"call {count}: {what[1]}"
    return None if count == len(expected) else f"ends after {count} of {len(expected)} calls"


@pytest.mark.parametrize(
    ("file", "driver"), drivers(), ids=lambda value: value if isinstance(value, str) else value.stem
)
def test_decorated_as_undecorated(file, driver):
    found, _, _ = check(file, driver)
    assert found is None, found


def test_there_are_enough():
    classes = [v for file in FILES for v in vars(module_of(file)).values() if inspect.isclass(v)]
    assert len(drivers()) >= 45 and len({c.__qualname__ for c in classes}) >= 45


def table(wanted):
    """One line for each driver whose name has one of the wanted words in it."""
    agree = fall = 0
    chosen = [(f, d) for f, d in drivers() if not wanted or any(w in d for w in wanted)]
    for file, driver in chosen:
        linecache.checkcache(str(file))
        found, fallbacks, events = check(file, driver)
        traces = sum(e.type == "trace.finished" and e.ok for e in events)
        agree += found is None
        fall += bool(fallbacks)
        state = "agrees " if found is None else "DIFFERS"
        told = (found or "").partition("\n")[0]
        print(f"{state} {file.stem:>20} {driver:<28} {traces:3} traces  {told}")
        for reason in sorted(
            {f"{e.location.line if e.location else '?'}: {e.reason.splitlines()[0]}" for e in fallbacks}
        ):
            print(f"{'':60} eager, line {reason[:150]}")
    print(f"{agree} of {len(chosen)} agree, {fall} by fallback in part")


if __name__ == "__main__":
    tracefn.config.jit("off")
    table(sys.argv[1:])
