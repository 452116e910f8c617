"""What tracing costs, counted in calls of Python functions: no clock is asked."""

import importlib
import sys
import types

import numpy as np
import pytest
import tracefn
from tracefn.trace.autograph import operators

SOURCE = """
def f(x):
    for _ in range(2):
        x = scaled(x) + W
    return x


def scaled(x):
    return x * LR
"""


def calls_of_a_trace(others):
    """The number of calls that the second trace makes of a function whose module has many other variables."""
    unrelated = {f"v{i}": (i, str(i), [i], object, np.sin, types)[i % 6] for i in range(others)}
    module = {"__name__": "module", "LR": 0.5, "W": np.ones(3), **unrelated}
    exec(compile(SOURCE, "module.py", "exec"), module)
    function = tracefn.function(module["f"], autograph=False, jit="off")
    function(np.ones(3))
    result, count = counted(lambda: function(np.ones((2, 3))))
    np.testing.assert_array_equal(result, module["f"](np.ones((2, 3))))
    return count


def counted(function):
    """What a function returns, and the number of calls in it."""
    found, before = [], sys.getprofile()
    sys.setprofile(lambda frame, event, argument: found.append(event) if event in ("call", "c_call") else None)
    try:
        result = function()
    finally:
        sys.setprofile(before)
    return result, len(found)


def test_other_variables_of_a_module_cost_few_calls():
    assert calls_of_a_trace(3006) - calls_of_a_trace(6) < 1000


def branches(x, y):
    for i in range(len(x)):
        if x[i] > y[i]:
            x[i] = y[i] - 1
            y = y * 2
        elif x[i] < 0:
            y = y + x
    return x[1:-1] + y[:-2], y


def test_branches_and_views_cost_few_calls():
    given = np.arange(5.0) - 2, np.ones(5)
    for _ in range(3):  # the first ones fill what is remembered of types and calls
        traced = tracefn.function(branches, jit="off")
        concrete, count = counted(lambda: traced.get_concrete_function(*given))  # noqa: B023
    for found, expected in zip(concrete(*given), branches(*given), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert count / len(given[0]) < 9500


def halves(x):
    for _ in range(8):
        x = np.tanh(x[1:-1]) + x[2:]
    return x


def test_slices_and_functions_of_numpy_cost_few_calls():
    for length in (100, 40):  # of other lengths nothing is known
        traced = tracefn.function(halves, jit="off")
        x = np.linspace(0, 1, length)
        concrete, count = counted(lambda: traced.get_concrete_function(x))  # noqa: B023
        np.testing.assert_array_equal(concrete(x), halves(x))
    assert count / 8 < 1000  # in a round


def test_hooks_of_every_round_make_no_cells():
    for name in ("add", "attribute", "augmented", "item", "method", "not_", "store_attribute", "store_item"):
        assert not getattr(operators, name).__code__.co_cellvars


LIBRARY = """
class Engine:
    def __init__(self, callback):
        self.errors, self.count = [], 2.0
        self.symbols = {"callback": callback, **{str(i): [i] for i in range(300)}}
"""


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """A large object of an installed package, which also holds a function of the user's."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "large_objects_of_tests.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "large_objects_of_tests", raising=False)
    return importlib.import_module("large_objects_of_tests").Engine(lambda: None)


def test_an_attribute_of_a_large_object_costs_few_calls(engine):
    @tracefn.function(jit="off", on_unsupported="error")
    def read(engine, x):
        return x * engine.count

    read(engine, np.ones(2))
    engine.count = 3.0
    result, count = counted(lambda: read(engine, np.ones(2)))
    np.testing.assert_array_equal(result, [3.0, 3.0])
    assert count < 1000
