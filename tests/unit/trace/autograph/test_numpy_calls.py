"""NumPy functions that dispatch cannot reach, in rewritten code: arrays made of shapes and lists."""

import numpy as np
import pytest
import tracefn

N = np.int64(4)

PROGRAMS = [
    (lambda x, n: np.zeros(3) + x[0], [np.ones(2), N]),
    (lambda x, n: np.zeros((2, 3), np.int8), [np.ones(2), N]),
    (lambda x, n: np.zeros(n), [np.ones(2), N]),
    (lambda x, n: np.ones((n, 2), dtype=np.float32) * x[0], [np.ones(2), N]),
    (lambda x, n: np.zeros(x.shape), [np.ones((2, 3)), N]),
    (lambda x, n: np.zeros(len(x)), [np.ones(5), N]),
    (lambda x, n: np.full((2, 2), x[0]), [np.ones(2), N]),
    (lambda x, n: np.full(3, 7), [np.ones(2), N]),
    (lambda x, n: np.eye(3) @ np.ones((3, 2)), [np.ones(2), N]),
    (lambda x, n: np.eye(2, 3, k=1), [np.ones(2), N]),
    (lambda x, n: np.identity(n, np.int32), [np.ones(2), N]),
    (lambda x, n: np.arange(5), [np.ones(2), N]),
    (lambda x, n: np.arange(1, 4, 0.5, dtype=np.float32), [np.ones(2), N]),
    (lambda x, n: np.arange(n), [np.ones(2), N]),
    (lambda x, n: np.arange(1, n) * 2, [np.ones(2), N]),
    (lambda x, n: np.arange(x.shape[0]), [np.ones(5), N]),
    (lambda x, n: np.array([1.0, 2.0]) * x, [np.ones(2), N]),
    (lambda x, n: np.array([x[0], 2.0, x[1]]), [np.ones(2), N]),
    (lambda x, n: np.array([[x[0], 0], [0, x[1]]], dtype=np.float32), [np.ones(2), N]),
    (lambda x, n: np.array(x), [np.ones(2), N]),
    (lambda x, n: np.asarray(x) + np.asarray([1, 2]), [np.ones(2), N]),
    (lambda x, n: np.asarray(x[0]), [np.ones(2), N]),
    (lambda x, n: np.asarray(x, dtype=np.float32), [np.ones(2), N]),
    (lambda x, n: np.asarray(3.0), [np.ones(2), N]),
]


@pytest.mark.parametrize(("eager", "args"), PROGRAMS)
def test_the_eager_answer(eager, args):
    f = tracefn.function(eager)
    for _ in range(2):
        got, wanted = f(*args), eager(*args)
        assert (type(got), got.dtype, got.shape) == (type(wanted), wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(got, wanted)
    assert f.tracing_count == 1


@pytest.mark.parametrize(
    ("eager", "error"),
    [
        (lambda x: np.zeros(-1), ValueError),
        (lambda x: np.zeros("a"), TypeError),
        (lambda x: np.zeros((2, -3)), ValueError),
        (lambda x: np.ones(2.5), TypeError),
        (lambda x: np.zeros(3, dtype="no such dtype"), TypeError),
    ],
)
def test_wrong_arguments_raise_what_numpy_raises(eager, error):
    with pytest.raises(error):
        eager(np.ones(1))
    with pytest.raises(error):
        tracefn.function(eager)(np.ones(1))


def test_what_is_made_is_made_anew_at_each_call():
    f = tracefn.function(lambda x: np.zeros(3))
    first = f(np.ones(1))
    first[:] = 5
    np.testing.assert_array_equal(f(np.ones(1)), np.zeros(3))
    g = tracefn.function(lambda x: np.array([1.0, 2.0]))
    g(np.ones(1))[:] = 5
    np.testing.assert_array_equal(g(np.ones(1)), [1.0, 2.0])


def test_a_traced_length_needs_no_new_trace():
    f = tracefn.function(lambda n: np.zeros(n) + 1)
    assert [f(np.int64(n)).shape for n in (3, 5, 0)] == [(3,), (5,), (0,)]
    assert f.tracing_count == 1


def test_constants_count_as_python_values():
    def eager(x):
        table = np.array([2, 0, 1])
        total = 0.0
        for i in table:
            total = total + x[int(i)] * i
        if table[0] > 1:
            total = total + table.sum()
        return total, [1, 2, 3][table[1]], float(table[2]), table.tolist()

    f = tracefn.function(eager)
    assert f(np.arange(3.0)) == eager(np.arange(3.0))
