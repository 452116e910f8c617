"""Innermost loops whose rounds check nothing: what is proved ahead of them, or noted in them, against eager Python."""

import re

import numpy as np
import pytest
import tracefn
from loop_outcomes import equal, is_native, outcome
from tracefn.codegen.machine import abi

from benchmarks.scalar_loops import sum_with_branch

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RANDOM = np.random.default_rng(0)
FLOATS, OTHERS = RANDOM.random(100), RANDOM.random(100)
SQUARE = RANDOM.random((40, 40))
INTS = RANDOM.integers(-9, 10, 100)
MOST, LEAST = np.iinfo(np.int64).max, np.iinfo(np.int64).min


def scaled(a, x, y):
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = a * x[i] + y[i]
    return out


def smoothed(x):
    out = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        out[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    return out


def backwards(x):
    out = np.zeros_like(x)
    for i in range(len(x) - 1, -1, -1):
        out[len(x) - 1 - i] = x[i] * 2
    return out


def products(x, y):
    s = 0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def larger(x, limit):
    count, total = 0, 0
    for v in x:
        if v > limit:
            count += 1
            total += v
    return count, total


def is_any_larger(x, limit):
    found, total = False, 0
    for v in x:
        if v > -5:
            if v > limit:
                found = True
            else:
                total += v
    return found, total


def clipped(x):
    out = x.copy()
    for i in range(len(x)):
        if out[i] > 0.7:
            out[i] = 0.7
        elif out[i] < 0.2:
            out[i] = 0.2
    return out


def outer_product(u, v):
    C = np.ones((len(u), len(v)))
    for i in range(len(u)):
        for j in range(len(v)):
            C[i, j] += u[i] * v[j]
    return C


def counted_in_bytes(n):
    out = np.zeros(n, np.uint8)
    for i in range(n):
        out[i] = i % 256
    return out


VECTORS = [
    (sum_with_branch, (np.int64(100),)),
    (scaled, (np.float64(2), FLOATS, OTHERS)),
    (scaled, (np.float32(2), FLOATS.astype(np.float32), OTHERS.astype(np.float32))),
    (smoothed, (FLOATS,)),
    (backwards, (INTS.astype(np.int32),)),
    (products, (INTS, INTS[::-1].copy())),
    (larger, (INTS, np.int64(3))),
    (is_any_larger, (INTS, np.int64(3))),
    (is_any_larger, (INTS, np.int64(9))),
    (clipped, (FLOATS,)),
    (outer_product, (FLOATS, OTHERS)),
]


def text_of_what_is_as_eager(function, args):
    native = tracefn.function(function, jit="now")
    file = function.__code__.co_filename
    if function is powers:  # not NumPy's bits on every processor
        np.testing.assert_array_max_ulp(native(*args), function(*args), 4)
    else:
        assert equal(outcome(native, args, file), outcome(function, args, file))
    (concrete,) = native.concrete_functions
    assert is_native(concrete)
    return concrete.stages()[-1].text


@pytest.mark.parametrize("function, args", VECTORS, ids=lambda v: getattr(v, "__name__", ""))
def test_loops_become_vectors(function, args, capfd):
    assert "llvm.loop.vectorize.width" in text_of_what_is_as_eager(function, args)
    assert not capfd.readouterr().err  # LLVM tells on stderr where it cannot do what it is told


def running(x):
    s, out = 0, np.zeros_like(x)
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return out


def last_large(x):
    found = -1
    for i in range(len(x)):
        if x[i] > 5:
            found = x[i]
    return found


def longest_run(x):
    best = run = 0
    for i in range(len(x)):
        if x[i] > 0:
            run += 1
        else:
            run = 0
        if run > best:
            best = run
    return best


def total(x):
    s = np.float64(0)
    for i in range(len(x)):
        s += x[i]
    return s


def column_sums(A):
    s = np.zeros(A.shape[1])
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            s[j] += A[i, j]
    return s


def recurrence(x):
    out = x.copy()
    for i in range(1, len(x)):
        out[i] = out[i - 1] * 0.5 + x[i]
    return out


def powers(x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        out[i] = x[i] ** 2.5
    return out


ONE_BY_ONE = [
    (running, (INTS,)),
    (last_large, (INTS,)),
    (longest_run, (INTS,)),
    (total, (FLOATS,)),
    (column_sums, (SQUARE,)),
    (recurrence, (FLOATS,)),
    (powers, (FLOATS,)),
]


@pytest.mark.parametrize("function, args", ONE_BY_ONE, ids=lambda v: getattr(v, "__name__", ""))
def test_loops_whose_order_counts_become_none(function, args, capfd):
    inner = text_of_what_is_as_eager(function, args)
    assert re.search(r"^sure\d+:", inner, re.MULTILINE)  # there is a form without checks
    assert "llvm.loop.vectorize.width" not in inner.split("@nest")[0]
    assert not capfd.readouterr().err


def beyond(x):
    s = 0
    for i in range(len(x)):
        s += x[i] * 3
    return s


def up_to(n, start):
    s = start
    for _ in range(n):
        s += 7
    return s


def shifted(x, k):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i - k]
    return out


def table(x, k):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[(i * k) % 7]
    return out


def narrow(x):
    out = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        out[i] = x[i] * x[i]
    return out


def quotients(x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] / y[i]
    return out


def safe_quotients(x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        if y[i] != 0:
            out[i] = x[i] / y[i]
    return out


def into_bytes(x):
    out = np.zeros(len(x), np.int8)
    for i in range(len(x)):
        out[i] = x[i]
    return out


def doubled_in_place(x):
    for i in range(len(x)):
        x[i] = x[i] * 2
    return x


def changed(values, **at):
    values = values.copy()
    for place, value in at.items():
        values[int(place[1:])] = value
    return values


def shares(index, n):
    counts = np.zeros(n, np.int64)
    for i in index:
        counts[i] += 1
    return np.where(counts > 0, counts * 2.0, 1.0) / len(index)


EDGES = [
    (shares, (np.abs(INTS), np.int64(20))),
    (shares, (INTS, np.int64(5))),
    (beyond, (changed(INTS, _50=MOST // 2),)),
    (beyond, (changed(INTS, _50=LEAST),)),
    (beyond, (changed(INTS, _50=MOST // 3),)),
    (beyond, (np.full(100, MOST // 200),)),
    (beyond, (np.full(100, MOST // 301),)),
    (up_to, (np.int64(100), np.int64(MOST - 700))),
    (up_to, (np.int64(100), np.int64(MOST - 699))),
    (up_to, (np.int64(0), np.int64(MOST))),
    (up_to, (np.int64(-5), np.int64(MOST))),
    (shifted, (FLOATS, np.int64(0))),
    (shifted, (FLOATS, np.int64(3))),
    (shifted, (FLOATS, np.int64(-1))),
    (shifted, (FLOATS, np.int64(101))),
    (shifted, (FLOATS, np.int64(LEAST))),
    (table, (FLOATS, np.int64(3))),
    (table, (FLOATS, np.int64(-3))),
    (table, (FLOATS, np.int64(MOST // 50))),
    (narrow, (INTS.astype(np.int8),)),
    (narrow, (changed(INTS.astype(np.int8), _99=100),)),
    (narrow, (changed(INTS.astype(np.int32), _0=1 << 20),)),
    (quotients, (FLOATS, changed(OTHERS, _70=0.0))),
    (quotients, (changed(FLOATS, _70=np.nan), changed(OTHERS, _70=0.0))),
    (safe_quotients, (FLOATS, changed(OTHERS, _3=0.0, _70=0.0))),
    (clipped, (changed(FLOATS, _5=np.nan, _50=np.inf),)),
    (larger, (changed(FLOATS, _5=np.nan), np.float64(0.5))),
    (into_bytes, (INTS,)),
    (into_bytes, (changed(INTS, _98=128),)),
    (doubled_in_place, (INTS,)),
    (doubled_in_place, (changed(INTS, _98=MOST // 2 + 1),)),
    (counted_in_bytes, (np.int64(300),)),
    (sum_with_branch, (np.int64(3),)),
]


@pytest.mark.parametrize("function, args", EDGES, ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_not_proved_is_as_eager(function, args):
    native = tracefn.function(function, jit="now")
    file = function.__code__.co_filename
    expected = outcome(function, args, file)
    for _ in range(2):
        got = outcome(native, args, file)
        assert equal(got[0], expected[0]) and equal(got[2], expected[2])
        assert got[1] == expected[1]
    assert is_native(native.concrete_functions[0])


def test_vectors_that_raise_flags_for_nans_are_done_without():
    """Comparisons of vectors raise the flag of an invalid operation where those of numbers do not. The kernel must not
    be left for that: it would give up."""
    native = tracefn.function(clipped, jit="now")
    result = native(changed(FLOATS, _5=np.nan))
    np.testing.assert_array_equal(result, clipped(changed(FLOATS, _5=np.nan)))
    (kernel,) = native.concrete_functions[0]._execution.native.kernels
    assert not kernel._state[0]


def clipped_in_place(x):
    for i in range(len(x)):
        if x[i] > 0.7:
            x[i] = 0.7


def divided_in_place(x, y):
    for i in range(len(x)):
        if y[i] != 0:
            x[i] = x[i] / y[i]


@pytest.mark.parametrize(
    "function, args",
    [
        (clipped_in_place, (changed(FLOATS, _5=np.nan),)),
        (divided_in_place, (FLOATS, changed(OTHERS, _3=0.0))),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_no_vectors_that_raise_flags_where_arguments_are_written(function, args):
    """What was written cannot be done again without them: the kernel would be left at every call, and give up."""
    native = tracefn.function(function, jit="now")
    expected, given = [tuple(a.copy() for a in args) for _ in range(2)]
    function(*expected)
    native(*given)
    np.testing.assert_array_equal(given[0], expected[0])
    (kernel,) = native.concrete_functions[0]._execution.native.kernels
    assert not kernel._state[0]
