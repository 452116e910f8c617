"""Derivatives of programs that write in place, and join in brackets, against central finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn


def slices(x):
    y = np.zeros_like(x)
    y[1:] = x[:-1] ** 2
    y[0] = x[2] * x[1]
    y[2:] += y[:-2] * 2
    return np.sum(y * y * x)


def views(x):
    y = x * 2
    row = y[1]
    row[:] = row * row
    row[0] += 3 * x[0, 0]
    y.T[2] *= y[:, 0]
    return np.sum(y**2)


def another_shape(x):
    y = x.copy()
    flat = y.reshape(-1)
    flat[::2] = flat[1::2] * 2
    y.flat[3] = y.flat[2] ** 2
    return np.sum(y**2)


def an_argument(x):
    x[0] = x[1] * 2
    return np.sum(x * x)


def written_twice(x):
    y = np.zeros((2, 3))
    y[[0, 0, 1]] = x[:3] * 2
    np.add.at(y, [1, 1], x[2:] ** 2)
    return np.sum(y**3)


def by_masks(x):
    y = x.copy()
    y[y < 0] = 0
    y[y > 0.5] *= 2
    return np.sum(y**2)


def into_out(x):
    y = np.empty_like(x)
    np.multiply(x, 3, out=y)
    np.divide(y, x - x[0], out=y, where=np.arange(len(x))[:, None] > 0)
    np.copyto(y, x, where=x > 0.5)
    return np.sum(y**2)


def sorted_in_place(x):
    y = x.copy()
    y.sort(axis=0)
    y[1].fill(x[0, 1])
    np.fill_diagonal(y[:3], x[0, 0])
    np.put(y, [1, 5, 1], x[0, :2])
    return np.sum(y * np.arange(3))


def in_branches_and_loops(x):
    y = x.copy()
    for i in range(len(x) - 1):
        if y[i, 0] > 0:
            y[i] *= y[i + 1]
        else:
            y[i + 1] -= x[i]
    return np.sum(y**2)


def into_what_was_spread(x):
    z = np.zeros_like(x)
    np.add.at(z, [0, 0, 3], x[:3])
    y = x * 2
    y[0] = z[2] * z.sum(axis=0)
    return np.sum(y)


def of_its_own_numbers(x):
    """NumPy copies nothing first here, and reads what it has written."""
    y = x.copy()
    numbers = y.reshape(-1)
    numbers[::-1][numbers != 0] = numbers
    y[2:].flat[1:] = numbers[:5]
    return np.sum(y**2 * np.arange(3))


def parts_into_out(x):
    y, z = np.zeros(4), x[1] * 2
    np.concatenate([x[0] ** 2, x[1, :1]], out=y)
    np.clip(x[0], -0.5, 0.5, out=z, where=x[0] < 0.5)
    np.less(x[2], x[3], out=y[1:], where=x[1] > 0)
    return np.sum(y**2) + np.sum(z**3)


def joined_in_brackets(x):
    joined = np.r_[x[0] * 2, x[0, 0], 1:4, x[1] ** 2]
    return np.sum(joined**2) + np.sum(np.c_[x, x[:, 0] ** 2] ** 3) + np.sum(np.r_["0,2", x, x[0]] ** 2)


PROGRAMS = [
    slices, views, another_shape, an_argument, written_twice, by_masks, into_out, sorted_in_place,
    parts_into_out, in_branches_and_loops, into_what_was_spread, of_its_own_numbers, joined_in_brackets,
]  # fmt: skip
X = np.array([[0.7, -1.2, 0.4], [0.9, 0.3, -0.6], [-0.8, 1.1, 0.55], [0.2, -0.35, 1.3]])


def test_second_derivatives_of_a_write_into_another_shape():
    def program(x):
        y = x * 2
        np.add.at(y, [0, 0, 3], np.tanh(y[3]))
        y.ravel()[3:9] = x[0, 2] * y[0, 1]
        return np.sum(y * y)

    along, step = np.cos(np.arange(12.0)).reshape(4, 3), 1e-6
    derivative = tracefn.grad(program)
    found = tracefn.grad(lambda x: np.sum(derivative(x) * along))(X)
    expected = (derivative(X + step * along) - derivative(X - step * along)) / (2 * step)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives_are_those_of_finite_differences(program):
    expected = np.zeros_like(X)
    for place in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[place] = 1e-6
        expected[place] = (program(X + step) - program(X - step)) / 2e-6
    derivative = tracefn.grad(program)
    open_lengths = tracefn.function(derivative, input_signature=[tracefn.TensorSpec((None, 3), np.float64)])
    with tracefn.no_fallback():
        for taken in (derivative, open_lengths):
            np.testing.assert_allclose(taken(X.copy()), expected, rtol=1e-6, atol=1e-6)
