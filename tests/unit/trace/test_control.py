"""Branches and loops that stay in the graph: the eager answer, one trace, and errors that name what does not fit."""

import numpy as np
import pytest
import tracefn
from tracefn import cond, fori_loop, while_loop
from tracefn.errors import ControlFlowError, InPlaceWriteError, LeakedTensorError
from tracefn.ir.evaluate import evaluate
from tracefn.ir.verify import verify

W = np.eye(2) * 2


def same(got, wanted):
    flat, tree = tracefn.trace.tree.flatten(got)
    other, other_tree = tracefn.trace.tree.flatten(wanted)
    assert tree == other_tree
    for (_, a), (_, b) in zip(flat, other, strict=True):
        assert type(a) is type(b), (a, b)
        np.testing.assert_array_equal(a, b)
        if isinstance(b, np.ndarray | np.generic):
            assert a.dtype == b.dtype


PROGRAMS = {
    "cond": (lambda x: cond(x.sum() > 0, lambda: (x * 2, 1), lambda: (-x, 2)), [[np.ones(2)], [-np.ones(2)]]),
    "cond operands": (lambda x, y: cond(x > y, np.add, np.subtract, x, y), [[2.0, 1.0], [1.0, 2.0]]),
    "cond structure": (
        lambda x: cond(np.any(x > 1), lambda: {"a": x, "b": [x + 1, "s"]}, lambda: {"a": x * 0, "b": [x, "s"]}),
        [[np.zeros(3)], [np.arange(3.0)]],
    ),
    "cond outer values": (lambda x: (lambda y: cond(y.sum() > 3, lambda: y + x, lambda: y - x))(x * 2), [[np.ones(3)]]),
    "cond captured": (lambda x: cond(x[0, 0] > 0, lambda: x @ W, lambda: W), [[np.ones((2, 2))], [np.zeros((2, 2))]]),
    "nested cond": (
        lambda x: cond(x > 0, lambda: cond(x > 10, lambda: x * 3, lambda: x * 2), lambda: -x),
        [[-1.0], [5.0], [50.0]],
    ),
    "while": (lambda x: while_loop(lambda x, n: x > 1, lambda x, n: (x / 2, n + 1), (x, 0)), [[10.0], [3.0], [0.5]]),
    "while array": (
        lambda x: while_loop(lambda x: np.sum(x) > 1, lambda x: (np.tanh(x),), (x,)),
        [[np.ones(3)], [np.zeros(3)]],
    ),
    "while one value": (
        lambda n: while_loop(lambda n: n < 100, lambda n: n * 2, (n,)),
        [[np.int64(3)], [np.int64(200)]],
    ),
    "collatz": (
        lambda n: while_loop(
            lambda n, k: n != 1, lambda n, k: (cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), k + 1), (n, 0)
        )[1],
        [[np.int64(7)], [np.int64(27)], [np.int64(1)]],
    ),
    "for traced": (
        lambda x, n: fori_loop(0, n, lambda i, s: s * x + i, x * 0),
        [[2.0, np.int64(3)], [2.0, np.int64(0)]],
    ),
    "for python": (lambda x: fori_loop(0, 100, lambda i, s: s + x * i, np.zeros_like(x)), [[np.ones(3)]]),
    "for step": (lambda x: fori_loop(10, 0, lambda i, s: (s[0] + i, s[1] * x), (0, x), step=-3), [[np.arange(3.0)]]),
    "for of for": (
        lambda x: fori_loop(0, 3, lambda i, s: fori_loop(0, i, lambda j, t: t + x * j, s), x),
        [[np.arange(3.0)]],
    ),
    "swap": (
        lambda x, y: while_loop(lambda a, b: a.sum() > b.sum(), lambda a, b: (b, a), (x, y)),
        [[np.ones(2), np.zeros(2)]],
    ),
    "constant body": (lambda x: fori_loop(0, 3, lambda i, s: np.arange(3.0), x), [[np.ones(3)]]),
    "state kept": (
        lambda x: while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x), (np.int64(0), x))[1],
        [[np.ones(3)]],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_eager_with_one_trace(name):
    eager, calls = PROGRAMS[name]
    calls = [[np.float64(a) if type(a) is float else a for a in call] for call in calls]
    f = tracefn.function(eager, name="f")
    for _ in range(2):
        for call in calls:
            same(f(*call), eager(*call))
    assert f.tracing_count == 1
    concrete = f.concrete_functions[0]
    for graph in (concrete.graph, concrete.traced_graph):
        outputs = evaluate(verify(graph), calls[0], {"global W": W})
        namespace = {}
        exec(str(graph), namespace)
        printed = namespace["f"](*calls[0], **{graph.names[n]: W for n in graph.captures})
        for a, b in zip(printed if len(outputs) > 1 else (printed,), outputs, strict=True):
            np.testing.assert_array_equal(a, b)


def test_plain_python_outside_a_trace():
    assert cond(True, lambda: 1, lambda: 2) == 1
    assert while_loop(lambda n: n < 5, lambda n: (n + 1,), (0,)) == (5,)
    assert fori_loop(0, 4, lambda i, s: s + i, 0) == 6


def test_a_python_condition_is_decided_while_tracing():
    f = tracefn.function(lambda x, flag: cond(flag, lambda: x + 1, lambda: x - 1))
    assert f(np.float64(1), True) == 2 and f(np.float64(1), False) == 0
    assert f.tracing_count == 2
    assert not any(n.bodies for c in f.concrete_functions for n in c.graph)


def test_weak_numbers_take_the_dtype_of_the_body():
    f = tracefn.function(lambda x, n: fori_loop(0, n, lambda i, s: s + x, 0))
    result = f(np.float32(1.5), np.int64(3))
    assert result == 4.5 and result.dtype == np.float32
    g = tracefn.function(lambda x: cond(x > 0, lambda: x, lambda: 0))
    assert g(np.float32(-1)).dtype == np.float32


def test_lengths_may_differ():
    f = tracefn.function(lambda x: cond(x.sum() > 0, lambda: x[1:], lambda: x[:1]) + 1)
    for x in (np.ones(4), -np.ones(4)):
        np.testing.assert_array_equal(f(x), (x[1:] if x.sum() > 0 else x[:1]) + 1)
    g = tracefn.function(lambda x, n: fori_loop(0, n, lambda i, s: np.concatenate([s, x]), x), input_signature=None)
    for n in (0, 1, 3):
        np.testing.assert_array_equal(g(np.arange(2.0), np.int64(n)), np.tile(np.arange(2.0), n + 1))
    assert g.tracing_count == 1


def test_open_lengths_are_known_in_bodies():
    f = tracefn.function(
        lambda x: cond(x.sum() > 0, lambda: x.reshape(x.shape[0] * 2) / x.shape[0], lambda: x.reshape(-1)),
        input_signature=[tracefn.TensorSpec((None, 2), float)],
    )
    for n in (1, 3):
        np.testing.assert_array_equal(f(np.ones((n, 2))), np.ones(2 * n) / n)
        np.testing.assert_array_equal(f(-np.ones((n, 2))), -np.ones(2 * n))
    assert f.tracing_count == 1


@pytest.mark.parametrize(
    ("program", "match"),
    [
        (lambda x: cond(x.sum() > 0, lambda: x, lambda: x.astype("f4")), r"`result`: float64\[3\] and float32\[3\]"),
        (lambda x: cond(x.sum() > 0, lambda: x, lambda: x.sum()), r"`result`"),
        (lambda x: cond(x.sum() > 0, lambda: (x, x), lambda: x), "different structures"),
        (lambda x: cond(x.sum() > 0, lambda: x, lambda: None), "no array or number"),
        (lambda x: cond(x > 0, lambda: x, lambda: -x), "ambiguous"),
        (
            lambda x: fori_loop(0, x.size, lambda i, s: s.astype("f4"), x),
            r"changes `state\[0\]`: float64\[3\] → float32\[3\]",
        ),
        (lambda x: fori_loop(0, 3, lambda i, s: (s, s), x), "structure"),
        (lambda x: while_loop(lambda a, b: a.sum() > 0, lambda a, b: (a, "t"), (x, "s")), "no array or number"),
    ],
)
def test_what_does_not_fit_is_named(program, match):
    f = tracefn.function(program)
    with pytest.raises(ControlFlowError, match=match):
        f(np.ones(3))
    assert f.concrete_functions == []
    assert tracefn.trace.context.current() is None


def test_a_value_of_a_body_may_not_leave_it():
    kept = []
    f = tracefn.function(lambda x: cond(x > 0, lambda: kept.append(x * 2) or x, lambda: x) + kept[0])
    with pytest.raises(LeakedTensorError, match="if_true"):
        f(np.float64(1))


def test_an_outer_value_is_not_written_in_a_body():
    def program(x):
        y = x * 2

        def write():
            nonlocal y
            y += 1
            return y

        return cond(x.sum() > 0, write, lambda: y)

    with pytest.raises(InPlaceWriteError, match="in place"):
        tracefn.function(program)(np.ones(2))


def test_buffers_are_not_reused_while_a_branch_may_return_them():
    def program(x):
        y = x * 2
        z = cond(x[0] > 0, lambda: y, lambda: x)
        return z, np.exp(y)

    f = tracefn.function(program)
    x = np.linspace(0.5, 1, 1 << 14)
    for _ in range(2):
        z, e = f(x)
        np.testing.assert_array_equal(z, x * 2)
        np.testing.assert_array_equal(e, np.exp(x * 2))


def test_bodies_are_optimised_and_counted():
    concrete = tracefn.function(
        lambda x: cond(x.sum() > 0, lambda: np.sin(x) * 1 + np.sin(x), lambda: x)
    ).get_concrete_function(np.ones(3))
    assert concrete.nodes_before - concrete.nodes_after == 2
    assert concrete.program.count("np.sin") == 1


def test_json_holds_the_bodies():
    graph = tracefn.function(PROGRAMS["collatz"][0]).get_concrete_function(np.int64(7)).graph
    loop = next(n for n in graph.to_json()["nodes"] if n["op"] == "while_loop")
    assert set(loop["bodies"]) == {"test", "body"}
    assert any(n["op"] == "cond" for n in loop["bodies"]["body"]["nodes"])
