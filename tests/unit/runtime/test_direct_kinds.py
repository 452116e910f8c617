"""Machine code takes calls of all kinds: structures, keywords, values and arrays from outside, writes, errors."""

from __future__ import annotations

import collections
import dataclasses
import inspect
import sys
import threading
import time
import traceback
from typing import Any

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from native_outcomes import lose_and_leave_nothing
from tracefn.codegen.machine import abi
from tracefn.runtime.calls.source import MISS

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

X, Y = np.arange(4.0), np.ones(4)
Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


class Model:
    def __init__(self) -> None:
        self.w = np.full(4, 2.0)
        self.rate = 0.5
        self.parts = {"b": np.ones(4), "names": ["one"]}


def native(function):
    return tracefn.function(function, jit="now")


def is_direct(f):
    return not inspect.isfunction(type(f).__call__)


RESULTS = {
    "one": lambda a, b: a,
    "tuple": lambda a, b: (a, b),
    "swapped": lambda a, b: (b, a),
    "twice": lambda a, b: (a, a),
    "one in a tuple": lambda a, b: (a,),
    "empty": lambda a, b: (a, (), [], {}),
    "list": lambda a, b: [a, b],
    "dict": lambda a, b: {"a": a, 3: b},
    "named tuple": lambda a, b: Pair(a, [b]),
    "dataclass": lambda a, b: Point(a, b),
    "ordered": lambda a, b: collections.OrderedDict(a=a, b=b),
    "nested": lambda a, b: (a, {"b": [b, None, 3, "text"]}, 2.5),
    "numbers": lambda a, b: (a.sum(), b.max()),
}


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS)
def test_results_of_any_structure(make):
    f = native(lambda x, y, make=make: make(x + y, x - y * 2))
    for _ in range(3):
        assert_alike(f(X, Y), make(X + Y, X - Y * 2))
    assert is_direct(f)
    assert f.tracing_count == 1


def test_an_argument_as_a_result_is_the_argument():
    f = native(lambda x, y: (x, x * y + 1, [y]))
    f(X, Y)
    assert is_direct(f)
    x, _, (y,) = f(X, Y)
    assert (x is X, y is Y) == (True, True)


ARGUMENTS = {
    "tuple": (X, Y),
    "list": [X, Y],
    "dict": {0: X, 1: Y},
    "named tuple": Pair(X, Y),
    "nested": ([X], {"y": (Y,)}),
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_arguments_of_any_structure(kind):
    argument = ARGUMENTS[kind]

    def add(p):
        if kind == "nested":
            return (p[0][0] + p[1]["y"][0]) * 2
        return (p[0] + p[1]) * 2

    f = native(add)
    for _ in range(3):
        assert_alike(f(argument), (X + Y) * 2)
    assert is_direct(f)
    assert f.tracing_count == 1


def test_another_structure_is_another_trace():
    f = native(lambda p: sum(p.values() if isinstance(p, dict) else p) * 2)
    assert_alike(f({"a": X, "b": Y}), (X + Y) * 2)
    assert is_direct(f)
    for other in ({"b": Y, "a": X}, {"a": X}, {"a": X, "b": Y, "c": X}, [X, Y], (X, Y), [X], Pair(X, Y)):
        count = f.tracing_count
        for _ in range(2):
            assert_alike(f(other), sum(other.values() if isinstance(other, dict) else other) * 2)
        assert f.tracing_count == count + 1


def test_many_arguments():
    f = native(lambda p: sum(p.values()) * 2)
    arguments = {f"w{i}": np.full(3, float(i)) for i in range(300)}
    start = time.thread_time()
    for _ in range(2):
        assert_alike(f(arguments), sum(arguments.values()) * 2)
    assert time.thread_time() - start < 5  # linear in their number
    assert is_direct(f)


def test_keywords_in_any_order_and_defaults():
    def shifted(x, /, y, n=2, *, scale=1.0, shift=None):
        return (x + y) * n * scale + (1 if shift is None else 2)

    f = native(shifted)
    f(X, Y)
    assert is_direct(f)
    calls = [
        lambda g: g(X, Y),
        lambda g: g(X, y=Y),
        lambda g: g(X, n=2, y=Y),
        lambda g: g(X, Y, 2, shift=None, scale=1.0),
        lambda g: g(X, scale=1.0, y=Y, n=2),
        lambda g: g(X, Y, **{"".join(["n"]): 2}),
    ]
    for call in calls:
        assert_alike(call(f), call(shifted))
    assert f.tracing_count == 1
    assert_alike(f(X, Y, shift=0), shifted(X, Y, shift=0))
    assert_alike(f(X, Y, scale=2.0), shifted(X, Y, scale=2.0))
    assert f.tracing_count == 3
    for wrong in (
        lambda g: g(X),
        lambda g: g(X, Y, 2, 3),
        lambda g: g(X, Y, y=Y),
        lambda g: g(X, Y, other=1),
        lambda g: g(x=X, y=Y),
        lambda g: g(),
    ):
        with pytest.raises(TypeError):
            wrong(f)


def test_any_number_of_arguments():
    f = native(lambda *xs, scale=2: sum(xs) * scale)
    for count in (2, 3, 2, 1, 3):
        assert_alike(f(*[X] * count), X * count * 2)
        assert_alike(f(*[X] * count, scale=2), X * count * 2)
    assert f.tracing_count == 3
    assert is_direct(f)


def test_python_values_by_type_and_value():
    f = native(lambda x, n: x * n + 1)
    f(X, 1000)
    assert is_direct(f)
    for n in (1000, int("1000"), 1000.0, True, np.int64(1000), 10**30, -0.0, 0.0, float("inf"), 1.5):
        for _ in range(2):
            assert_alike(f(X, n), X * n + 1)
    assert f.tracing_count == 9
    text = native(lambda x, mode: x * (2 if mode == "double" else 3) + 1)
    text(X, "double")
    for mode, factor in (("double", 2), ("".join(["dou", "ble"]), 2), ("triple", 3), (b"double", 3)):
        assert_alike(text(X, mode), X * factor + 1)
    assert text.tracing_count == 3


SCALE, OUTSIDE = 3.0, np.full(4, 2.0)


def test_globals_are_read_at_each_call():
    global SCALE, OUTSIDE
    f = native(lambda x: x * OUTSIDE + SCALE)
    f(X)
    assert is_direct(f)
    OUTSIDE[1] = 5
    assert_alike(f(X), X * OUTSIDE + SCALE)
    OUTSIDE = np.full(4, 7.0)
    assert_alike(f(X), X * OUTSIDE + SCALE)
    assert f.tracing_count == 1
    SCALE = 4.0
    assert_alike(f(X), X * OUTSIDE + 4.0)
    OUTSIDE = np.full(4, 7, np.int32)
    assert_alike(f(X), X * OUTSIDE + 4.0)
    assert f.tracing_count == 3
    del SCALE
    with pytest.raises(NameError, match="SCALE"):
        f(X)
    SCALE = 3.0
    OUTSIDE = np.full(4, 2.0)


def test_closures_and_attributes_are_read_at_each_call():
    model, bias = Model(), np.ones(4)

    def run(x):
        return x * model.w * model.rate + bias + model.parts["b"]

    f = native(run)
    f(X)
    assert is_direct(f)
    model.w = np.arange(4.0)
    model.parts["b"] = np.full(4, 3.0)
    bias = np.zeros(4)
    assert_alike(f(X), run(X))
    model.w += 1
    assert_alike(f(X), run(X))
    assert f.tracing_count == 1
    model.rate = 0.25
    assert_alike(f(X), run(X))
    model = Model()
    assert_alike(f(X), run(X))
    assert f.tracing_count >= 2
    del model.w
    with pytest.raises(AttributeError, match="w"):
        f(X)


def test_a_trace_that_another_function_of_the_same_source_takes_over():
    def make():
        def helper(x):
            return x * 2

        return helper

    names = {"helper": make()}
    f = native(eval("lambda x: helper(x) + 1", names))
    f(X)
    assert is_direct(f)
    names["helper"] = make()
    for _ in range(2):
        assert_alike(f(X), X * 2 + 1)
    names["helper"] = lambda x: x * 5
    assert_alike(f(X), X * 5 + 1)


def test_variables():
    counts, scale = tracefn.Variable(np.zeros(4)), tracefn.Variable(2.0)

    def read(x):
        return x * scale + counts

    f = native(read)
    f(X)
    assert is_direct(f)
    counts.assign(X)
    scale.assign(3.0)
    assert_alike(f(X), X * 3.0 + X)
    assert f.tracing_count == 1
    given = native(lambda v, x: x * v + 1)
    for v in (counts, tracefn.Variable(Y), counts):
        assert_alike(given(v, X), X * v.numpy() + 1)


def test_writes_into_arguments():
    def update(x, y):
        x[1:] = y[1:] * 2 + y[:-1]
        x *= 3
        return x

    f = native(update)
    for _ in range(3):
        x, wanted = X.copy(), X.copy()
        assert f(x, Y) is x
        assert_alike(x, update(wanted, Y))
    assert is_direct(f)
    x, wanted = np.arange(8.0), np.arange(8.0)
    f(x[:4], x[4:])
    update(wanted[:4], wanted[4:])
    assert_alike(x, wanted)
    assert_alike(f(x[:4], x[2:6]), update(wanted[:4], wanted[2:6]))
    assert_alike(x, wanted)
    f(x[:4], x[:4])
    update(wanted[:4], wanted[:4])
    assert_alike(x, wanted)
    fixed = X.copy()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        f(fixed, Y)


def test_writes_outside():
    model = Model()

    def step(x):
        model.w = model.w * 0.5 + x
        return model.w.sum()

    f, wanted = native(step), np.full(4, 2.0)
    for _ in range(4):
        wanted = wanted * 0.5 + X
        assert f(X) == wanted.sum()
        assert_alike(model.w, wanted)


def test_errors_have_the_users_line():
    f = native(lambda x, i: x[i] * 2 + 1)
    inside, outside = np.array([0, 3]), np.array([0, 9])
    f(X, inside)
    assert is_direct(f)
    for _ in range(3):
        with pytest.raises(IndexError, match="out of bounds") as error:
            f(X, outside)
        lines = [frame for frame in traceback.extract_tb(error.value.__traceback__) if frame.filename == __file__]
        assert any("x[i] * 2" in (frame.line or "") for frame in lines), traceback.format_tb(error.value.__traceback__)
    assert_alike(f(X, inside), X[inside] * 2 + 1)


def test_what_python_code_raises_comes_through():
    class Refused(Exception):
        pass

    def refuse(x):
        raise Refused("no")

    f = native(lambda x: tracefn.py_function(refuse, [x * 2 + 1], np.float64) * 2 + 1)
    for _ in range(3):
        with pytest.raises(Exception, match="no"):
            f(X)


class Growing:
    """Its attribute is another array each time it is read."""

    @property
    def w(self):
        return np.full(4, 2.0)


def _soaked():
    model, growing = Model(), Growing()

    def everything(x, p, n=2, *, scale=1.5):
        return {"a": (x + p["y"]) * n * model.w, "b": [x, Pair(x * scale + OUTSIDE * SCALE, None)]}

    def error(x, i):
        return x[i] * 2 + OUTSIDE[:2]

    def attribute(x):
        return x * growing.w + 1

    def failing(f, *args):
        try:
            f(*args)
        except IndexError:
            return
        raise AssertionError

    structure, far = {"y": Y}, np.array([0, 9])
    f, g, h = native(everything), native(error), native(attribute)
    f(X, structure), g(X, np.array([0, 1])), h(X)
    assert is_direct(f) and is_direct(g) and is_direct(h)
    watched = [X, Y, OUTSIDE, structure, model.w, far, model, growing, f, g, h, Pair, None, 2, 1.5, SCALE, "a"]
    return watched, {
        "all kinds": (lambda: f(X, structure, scale=1.5), 1_000_000),
        "misses": (lambda: f(X, structure, 2), 200_000),
        "keywords": (lambda: f(X, p=structure), 200_000),
        "errors": (lambda: failing(g, X, far), 200),
        "attributes": (lambda: h(X), 300_000),
    }


@pytest.mark.parametrize("kind", _soaked()[1] if not abi.unavailable() else [])
def test_many_calls_lose_and_leave_nothing(kind):
    watched, calls = _soaked()
    lose_and_leave_nothing(*calls[kind], watched)


def test_assigned_variables():
    total, count = tracefn.Variable(np.zeros(4)), tracefn.Variable(0)

    def add(x):
        total.assign_add(x * 2)
        count.assign_add(1)
        return total.value() + 1

    f = native(add)
    for k in range(1, 6):
        assert_alike(f(X), X * 2 * k + 1)
        assert_alike(total.numpy(), X * 2 * k)
        assert count.numpy() == k
    assert is_direct(f)
    total.assign(Y)
    assert_alike(f(X), Y + X * 2 + 1)
    given = native(lambda v, x: v.assign_sub(x * 2).value() + 1)
    for v in (total, count, total):
        before = v.numpy()
        x = X if v is total else np.int64(3)
        assert_alike(given(v, x), before - x * 2 + 1)
        assert_alike(v.numpy(), before - x * 2)


def test_threads_that_assign_one_variable():
    total = tracefn.Variable(np.zeros(4))

    def add(x):
        total.assign_add(x)
        return x * 2 + 1

    f = native(add)
    f(X)
    assert is_direct(f)
    threads = [threading.Thread(target=lambda: [f(X) for _ in range(500)]) for _ in range(6)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert_alike(total.numpy(), X * 3001)


def test_a_variable_that_another_thread_assigned_meanwhile_is_read_anew():
    total = tracefn.Variable(np.zeros(4))
    f = native(lambda x: total.assign_add(x).value() * 2)
    f(X)
    program = f.concrete_functions[0]._execution._direct._run
    stale = np.zeros(4)
    assert program(total, stale, stale) is MISS
    assert_alike(total.numpy(), X)
