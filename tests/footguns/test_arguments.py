"""Other tracers take different arguments for the same, or cast them. Here equal is not enough."""

import math

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree


def kinds(f, *values):
    return [(type(y), y) for y in map(f, values)]


def test_values_that_are_equal_and_of_different_types_have_their_own_traces():
    def eager(x):
        return x, np.ones(2, np.float32) * x

    f = tracefn.function(eager)
    values = [1, True, 1.0, 1 + 0j, np.int8(1), np.float64(1), np.True_, np.array(1)]
    for x in (*values, *reversed(values)):
        (same, y), (same_eager, y_eager) = f(x), eager(x)
        assert type(same) is type(same_eager)
        assert (type(y), y.dtype) == (type(y_eager), y_eager.dtype)
    assert f.tracing_count == len(values)


def test_minus_zero_is_not_zero():
    def eager(x):
        return math.copysign(1, x), np.ones(1) * x

    f = tracefn.function(eager)
    for x in (0.0, -0.0, 0.0, complex(0, -0.0).imag):
        assert str(f(x)) == str(eager(x))
    g = tracefn.function(lambda z: np.ones(1) * z)
    assert [str(g(z)) for z in (0j, complex(-0.0, 0.0), complex(0.0, -0.0))] == [
        str(np.ones(1) * z) for z in (0j, complex(-0.0, 0.0), complex(0.0, -0.0))
    ]


def test_nan_does_not_retrace_at_each_call():
    f = tracefn.function(lambda x, fill: np.where(np.isnan(x), fill, x))
    x = np.array([1.0, np.nan])
    for fill in (float("nan"), float("nan"), np.nan, math.nan, -math.nan):
        f(x, fill)
    assert f.tracing_count <= 2  # of either sign
    nested = tracefn.function(lambda x, options: x * options["fill"])
    for _ in range(3):
        nested(x, {"fill": float("nan")})
    assert nested.tracing_count == 1


def test_a_global_nan_does_not_retrace_at_each_call():
    namespace = {"np": np, "FILL": float("nan"), "tracefn": tracefn}
    exec("@tracefn.function\ndef f(x):\n    return x * FILL", namespace)
    for _ in range(3):
        namespace["f"](np.ones(2))
        namespace["FILL"] = float("nan")
    assert namespace["f"].tracing_count == 1


def test_nothing_is_cast_to_single_precision():
    def eager(x, y):
        return x, x + 1, x * y, np.sin(x), np.zeros(2), np.arange(3) * 0.5

    f = tracefn.function(eager)
    for dtype in (np.float64, np.float32, np.float16, np.int64, np.int8, np.longdouble, np.complex128):
        x = np.ones(2, dtype)
        for got, expected in zip(f(x, 0.1), eager(x, 0.1), strict=True):
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected)


def test_an_int64_that_no_int32_holds():
    f = tracefn.function(lambda x: x + 2**40)
    np.testing.assert_array_equal(f(np.array([2**50])), [2**50 + 2**40], strict=True)


def test_a_scalar_is_not_a_0d_array():
    def eager(x):
        return x + 1, x, -x, isinstance(x, np.ndarray), isinstance(x, np.generic), np.asarray(x) is x

    f = tracefn.function(eager)
    for x in (np.float64(1), np.array(1.0), np.float64(2), np.array(2.0)):
        for got, expected in zip(f(x), eager(x), strict=True):
            assert type(got) is type(expected)
            assert got == expected
    assert f.tracing_count == 2


def test_a_python_number_is_weak_and_a_numpy_number_is_not():
    def eager(x, y):
        return x + y

    f = tracefn.function(eager)
    single, small = np.ones(2, np.float32), np.ones(2, np.int8)
    for x, y in (
        (single, 2.0), (single, np.float64(2)), (single, 2), (small, 2), (small, np.int64(2)), (small, 2.0),
        (small, True), (np.uint8(200), 100), (np.float32(1), 1e-8), (2, np.float16(3)),
    ):  # fmt: skip
        with np.errstate(all="ignore"):
            got, expected = f(x, y), eager(x, y)
        assert (type(got), got.dtype) == (type(expected), expected.dtype)
        np.testing.assert_array_equal(got, expected)


def test_a_python_int_out_of_range_raises_as_numpy_does():
    def eager(x, n):
        return x + n

    for f in (eager, tracefn.function(eager)):
        with pytest.raises(OverflowError, match="out of bounds for uint8"):
            f(np.ones(2, np.uint8), 300)
        with pytest.raises(OverflowError, match="out of bounds for uint8"):
            f(np.ones(2, np.uint8), -1)


def test_integers_wrap_around_and_scalars_warn():
    def eager(x):
        return x * x, x + x, -x

    f = tracefn.function(eager)
    for x in (np.array([100, -128], np.int8), np.array([2**62, -(2**63)]), np.array([200], np.uint8)):
        np.testing.assert_array_equal(f(x), eager(x), strict=True)
    for g in (eager, f, f):
        with pytest.warns(RuntimeWarning, match="overflow encountered in scalar"):
            g(np.int8(100))


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8])
def test_the_size_of_the_least_integer_warns_as_a_scalar_alone(dtype, jit):
    def sizes(x, n):
        total = abs(x[0])
        for i in range(n):
            total = total + abs(x[i])
        return total, abs(x), np.abs(x[0])

    least = np.array([np.iinfo(dtype).min, 3], dtype)
    assert_all_agree(sizes, (least, np.int64(1)), (least[::-1], np.int64(1)), (least, np.int64(2)), jit=jit)


def test_the_order_of_a_dict_is_kept():
    def eager(d):
        first = next(iter(d))
        return d[first] * 2, list(d), {k: v + 1 for k, v in d.items()}

    f = tracefn.function(eager)
    one, two = np.ones(2), np.full(2, 2.0)
    for d in ({"a": one, "b": two}, {"b": two, "a": one}, {"a": one, "b": two}):
        got, expected = f(d), eager(d)
        np.testing.assert_equal(got, expected)
        assert got[1] == expected[1] == list(got[2])


def test_a_list_that_is_an_argument_is_read_at_each_call():
    f = tracefn.function(lambda xs: [x * 2 for x in xs])
    xs = [np.ones(2)]
    f(xs)
    xs.append(np.zeros(2))
    assert len(f(xs)) == 2
    xs[0] = 3
    assert f(xs)[0] == 6


def test_arrays_of_other_byte_order_and_layout_are_what_they_are():
    def eager(x):
        return x + 1, x.T, x.astype(x.dtype), x.sum()

    f = tracefn.function(eager)
    for x in (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2).T, np.arange(12.0).reshape(2, 6)[:, ::2],
              np.arange(6, dtype=">f8").reshape(2, 3)):  # fmt: skip
        for got, expected in zip(f(x), eager(x), strict=True):
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected)


class Label(str):
    """A text with an attribute, which `==` does not see."""

    def __new__(cls, text, unit):
        made = super().__new__(cls, text)
        made.unit = unit
        return made


EQUAL = [(range(0), range(1, 1)), ([range(0, 3, 2)], [range(0, 4, 2)]), (Label("a", 1), Label("a", 2))]


@pytest.mark.parametrize(("first", "second"), EQUAL, ids=["range", "ranges", "text"])
def test_equal_values_that_show_a_difference_are_told_apart(first, second):
    def shown(value):
        return repr(value), getattr(value, "unit", None)

    held = {}
    as_argument, as_state = tracefn.function(shown), tracefn.function(lambda: shown(held["value"]))
    for value in (first, second) * 3:
        held["value"] = value
        assert as_argument(value) == as_state() == shown(value)
