"""NumPy's makers of arrays in rewritten code: of lengths, of traced numbers, in brackets."""

import numpy as np
import pytest
import tracefn

X = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(2, 3)
S = np.float64(2.5)
N = np.int64(4)
F32 = np.array([1.5, 2.5], np.float32)

PROGRAMS = [
    (lambda a, b: np.linspace(a, b, 5), [S, np.float64(9)]),
    (lambda a: np.linspace(0, 1, len(a)), [X]),
    (lambda a: np.linspace(a, a + 1, 4, axis=1), [X]),
    (lambda n: np.linspace(0, 1, n), [N]),
    (lambda n: np.linspace(0, 1, n, endpoint=False, retstep=True)[1], [N]),
    (lambda n: np.logspace(0, 1, n, dtype=np.float32), [N]),
    (lambda a: np.geomspace(1, a, 5), [S]),
    (lambda n: np.geomspace(1, 8, n), [N]),
    (lambda a: np.meshgrid(a, np.arange(len(a))), [X]),
    (lambda a: np.meshgrid(a, a, indexing="ij", sparse=True), [X]),
    (lambda a: np.indices(a.shape) * a, [M]),
    (lambda a: np.indices(a.shape, sparse=True), [M]),
    (lambda n: np.indices((n, 2), np.int8), [N]),
    (lambda a: np.fromfunction(lambda i, j: i + j, a.shape) * a, [M]),
    (lambda a, s: np.fromfunction(lambda i, j: i + j * s, a.shape), [M, S]),
    (lambda a: np.fromfunction(lambda i, j: i == j, a.shape, dtype=int), [M]),
    (lambda a: np.fromfunction(lambda i, j: i if len(a) > 9 else j, a.shape), [M]),
    (lambda a: np.tri(len(a), k=-1), [X]),
    (lambda n: np.tri(n, 3, 1, dtype=np.int8), [N]),
    (lambda n: np.tri(3, k=n), [N]),
    (lambda a: np.vander(a, len(a) + 1), [X]),
    (lambda a, s: np.full((len(a), 2), s), [X, S]),
    (lambda n, s: np.full((n, 2), s), [N, S]),
    (lambda n: np.zeros((n, 2), dtype=np.complex64), [N]),
    (lambda a: np.ones(len(a), dtype=a.dtype), [F32]),
    (lambda a: np.zeros(shape=(2, 3)) + a, [X]),
    (lambda a: np.full(shape=3, fill_value=2, dtype=np.float32) * a, [X]),
    (lambda a: np.eye(N=3, M=2) * a[0], [X]),
    (lambda a: np.asarray(a, dtype=float), [F32]),
    (lambda a: np.asfortranarray(a), [M]),
    (lambda a: np.ascontiguousarray(a.T), [M]),
    (lambda a: np.ascontiguousarray(a, dtype=np.float32) + 1, [M]),
    (lambda s: np.ascontiguousarray(s), [S]),
    (lambda a: np.asanyarray(a) + 1, [M]),
    (lambda a: np.asarray_chkfinite(a) + 1, [M]),
    (lambda a: np.require(a, np.float32, ["C"]), [M]),
    (lambda a, b: np.r_[a, b], [X, F32]),
    (lambda a: np.r_[0, a, 5:8, 1:2:3j], [X]),
    (lambda a: np.r_[a, 2.0], [F32]),
    (lambda a: np.r_[a, 0:2], [F32]),
    (lambda a: np.r_[a, [a[0], 3]], [F32]),
    (lambda a: np.r_["0,2", a, a], [X]),
    (lambda a: np.r_["1,2,0", a, a], [X]),
    (lambda a: np.r_["0,3,-2", a, a], [X]),
    (lambda a: np.r_["-1", a, a], [M]),
    (lambda a: np.r_[0 : len(a)] * a, [X]),
    (lambda n: np.r_[0:n, -1], [N]),
    (lambda a, b: np.c_[a, b], [X, X]),
    (lambda a: np.c_[a, np.ones(3), a * 2], [X]),
    (lambda a: np.c_[a, a[:, :1]], [M]),
    (lambda a: a[np.s_[::2]], [X]),
    (lambda a, b: np.array([[a, b], [b, a]]), [S, S]),
    (lambda a: np.array([a, a * 2]), [X]),
    (lambda a: np.array([a, a * 2], dtype=np.float32), [X]),
    (lambda a: np.array([r * 2 for r in a]), [M]),
    (lambda a: np.array([[1, a[0]], [a[1], 2.0]]), [X]),
    (lambda a: np.copy(a), [X]),
    (lambda a: [a[i] for i in np.ndindex(a.shape)], [M]),
    (lambda a: [a[i] for i in np.ndindex(*a.shape)], [M]),
    (lambda a: [v * i[0] for i, v in np.ndenumerate(a)], [M]),
    (lambda a, b: np.zeros(np.broadcast_shapes(a.shape, b.shape)) + a, [X, M]),
    (lambda a, b: np.zeros(np.broadcast(a, b).shape) + np.broadcast(a, b).size, [X, M]),
    (lambda a, b: [p * q for p, q in np.broadcast(a, b)], [X, M]),
    (
        lambda a, b: ((c := np.broadcast(a, b)).index + a, next(c), c.index * a, c.numiter * a, c.reset() or next(c)),
        [X, M],
    ),
    (lambda a: a + np.finfo(a.dtype).eps, [X]),
    (lambda a: a + np.iinfo(a.dtype).min, [np.arange(3)]),
    (lambda a: np.float32(a), [S]),
    (lambda a: np.int64(a), [S]),
    (lambda a: np.int8(a) + np.int8(1), [S]),
    (lambda a: np.bool_(a), [S]),
    (lambda a: np.complex64(a), [S]),
    (lambda a: np.float32(a), [X]),
    (lambda a: np.float32([a[0], 1]), [X]),
    (lambda a: np.float64(float(a)), [S]),
    (lambda a: np.uint8(len(a)) + a, [X]),
    (lambda a: a.dtype.type(a[0]) * a, [F32]),
    (lambda a: np.mgrid[0 : len(a), 0:2] * a[0], [X]),
    (lambda n: np.mgrid[0:n], [N]),
    (lambda n: np.mgrid[0:n, 1.0:2:0.5], [N]),
    (lambda a: np.ogrid[0 : a.shape[0], 0 : a.shape[1]], [M]),
    (lambda n: np.ogrid[0:n, 0:1:3j], [N]),
    (lambda s: np.arange(0, s, 0.5), [S]),
    (lambda a: a[np.tril_indices(len(a))], [np.eye(3)]),
    (lambda a: a[np.triu_indices(a.shape[0], k=1)], [np.eye(3)]),
    (lambda a: a[np.diag_indices(len(a))], [np.eye(3)]),
    (lambda a: a[np.mask_indices(len(a), np.triu)], [np.eye(3)]),
    (lambda n: np.triu_indices(n, 1), [N]),
    (lambda a: a * np.hanning(len(a)) * np.hamming(len(a)) * np.bartlett(len(a)) * np.blackman(len(a)), [X]),
    (lambda n: np.hanning(n), [N]),
    (lambda a, s: a * np.kaiser(len(a), s), [X, S]),
    (lambda a: np.fft.fftfreq(len(a), 0.1), [X]),
    (lambda a, d: np.fft.rfftfreq(len(a), d), [X, S]),
    (lambda a: np.fromiter((v * 2 for v in a), float), [X]),
    (lambda a: np.fromiter([v * 2 for v in a], np.float32), [X]),
    (lambda a: np.zeros_like([a, a]), [X]),
    (lambda a: a[0].item() * a, [F32]),
    (lambda a: a.item(1, 2) + a.item(4) + a.item((0, 1)), [M]),
    (lambda a: np.full((2, 3), a), [X]),
]


def check(got, wanted):
    assert type(got) is type(wanted)
    if isinstance(wanted, list | tuple):
        assert len(got) == len(wanted)
        for left, right in zip(got, wanted, strict=True):
            check(left, right)
    elif isinstance(wanted, float):
        assert got == wanted
    else:
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        assert got.ndim < 2 or got.flags.c_contiguous == wanted.flags.c_contiguous
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(("eager", "args"), PROGRAMS)
def test_the_eager_answer(eager, args):
    f = tracefn.function(eager)
    for _ in range(2):
        check(f(*args), eager(*args))
    assert f.tracing_count == 1


OPEN = [(eager, args) for eager, args in PROGRAMS if all(isinstance(a, np.ndarray) for a in args)]


@pytest.mark.parametrize(("eager", "args"), OPEN)
def test_the_eager_answer_for_open_lengths(eager, args):
    signature = [tracefn.TensorSpec((None,) * a.ndim, a.dtype) for a in args]
    check(tracefn.function(eager, input_signature=signature)(*args), eager(*args))


@pytest.mark.parametrize(
    "eager",
    [
        lambda a: np.r_[a, np.ones((2, 2))],
        lambda a: np.c_[a, np.ones(7)],
        lambda a: np.r_["x", a],
        lambda a: np.indices((len(a), -1)),
        lambda a: np.linspace(0, 1, -1),
        lambda a: np.require(a, np.float32, ["Z"]),
        lambda a: np.asarray_chkfinite(a / 0),
        lambda a: np.fromiter([a[0]], float, count=3),
        lambda a: a.item(),
        lambda a: a.item(9),
    ],
)
def test_wrong_arguments_raise_what_numpy_raises(eager):
    def kind(function):
        with np.errstate(all="ignore"):
            try:
                function(X)
            except Exception as error:
                return type(error)
        return None

    assert kind(tracefn.function(eager)) is kind(eager) is not None


def test_open_lengths_stay_open():
    @tracefn.function(input_signature=[tracefn.TensorSpec((None,), np.float64)])
    def f(x):
        grid = np.mgrid[0 : len(x), 0:2]
        return grid.sum(0) @ np.ones(2) + np.r_[x, 1.0][1:] + np.hanning(len(x)) + np.tri(len(x)) @ x

    for n in (3, 5):
        x = np.arange(float(n))
        np.testing.assert_array_equal(f(x), f.python_function(x))
    assert f.tracing_count == 1


def test_what_numpy_makes_of_python_values_can_be_written_into():
    def eager(x):
        table = np.linspace(0, 1, 3)
        table[1] = x[0]
        grid = np.mgrid[0:2, 0:2]
        grid[0] = 7
        codes = np.frombuffer(b"abc", dtype=np.uint8).astype(int)
        codes[np.flatnonzero(x > 1)] = x[0]
        return table, grid, codes

    f = tracefn.function(eager, on_unsupported="error")
    for _ in range(2):
        check(f(X), eager(X))


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        (lambda x: np.array([x, x]), "np.stack"),
        (lambda x: np.r_[x, x], "np.concatenate"),
        (lambda x: np.c_[x, x], "np.column_stack"),
        (lambda x: np.float32(x), "x.astype(np.float32)"),
        (lambda x: np.full(3, x), "np.full_like"),
        (lambda x: np.asfortranarray(x), "np.copy"),
    ],
)
def test_code_that_is_not_rewritten_is_told_what_to_write(call, instead):
    with pytest.raises(tracefn.errors.TensorConversionError) as caught:
        tracefn.function(call, autograph=False)(X)
    assert instead in str(caught.value)
    assert "by `np." in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.nditer(x, flags=["external_loop"]),
        lambda x: np.asmatrix(x),
        lambda x: np.matrix(x),
        lambda x: np.lib.stride_tricks.as_strided(x, (2,), (8,)),
        lambda x: np.r_["r", x],
    ],
)
def test_what_works_on_concrete_arrays_alone_is_refused_by_name(call):
    with pytest.raises(tracefn.errors.UnsupportedFunctionError, match=r"np\."):
        tracefn.function(call)(X)
