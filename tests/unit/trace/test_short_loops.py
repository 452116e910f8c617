"""Loops of few rounds: unrolled, or not where they would be many operations or work on elements."""

import copy
import warnings

import numpy as np
import pytest
import tracefn
from agreement import assert_all_agree
from tracefn.trace.control.carried.carry import Carry


def product(A, B):
    C = np.zeros((len(A), B.shape[1]))
    for i in range(len(A)):
        for k in range(len(B)):
            for j in range(B.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return C


def total(A):
    s = np.float64(0)
    for row in A:
        for value in row:
            if value > 0.5:
                s += value
            else:
                for _ in range(3):
                    s -= value
    return s


def cholesky(A):
    n = len(A)
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                L[i, j] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L


def attracted(x):
    for _ in range(10):
        d = x[None, :] - x[:, None]
        x = x + 0.01 * (d / ((d * d).sum(axis=-1) + 1)[..., None]).sum(axis=1)
    return x


def decayed(y):
    def slope(y):
        return np.stack([y[1], -y[0]])

    for _ in range(6):
        a = slope(y)
        y = y + 0.05 * (a + 2 * slope(y + 0.1 * a) + slope(y - a) - slope(y))
    return y


def blurred(u):
    for _ in range(7):
        total = np.zeros_like(u[1:-1])
        for k in range(3):
            total += u[k : k + len(u) - 2]
        u[1:-1] = total / 3
    return u


def filtered(image, weights):
    n, m = weights.shape
    out = np.zeros((image.shape[0] - n + 1, image.shape[1] - m + 1))
    for i in range(n):
        for j in range(m):
            out += weights[i, j] * image[i : i + out.shape[0], j : j + out.shape[1]]
    return out


def layers(x, weights):
    for _ in range(40):
        for k in range(6):
            x = np.tanh(x @ weights[k])
    return x


RANDOM = np.random.default_rng(0)
SQUARE = RANDOM.random((20, 20))
POSITIVE = SQUARE @ SQUARE.T + np.eye(20)


@pytest.mark.parametrize(
    "function, args",
    [
        (product, (SQUARE, SQUARE)),
        (total, (SQUARE,)),
        (cholesky, (POSITIVE,)),
        (attracted, (SQUARE,)),
        (decayed, (SQUARE[:2],)),
        (blurred, (SQUARE.copy(),)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_they_stay_loops_where_they_are_much_work(function, args):
    traced = tracefn.function(function)
    ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
    np.testing.assert_allclose(traced(*ours), function(*theirs), rtol=1e-13)
    graph = traced.get_concrete_function(*args).graph
    assert len(graph.nodes) < 40
    assert any(node.op.name == "for_loop" for node in graph.nodes)


def clipped(x):
    out = x.copy()
    for i in range(len(x)):
        if out[i] > 0.7:
            out[i] = 0.7
    return out


@pytest.mark.parametrize("length, is_loop", [(5, False), (6, True), (32, True)])
def test_they_stay_loops_where_they_work_on_elements(length, is_loop):
    traced, x = tracefn.function(clipped), RANDOM.random(length)
    np.testing.assert_array_equal(traced(x), clipped(x))
    assert any(n.op.name == "for_loop" for n in traced.get_concrete_function(x).graph.nodes) == is_loop


def forces(x):
    d = x[None, :] - x[:, None]
    r = (d * d).sum(axis=-1) + 1
    return (d / (r * np.sqrt(r))[..., None]).sum(axis=1)


def moved(x, v, places):
    for k in range(5):
        v += 0.1 * forces(x)
        x += 0.1 * v
        v -= 0.1 * forces(x) * x.mean()
        places[k] = x
    return x, v.sum()


def counted(x, v, places):
    rounds = 0
    for k in range(5):
        v += 0.1 * forces(x)
        x = x + 0.1 * v - forces(x) * x.mean()
        places[k] = x
        rounds += 1
    return x, np.ones(rounds)


def listed(x, v, places):
    found = []
    for k in range(5):
        v += 0.1 * forces(x)
        x = x + 0.1 * v - forces(x) * x.mean()
        places[k] = x
        found.append(x)
    return found, np.ones(len(found))


def numbered(x, v, places):
    for k in range(5):
        v += 0.1 * forces(x)
        x = x + 0.1 * v - forces(x) * x.mean()
        places[k] = x
    return x, np.ones(k)


def leaves(x, v, places):
    for k in range(5):
        v += 0.1 * forces(x)
        x = x + 0.1 * v - forces(x) * x.mean()
        places[k] = x
        if x.sum() > 1e3:
            break
    else:
        x = x - 1
    return x


def told(x, v, places):
    for k in range(5):
        print("a step")
        v += 0.1 * forces(x)
        x += 0.1 * v
        v -= 0.1 * forces(x) * x.mean()
        places[k] = x
    return x


def test_very_short_ones_print_what_each_round_prints(capsys):
    args = RANDOM.random((6, 3)), RANDOM.random((6, 3)), np.zeros((5, 6, 3))
    tracefn.function(told)(*args)
    assert capsys.readouterr().out == "a step\n" * 5


@pytest.mark.parametrize(
    "function, is_loop", [(moved, True), (counted, False), (listed, False), (numbered, False), (leaves, False)]
)
def test_very_short_ones_stay_loops_where_they_are_much_work_on_arrays_alone(function, is_loop):
    args = RANDOM.random((6, 3)), RANDOM.random((6, 3)), np.zeros((5, 6, 3))
    traced, ours, theirs = tracefn.function(function), copy.deepcopy(args), copy.deepcopy(args)
    found, expected = traced(*ours), function(*theirs)
    for a, b in zip([*found, *ours], [*expected, *theirs], strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
    assert any(n.op.name == "for_loop" for n in traced.get_concrete_function(*args).graph.nodes) == is_loop


def test_they_are_unrolled_where_they_are_little_work():
    traced, image = tracefn.function(filtered), RANDOM.random((30, 30))
    np.testing.assert_array_equal(traced(image, SQUARE[:7, :7]), filtered(image, SQUARE[:7, :7]))
    assert not any(node.bodies for node in traced.get_concrete_function(image, SQUARE[:7, :7]).graph.nodes)


def test_short_loops_of_arrays_are_unrolled_in_loops_that_stay():
    """What each round computes then becomes one kernel; and their numbers may be places in a list."""
    weights = [RANDOM.random((4, 4)) for _ in range(6)]
    x = RANDOM.random((3, 4))
    traced = tracefn.function(layers)
    np.testing.assert_array_equal(traced(x, weights), layers(x, weights))
    (loop,) = [n for n in traced.get_concrete_function(x, weights).graph.nodes if n.bodies]
    assert not any(n.bodies for body in loop.bodies for n in body.graph.nodes)


def test_one_trace_of_a_body_says_that_its_loop_is_better_unrolled(monkeypatch):
    traces, trace = [], Carry._is_traced
    monkeypatch.setattr(Carry, "_is_traced", lambda *given: traces.append(given) or trace(*given))

    def sums(rows):
        found = []
        for _ in range(3):
            total = 0
            for k in range(6):
                total = total + rows[k]
            found.append(total)
        return found

    traced, rows = tracefn.function(sums), RANDOM.random((6, 4))
    np.testing.assert_array_equal(traced(rows), sums(rows))
    assert len(traces) == 1


def test_what_needs_its_numbers_is_unrolled_after_a_trial():
    names = [f"w{k}" for k in range(20)]

    def picked(x):
        found = {}
        for name in range(20):
            for k in range(20):
                found[names[k]] = x[k] + name
        return found["w3"], len(found)

    traced, x = tracefn.function(picked), RANDOM.random(20)
    assert traced(x) == picked(x)


def test_a_trial_that_is_given_up_leaves_nothing(capsys):
    kept = []

    def noted(x):
        for i in range(6):
            for j in range(2):
                kept.append(1)
                x = x + i * j
        return x

    traced, x = tracefn.function(noted), RANDOM.random(5)
    result = traced(x)
    rounds = len(kept)
    np.testing.assert_array_equal(result, noted(x))
    assert rounds == 12


def test_the_test_for_large_ints_warns_of_nothing():
    @tracefn.function(on_unsupported="eager")
    def scaled(x, n):
        found, rounds = n, 0
        while rounds < 5:
            rounds += 1
            if x[0] + rounds > 6:
                break
            found = np.int64(n) * 3
        return found

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        scaled(np.array([np.nan]), np.float64(np.inf))
    assert not [w for w in told if "absolute" in str(w.message)]


def test_a_loop_over_a_list_that_would_be_a_huge_graph_runs_eagerly(monkeypatch):
    monkeypatch.setattr("tracefn.trace.autograph.hooks.loops.MAX_UNROLLED", 50)

    def total(x, factors):
        for factor in factors:
            x = np.tanh(x * factor) + 1
        return x

    f = tracefn.function(total, on_unsupported="eager")
    x, factors = np.ones(3), [0.1 * i for i in range(40)]
    with pytest.warns(tracefn.errors.FallbackWarning, match="unrolled loop made more than 50 operations"):
        assert np.array_equal(f(x, factors), total(x, factors))
    assert np.array_equal(f(x, factors[:9]), total(x, factors[:9])) and len(f.concrete_functions) == 1


def test_a_long_loop_that_a_traced_value_ends_and_that_notes_its_rounds_runs_eagerly(monkeypatch):
    """Its rounds are branches, and each has the variables of the one before as results."""
    monkeypatch.setattr("tracefn.trace.autograph.hooks.loops.MAX_LEFT", 50)

    def settled(x, errors):
        for rounds in range(1000):
            x = np.cos(x) + x / 8
            errors.append(np.ptp(x) + rounds * 1e-15)
            if errors[-1] < 1e-9:
                break
        return x, rounds

    f = tracefn.function(settled, on_unsupported="eager")
    x, told, expected = np.linspace(0, 1, 4), [], []
    with pytest.warns(tracefn.errors.FallbackWarning, match="more than 50 operations in [0-9] rounds"):
        found, rounds = f(x, told)
    value, expected_rounds = settled(x, expected)
    assert np.array_equal(found, value) and rounds == expected_rounds and told == expected


def relaxed(x, y):
    for step in range(20):
        new = 0.5 * (x + 1.0)
        if np.abs(new - x).max() < 0.1:
            break
        x = new - 0.001 * step
    else:
        step = -1
    x[0] = y[0]
    return x, step


def doubled_until(x, y):
    for _ in range(12):
        x = x * 2
        if x.sum() > 100:
            return x
        if x.min() < -1:
            continue
        x[-1] += y[1]
    return y


@pytest.mark.parametrize("function", [relaxed, doubled_until])
def test_a_loop_that_an_array_ends_is_one_in_the_graph(function):
    calls = [(np.array([2.0, x, -1.0]), np.array([y, 0.5, 3.0])) for x, y in ((3.0, 1.0), (1e9, 2.0), (0.0, -1.0))]
    traced = assert_all_agree(function, *calls, *[(np.array([1.0, 1.0]), np.array([1.0, -9.0]))])
    for concrete in traced.concrete_functions:
        assert len([n for n in concrete.graph.nodes if n.op.name == "for_loop"]) == 1
        assert len(concrete.graph.nodes) < 30


def test_a_loop_that_a_python_value_ends_is_unrolled():
    def doubled(x, rounds):
        for i in range(20):
            if i >= rounds:
                break
            x = x * 2
        return x

    traced = assert_all_agree(doubled, (np.ones(3), 4), (np.ones(3), 0))
    assert not any(n.bodies for c in traced.concrete_functions for n in c.graph.nodes)
