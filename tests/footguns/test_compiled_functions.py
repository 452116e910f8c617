"""Functions and objects of the user's own extension modules, which take real values alone."""

import importlib.util
import random
import shutil
import sys
import types
import warnings

import numpy as np
import pytest
import tracefn
from pandas._libs.hashtable import Int64HashTable
from scipy.special import _comb
from tracefn.trace import libraries

pytestmark = pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")


@pytest.fixture
def choose(tmp_path, monkeypatch):
    """A function in Cython of two ints, in a module that is not installed."""
    file = shutil.copy(_comb.__file__, tmp_path)
    spec = importlib.util.spec_from_file_location("_comb", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "choices_of_tests", module)
    module._comb_int.__module__ = "choices_of_tests"
    return module._comb_int


def test_they_are_steps_of_the_graph(choose):
    f = tracefn.function(lambda n, k, x: choose(n, k) * x, on_unsupported="error")
    assert [f(np.int64(n), np.int64(2), 2.0) for n in (5, 6, 7)] == [20.0, 30.0, 42.0] and f.tracing_count == 1


@pytest.fixture
def table(monkeypatch):
    """An object of a class in Cython that is taken for the user's own."""
    was = libraries._is_installed
    monkeypatch.setattr(libraries, "_is_installed", lambda top: top != "pandas" and was(top))
    libraries._has_objects.cache_clear()
    yield Int64HashTable()
    libraries._has_objects.cache_clear()


def test_objects_are_asked_at_each_call(table):
    def seen(table, key, x):
        table.set_item(key, len(table))
        return table.get_item(key) * x, table.get_item(7)

    held, traced = types.SimpleNamespace(table=table), tracefn.function(lambda held: held.table.get_item(7))
    f, plain = tracefn.function(seen, on_unsupported="error"), Int64HashTable()
    for number, key in enumerate((7, 8, 7, 9)):
        assert f(table, key, 2.0) == seen(plain, key, 2.0)
        table.set_item(7, number)
        plain.set_item(7, number)
        assert traced(held) == number


def test_a_class_made_in_c_that_names_no_module_is_no_class_of_pythons(monkeypatch):
    made_in_c = random.Random.__base__
    monkeypatch.setattr(made_in_c, "__module__", "builtins")
    assert libraries.is_foreign_class(made_in_c)
    others = int, list, types.FunctionType, ExceptionGroup, type("Table", (), {"__module__": "builtins"})
    assert not any(map(libraries.is_foreign_class, others))


@pytest.mark.parametrize("total", [0.0, 2.0])
def test_one_in_a_branch_gets_real_values(choose, total):
    def f(x):
        if x.sum() == 0:
            warnings.warn("empty", stacklevel=2)
            return x
        return choose(int(x.sum()) + 3, 2) + x

    traced = tracefn.function(f, on_unsupported="eager")
    for _ in range(3):
        with warnings.catch_warnings(action="ignore"):
            np.testing.assert_array_equal(traced(np.full(1, total)), f(np.full(1, total)))


@pytest.mark.parametrize("effect", [lambda: warnings.warn("empty", stacklevel=2), lambda: tracefn.print("empty")])
def test_a_branch_that_raises_about_a_stand_in_is_made_again(effect):
    """Beside an effect that cannot be taken back there is no second time."""

    def f(x):
        if x.sum() == 0:
            effect()
            return x
        return np.frombuffer(memoryview(x))

    traced = tracefn.function(f, on_unsupported="eager")
    assert traced(np.ones(2)).tolist() == [1, 1]
    with warnings.catch_warnings(action="ignore"):
        assert traced(np.zeros(2)).tolist() == [0, 0]
