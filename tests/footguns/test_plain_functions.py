"""Functions that are NumPy calls alone, given lists; and arrays of one element that become Python numbers."""

import numpy as np
import pytest
from agreement import assert_all_agree

X = np.array([1.0, 2.0])
LISTS = [([1.0, 2.0],), ([np.float64(1), np.float64(2)],), ([X, X],), ((X, X * 2),), ([1, 2],)]


def mean(losses):
    return np.mean(losses)


def reductions(values):
    return np.max(values), np.sum(values), np.argmax(values), np.std(values), np.prod(values), np.median(values)


def others(values):
    return np.any(values), np.sort(values), np.cumsum(values), np.unique(values)


def ufuncs(values):
    return np.add(values, 1), np.exp(values), np.dot(values, values), np.multiply.reduce(values)


def mean_of_all(*arrays):
    return np.mean(arrays)


@pytest.mark.parametrize("function", [mean, reductions, others, ufuncs])
def test_lists(function):
    assert_all_agree(function, *LISTS)


def tuples(x, y):
    return np.mean((x, y), axis=0), np.max((x, y)), np.min((x, y), axis=1), np.stack((x, y)), np.where(x > y, x, 0)


def test_tuples():
    assert_all_agree(tuples, (X, X * 2), (X, X - 1))
    assert_all_agree(mean_of_all, (X, X), (X, X, X))


def test_a_text_in_a_plain_function():
    assert_all_agree(lambda x: "mean %s" % np.mean(x), (X,), (X * 2,))  # noqa: UP031
    assert_all_agree(lambda x, y: np.mean(x, dtype="f4") % y, (X, np.float32(2)))


def one_element(x):
    return x.sum(keepdims=True).item(), x[:1].item(), x.reshape(1, 1, -1)[..., :1].item()


def test_the_item_of_an_array_with_axes():
    assert_all_agree(one_element, (X,), (X.astype(np.float32),), (np.array([3, 4]),))
    assert_all_agree(lambda x: x.item(), (np.ones(1),), (np.ones((1, 1)),), (np.int64(3),), (np.array(1 + 2j),), (X,))
    assert_all_agree(
        lambda x: x.item() if x.size == 1 else x.item(0), (np.ones(1),), (np.ones(3),), reduce_retracing=True
    )


@pytest.mark.parametrize("number", [int, float, complex, bool])
def test_python_numbers_of_arrays(number):
    for x in (X, np.float64(1), np.ones(1), np.ones((1, 1)), np.array(3), np.zeros(0)):
        assert_all_agree(lambda x: number(x), (x,))


def test_lists_of_lengths():
    def found(x):
        counts = []
        for k in (1, 2, 3):
            counts.append(len(np.where(x * k > 1)[0]) + 1)
        line = np.polyfit(np.log([1, 2, 3]), np.log(counts), 1)
        return np.array(counts), np.add(counts, 1), np.sum(counts), np.max(counts), np.array([counts, counts]), line

    assert_all_agree(found, (X,), (np.arange(5.0),))
    assert_all_agree(lambda x: (np.log([len(x), 2]), np.max([len(x), 2])), (X,), (np.ones(3),), reduce_retracing=True)


def test_a_list_of_constants():
    def window(x):
        e = np.linspace(-1, 1, 3)
        return np.sum([a * np.cos(k * e) for k, a in enumerate([0.5, 0.5])], axis=0) + x

    assert_all_agree(window, (np.ones(3),))
