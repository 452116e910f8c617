"""Tensors refuse every silent coercion, say where the value came from, and have the interface of ndarray."""

import copy
import pickle

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from tracefn.errors import (
    InPlaceWriteError,
    LeakedTensorError,
    SymbolicDimensionError,
    TensorBoolError,
    TensorConversionError,
    TensorIterationError,
    UnsupportedFunctionError,
    UnsupportedResultError,
)

X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (lambda x: 1 if x.sum() > 0 else 2, TensorBoolError),
        (lambda x: x.any() and x.all(), TensorBoolError),
        (lambda x: not x.any(), TensorBoolError),
        (lambda x: 3 in x, TensorBoolError),
        (lambda x: float(x.sum()), TensorConversionError),
        (lambda x: int(x.sum()), TensorConversionError),
        (lambda x: complex(x.sum()), TensorConversionError),
        (lambda x: range(x.sum().astype(int)), TensorConversionError),
        (lambda x: [1, 2][x.sum().astype(int)], TensorConversionError),
        (lambda x: np.asarray(x), TensorConversionError),
        (lambda x: np.array(x), TensorConversionError),
        (lambda x: np.float64(x.sum()), TensorConversionError),
        (lambda x: np.random.default_rng().normal(x), TensorConversionError),
        (lambda x: hash(x), TensorConversionError),
        (lambda x: {x: 1}, TensorConversionError),
        (lambda x: f"{x:.2f}", TensorConversionError),
        (lambda x: pickle.dumps(x), TensorConversionError),
        (lambda x: [*x.sum()], TensorIterationError),
        (lambda x: np.save("nowhere.npy", x), UnsupportedFunctionError),
        (lambda x: x.flat, UnsupportedResultError),
        (lambda x: x.flags.owndata, UnsupportedFunctionError),
        (lambda x: np.copyto(np.zeros((2, 3)), x), InPlaceWriteError),
        (lambda x: np.add(x, 1, out=np.zeros((2, 3))), InPlaceWriteError),
        (lambda x: x.resize(6), InPlaceWriteError),
        (lambda x: x.setflags(write=False), InPlaceWriteError),
        (lambda x: np.sum(x, axis=0, out=np.zeros(3)), InPlaceWriteError),
        (lambda x: np.pad(x, x.astype(int)), UnsupportedFunctionError),
        (lambda x: (y for y in [x]), UnsupportedResultError),
    ],
)
def test_refusals_name_the_argument_and_the_line(use, error):
    f = tracefn.function(use, name="f", autograph=False)
    with pytest.raises(error) as raised:
        f(X)
    assert type(raised.value) is error
    text = str(raised.value)
    if error is not UnsupportedResultError and "that the trace does not know" not in text:
        assert "`x`" in text or "np.save" in text, text
        assert "test_tensor.py line" in text, text
    assert f.concrete_functions == []


def test_in_place_operators():
    def eager(x):
        y = x * 2
        alias = y
        y += 1
        y -= x
        y **= 2
        z = x.sum()
        z += 1
        n = np.add(y, 1, out=y)
        return y, alias, z, n is y

    f = tracefn.function(eager)
    x = X.copy()
    for got, wanted in zip(f(x), eager(x), strict=True):
        np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(x, X)

    def argument(x):
        x += 1
        return x

    def view(x):
        y = x * 2
        v = y[0]
        y += 1
        return v

    def through_view(x):
        y = (x * 2)[0]
        y += 1
        return y

    for writing in (argument, view, through_view):
        traced, mine, theirs = tracefn.function(writing), X.copy(), X.copy()
        for _ in range(3):
            np.testing.assert_array_equal(traced(mine), writing(theirs))
            np.testing.assert_array_equal(mine, theirs)


def test_in_place_operator_keeps_the_dtype_or_refuses():
    def eager(x):
        y = x + np.float32(0)
        y += np.float64(1.5)
        y += np.ones(3)
        return y

    x = np.zeros((2, 3), np.float32)
    got = tracefn.function(eager)(x)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, eager(x))

    def wrong(x):
        y = x + 0
        y += 1.5
        return y

    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        tracefn.function(wrong)(np.zeros(3, int))

    def grows(x):
        y = x + 0
        y += np.ones((2, 3))
        return y

    with pytest.raises(ValueError, match="broadcast"):
        tracefn.function(grows)(np.zeros(3))


def test_leaked_tensor():
    kept = []

    def f(x):
        kept.append(x)
        return x

    tracefn.function(f, autograph=False)(X)
    with pytest.raises(LeakedTensorError, match="`f`, which has ended"):
        kept[0] + 1
    g = tracefn.function(lambda x: x + kept[0])
    with pytest.raises(LeakedTensorError, match="argument `x`"):
        g(X)


def test_print_shows_the_symbol(capsys):
    @tracefn.function
    def f(x):
        print(x)
        print(f"{x}")
        return np.tanh(x)

    f(X)
    f(X)
    assert capsys.readouterr().out == 'Tensor("x:0", shape=(2, 3), dtype=float64)\n' * 2


@pytest.mark.parametrize(
    "use",
    [
        lambda x: (x.shape, x.ndim, x.size, x.dtype, x.itemsize, x.nbytes, len(x)),
        lambda x: (x.T, x.mT, x.real, x.imag, x.conj(), x.conjugate()),
        lambda x: (
            x.reshape(3, 2),
            x.reshape((6,)),
            x.reshape(-1, 2),
            x.reshape(2, -1, order="F"),
            x.ravel(),
            x.flatten(),
        ),
        lambda x: (x.transpose(), x.transpose(1, 0), x.transpose((1, 0)), x.swapaxes(0, 1), x[None].squeeze(0)),
        lambda x: (x.sum(), x.sum(0), x.sum(axis=1, keepdims=True), x.mean(), x.prod(), x.std(ddof=1), x.var(0)),
        lambda x: (x.max(), x.min(axis=1), x.argmax(), x.argmin(0), x.all(), x.any(1), x.cumsum(), x.cumprod(0)),
        lambda x: (x.argsort(), x.argpartition(1), x.round(1), x.clip(1, 2), x.clip(max=3), x.repeat(2, axis=0)),
        lambda x: (x.take([0, 1]), x.dot(x.T), x @ x.T, x.diagonal(), x.trace(), x[0].searchsorted(1.5)),
        lambda x: (
            x.astype(np.float32),
            x.astype("i4"),
            x.astype(float, copy=False),
            x.copy(),
            copy.copy(x),
            copy.deepcopy(x),
        ),
        lambda x: (x.nonzero(), x.compress([True, False], axis=0), (x > 2).astype(int)[0].choose([x[0], x[1]])),
        lambda x: [row * 2 for row in x],
        lambda x: [a + b for a, b in zip(*x, strict=True)],
        lambda x: (x[0], x[-1, 1:], x[..., 0], x[:, None], x[[0, 1], [1, 2]], x[x > 2], x[::-1], x[0, 0], x[0, ...]),
        lambda x: (
            -x,
            +x,
            abs(x),
            ~(x > 1),
            x**2,
            2**x,
            x // 2,
            x % 2,
            divmod(x, 2),
            divmod(7, x + 1),
            1 - x,
            1 / (x + 1),
        ),
        lambda x: (x == 1, x != 1, x < 1, 1 <= x, x > 1, x >= 1, (x > 1) & (x < 3), (x > 1) | True, (x > 1) ^ True),
        lambda x: (x + [1, 2, 3], [1, 2, 3] * x, x + (1, 2, 3), np.float32(2) * x, x @ [1, 2, 3], [1, 2] @ x),
        lambda x: (x + x[0, 0], x[0, 0] ** 2, x[0, 0] + 1, x[0, 0] == 0, -x[0, 1], x[0, 1] / x[0, 2], abs(x[0, 1])),
        lambda x: np.add(x[0, 0], x[0, 1]),
        lambda x: (np.linalg.svd(x), np.fft.fft(x), np.split(x, 3, axis=1), np.unique(x, return_counts=True)),
    ],
)
def test_interface_of_ndarray(use):
    f = tracefn.function(use)
    for _ in range(2):
        assert_alike(f(X), use(X))


def test_symbolic_dimension_is_an_int_in_arithmetic():
    def eager(x):
        n = x.shape[0]
        return (
            x.reshape(n * 3),
            x / n,
            n / 2,
            n**0.5,
            np.sqrt(n),
            x.sum() / len(x.shape),
            n,
            2 * n - 1,
            x.size,
            n // 2,
            n % 2,
        )

    f = tracefn.function(eager, input_signature=[tracefn.TensorSpec((None, 3), np.float64)])
    for n in (1, 2, 5, 8):
        x = np.arange(n * 3.0).reshape(n, 3)
        assert_alike(f(x), eager(x))
    assert f.tracing_count == 1


def test_branching_on_a_symbolic_dimension_is_a_guard():
    def eager(x):
        return x * 2 if x.shape[0] > 4 else x * 3

    f = tracefn.function(eager, input_signature=[tracefn.TensorSpec((None,), np.float64)])
    for n in (1, 2, 5, 8, 4, 3, 6):
        np.testing.assert_array_equal(f(np.ones(n)), eager(np.ones(n)))
    assert f.tracing_count == 2
    with pytest.raises(SymbolicDimensionError, match="no call to take it from"):
        tracefn.function(eager, input_signature=[tracefn.TensorSpec((None,), np.float64)]).get_concrete_function()


def test_looping_over_a_symbolic_dimension_is_a_guard():
    def eager(x):
        return (
            sum([x[i] for i in range(len(x))]),
            list(range(x.shape[0])),
            [r * 2 for r in x],
            np.concatenate(x[:, None]),
        )

    f = tracefn.function(eager, reduce_retracing=True)
    for n in (1, 2, 3, 2):
        assert_alike(f(np.ones(n)), eager(np.ones(n)))


def test_broadcasting_of_symbolic_dimensions():
    f = tracefn.function(lambda x, y: (x + y, (x + y).shape), input_signature=[tracefn.TensorSpec((None,), float)] * 2)
    for n, m in ((1, 1), (1, 4), (4, 1), (3, 3), (0, 1)):
        got, shape = f(np.ones(n), np.ones(m))
        assert got.shape == shape == np.broadcast_shapes((n,), (m,))
    with pytest.raises(ValueError, match="broadcast"):
        f(np.ones(2), np.ones(3))
    assert f.tracing_count == 1


def test_data_dependent_shapes():
    def eager(x):
        y = x[x > 2]
        return y, y * y.shape[0], y.size, np.nonzero(x), y.reshape(y.shape[0], 1)

    f = tracefn.function(eager)
    for x in (X, X * 0, X + 10):
        assert_alike(f(x), eager(x))
    assert f.tracing_count == 1


def test_numpy_errors_are_numpys_own():
    cases = [
        lambda x: x + np.ones(4),
        lambda x: x @ x,
        lambda x: x.reshape(4),
        lambda x: np.concatenate([x, x[0]]),
        lambda x: x[5],
        lambda x: x[0, 0, 0],
        lambda x: np.sum(x, axis=3),
        lambda x: x & 1,
        lambda x: np.stack([]),
        lambda x: np.einsum("ij,jk", x, x),
        lambda x: np.linalg.inv(x),
        lambda x: np.sum(x, nonsense=1),
    ]
    for use in cases:
        with pytest.raises(Exception) as eager:
            use(X)
        with pytest.raises(type(eager.value)) as traced:
            tracefn.function(use)(X)
        assert str(traced.value) == str(eager.value)


def test_iterating_needs_a_length():
    def eager(x):
        return sum(x)

    signature = [tracefn.TensorSpec((None,), float)]
    with pytest.raises(TensorIterationError, match="its length `n` is not known"):
        tracefn.function(eager, input_signature=signature, autograph=False).get_concrete_function()
    with pytest.raises(TensorIterationError, match="is not known"):
        tracefn.function(lambda x: sum(x[x > 0]), autograph=False)(np.ones(3))


def test_a_sum_over_an_open_length_is_a_loop():
    f = tracefn.function(lambda x: sum(x), input_signature=[tracefn.TensorSpec((None,), float)])
    assert (f(np.ones(3)), f(np.ones(5)), f.tracing_count) == (3, 5, 1)
    assert tracefn.function(lambda x: sum(x[x > 0]))(np.array([1.0, -1.0, 2.0])) == 3


def test_names_of_specs_name_the_inputs():
    spec = tracefn.TensorSpec((None, 2), np.float32, name="batch")
    f = tracefn.function(lambda x: x + 1, input_signature=[spec], name="f")
    assert f.get_concrete_function().program.startswith("def f(batch):")
    np.testing.assert_array_equal(f(np.zeros((1, 2), np.float32)), [[1, 1]])


def test_isinstance_says_what_it_says_without_tracing():
    def eager(x):
        y = x[0, 0]
        return (
            isinstance(x, np.ndarray), isinstance(x, np.generic), isinstance(y, np.ndarray),
            isinstance(y, np.floating), isinstance(y, float),
            np.isscalar(y), np.isscalar(x), isinstance(x.sum(), np.generic), isinstance(x.T, list),
        )  # fmt: skip

    assert tracefn.function(eager)(X) == eager(X)
