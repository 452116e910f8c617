"""What holds for all tests: random programs are the same ones every time, and have no time limit; no compiled
code is kept; functions run as NumPy programs, compared bit by bit, and what cannot be traced is an error, unless a
test says otherwise.

With TRACEFN_JIT=now all that can run as machine code does, and is compared but for roundings.
"""

import functools
import gc
import os
import warnings
import zlib

import guarded_memory
import numpy as np
import patience
import pytest
import roundings
import sizes
import tracefn
from hypothesis import settings
from tracefn.codegen.machine import engine
from tracefn.function.fallback import storms

os.environ["TRACEFN_CACHE"] = "off"
os.environ["TRACEFN_KEEP_TRACES"] = "0"  # tests with a folder for machine code trace their functions all the same
tracefn.config.keep_traces(False)
tracefn.config.jit(os.environ.setdefault("TRACEFN_JIT", "off"))  # pytest's plugin has imported tracefn before
# No test starts a process that does not need one, neither itself nor in processes of its own.
tracefn.config.compiler(os.environ.setdefault("TRACEFN_COMPILER", "thread"))
tracefn.config.on_unsupported("error")
patience.switch_off(storms)
engine.object_code = functools.lru_cache(maxsize=1000)(engine.object_code)  # many tests compile one text
if roundings.ON_MACHINE_CODE:
    np.testing.assert_array_equal = roundings.assert_array_equal
    engine._KNOWN = {}  # many rows of the table of ops have one text: code stays where it is freed otherwise

settings.register_profile("tracefn", deadline=None, derandomize=not sizes.ALL)
settings.load_profile("tracefn")


def pytest_collection_modifyitems(config, items):
    """Of large grids a sample runs, always the same, that has every value of its parameters. `make fuzz` runs all."""
    if sizes.ALL:
        return
    seen, left_out = set(), []
    for item in items:
        marker = item.get_closest_marker("sampled")
        if marker is None or not (roundings.ON_MACHINE_CODE or marker.kwargs.get("everywhere")):
            continue
        place = item.nodeid.partition("[")[0]
        values = {(place, name, repr(value)) for name, value in item.callspec.params.items()}
        if zlib.crc32(item.nodeid.encode()) % marker.args[0] and values <= seen:
            left_out.append(item)
        seen |= values
    config.hook.pytest_deselected(items=left_out)
    left = set(left_out)
    items[:] = [item for item in items if item not in left]


STATES = {}
"""The states of the generators of test modules when these were imported."""


def pytest_runtest_setup(item):
    """A test draws the same numbers, whichever tests ran before it.

    What was made before a test is not gone through when its traces look for garbage: in a process that has run many
    tests that takes a second each time.
    """
    for generator in vars(item.module).values() if hasattr(item, "module") else ():
        if isinstance(generator, np.random.Generator):
            generator.bit_generator.state = STATES.setdefault(id(generator), generator.bit_generator.state)
    gc.collect()
    gc.freeze()
    storms.SPENT.clear()  # what other tests have traced in vain


@pytest.fixture
def falls_back():
    """Calls that cannot be traced run eagerly, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tracefn.errors.FallbackWarning)
        with tracefn.config.on_unsupported("eager"):
            yield


@pytest.fixture
def guarded():
    """The arrays of the test lie in guarded memory."""
    with guarded_memory.guarded():
        yield
