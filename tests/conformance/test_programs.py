"""Whole NumPy programs, unchanged: traced, they return and change what they do without tracing, bit by bit."""

import copy
import importlib.util
import os
from pathlib import Path

import guarded_memory
import numpy as np
import pytest
import tracefn

from benchmarks.programs import SIZES

FILES = {file.stem: file for file in sorted((Path(__file__).parent / "programs").glob("*.py"))}


def load(name):
    """The module of a program: the function of the same name, `arguments(size, rng)` and `SIZES`."""
    spec = importlib.util.spec_from_file_location(name, FILES[name])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(value, path=""):
    """(path, leaf) of everything in nested tuples, lists and dicts."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, tuple | list):
        items = enumerate(value)
    else:
        yield path, value
        return
    yield path, (type(value), len(value))
    for key, item in items:
        yield from leaves(item, f"{path}[{key!r}]")


def shared(results, arguments):
    """Which results lie in the memory of which arguments, and which results are arguments."""
    return [
        (r, a, result is argument)
        for r, result in leaves(results)
        for a, argument in leaves(arguments)
        if isinstance(result, np.ndarray) and isinstance(argument, np.ndarray) and np.shares_memory(result, argument)
    ]


def assert_same(got, expected, what, exactly=True):
    got, expected = dict(leaves(got)), dict(leaves(expected))
    assert got.keys() == expected.keys()
    for path, value in expected.items():
        message = f"{what}{path}"
        assert type(got[path]) is type(value), message
        if isinstance(value, np.ndarray | np.generic):
            assert got[path].dtype == value.dtype, message
            assert got[path].shape == value.shape, message
            if not exactly and value.dtype.kind in "fc":
                large = np.max(np.abs(value[np.isfinite(value)]), initial=0) if value.ndim else abs(value)
                precision = np.finfo(value.dtype).eps * ROUNDING
                np.testing.assert_allclose(got[path], value, precision, precision * large, err_msg=message)
                continue
            np.testing.assert_array_equal(got[path], value, err_msg=message, strict=True)
            assert got[path].tobytes() == value.tobytes(), f"{message}: the sign of a zero"
        elif isinstance(value, float) and not exactly:
            assert got[path] == pytest.approx(value, rel=1e-9), message
        else:
            assert got[path] == value, message


ROUNDING = 1 << 20
"""How much larger than a rounding the difference of a native program may be: each of its functions is within 4 units in
the last place, and programs repeat them thousands of times."""


LAST_BITS = {"annealing"}
"""Programs that choose by the last bit: which of two tours of one length is taken."""


def check(name, sizes, jit="off"):
    """Calls with new values of one signature take one trace, and do what the eager program does."""
    module = load(name)
    program = getattr(module, name)
    traced = tracefn.function(program, jit=jit, precise=name in LAST_BITS)
    exactly = jit == "off" or name in LAST_BITS
    for count, size in enumerate(sizes, 1):
        for seed in (1, 1, 2):
            expected_arguments = module.arguments(size, np.random.default_rng(seed))
            arguments = copy.deepcopy(expected_arguments)
            with np.errstate(all="ignore"):
                expected = program(*expected_arguments)
                got = traced(*arguments)
            assert_same(got, expected, "the result", exactly)
            assert_same(arguments, expected_arguments, "the arguments", exactly)
            assert shared(got, arguments) == shared(expected, expected_arguments)
            assert traced.tracing_count == count


@pytest.mark.parametrize("name", FILES)
def test_traced_is_as_eager(name):
    check(name, load(name).SIZES)


def compiled_sizes(name):
    """The sizes for which a program is compiled: the few elements or the many, by turns. `make fuzz` compiles both."""
    sizes = load(name).SIZES
    return sizes if os.environ.get("TRACEFN_FUZZ") else sizes[list(FILES).index(name) % len(sizes) :][:1]


@pytest.mark.parametrize("name", FILES)
def test_native_programs_are_as_eager_but_for_rounding(name):
    with guarded_memory.guarded(), tracefn.events.record() as events:
        check(name, compiled_sizes(name), jit="now")
    assert not failures(events)


def failures(events):
    """Why native programs could not be made: errors, which leave the NumPy program in use."""
    return [e.reason for e in events if e.type == "plan.kept" and "Error: " in e.reason]


@pytest.mark.parametrize("name", SIZES)
def test_native_programs_are_made_for_the_arrays_of_the_benchmarks(name):
    """Arrays of more elements are computed by other kinds of kernels."""
    module = load(name)
    arguments = module.arguments(SIZES[name], np.random.default_rng(0))
    with tracefn.events.record() as events:
        tracefn.function(getattr(module, name), jit="now").get_concrete_function(*arguments)
    assert not failures(events)
