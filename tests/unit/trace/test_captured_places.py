"""Wherever a value outside is kept: arrays are read at each call, numbers are guards whose reason names the place."""

import types

import numpy as np
import pytest
import tracefn

ARRAY = np.ones(3)
LR = 0.1
config = types.SimpleNamespace(lr=0.1, w=np.ones(3), inner=types.SimpleNamespace(lr=0.1, w=np.ones(3)))
constants = types.ModuleType("constants")
constants.LR, constants.W = 0.1, np.ones(3)
TABLE = {"lr": 0.1, "w": np.ones(3)}
LAYERS = [np.ones(3), 0.1]


class Settings:
    lr = 0.1
    w = np.ones(3)


def of_global():
    def put(array, number):
        global ARRAY, LR
        ARRAY, LR = array, number

    return lambda x: x * ARRAY * LR, put, "global LR"


def of_closure():
    array, number = np.ones(3), 0.1

    def put(new_array, new_number):
        nonlocal array, number
        array, number = new_array, new_number

    return lambda x: x * array * number, put, "closure number"


def of_attribute():
    def put(array, number):
        config.w, config.lr = array, number

    return lambda x: x * config.w * config.lr, put, "global config.lr"


def of_nested_attribute():
    def put(array, number):
        config.inner.w, config.inner.lr = array, number

    return lambda x: x * config.inner.w * config.inner.lr, put, "global config.inner.lr"


def of_module():
    def put(array, number):
        constants.W, constants.LR = array, number

    return lambda x: x * constants.W * constants.LR, put, "global constants.LR"


def of_class():
    def put(array, number):
        Settings.w, Settings.lr = array, number

    return lambda x: x * Settings.w * Settings.lr, put, "global Settings.lr"


def of_dict():
    def put(array, number):
        TABLE.update(w=array, lr=number)

    return lambda x: x * TABLE["w"] * TABLE["lr"], put, "global TABLE['lr']"


def of_list():
    def put(array, number):
        LAYERS[:] = array, number

    return lambda x: x * LAYERS[0] * LAYERS[1], put, "global LAYERS[1]"


def of_self():
    class Model:
        def __call__(self, x):
            return x * self.w * self.lr

    model = Model()

    def put(array, number):
        model.w, model.lr = array, number

    return model, put, "self.lr"


def of_helper():
    def put(array, number):
        global ARRAY, LR
        ARRAY, LR = array, number

    return lambda x: helper(x), put, "global LR"


def helper(x):
    return x * ARRAY * LR


PLACES = [
    of_global, of_closure, of_attribute, of_nested_attribute, of_module, of_class, of_dict, of_list, of_self, of_helper,
]  # fmt: skip


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("place", PLACES, ids=lambda p: p.__name__)
def test_arrays_are_read_and_numbers_are_guards(place, autograph):
    eager, put, name = place()
    x, w = np.arange(3.0), np.full(3, 2.0)
    put(w, 0.1)
    f = tracefn.function(eager, autograph=autograph)

    def check(traces):
        np.testing.assert_array_equal(f(x), eager(x), strict=True)
        assert f.tracing_count == traces

    check(1)
    w[1] = 7  # in place
    check(1)
    put(np.full(3, 9.0), 0.1)  # rebound
    check(1)
    put(np.arange(9.0)[::3], 0.1)  # of another layout
    check(1)
    with tracefn.events.record() as events:
        put(w, 0.01)
        check(2)
    (reason,) = [e.text for e in events if e.type == "retrace.explained"]
    assert reason == f"{name}: 0.1 → 0.01; nearest earlier trace #1"
    put(w, 0.1)
    check(2)  # the first trace is still there
    with tracefn.events.record() as events:
        put(np.ones(3, np.float32), 0.1)
        check(3)
    (reason,) = [e.text for e in events if e.type == "retrace.explained"]
    nearest = 2 if place is of_list and autograph else 1  # which reads the numbers of the list at each call
    assert reason.endswith(f": float64[3] → float32[3]; nearest earlier trace #{nearest}")


def test_defaults():
    def eager(x, w=np.ones(3), lr=0.1):  # noqa: B008
        return x * w * lr

    f, x = tracefn.function(eager), np.arange(3.0)
    np.testing.assert_array_equal(f(x), eager(x))
    eager.__defaults__[0][:] = 5
    np.testing.assert_array_equal(f(x), eager(x))
    assert f.tracing_count == 1


@pytest.mark.parametrize("place", PLACES, ids=lambda p: p.__name__)
def test_large_arrays_are_not_copied_into_graphs(place):
    eager, put, _ = place()
    large = np.ones((1000, 3))
    put(large, 0.1)
    f = tracefn.function(eager)
    f(np.ones(3))
    (concrete,) = f.concrete_functions
    constants = [n.args[0].value for n in concrete.graph if n.op.name == "constant"]
    assert not any(isinstance(c, np.ndarray) and c.size > 100 for c in constants)
    assert not any(isinstance(c, np.ndarray) and c.size > 100 for c in concrete._built.program.constants.values())
    put(np.ones(3), 0.1)


def test_a_captured_array_that_is_returned_is_the_array():
    f = tracefn.function(lambda: config.w)
    config.w = np.ones(3)
    assert f() is config.w
    config.w = np.zeros(3)
    assert f() is config.w
    assert f.tracing_count == 1


def test_an_array_that_only_the_trace_can_reach_is_not_copied():
    large = np.ones(100_000)
    holder = iter([large])
    f = tracefn.function(lambda x, a=[large]: x + a[0][:3])
    np.testing.assert_array_equal(f(np.ones(3)), np.full(3, 2.0))
    large[0] = 5
    assert f(np.ones(3))[0] == 6
    assert next(holder) is large


class Lazy(types.ModuleType):
    """A module that imports more when it is looked at."""

    def __getattribute__(self, name):
        IMPORTED.setdefault("late", 1)
        return super().__getattribute__(name)


IMPORTED = {"lazy": Lazy("lazy"), "other": 2}


def test_a_dict_may_grow_while_what_is_in_it_is_looked_at():
    IMPORTED.pop("late", None)  # code that iterates over all objects of the process would load its attributes
    f = tracefn.function(lambda x: x + 1 if "lazy" in IMPORTED else x, on_unsupported="eager")
    with pytest.warns(tracefn.errors.FallbackWarning, match="changes `global IMPORTED`"):
        assert f(1.0) == 2.0
