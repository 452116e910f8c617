"""Elements that integer arrays point to, read in kernels, against NumPy: dtypes, bounds, what is fused."""

import traceback

import numpy as np
import pytest
import tracefn
from native_outcomes import native, same
from tracefn.codegen.native import abi
from tracefn.codegen.native.pipeline import with_kernels
from tracefn.codegen.native.regions import KERNEL

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


def test_empty_tables_and_whole_rows_are_left_to_numpy():
    assert not kernels_of(lambda x, i: x[i] * 1, np.ones(0), np.zeros(0, int)[:0])[1:]
    for f in (lambda x, i: x[i], lambda x, i: np.take(x, i, axis=1), lambda x, i: x[:, i]):
        assert not kernels_of(f, TABLE, B % 20)
