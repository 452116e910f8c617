"""Derivatives of what is written into arrays: values of other shapes, numbers, places that repeat."""

import numpy as np
import tracefn


def test_a_value_with_more_axes_than_its_place():
    def f(x):
        y = np.zeros((2, 3))
        y[0:2, 1] = x[None, :1] * 2
        y[1] = x
        return np.sum(y * y)

    np.testing.assert_array_equal(tracefn.grad(f)(np.array([1.0, 2.0, 3.0])), [10.0, 4.0, 6.0])


def test_an_array_without_axes_is_written_through_a_view():
    def f(y):
        view = y[None]
        view *= 0.2
        return np.sum(y)

    y = np.array(1.0)
    value, derivative = tracefn.value_and_grad(f)(y)
    assert (value, derivative, y) == (0.2, 0.2, 0.2)


def test_what_is_written_where_elements_repeat_may_be_a_number():
    def f(x):
        y = x * 1.0
        y[[0, -1]] = 2.0
        np.put(y, [1], 5.0)
        return np.sum(y * x)

    np.testing.assert_array_equal(tracefn.grad(f)(np.array([0.5, 1.5, 2.5])), [2.0, 5.0, 2.0])


def test_a_number_that_is_a_view_of_what_was_written():
    def f(y):
        view = y[None]
        view *= 0.2
        return np.sum(y**2)

    np.testing.assert_allclose(tracefn.grad(f)(np.array(1.0)), 0.08)


def test_the_sum_of_cotangents_goes_into_no_broadcast_view():
    def f(t):
        return np.einsum("ijk,jk->", t, t[0])

    t = np.arange(24.0).reshape(2, 3, 4)
    for _ in range(2):
        expected = np.concatenate([2 * t[:1] + t[1:], t[:1]])
        np.testing.assert_array_equal(tracefn.grad(f)(t), expected)


def test_the_cotangent_of_an_element_of_a_number():
    def f(w):
        w = w + 0.0
        return np.sum(np.sin(w[None])) + w * w

    np.testing.assert_allclose(tracefn.grad(f)(np.array(2.0)), np.cos(2.0) + 4.0)


def test_what_a_number_was_before_a_view_of_it_was_written():
    def f(w):
        row = np.atleast_2d(w * 1)[0]
        row *= w
        return np.sum(row)

    np.testing.assert_allclose(tracefn.grad(f)(np.array(-0.2)), -0.4)


def test_nothing_is_written_where_elements_repeat():
    def f(x):
        y = x * 1.0
        y[:-1, [0, 0]] = y[:-1, [0, 0]] * 0.5
        return np.sum(y)

    np.testing.assert_array_equal(tracefn.grad(f)(np.ones((1, 1))), [[1.0]])
