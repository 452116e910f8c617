"""Traced functions that are machine code themselves: which calls it takes, and that all others go the usual way."""

import gc
import inspect
import itertools
import sys
import weakref

import numpy as np
import pytest
import tracefn
from native_outcomes import resident
from tracefn import timing
from tracefn.codegen.entry.call import COUNTER
from tracefn.codegen.machine import abi
from tracefn.function import Function

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


def native(function, **options):
    return tracefn.function(function, jit="now", **options)


def double(x, y):
    return (x + y) * 2


def is_direct(f):
    return not inspect.isfunction(type(f).__call__)


X, Y = np.arange(4.0), np.ones(4)


def test_a_function_of_one_kernel_is_machine_code():
    f = native(double)
    assert not is_direct(f)
    f(X, Y)
    assert is_direct(f)
    assert isinstance(f, Function)
    assert (type(f).__name__, f.__name__) == ("Function", "double")
    np.testing.assert_array_equal(f(X, Y), double(X, Y))
    assert f.tracing_count == 1


def test_every_way_to_call_it():
    f = native(lambda x, y, n=2: (x + y) * n)
    f(X, Y, 2)
    assert is_direct(f)
    for result in (f(X, Y), f(X, y=Y), f(y=Y, x=X), f(X, Y, 2), f(X, Y, n=2), f(*[X, Y], n=2)):
        np.testing.assert_array_equal(result, double(X, Y))
    assert f.tracing_count == 1
    np.testing.assert_array_equal(f(X, Y, 3), (X + Y) * 3)
    np.testing.assert_array_equal(f(X, Y, 2.0), double(X, Y))
    np.testing.assert_array_equal(f(X, Y, True), X + Y)
    assert f.tracing_count == 4
    with pytest.raises(TypeError, match="y"):
        f(X)
    with pytest.raises(TypeError):
        f(X, Y, 2, 3)


def test_signatures_in_turn():
    f = native(double)
    arguments = [(X, Y), (X.astype("f"), Y.astype("f")), (X.reshape(2, 2), Y.reshape(2, 2)), (X, Y[:1]), (3.0, Y)]
    for _ in range(3):
        for x, y in arguments:
            got, wanted = f(x, y), double(x, y)
            assert got.dtype == wanted.dtype
            np.testing.assert_array_equal(got, wanted)
    assert f.tracing_count == len(arguments)
    assert [c.calls.count for c in f.concrete_functions] == [3] * len(arguments)


def test_the_signature_that_is_called_most_is_tried_first():
    f = native(double)
    arguments = {n: np.ones(n) for n in range(1, 13)}  # more than are tried by machine code
    for x in arguments.values():
        f(x, x)
    for number in (1, 10, 5):
        for _ in range(100 * 64):
            f(arguments[number], arguments[number])
        (concrete,) = [c for c in f.concrete_functions if c.number == number]
        assert type(f).__call__.__self__[COUNTER] is concrete.calls.native
    x = np.ones(20)
    f(x, x)
    assert type(f).__call__.__self__[COUNTER] is f.concrete_functions[-1].calls.native
    for n, x in arguments.items():
        np.testing.assert_array_equal(f(x, x), np.full(n, 4.0))


def test_calls_are_counted_and_timed():
    f = native(double)
    for _ in range(200):
        f(X, Y)
    calls = f.concrete_functions[0].calls
    assert (calls.count, calls.timed >= 3, calls.timed_ns > 0) == (200, True, True)


def test_other_memory_layouts_and_many_elements():
    f = native(double)
    x = np.arange(16.0).reshape(4, 4)
    f(x, x)
    for a in (x.T, x[::-1], np.asfortranarray(x)):
        np.testing.assert_array_equal(f(a, x), double(a, x))
    big = np.ones(1 << 19)
    f(big, big)
    assert f(big, big).sum() == 4 * big.size
    assert f.tracing_count == 2


def test_several_results_and_none_that_are_put_together():
    pair = native(lambda x, y: (x + y, x - y * 2))
    pair(X, Y)
    assert is_direct(pair)
    got = pair(X, Y)
    assert type(got) is tuple
    np.testing.assert_array_equal(got, (X + Y, X - Y * 2))
    for make in (lambda a, b: {"a": a, "b": b}, lambda a, b: [a, b], lambda a, b: (b, a), lambda a, b: (a, a)):
        f = native(lambda x, y, make=make: make(x + y, x - y * 2))
        eager = make(X + Y, X - Y * 2)
        for _ in range(2):
            np.testing.assert_equal(f(X, Y), eager)
            assert type(f(X, Y)) is type(eager)


def test_an_argument_that_is_not_used_is_checked():
    f = native(lambda x, unused, y: (x + y) * 2)
    f(X, np.ones(3), Y)
    assert is_direct(f)
    f(X, np.ones(3), Y)
    assert f.tracing_count == 1
    f(X, np.ones(2), Y)
    assert f.tracing_count == 2


def test_inside_a_trace_it_is_traced():
    inner = native(double)
    inner(X, Y)
    assert is_direct(inner)
    outer = native(lambda x: inner(x, x) + 1)
    np.testing.assert_array_equal(outer(X), double(X, X) + 1)
    assert "call" in str([n.op.name for n in outer.concrete_functions[0].traced_graph])


def test_modes_and_replaced_calls_are_heard():
    f = native(double)
    f(X, Y)
    ran = []

    @tracefn.autograph.do_not_convert
    def note(x):
        ran.append(type(x))

    def eager(x, y):
        note(x)
        return (x + y) * 2

    g = native(eager)
    g(X, Y)
    assert is_direct(g)
    ran.clear()
    g(X, Y)
    assert ran == []
    with tracefn.config.run_functions_eagerly():
        g(X, Y)
    assert ran == [np.ndarray]
    tracefn.debugging.enable_check_numerics()
    try:
        with pytest.raises(tracefn.errors.NumericsError):
            f(np.array([1.0, 2.0, np.inf, 0.0]), Y)
    finally:
        tracefn.debugging.disable_check_numerics()
    assert timing.compare(f, X, Y) is not None


def test_warnings_and_errors_of_flags():
    f = native(lambda x, y: x / y + 1)
    f(X, Y)
    assert is_direct(f)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert f(X + 1, 0 * Y)[0] == np.inf
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        f(X + 1, 0 * Y)


def test_evicted_traces_are_not_called():
    f = native(double)
    f(X, Y)
    f(X[:2], Y[:2])
    assert is_direct(f)
    f.evict(1)
    f(X, Y)
    assert f.tracing_count == 3
    f.clear_cache()
    assert not is_direct(f)
    np.testing.assert_array_equal(f(X, Y), double(X, Y))
    assert f.tracing_count == 4


def test_methods():
    class Model:
        @tracefn.function(jit="now")
        def run(self, x, y):
            return (x + y) * 2

    model = Model()
    for _ in range(3):
        np.testing.assert_array_equal(model.run(X, Y), double(X, Y))


def test_the_code_goes_with_the_function():
    f = native(double)
    f(X, Y)
    assert is_direct(f)
    code = weakref.ref(f.concrete_functions[0]._execution.native.kernels[0]._compiled.code)
    f.clear_cache()
    gc.collect()
    assert code() is None
    f(X, Y)
    code = weakref.ref(f.concrete_functions[0]._execution.native.kernels[0]._compiled.code)
    del f
    gc.collect()
    assert code() is None


def test_a_function_that_lets_go_of_its_code_while_it_runs():
    f = native(lambda x, y: x / y + 1)
    f(X, Y)

    def forget(kind, flag):
        f.clear_cache()
        gc.collect()

    with np.errstate(all="call", call=forget):
        np.testing.assert_array_equal(f(X + 1, 0 * Y), np.full(4, np.inf))


def test_ten_million_calls_lose_and_leave_nothing():
    f = native(lambda x, y, n: (x + y) * n)
    f(X, Y, 2)
    assert is_direct(f)

    def many(calls):
        for _ in itertools.repeat(None, calls):
            f(X, Y, 2)

    many(100_000)
    watched = (X, Y, np.dtype(np.float64), f, None)
    references, memory = [sys.getrefcount(o) for o in watched], resident()
    many(10_000_000)
    after = [sys.getrefcount(o) for o in watched]
    # other code of the process may hold some more or fewer by then: a call that loses one loses millions
    assert all(abs(b - a) <= 1000 for a, b in zip(references, after, strict=True)), (references, after)
    assert resident() - memory < 1e6
