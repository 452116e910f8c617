"""`constant` and `convert_to_tensor`, traced and not."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from tracefn import TensorSpec

ARRAY = np.array([1.0, 2.0])

VALUES = [
    ((1.5,), {}, np.float64(1.5)),
    ((3, np.float32), {}, np.float32(3)),
    (([1, 2],), {}, np.array([1, 2])),
    (([[1], [2]], np.int8), {}, np.array([[1], [2]], np.int8)),
    ((np.float32(2),), {}, np.float32(2)),
    ((ARRAY,), {}, ARRAY),
    (("abc",), {}, np.str_("abc")),
    ((True,), {}, np.True_),
]
SHAPED = [
    ((0,), {"shape": (2, 2)}, np.zeros((2, 2), int)),
    (([1, 2, 3, 4],), {"shape": (2, 2)}, np.array([[1, 2], [3, 4]])),
    (([7.0],), {"shape": 3}, np.full(3, 7.0)),
]


@pytest.mark.parametrize(
    ("convert", "args", "kwargs", "expected"),
    [(c, *row) for c in (tracefn.constant, tracefn.convert_to_tensor) for row in VALUES]
    + [(tracefn.constant, *row) for row in SHAPED],
)
def test_values(convert, args, kwargs, expected):
    traced = tracefn.function(lambda x: (convert(*args, **kwargs), x))
    for found in (convert(*args, **kwargs), traced(np.ones(1))[0], traced(np.ones(1))[0]):
        np.testing.assert_equal(found, expected)
        assert (type(found), found.dtype) == (type(expected), expected.dtype)


def test_a_constant_is_its_own_array():
    value = np.ones(2)
    assert not np.shares_memory(tracefn.constant(value), value)
    f = tracefn.function(lambda x: (tracefn.constant([1.0, 2.0]), tracefn.constant(value), x))
    listed, copied, _ = f(np.ones(1))
    listed[0] = copied[0] = 9
    np.testing.assert_array_equal(f(np.ones(1))[0], [1, 2])
    np.testing.assert_array_equal(f(np.ones(1))[1], [1, 1])
    value[0] = 5
    np.testing.assert_array_equal(f(np.ones(1))[1], [5, 1])


def test_an_array_outside_is_read_at_every_call():
    weights = np.zeros(2)
    f = tracefn.function(lambda x: x + tracefn.convert_to_tensor(weights))
    f(np.ones(2))
    weights[0] = 5
    np.testing.assert_array_equal(f(np.ones(2)), [6, 1])
    assert tracefn.convert_to_tensor(weights) is weights


def test_traced_values():
    def f(x, y):
        convert = tracefn.convert_to_tensor
        return convert(x), convert(x, np.float32), convert([y, y * 2, 1]), convert([[y], [0]], np.float32)

    x, y = np.ones(2), np.float64(3)
    for found, expected in zip(tracefn.function(f)(x, y), f(x, y), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert (type(found), found.dtype) == (type(expected), expected.dtype)


def test_lengths():
    f = tracefn.function(lambda x: tracefn.convert_to_tensor(x.shape[0]), input_signature=[TensorSpec((None,))])
    for n in (2, 5):
        found = f(np.ones(n))
        assert (found, type(found)) == (n, np.int64)


def test_constants_in_branches():
    f = tracefn.function(
        lambda x: tracefn.cond(x > 0, lambda: tracefn.constant([1.0]) * x, lambda: tracefn.constant([0.0]))
    )
    assert f(np.float64(2)) == [2]
    assert f(np.float64(-2)) == [0]


def test_constants_of_traced_values_are_copies():
    def f(x):
        constant = tracefn.constant
        return constant(x), constant([x[0], 1]), constant(x[0]), constant(x, np.float32), constant(x[:1], shape=(2, 2))

    x = np.array([1.5, 2.0])
    results = tracefn.function(f)(x)
    for found, expected in zip(results, f(x), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert (type(found), found.dtype) == (type(expected), expected.dtype)
    assert not np.shares_memory(results[0], x)


def test_a_shape_that_does_not_fit():
    with pytest.raises(ValueError, match="reshape"):
        tracefn.constant([1, 2, 3], shape=(2,))
