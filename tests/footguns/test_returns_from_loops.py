"""Loops that write into arrays and return from within, as solvers do: what is returned is the array that was written
into, as it is when the loop is left."""

import numpy as np
import pytest
from agreement import assert_all_agree, copied

FIELD = np.array([1.0, 9, 8, 1, 0, 3])
FIELDS = (FIELD, np.arange(6.0), np.zeros(6))


def gauss_seidel(u, tol):
    for it in range(50):
        change = 0.0
        for i in range(1, u.shape[0] - 1):
            old = u[i]
            u[i] = 0.5 * (u[i - 1] + u[i + 1])
            change = max(change, abs(u[i] - old))
        if change < tol:
            return u, it
    return u, 50


def on_a_copy(u, tol):
    v = u.copy()
    for it in range(50):
        change = 0.0
        for i in range(1, v.shape[0] - 1):
            old = v[i]
            v[i] = 0.5 * (v[i - 1] + v[i + 1])
            change = max(change, abs(v[i] - old))
        if change < tol:
            return v, it
    return v, 50


def forever(u, tol):
    it = 0
    while True:
        old = u.copy()
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
        it += 1
        if abs(u - old).max() < tol:
            return u
        if it > 100:
            return None


def a_view(u, limit):
    for i in range(4):
        if u[i] > limit:
            return u[i:]
        u[i] += 1
    return u


def an_element_or_none(u, limit):
    for i in range(4):
        u[i] += 1
        if u[i] > limit:
            return u[i], u
    return None


def in_two_places(u, limit):
    for i in range(4):
        u[i] += 1
        if u[i] > limit:
            return u
        if u[i] < -limit:
            return u + 1
    return u * 2


def nested(u, limit):
    for i in range(3):
        for j in range(i, 6):
            u[j] += u[i]
            if u[j] > limit:
                return u, i, j
        u[i] -= 1
        if u[i] == 0:
            return u[::-1], -i, 0
    return u, 0, 0


def with_more_to_do(u, limit):
    n = 0
    try:
        for i in range(4):
            u[i] += 1
            if u[i] > limit:
                return u, n
    finally:
        n += 1
        u[0] = 7
    return u, n


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("limit", [np.float64(1e-3), np.float64(5), 5.0])
@pytest.mark.parametrize(
    "function", [gauss_seidel, on_a_copy, forever, a_view, an_element_or_none, in_two_places, nested, with_more_to_do]
)
def test_values(function, limit, mode):
    assert_all_agree(function, *[(field, limit) for field in FIELDS], jit=mode, precise=True)


@pytest.mark.parametrize("function", [gauss_seidel, forever, an_element_or_none])
@pytest.mark.parametrize("mode", ["off", "now"])
def test_it_is_the_array_of_the_caller(function, mode):
    traced = assert_all_agree(function, (FIELD, np.float64(5)), jit=mode, precise=True)
    for _ in range(2):
        (given,) = copied([FIELD])
        returned = traced(given, np.float64(5))
        assert returned is given or any(part is given for part in returned)
