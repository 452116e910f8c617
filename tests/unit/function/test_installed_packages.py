"""Packages that are installed: one of which a function is decorated is traced as the user's own code."""

import importlib
import sys
import types
import warnings
from importlib.machinery import EXTENSION_SUFFIXES

import numpy as np
import pytest
import tracefn

SOURCE = """
import numpy as np

def halved(v):
    return v / 2 if v[0] > 1 else v

class Filter:
    def __init__(self):
        self.x, self.seen = np.zeros(2), []

    def predict(self):
        self.x = halved(self.x) + 1

    def update(self, z):
        for i in range(len(self.x)):
            self.x[i] += z[i]
        self.seen.append(len(self.seen))
        return self.x.sum()

def run(filter, z):
    filter.predict()
    if z[0] > 1:
        return filter.update(z)
    return filter.update(-z)
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Makes a package in a folder as pip does, and imports it anew each time."""
    folder = tmp_path / "site-packages"
    (folder / "kalman_of_tests").mkdir(parents=True)
    (folder / "kalman_of_tests" / "__init__.py").write_text("")
    (folder / "kalman_of_tests" / "filters.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(folder))

    def make(decorate):
        for name in [n for n in sys.modules if n.startswith("kalman_of_tests")]:
            monkeypatch.delitem(sys.modules, name)
        module = importlib.import_module("kalman_of_tests.filters")
        if decorate:
            functions = {n: f for n, f in vars(module).items() if isinstance(f, types.FunctionType)}
            vars(module).update({n: tracefn.function(f, on_unsupported="eager") for n, f in functions.items()})
            for name in ("predict", "update"):
                setattr(module.Filter, name, tracefn.function(vars(module.Filter)[name], on_unsupported="eager"))
        return module

    make.folder = folder / "kalman_of_tests"
    return make


def outcomes(module):
    found, filter = [], module.Filter()
    for i in range(5):
        found.append((module.run(filter, np.arange(2.0) + i), filter.x.copy(), list(filter.seen)))
    return found, module


def test_its_functions_methods_and_state_are_followed(installed):
    eager, _ = outcomes(installed(False))
    found, module = outcomes(installed(True))
    assert repr(found) == repr(eager)
    assert module.run.tracing_count and not module.run.fallbacks


def test_one_with_extension_modules_stays_a_library(installed):
    (installed.folder / f"fast{EXTENSION_SUFFIXES[0]}").write_bytes(b"")
    eager, _ = outcomes(installed(False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, _ = outcomes(installed(True))
    assert repr(found) == repr(eager)


COMPILED = """
import functools

COMPILED = set()  # as the C part of a compiled function knows it


class Dispatcher:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function, self.known = function, {}

    def __call__(self, *args):
        kinds = self.function, *map(type, args)
        if kinds not in COMPILED:
            COMPILED.add(kinds)
            self.known[kinds] = self.function
        return self.known[kinds](*args)
"""


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages" / "numba"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(COMPILED)
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    yield importlib.import_module("numba").Dispatcher(lambda v, n: v * n)
    monkeypatch.delitem(sys.modules, "numba")


def test_what_numba_keeps_in_a_compiled_function_stays(compiled):

    @tracefn.function(on_unsupported="eager")
    def f(x):
        return compiled(x, 2) + compiled(x.sum(), 2.0) + 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [f(np.ones(2)).tolist() for _ in range(3)]
    assert found == [[7.0, 7.0]] * 3 and f.tracing_count == 1 and not f.fallbacks


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_trace_that_comes_to_nothing_frees_no_machine_code(compiled):
    @tracefn.function(on_unsupported="eager")
    def f(x):
        y = compiled(x, 2)
        while x.sum() > 1:
            x = compiled(x, 0.5)
        return x + y

    assert [f(np.ones(2)).tolist() for _ in range(2)] == [[2.5, 2.5]] * 2 and f.fallbacks


_BACKENDS = """
import tracefn


class Backend:
    known = {}

    @classmethod
    @tracefn.function
    def register(cls, name, value):
        setattr(cls, name, value)
"""
_CORE = """
from backends_of_test import Backend


class Core(Backend):
    pass


Backend.known["core"] = Core
Core.register("scale", 2)
"""


def test_what_a_module_does_at_its_import_stays_where_the_trace_comes_to_nothing(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "backends_of_test.py").write_text(_BACKENDS)
    (tmp_path / "core_of_test.py").write_text(_CORE)
    backend = importlib.import_module("backends_of_test").Backend

    @tracefn.function(on_unsupported="eager")
    def load(x, name):
        if name not in backend.known:
            importlib.import_module(f"{name}_of_test")
        for i in x.nonzero()[0]:
            x = x + int(i)
        return backend.known[name].scale * x.sum()

    assert [load(np.ones(2), "core") for _ in range(3)] == [8.0] * 3
