"""Kernels as a program calls them: memory layouts, open lengths, numbers, floating-point flags, threads, memory."""

import gc
import sys
import threading
import warnings

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from tracefn.codegen.machine import abi
from tracefn.runtime import native_kernel

pytestmark = [
    pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable()),
    pytest.mark.usefixtures("guarded"),
]


def native(function, **options):
    return tracefn.function(function, jit="now", **options)


def chain(x, y):
    return np.sqrt(x) * y + x * 0.5 - abs(y)


def base(*shape, dtype=np.float64):
    return np.random.default_rng(0).random(shape).astype(dtype)


LAYOUTS = {
    "C": lambda: base(4, 5, 6),
    "Fortran": lambda: np.asfortranarray(base(4, 5, 6)),
    "transposed": lambda: base(5, 6, 4).transpose(2, 0, 1),
    "strided": lambda: base(8, 10, 18)[::2, ::2, ::3],
    "negative": lambda: base(4, 5, 6)[::-1, :, ::-1],
    "columns": lambda: base(4, 5, 12)[..., ::2],
    "broadcast": lambda: np.broadcast_to(base(5, 1), (4, 5, 6)),
    "unaligned": lambda: np.frombuffer(b"x" + base(4, 5, 6).tobytes(), np.uint8)[1:].view(np.float64).reshape(4, 5, 6),
    "read-only": lambda: np.frombuffer(base(4, 5, 6).tobytes()).reshape(4, 5, 6),
}


@pytest.fixture(autouse=True)
def small_arrays_are_worth_planning(monkeypatch):
    monkeypatch.setattr(native_kernel, "WORTH_PLANNING", 0)


@pytest.mark.parametrize("left", LAYOUTS)
@pytest.mark.parametrize("right", LAYOUTS)
def test_any_memory_layout(left, right):
    x, y = LAYOUTS[left](), LAYOUTS[right]()
    f = native(chain)
    # where a stretched array and one in Fortran order meet, NumPy goes by the results in between
    assert_alike(f(x, y), chain(x, y), strides="broadcast" not in (left, right))
    assert f.concrete_functions[0].plan == "native"


@pytest.mark.parametrize(
    "shapes",
    [
        ((4, 5), (5,)), ((4, 5), (4, 1)), ((3, 4, 5), (4, 1)), ((3, 4, 5), (3, 1, 5)), ((4, 1), (1, 5)), ((4, 5), ()),
        ((1, 5), (1, 5)), ((0, 5), (5,)), ((4, 0), (4, 1)), ((2, 3, 4, 5), (3, 1, 5)), ((1,), (1,)), ((7,), (1,)),
    ],
)  # fmt: skip
def test_broadcasting(shapes):
    def f(x, y):
        return x * y + x - 0.5, np.where(x > y, x, y * 2)

    for dtypes in ((np.float64, np.float64), (np.float32, np.int16), (np.int8, np.bool_)):
        x, y = (np.asarray(base(*s) * 9).astype(d) for s, d in zip(shapes, dtypes, strict=True))
        assert_alike(native(f)(x, y), f(x, y), strides=True)
        assert_alike(native(f)(y, x), f(y, x), strides=True)


def test_open_lengths_share_a_kernel():
    def f(x, y):
        return (x + y) * x / x.shape[0]

    specs = [tracefn.TensorSpec((None, 3), np.float64), tracefn.TensorSpec((3,), np.float64)]
    traced = native(f, input_signature=specs)
    for n in (1, 4, 0, 1000):
        assert_alike(traced(base(n, 3), base(3)), f(base(n, 3), base(3)), strides=True)
    assert traced.tracing_count == 1
    assert traced.concrete_functions[0].plan == "native"


def test_numbers():
    def f(x, a, b, c):
        return x * a + b - c, (a * 2 + b) * c

    for a, b, c in ((np.float32(2), np.int64(-3), np.bool_(True)), (np.float64(0.1), np.uint8(200), np.int8(-3))):
        assert_alike(
            native(f)(np.arange(5, dtype=np.float32), a, b, c), f(np.arange(5, dtype=np.float32), a, b, c), strides=True
        )


def test_zero_dimensional_arrays_and_results():
    def f(x, y):
        return np.where(x > y, x, y) + 0, np.multiply(x, y) * 2

    assert_alike(native(f)(np.array(2.0), np.array(3.0)), f(np.array(2.0), np.array(3.0)), strides=True)


def with_warnings(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args)
    return result, [(str(w.message), w.filename, w.lineno) for w in caught]


def test_warnings_are_those_of_numpy_at_the_users_line():
    def f(x, y):
        a = x / y
        return a * 2 + np.sqrt(x)

    x, y = np.array([1.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0])
    traced = native(f)
    wanted, told_eagerly = with_warnings(f, x, y)
    assert len(told_eagerly) == 3
    for _ in range(2):
        got, told_traced = with_warnings(traced, x, y)
        assert_alike(got, wanted, strides=True)
        assert told_traced == told_eagerly
    assert with_warnings(traced, abs(x) + 1, y + 1)[1] == []


@pytest.mark.parametrize("what", ["raise", "ignore", "call"])
def test_errstate_around_a_call(what):
    def f(x, y):
        return x / y + 1

    heard = []
    traced = native(f)
    traced(np.ones(3), np.ones(3))
    with np.errstate(all=what, call=lambda kind, flag: heard.append(kind)):
        if what == "raise":
            with pytest.raises(FloatingPointError, match="divide by zero"):
                traced(np.ones(3), np.zeros(3))
        else:
            assert_alike(traced(np.ones(3), np.zeros(3)), np.full(3, np.inf), strides=True)
    assert heard == (["divide by zero"] if what == "call" else [])
    assert traced.concrete_functions[0].plan == "native"


def test_errstate_inside():
    def f(x):
        with np.errstate(divide="ignore", invalid="ignore"):
            y = 1 / x * x
        return y + 1 / (x + 1)

    x = np.array([0.0, 1.0])
    got, heard = with_warnings(native(f), x)
    assert_alike(got, with_warnings(f, x)[0], strides=True)
    assert heard == []


def test_integers_divided_by_zero_warn():
    def f(x, y):
        return x // y + x % y

    x, y = np.array([7, -7, 5]), np.array([2, 0, -3])
    assert with_warnings(native(f), x, y)[1] == with_warnings(f, x, y)[1] != []
    assert_alike(with_warnings(native(f), x, y)[0], with_warnings(f, x, y)[0], strides=True)


def test_nothing_warns_behind_an_error():
    def elements(x):
        if (x == 0).any():
            raise ValueError("zero")
        return 1 / x + x

    def rows(x):
        total = x.sum(axis=-1, keepdims=True)
        if total[0, 0] == 0:
            raise ValueError("zero")
        return x / total - 1

    for f in (elements, rows):
        traced, x = native(f), np.ones((3, 40))
        assert_alike(traced(x), f(x), strides=True)
        assert traced.concrete_functions[0].plan == "native"
        with warnings.catch_warnings(), pytest.raises(ValueError, match="zero"):
            warnings.simplefilter("error")
            traced(x * 0)


def test_arguments_full_of_nans_go_to_numpy_in_the_end():
    def f(x):
        return np.maximum(x, 0.5) * 2 + x

    traced = native(f)
    x = np.array([np.nan, 1.0, 0.0])
    for _ in range(20):
        got, heard = with_warnings(traced, x)
        assert_alike(got, f(x), strides=True)
        assert heard == []


def test_many_elements_in_threads():
    def f(x, y):
        return np.sqrt(x) * y + x, x > y

    x, y = base(1000, 700), base(700)
    traced = native(f)
    results = []
    for count in (1, 2, 3, 7):
        with tracefn.config.threads(count):
            results.append(traced(x, y))
            assert_alike(traced(x.T, y[:, None]), f(x.T, y[:, None]), strides=True)
    for result in results:
        assert_alike(result, f(x, y), strides=True)
    with pytest.raises(ValueError, match="must not be negative"):
        tracefn.config.threads(-1)


def test_flags_of_another_thread_are_heard():
    def f(x, y):
        return x / y + 1

    x = np.ones(1 << 19)
    y = x.copy()
    y[-1] = 0
    with tracefn.config.threads(4):
        assert len(with_warnings(native(f), x, y)[1]) == 1


def test_calls_from_several_threads():
    traced = native(chain)
    x, y = base(100_000), base(100_000)
    wanted = chain(x, y)
    traced(x, y)
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(traced(x, y), wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_no_references_are_lost_or_left():
    def f(x, y, a):
        return (x + y) * a, x > y, a * 2 + a

    traced = native(f)
    x, y, a = base(5), base(5), np.float64(3)
    dtypes = np.dtype(np.float64), np.dtype(np.bool_)
    kept = [traced(x, y, a) for _ in range(10)]
    del kept
    with np.errstate(all="ignore"):
        for odd in (x, y[::-1], np.full(5, np.inf)):
            traced(odd, -odd, a)
    gc.collect()
    before = [sys.getrefcount(o) for o in (x, y, a, *dtypes)]
    for _ in range(1000):
        traced(x, y, a)
    with np.errstate(all="ignore"):
        for _ in range(100):
            for odd in (y[::-1], np.full(5, np.inf)):
                traced(odd, -odd, a)
    gc.collect()
    del odd
    after = [sys.getrefcount(o) for o in (x, y, a, *dtypes)]
    assert all(b - a <= 1 for a, b in zip(before, after, strict=True)), (before, after)


def test_what_does_not_fit_the_kernel_goes_to_numpy():
    def f(x, y):
        return x * y + 1

    concrete = native(f).get_concrete_function(*[tracefn.TensorSpec((None,), np.float64)] * 2)
    assert concrete.plan == "native"
    run = concrete._execution.native.kernels[0].function
    assert_alike(run(np.ones(3), np.ones(3)), np.full(3, 2.0), strides=True)
    assert_alike(run(np.ones(3, ">f8"), np.ones(3)), np.full(3, 2.0), strides=True)
    assert_alike(run(np.ones(3), np.ones(1)), np.full(3, 2.0), strides=True)
    with pytest.raises(ValueError, match="could not be broadcast"):
        run(np.ones(3), np.ones(2))
    with pytest.raises(TypeError):
        run(np.ones(3))


def test_integer_scalars_that_overflow_warn():
    def f(a, b):
        return a * b + 1, a - b, (a + b) * 2.0

    a, b = np.int64(2**62), np.int64(4)
    got, heard = with_warnings(native(f), a, b)
    assert_alike(got, with_warnings(f, a, b)[0], strides=True)
    assert heard == with_warnings(f, a, b)[1] != []


def test_numbers_that_are_known_while_tracing_warn():
    def f(x):
        one = np.ones(())
        return x + one / np.zeros(()) * 2 + np.log(np.zeros(())) * 2

    x = np.arange(3.0)
    got, heard = with_warnings(native(f), x)
    assert_alike(got, with_warnings(f, x)[0], strides=True)
    assert sorted(w[0] for w in heard) == sorted(w[0] for w in with_warnings(f, x)[1]) != []


SMALL_LAYOUTS = {
    "every second": lambda x: x[..., ::2],
    "a column": lambda x: x[:, :1],
    "inner part": lambda x: x[1:-1, 1:-1],
    "backwards": lambda x: x[::-1],
    "transposed": lambda x: x.T,
    "columns first": np.asfortranarray,
    "one row, again and again": lambda x: np.broadcast_to(x[:1], x.shape),
    "not aligned": lambda x: np.frombuffer(b"x" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape),
}


@pytest.mark.parametrize("other", SMALL_LAYOUTS)
@pytest.mark.parametrize("first", SMALL_LAYOUTS)
def test_small_arguments_of_any_layout(first, other):
    x, y = np.random.default_rng(0).random((2, 6, 6))
    x, y = SMALL_LAYOUTS[first](x), SMALL_LAYOUTS[other](y)
    n, m = min(x.shape[0], y.shape[0]), min(x.shape[1], y.shape[1])
    x, y = x[:n, :m], y[:n, :m]
    for function in (
        lambda x, y: (x + y) * 2,
        lambda x, y: (x.T * 2 + y[:1, :1]).T + 1,
        lambda x, y: (x * y).sum(axis=0),
    ):
        wanted, f = function(x, y), tracefn.function(function, jit="now")
        for _ in range(2):
            got = f(x, y)
            np.testing.assert_allclose(got, wanted, rtol=1e-14)
            if n > 1 < m:
                assert got.strides == wanted.strides


def test_python_is_not_needed_for_strides(monkeypatch):
    f, x = tracefn.function(lambda x, y: (x + y) * 2, jit="now"), np.arange(48.0).reshape(6, 8)
    f(x[0, ::2], x[:4, 0]), f(x[::2, 1:4], x[3:, :3])
    for concrete in f.concrete_functions:
        (kernel,) = concrete._execution.native.kernels
        monkeypatch.setattr(type(kernel), "_called", None)
        kernel._numpy = None
    np.testing.assert_array_equal(f(x[0, ::2], x[:4, 0]), (x[0, ::2] + x[:4, 0]) * 2)
    np.testing.assert_array_equal(f(x[3, -1:0:-2], x[:4, 0]), (x[3, -1:0:-2] + x[:4, 0]) * 2)
    np.testing.assert_array_equal(f(x[::2, 1:4], x[3:, :3]), (x[::2, 1:4] + x[3:, :3]) * 2)
