"""What Python code does with numbers, lists and texts, where a traced value decides."""

import itertools

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from tracefn.errors import FallbackWarning

X = np.array([1.0, 3.0, 2.0, 5.0, 4.0])


def conditions_of_several_types(x):
    """`and` and `or` of a bool and a number, of which only the truth matters."""
    m, n = (x.astype(int)[:, None] + np.arange(5)) % 3, 0
    for i in range(1, 3):
        for j in range(2):
            if i > 1 and m[i, j] and m[i, j] < 2:
                n += 1
            if m[i, j] or (j and i) or not (m[j, i] and i):
                n += 10
            n += 100 if m[i, j] and j > x[0] else 0
            while m[i, j] and m[i, j] > 1:
                m[i, j] -= 1
    return n, [v for v in x if v > 2 and m[0, 1]]


def values_of_and_or(x):
    return (x[0] > 1 and x[1] > 2), (x[0] or x[1]), bool(x[0] > 2 or x.sum() > 9)


def positions_in_a_list(x):
    found = []
    for i in range(1, len(x) - 1):
        if x[i - 1] < x[i] and x[i] > x[i + 1]:
            found.append(i)
    x[found] += 1
    return x[found], x[:, None][found, 0], [0] + found + [1], found[:1] + found


def sets_as_a_forest(x):
    parent = list(range(5))
    rank = [0] * 5
    for i in range(4):
        a, b = int(x[i]) % 5, int(x[i + 1] + x[i]) % 5
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a != b:
            parent[a] = b
            rank[b] += 1
    return np.array(parent), np.array(rank)


def comprehensions_with_conditions(x):
    high = [i for i in range(len(x)) if x[i] > 2]
    both = [v * 2 for v in x if v > 0 and v < 4 if v != 2]
    return high, both, len(high), sum([v for v in x[:3] if v > 1], np.float64(1)), [v for v in [1, 2, 3] if v > 1]


def left_out(x):
    outliers = np.where(np.abs(x - x.mean()) > 1.2)[0]
    kept = np.delete(x, outliers)
    return (
        kept,
        len(kept),
        np.delete(x, np.argmax(x)),
        np.delete(x, x > 2),
        np.delete(x[:, None] * x, x.argmin(), axis=1),
    )


def no_such_element(x):
    np.delete(x, int(x[0]))
    return x


def texts_of_choices(x):
    row = "".join("#" if v > 2 else "." for v in x)
    if x[0] > 3:
        raise ValueError("%s at %.2f" % (row, x[0]))  # noqa: UP031
    return row


def sorted_values(x):
    up, down = sorted(x), sorted(x, reverse=True)
    return up, down, up[len(up) // 2], sorted(x[x > 1]), sorted([3, 1, 2])


def sorted_by_keys(x):
    pairs = [(v, i, "same") for i, v in enumerate(x)]
    pairs.sort(key=lambda p: p[0])
    order = sorted(range(len(x)), key=lambda i: -x[i])
    ranked = sorted({"a": x, "b": x[::-1] * 2}.values(), key=lambda v: v[1], reverse=True)
    nearest, farthest = min(x, key=lambda v: abs(v - 3)), max(pairs, key=lambda p: abs(p[0] - p[1]))
    return pairs, order, ranked, nearest, farthest


def keys_and_names(x):
    d, names = {"mean": x.mean(), "max": x.max(), "first": x[0]}, ["low", "middle", "high"]
    ranked = sorted(d.items(), key=lambda item: item[1])
    where = np.digitize(x, [2, 4])
    ways = [1] + [0] * 5
    for i in where:
        ways[i] += 1
    found = [names[k] for k in where]
    return max(d, key=d.get), [k for k, _ in ranked], ranked[0][1], found, names[int(x[0])], np.array(ways)


def mapped(x):
    return ", ".join(map(str, x.tolist())), list(map(lambda v, w: v if v > w else w * 2, x, x[::-1]))


def python_lists(x):
    values, total = x.tolist(), 0.0
    for value in values:
        total += value
    return values, total, x[:, None].tolist(), x[0].tolist(), max(values), (x > 1).tolist()


COSTS = {0: 0.5, 1: 1.5, 2: 3.0, "1": "one", "2": "two"}


def looked_up(x):
    k = int(x[0])
    return COSTS.get(k, -1.0), COSTS.get(x[1], 0.25), COSTS.get(f"{x[2]:.0f}"), COSTS[int(x[2])], k in COSTS


FUNCTIONS = [
    conditions_of_several_types, values_of_and_or, positions_in_a_list, sets_as_a_forest, texts_of_choices,
    comprehensions_with_conditions, left_out, no_such_element, keys_and_names, mapped, sorted_values, sorted_by_keys,
    python_lists, looked_up,
]  # fmt: skip


NATIVE = [conditions_of_several_types, sets_as_a_forest, keys_and_names, looked_up]


@pytest.mark.parametrize(("function", "mode"), [*[(f, "off") for f in FUNCTIONS], *[(f, "now") for f in NATIVE]])
def test_as_eager(function, mode):
    traced = assert_all_agree(function, (X,), (X[::-1].copy(),), (X * 0,), (X - 2,), (X * 2,), jit=mode, precise=True)
    assert traced.tracing_count == 1


def test_nan_and_signed_zeros_are_sorted_as_python_sorts():
    assert_all_agree(sorted_values, (np.array([1.0, np.nan, 0.0, -0.0, -1.0]),), (np.array([np.nan, 3, 1, 2, np.nan]),))


def test_long_lists():
    def runs(x):
        up, values, total = sorted(x), x.tolist(), 0.0
        for value in values:
            total += value
        return up[3], len(up), total, len(values)

    assert_all_agree(
        runs, (np.arange(300.0)[::-1],), (np.arange(20.0)[::-1],), (np.arange(7.0),), reduce_retracing=True
    )


def test_a_dict_that_changes():
    costs = {1: 0.5, 2: 1.5}
    traced = tracefn.function(lambda k: costs[k])
    assert traced(np.int64(2)) == 1.5
    costs[2] = 2.5
    assert traced(np.int64(2)) == 2.5
    with pytest.raises(KeyError, match="3"):
        traced(np.int64(3))


def areas(grid, pack):
    """The sizes of connected areas, with places on a stack as `pack` makes them."""
    seen, sizes = np.zeros(grid.shape, bool), np.zeros(grid.size, int)
    for k in range(grid.size):
        stack = [pack(k // grid.shape[1], k % grid.shape[1])]
        while stack:
            i, j = stack.pop()
            if not (0 <= i < grid.shape[0] and 0 <= j < grid.shape[1]) or seen[i, j] or not grid[i, j]:
                continue
            seen[i, j] = True
            sizes[k] += 1
            for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                stack.append(pack(i + di, j + dj))
    return sizes


@pytest.mark.parametrize("pack", [lambda i, j: (i, j), lambda i, j: [i, j], lambda i, j: np.array([i, j])])
def test_a_stack_of_places(pack):
    grid = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]])
    traced = assert_all_agree(areas, (grid, pack), (1 - grid, pack))
    assert traced.tracing_count == 1


def test_the_least_of_a_long_array_is_found_in_a_loop():
    values, zeros = np.random.RandomState(0).randn(5000), np.zeros(40)
    unordered, zeros[7] = values[:40].copy(), -0.0
    unordered[[0, 9]] = np.nan
    traced = assert_all_agree(
        lambda x: (min(x), max(x)), (values,), (zeros,), (-zeros,), (unordered,), (unordered[1:],), (zeros < 0,)
    )
    assert not traced.fallbacks and all(len(c.graph.nodes) < 50 for c in traced.concrete_functions)


def test_islice_says_which_number_it_needs():
    third = tracefn.function(lambda n: list(itertools.islice([5, 6, 7], int(n.sum()), None)), on_unsupported="eager")
    with pytest.warns(FallbackWarning, match="which depends on `n` was used where Python needs an int"):
        assert third(np.array([1, 1])) == [7]
