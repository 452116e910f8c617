"""Arrays that are one of several, to which branches lead in many ways."""

import numpy as np
import tracefn
from agreement import assert_all_agree


def one_of_two(x, y, m, tries=(0, 1, 2, 3, 4, 5)):
    a = x
    for k in tries:
        b = a if m > k else y
        a = b if x[0] > k else a
    a += 1
    y *= 2
    return a


def always_one(x, m, tries=(0, 1, 2, 3, 4, 5)):
    w = x[1:]
    for k in tries:
        v = w if m > k else x[1:]
        w = v if x[0] > k else w
    w += 1
    x[0] = 7
    return w, v


def lowered_in_a_loop(x, m):
    a = x
    for _ in range(m):
        while a.sum() > 2:
            a -= 1
            if a.min() < -20:
                break
            a = a * 0.5
        a[1:] = a[:-1]
    return a


def swelling(x):
    for _ in range(40):
        x = x + x * 2
    y = x.ravel()
    y[0] = 1
    return x, y


def arguments(count):
    return [(*[np.arange(4.0) + s + i for i in range(count)], np.int64(m)) for s in (0, 3, 9) for m in range(4)]


def test_one_of_two():
    assert_all_agree(one_of_two, *arguments(2))


def test_always_one():
    assert_all_agree(always_one, *arguments(1))


def test_in_a_loop():
    assert_all_agree(lowered_in_a_loop, *arguments(1))


def test_graphs_grow_with_branches_and_not_with_ways():
    def nodes(count):
        traced = tracefn.function(lambda x, y, m: one_of_two(x, y, m, tuple(range(count))))
        traced(*arguments(2)[0])
        assert not traced.fallbacks
        return str(traced.concrete_functions[0].graph).count("\n")

    assert nodes(12) < 2.5 * nodes(6)


def test_layouts_are_looked_up_once():
    assert_all_agree(swelling, (np.ones((2, 3)),))


def flat_of_one(x, y):
    a = x if x[0, 0] > 0 else y
    v = a.reshape(-1)
    v[1:3] = 7
    w = a.T.ravel()
    w *= 2
    return v, w, a


def flat_of_a_sum(x, y):
    v = (x[::-1] + y.T.T).reshape(-1)
    v[0] = 1
    a = x + y[::-1]
    w = a.ravel()
    w[1] = 2
    return v, w, a


def test_what_is_a_view_of_one_and_a_copy_of_another():
    x = np.arange(6.0).reshape(2, 3)
    ways = (np.copy, np.asfortranarray, lambda a: np.copy(a)[::-1], lambda a: np.copy(a)[:, ::-1])
    for function in (flat_of_one, flat_of_a_sum):
        calls = [(one(x + s), other(x - 1)) for s in (1, -1) for one in ways for other in ways]
        assert_all_agree(function, *calls, on_unsupported="eager")
    assert_all_agree(flat_of_one, (x + 1, x[::-1].copy()), (x - 1, np.copy(x)[::-1]), (np.copy(x)[::-1], x + 1))
    assert_all_agree(flat_of_a_sum, (x + 1, x + 2), (x + 1, np.copy(x)[::-1]))
