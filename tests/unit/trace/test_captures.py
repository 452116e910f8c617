"""What a function reads outside its arguments is read at every call, or guarded: never stale."""

import functools
import itertools
import math
import operator
import types

import numpy as np
import pytest
import tracefn

W = np.ones(3)
LR = 0.1
TABLE = {"w": np.ones(3), "n": 2, "deep": [np.zeros(3), {"k": 1}]}
LOG = []
COUNT = 0


class Config:
    lr = 0.5
    w = np.full(3, 2.0)


config = types.SimpleNamespace(lr=1.0, model=types.SimpleNamespace(w=np.ones(3), dim=3))


def helper(x):
    return x * LR + W


def other_helper(x):
    return x - LR


@pytest.fixture(autouse=True)
def restore():
    saved = dict(globals())
    copies = W.copy(), TABLE["w"].copy(), Config.w.copy()
    yield
    globals().update(saved)
    W[:], TABLE["w"][:], Config.w[:] = copies
    TABLE["n"] = 2
    Config.lr = 0.5
    config.lr = 1.0
    LOG.clear()


def check(f, eager, x, traces=None):
    for _ in range(2):
        np.testing.assert_array_equal(f(x), eager(x))
    if traces is not None:
        assert f.tracing_count == traces


def test_global_array_is_read_at_every_call():
    def eager(x):
        return x + W * 2

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    W[1] = 7
    check(f, eager, x, 1)
    globals()["W"] = np.full(3, 9.0)
    check(f, eager, x, 1)
    globals()["W"] = np.full((2, 3), 9.0)
    check(f, eager, x, 2)
    assert f.concrete_functions[0].graph.captures[0].args[0] == "global W"


def test_global_array_that_is_only_computed_with():
    def eager(x):
        return x * W.mean() + len(W) + W.shape[0]

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    W[:] = 5
    check(f, eager, x, 1)


def test_global_scalar_is_a_guard_with_a_reason():
    def eager(x):
        return x * LR

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    globals()["LR"] = 0.01
    with tracefn.events.record() as seen:
        check(f, eager, x, 2)
    reasons = [e for e in seen if e.type == "retrace.explained"]
    assert [c.text for c in reasons[0].causes] == ["global LR: 0.1 → 0.01"]
    assert reasons[0].causes[0].kind == "captured"
    globals()["LR"] = 0.1
    check(f, eager, x, 2)
    globals()["LR"] = np.float32(0.1)
    check(f, eager, x, 3)


def test_closure():
    w, scale = np.ones(3), 2.0

    def change(new):
        nonlocal scale
        scale = new

    def eager(x):
        return (x + w) * scale

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    w += 1
    check(f, eager, x, 1)
    change(5.0)
    check(f, eager, x, 2)
    w = np.zeros(3)
    check(f, eager, x, 2)


def test_containers():
    def eager(x):
        return x * TABLE["w"] + TABLE["n"] + TABLE["deep"][0]

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    TABLE["w"][0] = 4
    check(f, eager, x, 1)
    TABLE["n"] = 3
    check(f, eager, x, 2)
    TABLE["w"] = np.full(3, 8.0)
    check(f, eager, x, 2)


def test_container_that_is_read_whole():
    def total(table):
        return table["w"] * table["n"]

    def eager(x):
        return x + total(TABLE)

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    TABLE["w"][0] = 4
    check(f, eager, x)
    TABLE["n"] = 3
    check(f, eager, x)


def test_attributes_of_modules_classes_and_objects():
    def eager(x):
        return x * Config.lr + Config.w + config.lr + x * config.model.w * config.model.dim + math.pi + np.pi

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    Config.w[0] = 9
    config.model.w = np.full(3, 3.0)
    check(f, eager, x, 1)
    Config.lr = 0.25
    check(f, eager, x, 2)
    config.lr = 7.0
    check(f, eager, x, 3)


def test_helper_functions_are_followed():
    def eager(x):
        return helper(x) * 2

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    W[0] = 5
    check(f, eager, x, 1)
    globals()["LR"] = 2.0
    check(f, eager, x, 2)
    globals()["helper"] = other_helper
    check(f, eager, x, 3)


def test_methods_are_followed():
    class Model:
        def __init__(self):
            self.w = np.ones(3)
            self.bias = 1.0

        def affine(self, x):
            return x * self.w + self.bias

        @tracefn.function
        def run(self, x):
            return np.tanh(self.affine(x))

    model = Model()
    x = np.arange(3.0)
    for _ in range(2):
        np.testing.assert_array_equal(model.run(x), np.tanh(model.affine(x)))
    model.bias = 3.0
    np.testing.assert_array_equal(model.run(x), np.tanh(model.affine(x)))
    model.w[:] = 0
    np.testing.assert_array_equal(model.run(x), np.tanh(model.affine(x)))
    assert model.run.tracing_count == 2


def test_array_behind_an_attribute_that_is_only_computed_with():
    def eager(x):
        return x * config.model.w.sum()

    f = tracefn.function(eager)
    x = np.arange(3.0)
    check(f, eager, x)
    config.model.w[0] += 1
    check(f, eager, x)


def test_traced_function_called_inside_is_followed():
    inner = tracefn.function(lambda x: x * LR + W.max())

    def eager(x):
        return inner.python_function(x) + 1

    f = tracefn.function(lambda x: inner(x) + 1)
    x = np.arange(3.0)
    check(f, eager, x, 1)
    W[0] = 50
    check(f, eager, x, 1)
    globals()["LR"] = 3.0
    check(f, eager, x, 2)


def test_counting_traces_does_not_retrace():
    def f(x):
        global COUNT
        COUNT += 1
        LOG.append(x.shape)
        return x + 1

    f = tracefn.function(f)
    g = tracefn.function(lambda x: LOG.append(1) or x)
    with tracefn.events.record() as seen:
        for _ in range(3):
            for n in (1, 2):
                f(np.ones(n))
                g(np.ones(n))
    assert (COUNT, len(LOG), f.tracing_count, g.tracing_count) == (6, 12, 2, 2)
    assert not [e for e in seen if e.type == "error"]


def test_a_global_list_that_grows_and_is_read():
    def f(x):
        LOG.append(1)
        return x * len(LOG)

    length, f = len(LOG), tracefn.function(f)
    with tracefn.events.record() as seen:
        for count in range(1, 4):
            assert f(np.ones(1)) == len(LOG) == length + count
    assert not [e for e in seen if e.type == "side_effect"]


def test_array_made_while_tracing_is_a_constant():
    f = tracefn.function(lambda x: (x + np.arange(3.0), np.eye(2)))
    first, second = f(np.zeros(3)), f(np.zeros(3))
    assert f.concrete_functions[0].graph.captures == ()
    assert first[1] is not second[1]
    first[1][:] = 9
    np.testing.assert_array_equal(f(np.zeros(3))[1], np.eye(2))


def test_array_changed_between_two_uses_while_tracing():
    def eager(x):
        w = np.zeros(3)
        a = x + w
        w[0] = 5
        return a, x + w

    f = tracefn.function(eager)
    for _ in range(2):
        for got, wanted in zip(f(np.ones(3)), eager(np.ones(3)), strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_array_from_a_hidden_place_is_read_at_call_time():
    hidden = [np.ones(3)]

    def get():
        return hidden.__getitem__(0)

    get = staticmethod(get).__func__
    f = tracefn.function(lambda x: x + (lambda g: g())(get))
    np.testing.assert_array_equal(f(np.zeros(3)), [1, 1, 1])
    hidden[0][0] = 4
    np.testing.assert_array_equal(f(np.zeros(3)), [4, 1, 1])


def test_default_arguments_are_read_at_call_time():
    default = np.ones(3)

    def eager(x, w=default):
        return x + w

    f = tracefn.function(eager)
    x = np.zeros(3)
    check(f, eager, x, 1)
    default[0] = 8
    check(f, eager, x, 1)


def test_returning_a_captured_array_returns_it():
    f = tracefn.function(lambda x: (W, x))
    x = np.ones(2)
    for _ in range(2):
        got = f(x)
        assert got[0] is W and got[1] is x


def test_static_array_is_guarded_by_content():
    sizes = np.array([1, 2])

    def eager(x):
        return np.pad(x, sizes)

    f = tracefn.function(eager)
    x = np.ones(2)
    check(f, eager, x)
    sizes[0] = 3
    check(f, eager, x)


def test_deleted_global_raises_as_eager():
    globals()["temporary"] = 2.0
    f = tracefn.function(lambda x: x * temporary)  # noqa: F821
    assert f(np.float64(1)) == 2
    del globals()["temporary"]
    with pytest.raises(NameError, match="temporary"):
        f(np.float64(1))


def test_recursive_helper_and_captured_array():
    w = np.ones(2)

    def power(x, n):
        return w if n == 0 else x * power(x, n - 1)

    f = tracefn.function(lambda x: power(x, 3))
    np.testing.assert_array_equal(f(np.full(2, 2.0)), [8, 8])
    w[:] = 2
    np.testing.assert_array_equal(f(np.full(2, 2.0)), [16, 16])
    assert f.tracing_count == 1


def test_nested_definition_and_comprehension_read_outer_names():
    scale, w = 2.0, np.ones(2)

    def eager(x):
        def inner(y):
            return y * scale + w

        return sum([inner(x) * k for k in range(2)])

    f = tracefn.function(eager)
    x = np.ones(2)
    check(f, eager, x, 1)
    w[:] = 4
    check(f, eager, x, 1)
    scale = 5.0
    check(f, eager, x, 2)


class Big:
    def __init__(self):
        self.w = np.ones(20_000)
        self.described = np.ones((2, 3))

    @tracefn.function
    def mean(self, x):
        return x * self.w.mean() + self.described.shape[0]


def test_large_array_behind_an_attribute_that_is_only_computed_with():
    big = Big()
    assert big.mean(np.float64(2)) == 4
    big.w[:] = 5
    assert big.mean(np.float64(2)) == 12
    big.w = np.full(20_000, 7.0)
    assert big.mean(np.float64(2)) == 16
    big.described[:] = 9
    assert big.mean(np.float64(2)) == 16
    assert big.mean.tracing_count == 1
    big.described = np.ones((3, 3))
    assert big.mean(np.float64(2)) == 17
    big.w = np.ones(1 << 18)
    assert big.mean(np.float64(2)) == 5
    big.w[-1] = 1 + (1 << 18)
    assert big.mean(np.float64(2)) == 7


def test_every_write_to_the_outside_happens_at_each_call():
    state, log, table = types.SimpleNamespace(count=0), [], {"n": 0}
    total = 0

    def f(x):
        nonlocal total
        global COUNT
        COUNT += 1
        total += 1
        state.count += 1
        table["n"] += 1
        log.append(1)
        return x

    before, f = COUNT, tracefn.function(f)
    with tracefn.events.record() as seen:
        for _ in range(3):
            f(np.ones(1))
    assert (COUNT - before, total, state.count, table, log) == (3, 3, 3, {"n": 3}, [1, 1, 1])
    assert not [e for e in seen if e.type == "side_effect"]
    assert f.tracing_count == 1


class Shared:
    numbers = {"v": 1.0}


def put_back(numbers):
    numbers["v"] = numbers["v"]


@pytest.mark.parametrize("read", [put_back, repr, lambda numbers: sum(numbers.values())])
def test_an_item_that_is_read_before_the_code_changes_it_is_that_of_each_call(read):
    @tracefn.function
    def step(x):
        found = read(Shared.numbers)
        Shared.numbers["v"] += 1
        return found, x * Shared.numbers["v"]

    Shared.numbers["v"] = 1.0
    seen = [(str(step(np.ones(1))), Shared.numbers["v"]) for _ in range(4)]
    Shared.numbers["v"] = 1.0
    assert seen == [(str(step.python_function(np.ones(1))), Shared.numbers["v"]) for _ in range(4)]


LOOKING_INSIDE = [
    lambda o: any([o]),
    lambda o: sum([o, [1]], []),
    lambda o: max([o], [[2.0]]),
    lambda o: set().union(o),
    lambda o: functools.reduce(operator.add, [o, o]),
    lambda o: operator.eq([o], [[1.0, 2.0]]),
    lambda o: [5.0, 2.0] in [o],
    lambda o: [o].count([5.0, 2.0]),
    lambda o: {1.0}.isdisjoint(o),
    lambda o: sorted([(1, o), (1, [2.0])]),
    lambda o: list(itertools.chain.from_iterable([o, o])),
    lambda o: any({"a": o}.values()),
]


@pytest.mark.parametrize("looks", LOOKING_INSIDE)
@pytest.mark.parametrize("is_default", [True, False])
def test_a_list_that_functions_find_in_another(looks, is_default):
    def run(function):
        held = types.SimpleNamespace(items=[1.0, 2.0])

        def look(x, o=held.items):
            return x, looks(o)

        call = function((lambda x: look(x)) if is_default else lambda x: look(x, held.items))
        found = []
        for first in ([1.0, 2.0], [5.0, 2.0], []):
            held.items[:] = first
            found.append(repr(call(1.5)))
        return found

    assert run(tracefn.function) == run(lambda f: f)
