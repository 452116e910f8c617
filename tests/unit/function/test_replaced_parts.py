"""The code and the defaults of a function may be replaced between calls: its own, and those of functions it calls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import tracefn

X = np.arange(3.0)


def _functions() -> dict[str, Any]:
    def helper(x, s=2, *, t=3):
        return x * s + t

    def calling(x):
        return helper(x) + 1

    def plain(x, a=1, *, k=2):
        return x * a + k

    def eager(x, a=1, /, b=2, *, k=2):
        assert globals()  # is not followed
        return x * a + k - b

    class Held:
        def method(self, x, a=1, *, k=2):
            return x * a + k

    return {"helper": helper, "calling": calling, "plain": plain, "eager": eager, "held": Held}


def _change(f: Any, name: str, value: Any) -> None:
    setattr(f, name, value)


CHANGES = [
    lambda f: f.__kwdefaults__.update(k=5),
    lambda f: f.__kwdefaults__.update(k=[7.0]),
    lambda f: f.__kwdefaults__["k"].__setitem__(0, 8.0),
    lambda f: _change(f, "__defaults__", tuple(4 for _ in f.__defaults__)),
    lambda f: _change(f, "__kwdefaults__", {"k": 11}),
    lambda f: _change(f, "__kwdefaults__", None),
    lambda f: _change(f, "__kwdefaults__", {"k": 12}),
    lambda f: _change(f, "__defaults__", None),
    lambda f: _change(f, "__defaults__", (3, 3)),
]


def _tried(f: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return f(*args, **kwargs).tolist()
    except (TypeError, ValueError) as error:
        return str(error).strip()


def _outcomes(name: str, decorate: Any, through: bool) -> list[Any]:
    found, functions = [], _functions()
    original = functions["held"].method if name == "method" else functions[name]
    called = decorated = decorate(original)
    if name == "method":
        functions["held"].method = decorated
        called = functions["held"]().method
    for change in [lambda f: None, *CHANGES]:
        change(decorated if through else original)
        given: list[Any] = [((), {}), ((), {}), ((2,), {}), ((), {"k": 9}), ((), {})]
        found += [_tried(called, X, *args, **kwargs) for args, kwargs in given]
    assert name != "eager" or decorated is original or not decorated.concrete_functions
    return found


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("through", [False, True])
@pytest.mark.parametrize("name", ["plain", "eager", "method"])
def test_defaults_are_those_of_the_moment(name, through, jit):
    want = _outcomes(name, lambda f: f, through)
    decorate = tracefn.function(jit=jit, on_unsupported="eager")
    assert _outcomes(name, decorate, through) == want


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("is_traced", [False, True])
def test_parts_of_a_called_function_are_those_of_the_moment(jit, is_traced):
    functions = _functions()
    helper, calling = functions["helper"], functions["calling"]
    if is_traced:
        calling.__closure__[0].cell_contents = tracefn.function(helper)
    f = tracefn.function(calling, jit=jit)
    changes = [
        lambda: helper.__kwdefaults__.update(t=5),
        lambda: _change(helper, "__defaults__", (7,)),
        lambda: _change(helper, "__code__", (lambda x, s, *, t: x - s - t).__code__),
    ]
    for count, change in enumerate([lambda: None, *changes], 1):
        change()
        for _ in range(4):
            assert f(X).tolist() == calling(X).tolist()
        assert f.tracing_count == count


@pytest.mark.parametrize("jit", ["off", "now"])
def test_the_code_of_the_function_is_that_of_the_moment(jit):
    def function(x, a=1):
        return x * a

    f = tracefn.function(function, jit=jit)
    for code in (function.__code__, (lambda x, a: x - a).__code__, (lambda y, b: y / b).__code__):
        f.__code__ = code
        for _ in range(4):
            assert f(X).tolist() == function(X).tolist()
    assert f.tracing_count == 3
    assert "its `__code__` was replaced" in str(f.explain(2))


def test_a_function_that_is_defined_again_has_defaults_of_its_own():
    names: dict[str, Any] = {}
    with tracefn.config.reuse_traces():
        for value in (2, 3):
            exec("def f(x, *, k=2): return x * k", names)
            f = names["f"] = tracefn.function(names["f"])
            assert f(X).tolist() == f(X).tolist() == (X * 2).tolist()
            f.__kwdefaults__["k"] = value
            assert f(X).tolist() == f(X).tolist() == (X * value).tolist()


@pytest.mark.parametrize("jit", ["off", "now"])
def test_functions_of_libraries_are_those_of_the_moment(monkeypatch, jit):
    """`monkeypatch.setattr(np, "exp", …)`, before and after the first trace, by functions that call the original."""

    def plain(x):
        return np.exp(-x) * 2

    def looping(x):
        for _ in range(3):
            if np.linalg.norm(x) > 0.5:
                x = getattr(np, "exp")(-x)  # noqa: B009
        return x + math.floor(x[0]) + math.floor(2.5)

    exp, norm, floor = np.exp, np.linalg.norm, math.floor
    changes = [
        lambda: monkeypatch.setattr(np, "exp", lambda x: exp(x) + 1),
        lambda: monkeypatch.setattr(np, "exp", lambda x: exp(exp(x) / 9) if x.sum() < 0 else exp(x)),
        lambda: monkeypatch.setattr(np.linalg, "norm", lambda x: norm(x) / 3),
        lambda: monkeypatch.setattr(math, "floor", lambda x: floor(x) + 1),
        monkeypatch.undo,
    ]
    for function in (plain, looping):
        f = tracefn.function(function, jit=jit)
        for change in [lambda: None, *changes]:
            change()
            for _ in range(4):
                np.testing.assert_allclose(f(X), function(X))
            np.testing.assert_allclose(tracefn.function(function, jit=jit)(X), function(X))


def _compiled(x, a=2):
    return x * a


def _lazy(*args, **kwargs):
    """Replaces its own code when it is called first, as functions do that compile themselves."""
    _lazy.__code__, _lazy.__defaults__ = _compiled.__code__, _compiled.__defaults__
    return _lazy(*args, **kwargs)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_function_may_replace_its_own_code_while_it_runs():
    traced = tracefn.function(_lazy, on_unsupported="eager")
    assert [traced(X, a=4).tolist(), traced(X).tolist(), traced(X, 3).tolist()] == [[0, 4, 8], [0, 2, 4], [0, 3, 6]]
