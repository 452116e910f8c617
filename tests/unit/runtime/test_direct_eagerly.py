"""Machine code for eager calls and for the reading of methods: the same answers, counts and later traces as without."""

from __future__ import annotations

import functools
import gc
import inspect
import types
import weakref

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi
from tracefn.function.fallback import eager_heat
from tracefn.runtime.worker import wait_until_built

pytestmark = [
    pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable()),
    pytest.mark.usefixtures("falls_back"),
]

X = np.arange(4.0)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(eager_heat, "MANY", 64)
    with tracefn.config.jit("auto"):
        yield


def is_direct(f):
    return isinstance(vars(type(f)).get("__call__"), staticmethod) and not hasattr(type(f).__call__, "__code__")


def warmed(function, *args, **kwargs):
    for _ in range(200):
        function(*args, **kwargs)
    wait_until_built()


def refused(x, y=1, *, z=2):
    x.setflags(write=True)
    return x + y * z


class Model:
    by = 2

    @tracefn.function
    def refused(self, x, y=1):
        x.setflags(write=True)
        return x * self.by + y

    @tracefn.function(jit="now")
    def traced(self, x):
        return x * 2


def test_eager_calls_are_counted_and_answered_as_before():
    f = tracefn.function(refused)
    warmed(f, X)
    assert is_direct(f) and [fallback.calls for fallback in f.fallbacks] == [200]
    for n in range(300):
        np.testing.assert_array_equal(f(X), X + 2)
        np.testing.assert_array_equal(f(X, z=5), X + 5)
        assert sum(fallback.calls for fallback in f.fallbacks) == 200 + 2 * n + 2
    with pytest.raises(TypeError, match="unexpected keyword"):
        f(X, w=1)
    with pytest.raises(AttributeError, match="setflags"):
        f([1.0])


def test_other_signatures_are_traced():
    f = tracefn.function(lambda x: x * 2 if x.dtype == float else x.tobytes())
    whole = np.arange(3)
    warmed(f, whole)
    assert is_direct(f)
    np.testing.assert_array_equal(f(X), X * 2)
    assert f.tracing_count == 1 and f(whole) == whole.tobytes()
    np.testing.assert_array_equal(f(X), X * 2)
    assert [c.calls.count for c in f.concrete_functions] == [2]
    assert [fallback.calls for fallback in f.fallbacks] == [201]


def test_signatures_that_take_turns_both_have_machine_code():
    f, arrays = tracefn.function(lambda x: x.tobytes()), [np.ones(2), np.ones((2, 2))]
    for _ in range(200):
        for x in arrays:
            assert f(x) == x.tobytes()
        wait_until_built()
    assert is_direct(f) and all(fallback.counter.native[0] > 100 for fallback in f.fallbacks)
    assert [fallback.calls for fallback in f.fallbacks] == [200, 200]


def test_it_is_traced_when_what_it_rests_on_has_changed():
    class Scaled:
        def __init__(self, by):
            self.by = by

        @tracefn.function
        def __call__(self, x):
            return x * self.by

    scaled = Scaled(np.array([1, 2, 3, 4], object))
    warmed(scaled, X)
    function = scaled.__call__.__func__
    assert is_direct(function)
    scaled.by = np.ones(4)
    for _ in range(65):
        np.testing.assert_array_equal(scaled(X), X)
    assert len(function.concrete_functions) == 1
    assert function.fallbacks[0].calls + function.concrete_functions[0].calls.count == 265


def test_it_stays_python_where_machine_code_is_off():
    f = tracefn.function(refused, jit="off")
    warmed(f, X)
    assert not is_direct(f) and f.fallbacks[0].calls == 200


def test_forgotten_fallbacks_are_tried_again():
    f = tracefn.function(refused)
    warmed(f, X)
    f.clear_cache()
    assert not is_direct(f) and not f.fallbacks
    np.testing.assert_array_equal(f(X), X + 2)
    assert [fallback.calls for fallback in f.fallbacks] == [1]


def test_a_call_while_tracing_is_part_of_the_trace():
    model = Model()
    warmed(model.traced, X)
    inner = tracefn.function(refused)
    warmed(inner, X)
    outer = tracefn.function(lambda x: model.traced(x) + 1, on_unsupported="error")
    np.testing.assert_array_equal(outer(X), X * 2 + 1)
    outer = tracefn.function(lambda x: inner(X) + x)
    np.testing.assert_array_equal(outer(X), 2 * X + 2)
    assert not outer.concrete_functions


def test_methods_of_a_class_are_read_with_the_class():
    class Own:
        @tracefn.function(jit="now")
        @classmethod
        def made(cls, x):
            return x * 2

    for _ in range(3):
        np.testing.assert_array_equal(Own.made(X), X * 2)
        np.testing.assert_array_equal(Own().made(X), X * 2)
    assert Own().made.__self__ is Own and Own.made.tracing_count == 1


@pytest.mark.parametrize("name", ["refused", "traced"])
def test_methods_are_read_by_machine_code(name):
    class Own(Model):
        vars()[name] = tracefn.function(getattr(Model, name).python_function, jit="now")

    model, other = Own(), Own()
    warmed(getattr(model, name), X)
    function = vars(Own)[name]
    assert isinstance(type(function).__dict__["__get__"], types.BuiltinFunctionType)
    assert getattr(Own, name) is function
    method = getattr(model, name)
    assert type(method) is types.MethodType and method.__self__ is model and method == getattr(model, name)
    assert getattr(other, name).__self__ is other and getattr(other, name).__func__ is not method.__func__
    for read in (
        function.__get__(model),
        function.__get__(model, Own),
        type(function).__get__(function, model),
        type(function).__get__(function, model, Own),
    ):
        assert read == method
    assert function.__get__(None, Own) is function
    Own.partial = functools.partialmethod(function)
    np.testing.assert_array_equal(model.partial(X), getattr(model, name)(X))


def test_instances_are_not_kept_alive():
    class Own(Model):
        refused = tracefn.function(Model.refused.python_function)

    model = Own()
    warmed(model.refused, X)
    function, gone = vars(Own)["refused"], weakref.ref(model)
    assert is_direct(model.refused.__func__)
    del model
    gc.collect()
    assert gone() is None and not function._instances
    gone = weakref.ref(function)
    del Own, function
    if (classes := getattr(inspect, "_shadowed_dict_from_mro_tuple", None)) is not None:
        classes.cache_clear()  # what `getattr_static` keeps in Python 3.12.0 and 3.12.1
    gc.collect()
    assert gone() is None
