"""Python's own numbers: a traced function has them where the plain one has them, and NumPy's where it has those."""

import math

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree


def lengths(*counts):
    return [(np.arange(1.0, n + 1),) for n in counts]


def test_a_sum_without_a_round_stays_the_python_number():
    def total(x):
        s = 0.0
        for v in x:
            s += v
        return s

    traced = assert_all_agree(total, *lengths(3, 4, 0, 1, 0, 7), reduce_retracing=True)
    assert traced.tracing_count == 3  # 3, any other length, none


def test_without_a_round_a_number_does_not_decide_the_dtype():
    def scaled(x, y):
        s, last = 0, -1
        for i in range(1, len(x)):
            s += x[i]
            last = i
        return y * s, last

    calls = [(x, np.ones(2, np.float32)) for (x,) in lengths(3, 5, 1, 0, 8)]
    traced = assert_all_agree(scaled, *calls, reduce_retracing=True)
    assert traced.tracing_count == 3


def test_a_range_from_one_is_one_loop_for_all_lengths():
    def total(x):
        s = x[0]
        for i in range(1, len(x)):
            s = s + x[i]
        return s

    assert assert_all_agree(total, *lengths(3, 4, 7, 1, 40), reduce_retracing=True).tracing_count == 2


@pytest.mark.parametrize("step", [7, -7, np.int64(2), np.uint8(3)])
def test_steps_of_ranges_may_be_numpy_integers(step):
    def total(x):
        s = 0
        for i in range(0, len(x), step):
            s += x[i]
        for i in range(len(x), 0, step):
            s += i
        return s

    assert_all_agree(total, *lengths(3, 9, 0, 1), reduce_retracing=True)


def test_a_range_may_be_longer_than_a_machine_word():
    def count(x):
        for i in range(10**30):
            x = x + 1
            if x.sum() > i + 10:
                break
        return x, i, len(range(0, 10**30, 10**20))

    assert_all_agree(count, (np.zeros(3),))


def smaller_than_unsigned(x, z):
    if x.sum() > 0:
        z = -2
    return z + x


def larger_than_unsigned(x, z):
    for v in x:
        if v > 0:
            z = 300
    return z


@pytest.mark.parametrize("function", [smaller_than_unsigned, larger_than_unsigned])
def test_a_python_int_that_a_dtype_cannot_hold_stays_one(function):
    for x in (np.arange(40.0), -np.ones(40)):
        assert_all_agree(function, (x, np.uint8(3)))


def test_a_loop_variable_starts_as_an_int_that_does_not_fit():
    def last(x):
        z = -1
        for v in x:
            z = v
        return z

    assert_all_agree(last, (np.arange(40, dtype=np.uint8),), (np.arange(0, dtype=np.uint8),))


def functions_of_math(x):
    return (
        *(math.floor(x.sum()), math.ceil(x[0]), math.isnan(x[0]), math.hypot(x[0], x[1]), math.log(x[0], 2)),
        *(math.fabs(-x[0]), math.fmod(x[0], x[1]), math.copysign(x[0], -1), math.frexp(x[0]), math.modf(x[1] * 2.5)),
        *(math.acosh(x[0]), math.atan2(x[0], x[1]), math.isclose(x[0], 1, rel_tol=x[1]), math.sqrt(x[0]) + math.pi),
    )


def test_math_gives_pythons_numbers():
    assert_all_agree(
        functions_of_math, *[(np.array([1.5, 2]).astype(t),) for t in (float, np.float32, np.float16, int, np.uint8)]
    )


def test_graphs_with_functions_of_math_are_python_that_runs():
    traced = tracefn.function(functions_of_math)
    x = np.array([1.5, 2])
    wanted, namespace = traced(x), {}
    exec(str(traced.concrete_functions[0].graph), namespace)
    assert repr(namespace["functions_of_math"](x)) == repr((*wanted[:8], *wanted[8], *wanted[9], *wanted[10:]))


def test_math_of_integers():
    def integers(x):
        return math.gcd(x[0], 6), math.factorial(x[0]), math.comb(x[0], x[1]), math.isqrt(x[0]), math.lcm(x[0], 4)

    assert_all_agree(integers, (np.array([4, 2]),), (np.array([4.0, 2]),), (np.array([-4, 2]),))


@pytest.mark.parametrize("x", [-1.0, np.ones(1), np.ones((1, 1)), np.ones(2), np.array(4.0), np.ones(2) * 1j])
def test_math_raises_pythons_errors(x):
    def root(x):
        math.sqrt(x)
        return x * 2

    assert_all_agree(root, (np.asarray(x) if np.ndim(x) else np.float64(x),))


def test_math_in_a_loop():
    def count(x):
        n = 0
        for v in x:
            if math.sqrt(v) > 1.5:
                n += math.floor(v)
        return n

    assert_all_agree(count, *lengths(50, 2), reduce_retracing=True)


@pytest.mark.parametrize(
    "x",
    [
        np.float64(2.5),
        np.float32(3.5),
        np.int64(3),
        np.ones(2),
        np.array(3.0),
        np.True_,
        np.complex64(1j),
        np.float64("nan"),
    ],
)
def test_round(x):
    assert_all_agree(round, (x,))
    assert_all_agree(lambda x: round(x, 1), (x,))


def test_numbers_made_of_arrays_stay_pythons():
    def numbers(x):
        v = float(x[0]) * 1.2345
        return round(v, 2), round(v), round(int(x[0])), math.floor(v), abs(-v), divmod(v, 2), divmod(int(x[0]), -4)

    assert_all_agree(numbers, (np.array([7.77]),))


@pytest.mark.parametrize("kind", [np.int64, np.float32, np.int8, np.uint8, np.float64])
@pytest.mark.parametrize("y", [5, 0])
def test_divmod(kind, y):
    assert_all_agree(lambda x, y: (*divmod(x, y), *divmod(7.5, y), abs(x)), (kind(17), kind(y)))


def test_conversions_take_keywords():
    @tracefn.function(on_unsupported="error")
    def f(x, text):
        return int(text, base=16), complex(real=x[0], imag=x[1]), complex(imag=x[1]), complex(x[0], imag=2)

    for _ in range(2):
        assert f(np.arange(1.0, 3.0), "ff") == (255, 1 + 2j, 2j, 1 + 2j)
