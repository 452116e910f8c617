"""What is the same in every round is computed before the loop, where nobody can tell."""

import warnings

import numpy as np
import pytest
import tracefn
from tracefn.ir.evaluate import evaluate
from tracefn.ir.verify import verify
from tracefn.passes.hoist import MAX_BYTES, hoist_invariants
from tracefn.passes.pipeline import optimize


def traced(function, *args):
    return tracefn.function(function).get_concrete_function(*args).traced_graph


def inside(graph):
    """The names of the operations in loops, those in loops within them included."""
    found = [n for node in graph.nodes for body in node.bodies for n in body.graph.nodes]
    return [n.op.name for n in found if not n.is_leaf] + [
        name for node in graph.nodes for body in node.bodies for name in inside(body.graph)
    ]


def outside(graph):
    return [n.op.name for n in graph.nodes if not n.is_leaf]


X = np.arange(6.0).reshape(2, 3) - 2
K = np.arange(3) - 1


def mask(x, k, n):
    for i in range(n):
        x = np.where(k > 0, x * 0.5, x + i)
    return x


def view(x, k, n):
    y = x * 1.5
    for _ in range(n):
        y = y + (x.T[::-1] @ x)[:2]
    return y


def integers(x, k, n):
    for i in range(n):
        x = x * (k * k + 1) + np.arange(3) * i
    return x


def nested(x, k, n):
    for _ in range(n):
        for _ in range(n):
            x = np.where(k < 1, x + 1, x)
    return x


def until(x, k, n):
    while x.sum() < (k + n).max():
        x = x + np.abs(k)
    return x


def written(x, k, n):
    for i in range(n):
        t = np.zeros(3)
        t[i] = 1
        x = x + t
    return x


def returned(x, k, n):
    y = k + 1
    for i in range(n):
        x, y = x + y[0], k * 2
        y[0] = i
    return x, y


def in_a_branch(x, k, n):
    for i in range(n):
        if i % 2:
            x = x + (k > 0)
        m = k < 0
        if i > 1:
            x = x * 2 + m
    return x


def early(x, k, n):
    for _ in range(n):
        if x[0, 0] > 3:
            break
        x = x + (k * 2)
    return x


def twice(x, k, n):
    for _ in range(n):
        x = x + (k * 3)
        x = x - (k * 3) * 2
    return x, k * 3


CASES = [mask, view, integers, nested, until, written, returned, in_a_branch, early, twice]


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_results_stay_the_same_to_the_bit(function, n):
    graph = verify(traced(function, X, K, np.int64(n)))
    for run in (hoist_invariants, lambda g: optimize(g)[0]):
        before = str(graph)
        after = verify(run(graph))
        assert str(graph) == before
        wanted = function(X.copy(), K.copy(), n)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for a, b in zip(evaluate(after, [X.copy(), K.copy(), np.int64(n)]), wanted, strict=True):
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    f = tracefn.function(function)
    x, k = X.copy(), K.copy()
    found = f(x, k, np.int64(n))
    for a, b in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(k, K)


@pytest.mark.parametrize(
    "function, names",
    [
        (mask, {"greater"}),
        (view, {"transpose", "getitem"}),
        (integers, {"multiply", "add"}),
        (nested, {"less"}),
        (until, {"absolute"}),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_what_is_moved(function, names):
    graph = traced(function, X, K, np.int64(2))
    moved = optimize(graph)[0]
    assert names <= set(outside(moved)) and not names <= set(outside(graph))
    assert len(inside(moved)) < len(inside(graph))


def test_what_two_rounds_and_the_rest_compute_is_one():
    assert outside(optimize(traced(twice, X, K, np.int64(2)))[0]).count("multiply") == 2


def test_out_of_all_loops_around():
    graph = optimize(traced(nested, X, K, np.int64(2)))[0]
    assert outside(graph).count("less") == 1 and "less" not in inside(graph)


def test_a_loop_is_not_given_what_it_does_not_read():
    graph = optimize(traced(mask, X, K, np.int64(2)))[0]
    (loop,) = [n for n in graph.nodes if n.bodies]
    assert not any(n.op.name == "input" and n.args[0] == "k" for n in loop.inputs)


def test_what_may_raise_or_warn_is_left():
    def f(x, k, n):
        for i in range(n):
            x = x + 1 / k + np.exp(k * 1000) + k[k[i]] + (k[0] * k[1])
        return x

    moved = optimize(traced(f, X, K, np.int64(2)))[0]
    assert set(outside(moved)) == {"getitem", "multiply", "for_loop", "item"}
    assert {"divide", "exp", "operator.mul"} <= set(inside(moved))  # scalars may overflow


def test_each_round_warns_and_no_round_does_not():
    def f(x, k, n):
        for _ in range(n):
            x = x + 1 / k
        return x

    for n in (0, 1, 3):
        told = []
        for run in (f, tracefn.function(f)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                run(X, K, np.int64(n))
            told.append([str(w.message) for w in caught])
        assert told[0] == told[1] and len(told[0]) == n


def test_a_wrong_index_is_not_looked_at_without_a_round():
    def f(x, k, n):
        for _ in range(n):
            x = x + k[k[0]]
        return x

    g, k = tracefn.function(f), np.array([7, 0, 0])
    np.testing.assert_array_equal(g(X, k, np.int64(0)), X)
    with pytest.raises(IndexError):
        g(X, k, np.int64(1))


def test_large_arrays_are_not_kept():
    def f(x, k, n):
        for _ in range(n):
            x = x + (k + k)
        return x

    for length, moved in ((MAX_BYTES // 8, True), (MAX_BYTES // 8 + 1, False)):
        k = np.zeros(length, np.int64)
        assert ("add" in outside(hoist_invariants(traced(f, k, k, np.int64(2))))) is moved


def test_open_lengths():
    @tracefn.function(input_signature=[tracefn.TensorSpec((None,), np.float64), tracefn.TensorSpec((), np.int64)])
    def f(x, n):
        for _ in range(n):
            x = x + x[::-1] * (x.shape[0] > 2)
        return x

    for length in (0, 1, 4):
        x = np.arange(float(length))
        for n in (0, 2):
            np.testing.assert_array_equal(f(x, np.int64(n)), f.python_function(x, n))


def test_a_graph_without_invariants_stays_itself():
    graph = traced(lambda x: x + 1, X)
    assert hoist_invariants(graph) is graph


def test_scope_is_that_of_the_loop():
    before = traced(mask, X, K, np.int64(3))
    scopes = {n.op.name: n.scope for n in hoist_invariants(before).nodes}
    assert "greater" in inside(before) and scopes["greater"] == scopes["for_loop"] == ""
