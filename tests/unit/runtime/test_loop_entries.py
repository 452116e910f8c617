"""Loop kernels as Python calls them: machine code for the usual call, and what it leaves to others."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from native_outcomes import lose_and_leave_nothing
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


FOUR = np.int64(4)


def native(function):
    return tracefn.function(function, jit="now")


def kernel_of(f):
    (kernel,) = f.concrete_functions[0]._execution.native.kernels
    return kernel


def halve(x):
    while x > 1:
        x = x / 2
    return x


def steps(x, n):
    count, done = 0, False
    for i in range(n):
        if x > 10:
            done = True
            break
        x = x * 1.5
        count = count + i
    return x, count, done


def fill(x, n):
    y = np.zeros(len(x))
    for i in range(n):
        y[i] = x[i] * n
    return y


def doubled(x, n):
    for i in range(n):
        x[i] = x[i] * 2
    return x


KINDS = {
    "float64": (halve, (np.float64(10.0),)),
    "float32": (halve, (np.float32(10.0),)),
    "int64 and bool": (steps, (np.float64(1.0), np.int64(20))),
    "int32": (steps, (np.float64(1.0), np.int32(20))),
    "an array is made": (fill, (np.arange(5.0), np.int64(3))),
    "an empty array": (fill, (np.zeros(0), np.int64(0))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_those_of_python(kind):
    function, arguments = KINDS[kind]
    f = native(function)
    for _ in range(3):
        got, wanted = f(*arguments), function(*arguments)
        for a, b in zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]:
            np.testing.assert_array_equal(a, b)
            assert np.asarray(a).dtype == np.asarray(b).dtype
    assert kernel_of(f)


def test_python_is_not_needed(monkeypatch):
    f, g = native(halve), native(fill)
    x, n = np.arange(5.0), np.int64(5)
    f(np.float64(10.0)), g(x, n)
    for kernel in (kernel_of(f), kernel_of(g)):
        monkeypatch.setattr(type(kernel), "_computed", None)
    assert f(np.float64(10.0)) == 0.625
    np.testing.assert_array_equal(g(x, n), x * 5)


def test_arrays_with_strides_and_read_only_ones():
    f, g = native(fill), native(doubled)
    x, n = np.arange(10.0), np.int64(5)
    f(x[:5], n), g(x[:5].copy(), n)
    np.testing.assert_array_equal(f(x[::2], n), x[::2] * 5)
    np.testing.assert_array_equal(f(x[4::-1], n), x[4::-1] * 5)
    y = np.arange(10.0)
    assert g(y[::2], n).base is y
    np.testing.assert_array_equal(y, np.where(x % 2 == 0, x * 2, x))
    fixed = np.arange(5.0)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        g(fixed, n)


def test_open_lengths():
    specs = [tracefn.TensorSpec((None,), float), tracefn.TensorSpec((), np.int64)]
    f = tracefn.function(fill, jit="now", input_signature=specs)
    for n in (3, 7, 0, 100):
        x = np.arange(float(n))
        np.testing.assert_array_equal(f(x, np.int64(n)), x * n)
    assert f.tracing_count == 1
    assert kernel_of(f)


def divided(x, y, n):
    total = 0.0
    for i in range(n):
        x[i] = x[i] + 1
        total = total + x[i] / y[i]
    return total


def test_what_was_written_is_taken_back_and_numpy_warns():
    f = native(divided)
    x, y = np.arange(4.0), np.ones(4)
    assert f(x, y, FOUR) == 10.0
    np.testing.assert_array_equal(x, np.arange(4.0) + 1)
    y[2] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert f(x, y, FOUR) == np.inf
    np.testing.assert_array_equal(x, np.arange(4.0) + 2)


def test_a_kernel_that_never_finishes_is_left():
    f = native(divided)
    x, zeros, ones = np.arange(4.0), np.zeros(4), np.ones(4)
    f(x, ones, FOUR)
    for _ in range(12):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            f(x, zeros, FOUR)
    x[...] = 0
    assert f(x, ones, FOUR) == 4.0


def test_wrong_indices_raise_at_each_call():
    def picked(x, i, n):
        total = 0.0
        for k in range(n):
            total = total + x[i[k]]
        return total

    f = native(picked)
    x, n = np.arange(4.0), np.int64(2)
    assert f(x, np.array([0, 3]), n) == 3.0
    for _ in range(12):
        with pytest.raises(IndexError, match="out of bounds"):
            f(x, np.array([0, 4]), n)
    assert f(x, np.array([-1, 3]), n) == 6.0


def _soaked():
    x, y, ten, n, three = np.arange(4.0), np.arange(4.0), np.float64(10.0), np.int64(20), np.int64(3)
    one = np.float64(1.0)
    functions = [native(f) for f in (halve, steps, fill, doubled)]
    f, g, h, k = functions
    f(ten), g(one, n), h(x, three), k(y, three)
    calls = {
        "a scalar": (lambda: f(ten), 1_000_000),
        "scalars": (lambda: g(one, n), 300_000),
        "a new array": (lambda: h(x, three), 300_000),
        "strides": (lambda: h(x[::-1], three), 30_000),
    }
    return [x, y, ten, n, three, one, *functions, x.dtype, np.float64, None, True], calls


@pytest.mark.parametrize("kind", _soaked()[1] if not abi.unavailable() else [])
def test_many_calls_lose_and_leave_nothing(kind):
    watched, calls = _soaked()
    lose_and_leave_nothing(*calls[kind], watched)
