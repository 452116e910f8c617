"""TensorArray: the same eagerly, in a trace, and as the state of loops and branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn import TensorArray, TensorSpec
from tracefn.errors import ControlFlowError, InPlaceWriteError

X = np.arange(1.0, 4.0)
TWO = np.arange(6.0).reshape(2, 3)
N = np.int64


def same(left: Any, right: Any) -> bool:
    if isinstance(left, tuple):
        return isinstance(right, tuple) and len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, TensorArray):
        return same(left.stack(), right.stack()) and left.size() == right.size()
    dtypes = getattr(left, "dtype", None) == getattr(right, "dtype", None)
    return type(left) is type(right) and dtypes and np.array_equal(left, right) and np.shape(left) == np.shape(right)


def check(function: Callable[..., Any], *calls: tuple[Any, ...]) -> Any:
    """Traced calls give what eager calls give, with one trace. Returns the traced function."""
    traced = tracefn.function(function)
    for args in calls:
        assert same(traced(*args), function(*args)), args
    assert traced.tracing_count == 1
    return traced


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return (type(error), str(error).splitlines()[0])


def test_write_read_size_stack() -> None:
    def f(x: Any, i: Any) -> Any:
        array = TensorArray(x.dtype, 4, element_shape=x.shape)
        array = array.write(i, x).write(1, x * 2)
        return array.stack(), array.read(i), array.read(3), array.size(), array.gather(np.array([3, 1])), array

    check(f, (X, N(0)), (X, N(3)), (X, N(1)))


def test_dynamic_size_grows_and_gaps_are_zeros() -> None:
    def f(x: Any, i: Any) -> Any:
        array = TensorArray(x.dtype, dynamic_size=True).write(i, x)
        array.write(0, x * 2)
        return array.stack(), array.size()

    check(f, (X, N(0)), (X, N(1)), (X, N(5)))


def test_elements_without_axes_are_scalars() -> None:
    def f(x: Any) -> Any:
        array = TensorArray(x.dtype, 5).write(0, 1.5).write(1, 2).write(2, x.sum()).write(3, np.array(3.0))
        return array.read(0), array.read(3), array.read(4), array.write(4, x.shape[0]).stack()

    check(f, (X,))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: TensorArray(x.dtype, 2).unstack(x).stack(),
        lambda x: TensorArray(x.dtype, dynamic_size=True).unstack(x).write(2, x[0]).stack(),
        lambda x: TensorArray(x.dtype, 2).unstack(x).concat(),
        lambda x: TensorArray(x.dtype, 2).unstack(x[:, 0]).read(1),
        lambda x: TensorArray(x.dtype, 2, infer_shape=False).split(x.ravel(), [1, 5]).read(1),
        lambda x: TensorArray(x.dtype, 2, infer_shape=False).split(x.ravel(), [1, 5]).concat(),
        lambda x: TensorArray(x.dtype, 3).split(x.ravel(), [2, 2, 2]).stack(),
        lambda x: TensorArray(x.dtype, 4).scatter([3, 0], x).stack(),
        lambda x: TensorArray(x.dtype, 0, element_shape=(3,)).stack(),
        lambda x: TensorArray(x.dtype, 0).stack(),
        lambda x: TensorArray(x.dtype, 2, element_shape=(3,)).stack(),
        lambda x: TensorArray(x.dtype, 2).write(0, [x[0, 0], 1.0]).write(1, [2, 3]).stack(),
        lambda x: TensorArray(x.dtype, 2).element_shape,
        lambda x: TensorArray(x.dtype, 2, element_shape=(None, 3)).element_shape,
        lambda x: TensorArray(x.dtype, 2).write(0, x).element_shape,
    ],
)
def test_other_methods(call: Callable[..., Any]) -> None:
    check(call, (TWO,))


def test_scatter_at_traced_indices() -> None:
    check(lambda x, i: TensorArray(x.dtype, 4).scatter(i, x).stack(), (TWO, np.array([3, 0])), (TWO, np.array([1, 2])))


def test_for_loop() -> None:
    def powers(x: Any, n: Any) -> Any:
        step = lambda i, state: (state[0] * x, state[1].write(i, state[0]))  # noqa: E731
        last, array = tracefn.fori_loop(0, n, step, (x, TensorArray(x.dtype, size=n)))
        return array.stack(), last

    check(powers, (X, N(4)), (X, N(1)))


def test_while_loop_of_open_length() -> None:
    def doubled(x: Any) -> Any:
        body = lambda i, v, array: (i + 1, v * 2, array.write(i, v))  # noqa: E731
        start = (0, x, TensorArray(x.dtype, dynamic_size=True))
        i, v, array = tracefn.while_loop(lambda i, v, array: v.sum() < 100, body, start)
        return array.stack(), array.size(), i, v, array

    check(doubled, (X,), (X * 5,), (X / 8,))


def test_nested_loops_and_scan() -> None:
    def nested(x: Any, n: Any) -> Any:
        inner = lambda i, a: tracefn.fori_loop(0, i, lambda j, a: a.write(a.size(), x * j), a)  # noqa: E731
        return tracefn.fori_loop(0, n, inner, TensorArray(x.dtype, dynamic_size=True, element_shape=(3,))).stack()

    check(nested, (X, N(4)), (X, N(0)))

    def scanned(xs: Any) -> Any:
        array, ys = tracefn.scan(lambda a, x: (a.write(a.size(), x * 2), a.size()), TensorArray(float, 0, True), xs)
        return array.stack(), ys

    check(scanned, (TWO,))


def test_branches() -> None:
    def operand(x: Any) -> Any:
        array = TensorArray(x.dtype, 2)
        array = tracefn.cond(x.sum() > 0, lambda a: a.write(0, x).write(1, x), lambda a: a.write(1, x * 2), array)
        return array.stack()

    def around(x: Any) -> Any:
        array = TensorArray(x.dtype, 2).write(0, x)
        return tracefn.cond(x.sum() > 0, lambda: array.write(1, x), lambda: array).stack()

    for f in (operand, around):
        check(f, (X,), (-X,))


def rnn(loop: str) -> Callable[..., Any]:
    def run(x: Any, w: Any, u: Any, lengths: Any) -> Any:
        """A dynamic RNN over (batch, time, features): it stops after the longest sequence, outputs behind are zeros."""
        batch, time, _ = x.shape
        units = u.shape[0]
        inputs = TensorArray(x.dtype, time).unstack(np.swapaxes(x, 0, 1))
        outputs = TensorArray(x.dtype, time, element_shape=(batch, units))

        def body(i: Any, h: Any, outputs: Any) -> Any:
            new = np.tanh(inputs.read(i) @ w + h @ u)
            h = np.where((i < lengths)[:, None], new, h)
            return i + 1, h, outputs.write(i, h)

        start = (0, x[:, 0] @ (w * 0), outputs)
        if loop == "while":
            _, h, outputs = tracefn.while_loop(lambda i, h, o: i < lengths.max(), body, start)
        else:
            h, outputs = tracefn.fori_loop(0, lengths.max(), lambda i, s: body(i, *s)[1:], start[1:])
        return np.swapaxes(outputs.stack(), 0, 1), h

    return run


@pytest.mark.parametrize("loop", ["while", "for"])
def test_dynamic_rnn(loop: str) -> None:
    rng = np.random.default_rng(0)
    x, w, u = rng.normal(size=(2, 5, 3)), rng.normal(size=(3, 4)), rng.normal(size=(4, 4))
    check(rnn(loop), *[(x, w, u, np.array(n)) for n in ([2, 4], [5, 1], [0, 0])])
    shapes = ((None, None, 3), (3, 4), (4, 4))
    spec = [*[TensorSpec(shape, np.float64) for shape in shapes], TensorSpec((None,), np.int64)]
    with_open = tracefn.function(rnn(loop), input_signature=spec)
    for shape in ((2, 5, 3), (3, 7, 3)):
        x = rng.normal(size=shape)
        args = (x, w, u, np.full(shape[0], 4))
        assert same(with_open(*args), rnn(loop)(*args))
    assert with_open.tracing_count == 1


def test_argument_and_result() -> None:
    array = TensorArray(float, 2).write(0, X).write(1, X * 2)
    traced = tracefn.function(lambda a: a.stack() * 2)
    assert same(traced(array), array.stack() * 2)
    assert same(traced(TensorArray(float, 2).unstack(TWO)), TWO * 2)
    assert traced.tracing_count == 1
    with pytest.raises(InPlaceWriteError):
        tracefn.function(lambda a: a.write(0, X).stack())(array)
    made = tracefn.function(lambda x: TensorArray(float, 2).write(0, x * 1).write(1, x * 1))(X)
    made.read(0)[:] = 7
    assert np.array_equal(made.read(1), X)
    assert np.array_equal(X, [1, 2, 3])


def test_one_made_outside_is_refused() -> None:
    outside = TensorArray(float, 2).write(0, X)
    for call in (lambda x: outside.write(1, x).stack(), lambda x: outside.read(0) + x):
        with pytest.raises(ControlFlowError, match="made outside"):
            tracefn.function(call)(X)


ERRORS: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda x: TensorArray(float, 2).write(0, x.astype(np.float32)), TypeError, "float32 is written .* float64"),
    (lambda x: TensorArray(np.int64, 2).write(0, 1.5), TypeError, "float64 is written .* int64"),
    (lambda x: TensorArray(float, 2).write(0, x).write(1, x[1:]), ValueError, r"\(2,\) .*\(3,\)"),
    (lambda x: TensorArray(float, 2, element_shape=(2,)).write(0, x), ValueError, r"\(3,\) .*\(2,\)"),
    (lambda x: TensorArray(float, 2, element_shape=(None, 2)).write(0, x), ValueError, r"\(3,\) .*\(None, 2\)"),
    (lambda x: TensorArray(float, 3).stack(), ValueError, "never written"),
    (lambda x: TensorArray(float, 3).read(0), ValueError, "never written"),
    (lambda x: TensorArray(float, -1), ValueError, "negative"),
    (lambda x: TensorArray(float, 2).unstack(x), ValueError, "3 elements do not fit"),
    (lambda x: TensorArray(float, 2).split(x, [1, 1]), ValueError, "add up"),
    (lambda x: TensorArray(float, 2).split(x, [1, 2]), ValueError, "one shape"),
    (lambda x: TensorArray(float, 2).unstack(1.0), ValueError, "no rows"),
    (lambda x: TensorArray(float, 2).concat(), ValueError, "never written"),
]


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_errors_are_those_of_eager_code(call: Callable[..., Any], error: type[Exception], text: str) -> None:
    for f in (call, tracefn.function(call)):
        with pytest.raises(error, match=text):
            f(X)


@pytest.mark.parametrize("dynamic", [False, True])
def test_an_index_outside(dynamic: bool) -> None:
    def write(x: Any, i: Any) -> Any:
        return TensorArray(float, 2, dynamic, element_shape=(3,)).write(i, x).stack()

    def read(x: Any, i: Any) -> Any:
        return TensorArray(float, 2, dynamic, element_shape=(3,)).read(i)

    for f, bad in ((write, (-1, -5) if dynamic else (-1, 2)), (read, (-1, 2))):
        traced = tracefn.function(f)
        for i in bad:
            found = outcome(f, X, N(i))
            assert found == (IndexError, f"index {i} is outside of a TensorArray of size 2")
            assert outcome(traced, X, N(i)) == found
        assert traced.tracing_count == 1
        assert same(traced(X, N(1)), f(X, N(1)))


def test_a_loop_writes_what_does_not_fit() -> None:
    def f(x: Any, n: Any) -> Any:
        return tracefn.fori_loop(0, n, lambda i, a: a.write(i, x), TensorArray(float, 2)).stack()

    traced = tracefn.function(f)
    assert same(traced(X, N(2)), np.stack([X, X]))
    with pytest.raises(IndexError, match="index 2 is outside of a TensorArray of size 2"):
        traced(X, N(3))


def test_values_are_not_copied_and_reading_shows_it() -> None:
    array = TensorArray(float, 1).write(0, X)
    assert array.read(0) is X
    assert repr(array) == "TensorArray(float64, size=1)"
    assert (array.dtype, len(array)) == (np.dtype(float), 1)


def test_python_statements() -> None:
    """AutoGraph: writes in staged loops and branches, with and without assignment, on variables and attributes."""

    class Holder:
        array: TensorArray

    def assigned(x: Any, n: Any) -> Any:
        array = TensorArray(x.dtype, size=n)
        for i in range(n):
            array = array.write(i, x * i)
        return array.stack()

    def in_place(x: Any, n: Any) -> Any:
        holder = Holder()
        holder.array = TensorArray(x.dtype, dynamic_size=True, element_shape=(3,))
        for i in range(n):
            if x[0] > i:
                holder.array.write(holder.array.size(), x + i)
            else:
                holder.array.write(holder.array.size(), x - i)
                continue
            x = x * 1.5
        return holder.array.stack(), x

    def nested(x: Any, n: Any) -> Any:
        first, second = TensorArray(np.float64, 0, True), TensorArray(np.int64, 3)
        i = 0
        while i < n:
            for j in range(i):
                first = first.write(first.size(), x.sum() * j)
                second = second.write(j, j * i)
            i += 1
        return first.stack(), second.stack()

    def in_one_branch(x: Any, n: Any) -> Any:
        if n > 2:
            array = TensorArray(x.dtype, 2).write(0, x)
        if n > 2:
            return array.write(1, x).stack()
        return x[None]

    for f in (assigned, in_place, nested, in_one_branch):
        check(f, (X, N(4)), (X * 5, N(2)))
