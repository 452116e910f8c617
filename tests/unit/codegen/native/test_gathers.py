"""Elements that integer arrays point to, read in kernels, against NumPy: dtypes, bounds, what is fused."""

import traceback

import numpy as np
import pytest
import tracefn
from native_outcomes import native, same
from tracefn.codegen.machine import abi
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import with_kernels

pytestmark = pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())

RNG = np.random.default_rng(0)
X, TABLE = RNG.random(500), RNG.random((20, 30))
INDEX, A = RNG.integers(-400, 400, (30, 40)), RNG.integers(-20, 20, (30, 40))
B = RNG.integers(0, 30, 40)


def kernels_of(f, *args):
    graph = tracefn.function(f, jit="off").get_concrete_function(*args).graph
    return [n for n in with_kernels(graph).nodes if n.op is KERNEL]


@pytest.mark.parametrize("char", "?bhilBHILefdFD")
def test_dtypes_of_elements(char):
    x = (X * 100).astype(char)
    same(
        native(lambda x, i: (x[i] + x[i - 1], np.take(x, i) == x[i]), x, INDEX)(x, INDEX),
        (x[INDEX] + x[INDEX - 1], x[INDEX] == x[INDEX]),
    )


@pytest.mark.parametrize("char", "bhilBHIL")
def test_dtypes_of_indices(char):
    i = (INDEX % 100).astype(char)
    same(native(lambda x, i: x[i] * 2 + np.take(x, i), X, i)(X, i), X[i] * 2 + X[i])


def test_an_index_for_each_axis():
    def f(x, a, b):
        return x[a, b] * 2 - x[a, 3], x[-1, b] + 1, np.take(x, a * 30 // 2) - x[a, -1], x[a[:, :1], b] * 2

    same(native(f, TABLE, A, B)(TABLE, A, B), f(TABLE, A, B))


def test_indices_and_reductions_in_the_same_kernel():
    def f(x, i):
        return (x[i % 100] * x[(i // 2) % 50]).sum(axis=0), x[i].max(), x[i].argmax(axis=0)

    same(native(f, X, INDEX)(X, INDEX), f(X, INDEX))
    assert len(kernels_of(lambda x, i: (x[i % 100] * 2).sum(), X, INDEX)) == 1


def test_tables_that_are_computed_are_computed_first():
    def f(x, i):
        y = x * 2
        return y[i] + y[: i.shape[1]], np.sqrt(y)[i] + 1

    i = INDEX[:, :30]
    same(native(f, X, i)(X, i), f(X, i))


def test_views_of_tables():
    def f(x, i):
        return x[100:][i // 2] + 1, x[::-1][i] * 2, x[:5].sum() + x[i]

    same(native(f, X, INDEX)(X, INDEX), f(X, INDEX))


@pytest.mark.parametrize("wrong", [500, -501, 1 << 40])
@pytest.mark.parametrize("size", [30, 400_000])
def test_wrong_indices_raise_at_the_users_line(wrong, size):
    def f(x, i):
        y = x[i] * 2
        return y + 1

    i = np.resize(INDEX, size)
    traced = native(f, X, i)
    i[size // 2] = wrong
    with pytest.raises(IndexError) as eager:
        f(X, i)
    with pytest.raises(IndexError) as found:
        traced(X, i)
    assert str(found.value) == str(eager.value)
    assert traceback.extract_tb(found.tb)[-1].lineno == traceback.extract_tb(eager.tb)[-1].lineno
    with np.errstate(all="ignore"), pytest.raises(IndexError):
        traced(X, i)


def test_open_lengths_of_indices():
    specs = [tracefn.TensorSpec((500,), np.float64), tracefn.TensorSpec((None,), np.int64)]
    traced = tracefn.function(lambda x, i: x[i] * i + 1, jit="now", input_signature=specs)
    for size in (0, 1, 7, 1200, 500):
        i = np.resize(INDEX, size)
        same(traced(X, i), X[i] * i + 1)
    assert traced.concrete_functions[0].plan == "native"


def test_other_memory_layouts():
    def f(x, i):
        return x[i] * 2 + 1

    traced = native(f, X, INDEX)
    for x, i in ((np.repeat(X, 2)[::2], INDEX), (X, np.asfortranarray(INDEX)), (X[::-1], INDEX.T.copy().T)):
        np.testing.assert_array_equal(traced(x, i), f(x, i))


def test_empty_tables_are_left_to_numpy():
    assert not kernels_of(lambda x, i: x[i] * 1, np.ones(0), np.zeros(0, int)[:0])[1:]


CUBE = RNG.random((6, 7, 8))
P, J, K = RNG.integers(-5, 6, (9, 10)), RNG.integers(-6, 7, 10), RNG.integers(-8, 8, (9, 1))


def strides_of(array):
    """The strides along axes of more than one element."""
    return [s for s, n in zip(array.strides, array.shape, strict=True) if n > 1]


PARTS = {
    "rows": lambda x, i, j, k: x[i] * 2 + 1,
    "columns": lambda x, i, j, k: x[:, j] * 2 + 1,
    "last": lambda x, i, j, k: x[..., k] * 2 + 1,
    "two of them": lambda x, i, j, k: x[i, j] * 2 + 1,
    "the others": lambda x, i, j, k: x[:, j, k] * 2 + 1,
    "apart": lambda x, i, j, k: x[i, :, k] * 2 + 1,
    "with a number": lambda x, i, j, k: x[i, -1] * 2 + x[2, -1, j[:8] % 8] - x[2, :, j[:1]][:, :1],
    "number and all": lambda x, i, j, k: x[:, 3, k] * 2 + 1,
    "taken": lambda x, i, j, k: np.take(x, j, axis=1) * 2 + np.take(x, j, axis=-2),
    "rows of columns": lambda x, i, j, k: x[j[:6] % 6][:, j] * 2 + x[j[:6] % 6][:, i[0] % 6],
    "rows of rows": lambda x, i, j, k: x[i][:, :, j] * 2 + 1,
    "stretched": lambda x, i, j, k: x[i[:, :, None], j[:, None], np.arange(8)] + x[i, j],
    "of what was computed": lambda x, i, j, k: (x * 2)[(i + 1) // 2] + np.sqrt(x)[0, j // 2][:7],
}


def test_elements_along_an_axis():
    x, y = RNG.random((6, 7, 8)), RNG.random((6, 7))
    i, j = RNG.integers(-7, 7, (6, 9, 8)), RNG.integers(-6, 6, (4, 7))

    def f(x, y, i, j):
        order = np.argsort(y, axis=1)
        sorted_ = np.take_along_axis(y, order, axis=1)
        along = np.take_along_axis(x, i, axis=1) * 2, np.take_along_axis(y, j, axis=0)
        rows = np.take_along_axis(y[j[:, 0]], i[:4, :, 0], axis=1) + 1
        return *along, sorted_, sorted_ - 1, rows, np.take_along_axis(y[0], j[0], axis=0) + along[1][0]

    traced = native(f, x, y, i, j)
    same(traced(x, y, i, j), f(x, y, i, j))
    same(traced(np.asfortranarray(x), y[::-1], i, np.asfortranarray(j)), f(np.asfortranarray(x), y[::-1], i, j))
    assert "take_along_axis" not in {n.op.name for n in traced.concrete_functions[0]._execution.native.graph.nodes}
    i[3, 3, 3] = 7
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 1 with size 7"):
        traced(x, y, i, j)


@pytest.mark.parametrize("name", PARTS)
def test_rows_and_columns(name):
    f = PARTS[name]
    got, wanted = native(f, CUBE, P, J, K)(CUBE, P, J, K), f(CUBE, P, J, K)
    same(got, wanted)
    assert strides_of(got) == strides_of(wanted)


@pytest.mark.parametrize("char", "?bhilBHILefdFD")
def test_dtypes_of_rows(char):
    x = (CUBE * 100).astype(char)
    f = lambda x, i, j: (x[i] + x[i - 1], x[:, j][:, ::2] == x[:, j[::2]])  # noqa: E731
    same(native(f, x, P, J)(x, P, J), f(x, P, J))


def bilinear(x, i, j):
    return x[i][:, j] * 2 + x[i][:, j - 1] + x[i - 1][:, j]


def test_rows_of_which_columns_are_read_are_never_made():
    same(native(bilinear, CUBE, P[0], J)(CUBE, P[0], J), bilinear(CUBE, P[0], J))
    graph = with_kernels(tracefn.function(bilinear, jit="off").get_concrete_function(CUBE, P[0], J).graph)
    assert "getitem_advanced" not in [n.op.name for n in graph.nodes]


def test_rows_that_others_need():
    def f(x, i, j):
        rows = x[i]
        return rows[:, j] * 2 + 1, rows

    same(native(f, CUBE, P[0], J)(CUBE, P[0], J), f(CUBE, P[0], J))


def test_rows_in_reductions_and_running_totals():
    def f(x, i, j):
        return (x[i] ** 2).sum(axis=0), x[:, j].max(), (x[i] - x[0]).mean(), np.cumsum(x[:, j] * 2, axis=0)

    same(native(f, CUBE, P[0], J)(CUBE, P[0], J), f(CUBE, P[0], J), 64)


def test_centres_of_labels():
    def f(x, c, labels):
        return ((x - c[labels]) ** 2).sum(), ((x - c[labels]) ** 2).sum(axis=1)

    x, c, labels = RNG.random((500, 2)), RNG.random((3, 2)), RNG.integers(0, 3, 500)
    same(native(f, x, c, labels)(x, c, labels), f(x, c, labels), 64)


@pytest.mark.parametrize("wrong", [6, -7, 1 << 40])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("size", [10, 40_000])
def test_wrong_rows_and_columns_raise_at_the_users_line(wrong, axis, size):
    def f(x, i, j):
        rows = x[i]
        part = rows[:, j]
        return part * 2 + 1

    i, j = np.resize(P[0], size), np.resize(J % 6, 10)
    traced = native(f, CUBE, i, j)
    (i, j)[axis][7] = wrong + axis * (1 if wrong > 0 else -1)
    with pytest.raises(IndexError) as eager:
        f(CUBE, i, j)
    with pytest.raises(IndexError) as found:
        traced(CUBE, i, j)
    assert str(found.value) == str(eager.value)
    assert traceback.extract_tb(found.tb)[-1].lineno == traceback.extract_tb(eager.tb)[-1].lineno


def test_rows_in_other_memory_layouts():
    f = PARTS["rows of columns"]
    traced = native(f, CUBE, P, J, K)
    for x, j in ((np.asfortranarray(CUBE), J), (CUBE[:, ::-1], J), (CUBE, np.repeat(J, 2)[::2]), (CUBE[::-1], J[::-1])):
        got, wanted = traced(x, P, j, K), f(x, P, j, K)
        np.testing.assert_array_equal(got, wanted)
        assert strides_of(got) == strides_of(wanted)


def test_many_rows_on_several_threads():
    x, i = RNG.random((1000, 33)), RNG.integers(-1000, 1000, 40_000)
    f = lambda x, i: np.sqrt(x[i]) + x[i] * 2  # noqa: E731
    same(native(f, x, i)(x, i), f(x, i))
