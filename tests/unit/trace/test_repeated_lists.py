"""Lists whose length a traced int says: `[0] * n`, `list(range(n))`."""

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree

CALLS = [(np.array(values, float),) for values in ([2, 0, 1, 1], [3, 1, 1, 0, 2, 2] * 4, [1, 4, 1, 1])]


def table(x):
    n = int(x.sum()) + 3
    found = [0] * (n + 1)
    found[1] = 1
    for i in range(2, n + 1):
        found[i] = found[i - 1] + found[i - 2]
    return found[n], found


def sieve(x):
    n = int(x.sum()) + 10
    is_prime = [True] * n
    is_prime[0] = is_prime[1] = False
    for i in range(2, n):
        if is_prime[i]:
            for j in range(i * i, n, i):
                is_prime[j] = False
    return [i for i, found in enumerate(is_prime) if found], is_prime


def swaps(x):
    n = int(x[0]) + 3
    order = list(range(n))
    for i in range(n):
        j = int(x[0]) % n
        order[i], order[j] = order[j], order[i]
    return order, sum(order), list(range(1, n, 2))


def union_of_sets(x):
    n = int(x.sum())
    parent = list(range(n + 2))

    def root(a):
        while parent[a] != a:
            a = parent[a]
        return a

    for i in range(n):
        a, b = root(i), root((i * 3 + 1) % (n + 2))
        if a != b:
            parent[a] = b
    return parent


def several(x):
    n = int(x[0])
    return [1.5] * n, n * [x[1]], [(0, 1.0)] * n, [1, 2] * (n - 2)


@pytest.mark.parametrize("program", [several, sieve, swaps, table, union_of_sets], ids=lambda f: f.__name__)
def test_each_call_gives_the_list_of_eager_code(program):
    assert_all_agree(program, *CALLS)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_one_item_at_several_places_is_one_object():
    traced = tracefn.function(lambda x: [[0]] * int(x[0]), on_unsupported="eager")
    found = traced(np.array([3.0]))
    assert found == [[0]] * 3
    assert found[0] is found[2]


def test_the_gradient_goes_to_the_item():
    def total(x):
        return sum([x[0] * 2, x[1]] * int(x[2]))

    np.testing.assert_allclose(tracefn.grad(total)(np.array([1.0, 2.0, 3.0])), [6.0, 3.0, 0.0])
