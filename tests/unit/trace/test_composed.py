"""NumPy functions that call a function of the user's: their results, dtypes and errors are those of eager calls."""

import types

import numpy as np
import pytest
import tracefn
from tracefn.errors import TensorBoolError, UnsupportedFunctionError, UnsupportedResultError

X = np.arange(24.0).reshape(2, 3, 4)
ROW = X[0, 0]


def norm(v, p=2):
    return (v**p).sum()


def ends(v):
    return v[0] if v[0] > 5 else v[-1] * 1.0


def outcome(function, x):
    try:
        with np.errstate(all="ignore"):
            return function(x.copy())
    except Exception as error:
        return type(error), str(error)


def same(eager, x, autograph=True):
    expected, traced = outcome(eager, x), tracefn.function(eager, autograph=autograph)
    for _ in range(2):
        found = outcome(traced, x)
        np.testing.assert_equal(found, expected)
        assert type(found) is type(expected)
        assert getattr(found, "dtype", None) == getattr(expected, "dtype", None)
        assert np.shape(found) == np.shape(expected) if isinstance(found, np.ndarray) else True


CALLS = [
    (lambda x: np.apply_along_axis(norm, 1, x), X),
    (lambda x: np.apply_along_axis(norm, -1, x, 3), X),
    (lambda x: np.apply_along_axis(norm, 0, x, p=3), X),
    (lambda x: np.apply_along_axis(np.sort, 0, x), X),
    (lambda x: np.apply_along_axis(np.diff, 1, x), X),
    (lambda x: np.apply_along_axis(lambda v: np.outer(v, v), 1, x), X),
    (lambda x: np.apply_along_axis(norm, 0, x), ROW),
    (lambda x: np.apply_along_axis(norm, 3, x), X),
    (lambda x: np.apply_along_axis(norm, 1, x), X[:0]),
    (lambda x: np.apply_along_axis(len, 1, x), X),
    (lambda x: np.apply_over_axes(np.sum, x, [0, 2]), X),
    (lambda x: np.apply_over_axes(np.sum, x, -1), X),
    (lambda x: np.apply_over_axes(lambda a, axis: a.mean(axis, keepdims=True), x, (0, 1)), X),
    (lambda x: np.apply_over_axes(lambda a, axis: a.sum(), x, (0, 1)), X),
    (lambda x: np.piecewise(x, [x < 0, x >= 0], [-1, 1]), X - 5),
    (lambda x: np.piecewise(x, [x < 0], [lambda v: -v, lambda v: v * 2]), X - 5),
    (lambda x: np.piecewise(x, x < 2, [lambda v: -v, lambda v: v * 2]), ROW),
    (lambda x: np.piecewise(x, [x < -100], [lambda v: v / v.max(), 3]), X),
    (lambda x: np.piecewise(x, [x < 3, x < 1], [lambda v, k: v * k, lambda v, k: v - k, 0], 10), ROW),
    (lambda x: np.piecewise(x, [x < 3], [1, 2, 3]), ROW),
    (lambda x: np.piecewise(x, [x < 3, x > 1], [1]), ROW),
    (lambda x: np.piecewise(x, [x < 3, x >= 3], [lambda v: v * 0.5, 2.7]), np.arange(5)),
    (lambda x: np.piecewise(x, [x < 3, x >= 3], [lambda v: v * 0.5, 2.7]), np.float64(2)),
    (lambda x: np.piecewise(x, [x < 3, x >= 3], [lambda v: v * 0.5, 2.7]), np.array(2.0)),
    (lambda x: np.histogramdd(x, 3), X[0]),
    (lambda x: np.histogramdd(x, bins=[2, 3, 4, 2], density=True), X.reshape(6, 4)),
    (lambda x: np.histogramdd((x[:, 0], x[:, 1]), bins=(2, 3), weights=x[:, 2]), X[0]),
    (lambda x: np.histogramdd(x[:, 0], bins=[2]), X[0]),
]


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize(("eager", "x"), CALLS)
def test_with_and_without_rewriting(eager, x, autograph):
    same(eager, x, autograph)


def test_a_function_with_a_branch():
    same(lambda x: np.apply_along_axis(ends, 2, x), X)
    with pytest.raises(TensorBoolError, match="test_composed.py line"):
        tracefn.function(lambda x: np.apply_along_axis(ends, 2, x), autograph=False)(X)


def test_any_length():
    @tracefn.function(input_signature=[tracefn.TensorSpec((None, None), float)])
    def norms(x):
        return np.apply_along_axis(norm, 1, x), np.piecewise(x, [x < 2], [lambda v: v + 1, 0])

    for shape in ((2, 3), (1, 1), (5, 2)):
        x = np.arange(float(np.prod(shape))).reshape(shape)
        np.testing.assert_array_equal(norms(x)[0], np.apply_along_axis(norm, 1, x))
        np.testing.assert_array_equal(norms(x)[1], np.piecewise(x, [x < 2], [lambda v: v + 1, 0]))
    assert norms.tracing_count == 1


def branching(v):
    return v * 2 if v > 2 else -v


def pair(v, k=1):
    return v + k, v * v


@np.vectorize
def difference(a, b):
    if a > b:
        return a - b
    return a + b


def steps_to_one(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


Y = np.arange(6.0).reshape(2, 3)

VECTORIZED = [
    (lambda x: np.vectorize(branching)(x), Y),
    (lambda x: np.vectorize(branching)(x), Y.astype(np.float32)),
    (lambda x: np.vectorize(branching)(x), Y.astype(np.int8)),
    (lambda x: np.vectorize(branching, otypes=[np.float32])(x), Y),
    (lambda x: np.vectorize(branching, otypes="i")(x), Y),
    (lambda x: np.vectorize(branching)(x), Y[:0]),
    (lambda x: np.vectorize(branching, otypes=[float])(x), Y[:0]),
    (lambda x: np.vectorize(pair)(x), Y),
    (lambda x: np.vectorize(pair)(x, k=x), Y),
    (lambda x: np.vectorize(pair, excluded=["k"])(x, k=2), Y),
    (lambda x: difference(x, 2), Y),
    (lambda x: difference(x[:, :1], x[0]), Y),
    (lambda x: np.vectorize(steps_to_one)(x), np.arange(1, 8)),
    (lambda x: np.vectorize(steps_to_one)(x), np.int64(7)),
    (lambda x: np.vectorize(steps_to_one)(x), np.array(7)),
    (lambda x: np.vectorize(lambda v: v * 100)(x), Y.astype(np.int8)),
    (lambda x: np.vectorize(lambda v: v / 2)(x), Y.astype(np.int8)),
    (lambda x: np.vectorize(lambda v: 1)(x), Y),
    (lambda x: np.vectorize(lambda v: 1 / v)(x), Y),
    (lambda x: np.vectorize(lambda v: v > 2)(x), Y),
    (lambda x: np.vectorize(lambda v: np.sin(v))(x), Y.astype(np.float32)),
    (lambda x: np.vectorize(abs)(x), -Y),
]


def distance(a, b):
    return np.sqrt(((a - b) ** 2).sum())


def of_parts(function, signature, **options):
    return np.vectorize(function, signature=signature, **options)


DISTANCE = of_parts(distance, "(k),(k)->()")

VECTORIZED += [
    (lambda x: DISTANCE(x, x[::-1]), Y),
    (lambda x: DISTANCE(x, x[0]), Y),
    (lambda x: DISTANCE(x[:, None], x), Y),
    (lambda x: DISTANCE(x[0], x[1]), Y),
    (lambda x: DISTANCE(x, x[:, :2]), Y),
    (lambda x: DISTANCE(x), Y),
    (lambda x: of_parts(lambda m: m.T @ m, "(m,n)->(n,n)")(x), Y),
    (lambda x: of_parts(lambda v: (v.sum(), v[::-1]), "(n)->(),(n)")(x), Y),
    (lambda x: of_parts(lambda v: v.max(), "(n)->()", otypes=["f4"])(x), Y),
    (lambda x: of_parts(lambda s: s * np.ones(2), "()->(k)")(x), Y),
    (lambda x: of_parts(lambda v: v[:2], "(n)->(n)")(x), Y),
    (lambda x: of_parts(lambda v: 1 if v[0] > 1 else 0, "(n)->()")(x), Y),
]

doubled = np.frompyfunc(branching, 1, 1)
both = np.frompyfunc(lambda a, b: (a + b, a > b), 2, 2)

VECTORIZED += [
    (lambda x: doubled(x).astype(float), Y),
    (lambda x: doubled(x).astype(np.float32), Y),
    (lambda x: doubled(x).astype(int), Y),
    (lambda x: doubled(x).astype(float), Y[:0]),
    (lambda x: (doubled(x[0, 0]), doubled(x[1, 2]) + 1), Y),
    (lambda x: (doubled(x)[0, 1], doubled(x)[1].astype(float), doubled(x).shape, len(doubled(x))), Y),
    (lambda x: [y.astype(t) for y, t in zip(both(x, 2), (float, bool), strict=True)], Y),
    (lambda x: both(x, x[:, :1])[0].astype(np.int8), Y.astype(int)),
    (lambda x: np.frompyfunc(lambda a: a * 100, 1, 1)(x).astype(np.int8), Y.astype(int)),
    (lambda x: np.frompyfunc(abs, 1, 1)(x).astype(float), -Y),
]


@pytest.mark.parametrize(("eager", "x"), VECTORIZED)
def test_vectorize(eager, x):
    same(eager, x)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: of_parts(distance, "(n),(n)->()")(x[:0], x[:0]), "no parts"),
        (lambda x: np.vectorize(lambda v: "a")(x), "numbers alone"),
        (lambda x: doubled(x) + 1, "Python objects"),
        (lambda x: np.sum(doubled(x)), "Python objects"),
        (lambda x: doubled(x).sum(), "Python objects"),
        (lambda x: np.array(doubled(x), dtype=float), "Python objects"),
        (lambda x: doubled(x).astype("U5"), "U5"),
        (lambda x: both.outer(x, x), "a method of it"),
    ],
)
def test_what_is_refused(call, text):
    with pytest.raises(UnsupportedFunctionError, match=text):
        tracefn.function(call)(Y)


def test_an_array_of_python_objects_is_not_returned():
    with pytest.raises(UnsupportedResultError, match="PythonObjects"):
        tracefn.function(lambda x: doubled(x))(Y)


@pytest.mark.parametrize("otypes", [None, [float]])
def test_what_draws_or_counts_is_called_as_often_as_by_numpy(otypes):
    """Without `otypes`, NumPy calls the function for the first element once more."""

    def drawn(held, rng, x):
        def each(value):
            held.count += 1
            return value * held.count + rng.random() + np.random.rand()

        return np.vectorize(each, otypes=otypes)(x)

    found = []
    for function in (drawn, tracefn.function(drawn)):
        held, rng = types.SimpleNamespace(count=0), np.random.default_rng(0)
        np.random.seed(0)
        found.append([repr((function(held, rng, np.arange(3.0)), held.count)) for _ in range(3)])
    assert found[1] == found[0]
