"""Loops as machine code against eager Python: results, types, warnings, errors at the user's line, effects."""

import signal
import threading
import time

import numpy as np
import pytest
import tracefn
from loop_outcomes import equal, is_native, outcome
from tracefn.codegen.machine import abi

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps, n


def lu(A):
    A = A.copy()
    n = len(A)
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return A


def floyd_warshall(D):
    n = len(D)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if D[i, k] + D[k, j] < D[i, j]:
                    D[i, j] = D[i, k] + D[k, j]


def edit_distance(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a) + 1):
        d[i, 0] = i
    for j in range(len(b) + 1):
        d[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[len(a), len(b)], d


def sieve(n):
    prime = np.ones(500, bool)
    prime[0] = prime[1] = False
    i = 2
    while i * i < n:
        if prime[i]:
            for j in range(i * i, n, i):
                prime[j] = False
        i += 1
    return prime


def newton(x):
    y, k = x, 0
    while True:
        z = 0.5 * (y + x / y)
        k += 1
        if abs(z - y) < 1e-12 or k > 100:
            break
        y = z
    return z, k


def long_branch(x):
    s = 0.0
    for i in range(10_000):
        if s > x:
            s = s * 0.5
        else:
            s = s + i * 0.25
    return s


def first_place(a, wanted):
    found = -1
    for i in range(len(a)):
        if a[i] == wanted:
            found = i
            break
    return found


def returns_inside(x):
    total = 0
    for i in range(1000):
        if i % 3 == 0:
            continue
        if i > x:
            return total
        total += i
    return total


def downwards(a, k):
    for i in range(len(a) - 1, 0, -1):
        a[i] = a[i - 1] + k
    for i in range(-1, -len(a), -2):
        a[i] *= 2
    return a[0]


def strided_range(a, step):
    total = 0.0
    for i in range(0, len(a), step):
        total += a[i]
    return total


RANDOM = np.random.default_rng(0)
PROGRAMS = [
    (collatz, (np.int64(27),)),
    (lu, (RANDOM.random((40, 40)) + 40 * np.eye(40),)),
    (floyd_warshall, (RANDOM.random((40, 40)),)),
    (edit_distance, (RANDOM.integers(0, 4, 50), RANDOM.integers(0, 4, 40))),
    (sieve, (np.int64(500),)),
    (newton, (np.float64(2.0),)),
    (newton, (np.float32(2.0),)),
    (long_branch, (np.float64(3.0),)),
    (first_place, (np.arange(60), np.int64(17))),
    (first_place, (np.arange(60), np.int64(-1))),
    (returns_inside, (np.int64(100),)),
    (downwards, (np.arange(70), np.int64(3))),
    (downwards, (np.arange(70.0, dtype=np.float32), np.float32(0.5))),
    (strided_range, (np.arange(90.0), np.int64(7))),
]


def same(function, *args, relaxed=False):
    """Asserts that a function does as machine code what Python does, and gives the traced function."""
    traced = tracefn.function(function, jit="now", reduce_retracing=relaxed)
    wanted = outcome(function, args, __file__)
    got = outcome(traced, args, __file__)
    assert equal(got[0], wanted[0]), (got[0], wanted[0])
    assert got[1] == wanted[1]
    assert equal(got[2], wanted[2])
    assert equal(outcome(traced, args, __file__)[0], wanted[0])
    return traced


@pytest.mark.parametrize(("function", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(function, args):
    traced = same(function, *args)
    assert is_native(traced.concrete_functions[0])


def reads_beyond(a, k):
    total = 0
    for i in range(100):
        total += a[i + k]
        a[i] = total
    return total


def python_ints(n):
    total, i = 1, 0
    while i < n:
        total = total * 3 + i
        i += 1
    return total


def numpy_ints(x):
    for _ in range(100):
        x = x * 3
    return x


def divided_by_python(x):
    total = 1.0
    for i in range(100):
        total = total + 1.0 / (50 - i) * x
    return total


def divided_by_numpy(x):
    for i in range(100):
        x = x / (50 - i)
    return x


def floored(x, y):
    total = quotients = 0
    for i in range(-50, 50):
        total += (i * x) % y
        quotients += (i * x) // y
    return total, quotients


def powers(x):
    total = x
    for i in range(60):
        total = total + x**2 + 2.0**i + i**3 + abs(x) ** 0.5
    return total


def bits(n):
    found = 0
    for i in range(60):
        found = (found ^ (i << 2)) | (i >> 1)
        found = ~(found & 0xFFFF) if i % 7 == 0 else found
    return found, n


def stored(a, x):
    for i in range(len(a)):
        a[i] = x * i + i
    return a[0]


def converted(a):
    count = np.zeros(10, np.int64)
    for i in range(len(a)):
        count[int(a[i] * 10)] += 1
    return count


LEAVING = [
    *[(reads_beyond, (np.arange(100), np.int64(k))) for k in (0, 1, -50, -101)],
    *[(python_ints, (np.int64(n),)) for n in (30, 100)],
    *[(numpy_ints, (x,)) for x in (np.int64(3), np.float64(1e300), np.int8(0), np.uint8(2), np.float32(1))],
    (divided_by_python, (np.float64(3.0),)),
    *[(divided_by_numpy, (x,)) for x in (np.float64(3.0), np.float64(0.0))],
    *[(floored, (np.int64(7), np.int64(y))) for y in (3, -3, 0)],
    *[(floored, (t(7.3), t(y))) for t in (np.float64, np.float32) for y in (0.7, -0.7, np.inf, 0.0)],
    *[(powers, (t(1.37),)) for t in (np.float64, np.float32)],
    (bits, (np.int64(2),)),
    *[(stored, (np.zeros(50, c), x)) for c in "?bBhlLfd" for x in (np.int64(1), *map(np.float64, (1.7, np.nan, 1e30)))],
    (stored, (np.zeros((50, 2))[:, 0], np.int64(1))),
    (stored, (np.zeros(50, ">f8"), np.int64(1))),
    *[(converted, (np.linspace(0, x, 60),)) for x in (0.9, 1.0, np.nan, np.inf)],
]


@pytest.mark.parametrize(("function", "args"), LEAVING, ids=lambda v: getattr(v, "__name__", ""))
def test_what_machine_code_leaves_to_numpy(function, args):
    """Ints without limits, warnings, wrong indices, and what was written before an error."""
    same(function, *args)


def test_an_argument_given_twice():
    def shifted(a, b):
        for i in range(1, 40):
            a[i] = a[i - 1] + b[i]
        return a

    wanted, got = np.arange(50.0), np.arange(50.0)
    shifted(wanted, wanted)
    traced = tracefn.function(shifted, jit="now")
    result = traced(got, got)
    assert result is got
    np.testing.assert_array_equal(got, wanted)
    assert is_native(traced.concrete_functions[0])


def test_lengths_may_be_open():
    def summed(a):
        total = 0.0
        for i in range(len(a)):
            total += a[i] * len(a)
            a[i] = total
        return total

    traced = tracefn.function(summed, jit="now", reduce_retracing=True)
    for n in (40, 41, 50, 60):
        a, b = np.arange(float(n)), np.arange(float(n))
        assert equal(traced(a), summed(b))
        np.testing.assert_array_equal(a, b)
    assert len(traced.concrete_functions) < 4
    assert is_native(traced.concrete_functions[-1])


def test_a_kernel_that_never_succeeds_gives_up():
    traced = tracefn.function(numpy_ints, jit="now")
    for _ in range(12):
        assert equal(outcome(traced, (np.int64(3),), __file__), outcome(numpy_ints, (np.int64(3),), __file__))


def endless(x):
    while x == x:
        x = x * 0.5 + 1.0
    return x


def test_an_endless_loop_can_be_interrupted():
    traced = tracefn.function(endless, jit="now")
    assert np.isnan(traced(np.float64(np.nan)))
    started = time.perf_counter()
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):  # it may come before the call, where others keep the processor
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            traced(np.float64(1.0))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert time.perf_counter() - started < 100
    assert np.isnan(traced(np.float64(np.nan)))


def test_other_threads_run_meanwhile():
    def long(n):
        total = 0
        while total < n:
            total += 1
        return total

    traced = tracefn.function(long, jit="now")
    traced(np.int64(10))
    thread = threading.Thread(target=traced, args=(np.int64(600_000_000),), daemon=True)
    thread.start()
    ticks = 0
    while thread.is_alive() and ticks < 20:
        time.sleep(0.001)
        ticks += 1
    assert ticks == 20
    thread.join()


def test_small_work_on_large_arrays_stays_numpy():
    def few(a):
        for i in range(40):
            a[i] = a[i + 1] * 2
        return a

    traced = same(few, np.ones(1_000_000))
    assert traced.concrete_functions[0].plan == "numpy"
    assert is_native(same(few, np.ones(1000)).concrete_functions[0])


def test_results_are_the_arguments_as_in_python():
    def swapped(x, n):
        y = x * 2
        for i in range(n):
            y[0] += i
            x, y = y, x
            x[1] -= 1
        return x, y

    traced = tracefn.function(swapped, jit="now")
    for n in (0, 1, 2, 5, 40):
        mine, theirs = np.arange(6.0) ** 2, np.arange(6.0) ** 2
        got, wanted = traced(mine, np.int64(n)), swapped(theirs, n)
        np.testing.assert_equal(got, wanted)
        np.testing.assert_array_equal(mine, theirs)
        assert np.shares_memory(got[0], mine) is np.shares_memory(wanted[0], theirs)


def test_read_only_arguments_are_refused():
    def written(a):
        for i in range(len(a)):
            a[i] = i
        return a

    fixed = np.zeros(50)
    fixed.flags.writeable = False
    traced = tracefn.function(written, jit="now")
    with pytest.raises(ValueError, match="read-only"):
        traced(fixed)
    assert not fixed.any()
