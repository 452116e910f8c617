"""Needless retraces are told from needed ones by their graphs, and two graphs are compared node by node."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from tracefn.explain import graph_diff

FLOATS = np.ones(3, np.float32)


def verdict(function, *calls):
    f = tracefn.function(function)
    for call in calls:
        f(*call)
    found = f.explain().verdict
    return found.kind, found.same_as


def test_a_graph_that_is_the_same_but_for_the_number_is_needless() -> None:
    assert verdict(lambda x, n: np.tanh(x) * n, [FLOATS, 1], [FLOATS, 2], [FLOATS, 7]) == ("numbers", 2)


def test_a_graph_that_does_not_use_what_changed_is_the_same() -> None:
    assert verdict(lambda x, n: x + 1, [FLOATS, 1], [FLOATS, 2]) == ("nothing", 1)


def test_a_graph_that_differs_in_lengths_alone_is_needless() -> None:
    assert verdict(lambda x: (x * 2).sum(axis=0), [np.ones((2, 3))], [np.ones((4, 3))]) == ("shapes", 1)


@pytest.mark.parametrize(
    ("function", "first", "second"),
    [
        (lambda x, n: x * n if n > 1 else x - n, [FLOATS, 1], [FLOATS, 2]),
        (lambda x, flag: x.sum(keepdims=flag), [FLOATS, True], [FLOATS, False]),
        (lambda x: x * 2, [FLOATS], [FLOATS.astype(np.float64)]),
        (lambda x, n: (x, n), [FLOATS, 1], [FLOATS, 2]),
        (lambda x, n: [x for _ in range(n)], [FLOATS, 1], [FLOATS, 2]),
        (lambda x, key: {key: x}, [FLOATS, "a"], [FLOATS, "b"]),
    ],
)
def test_a_graph_or_result_that_differs_is_no_needless_retrace(function, first, second) -> None:
    assert verdict(function, first, second) == ("different", None)


def test_the_verdict_is_known_when_the_earlier_trace_is_gone() -> None:
    f = tracefn.function(lambda x, n: x * n)
    f(FLOATS, 1)
    f.clear_cache()
    f(FLOATS, 2)
    assert (f.explain().verdict.kind, f.explain().verdict.same_as) == ("numbers", 1)


def verdicts(function, *calls):
    """What the events say of the traces of these calls, each of which needs one."""
    f = tracefn.function(function)
    with tracefn.events.record() as events:
        for call in calls:
            f(*call)
    return [(e.verdict, e.same_as) for e in events if e.type == "graph.built"]


def test_the_event_names_the_trace_that_is_most_alike() -> None:
    calls = [(np.ones(length), number) for length, number in ((2, 1), (3, 1), (4, 2), (3, 2), (4, 2.0))]
    expected = [("", None), ("shapes", 1), ("shapes", 2), ("numbers", 2), ("numbers", 3)]
    assert verdicts(lambda x, n: np.tanh(x) * n, *calls) == expected


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[: min(len(x), 3)] * 2 if len(x) < 4 else x * 2,
        lambda x: x if len(x) < 4 else x * 2,
        lambda x: (x * 2, 1 if len(x) < 4 else 2),
        lambda x: (x * 2, x) if len(x) < 4 else (x, x * 2),
        lambda x: np.sin(x) if len(x) < 4 else np.cos(x),
        lambda x: x * (True if len(x) < 4 else 1),
    ],
)
def test_the_event_says_what_differs_beside_lengths(function) -> None:
    found = verdicts(function, [np.ones(2)], [np.ones(3)], [np.ones(4)], [np.ones(5)])
    assert found == [("", None), ("shapes", 1), ("different", None), ("shapes", 3)]


def test_the_event_of_the_graph_has_the_verdict_and_the_memory() -> None:
    f = tracefn.function(lambda x, n: x * n)
    with tracefn.events.record() as events:
        f(FLOATS, 1)
        f(FLOATS, 2)
    built = [e for e in events if e.type == "graph.built"]
    assert [(e.verdict, e.same_as) for e in built] == [("", None), ("numbers", 1)]
    assert all(e.memory > 500 for e in built)


def graphs(*functions, shape=(3,)):
    return [tracefn.function(g).get_concrete_function(tracefn.TensorSpec(shape)).graph for g in functions]


def test_equal_graphs_have_no_difference() -> None:
    a, b = graphs(lambda x: np.tanh(x) + 1, lambda x: np.tanh(x) + 1)
    diff = graph_diff(a, b)
    assert not diff
    assert len(diff.same) == len(a)
    assert str(diff) == "no difference: 3 nodes"


def test_added_and_removed_nodes_and_edges_are_named() -> None:
    a, b = graphs(lambda x: np.tanh(x) + 1, lambda x: np.tanh(np.exp(x)) + 1)
    diff = graph_diff(a, b)
    names = b.names
    (added,) = diff.added
    assert next(n for n in b.nodes if names[n] == added).op.name == "exp"
    assert diff.removed == () and diff.changed == ()
    tanh = next(names[n] for n in b.nodes if n.op.name == "tanh")
    assert diff.added_edges == tuple(sorted([("x", added), (added, tanh)]))
    assert len(diff.removed_edges) == 1
    assert f"+ {added} = np.exp(x)" in str(diff)
    back = graph_diff(b, a)
    assert (back.added, back.removed) == ((), (added,))


def test_changed_attributes_and_types_are_named() -> None:
    a, b = graphs(lambda x: x.sum(axis=0), lambda x: x.sum(axis=1), shape=(3, 3))
    ((_, _, what),) = graph_diff(a, b).changed
    assert what == "axis 0 → 1"
    (a,), (b,) = graphs(lambda x: x * 2), graphs(lambda x: x * 2, shape=(4,))
    diff = graph_diff(a, b)
    assert [what for *_, what in diff.changed] == ["float64[3] → float64[4]"] * 2
    assert diff.reshaped == ("x", "v0")


def test_what_is_the_same_but_for_shapes_is_told_apart() -> None:
    def program(n, number):
        def f(x):
            y = np.zeros(n) + x
            return y * number if x.sum() > 0 else y

        return f

    (a,), (b,) = graphs(program(3, 2)), graphs(program(4, 2), shape=(4,))
    diff = graph_diff(a, b)
    assert len(diff.reshaped) == len(diff.changed) and not diff.added and not diff.removed
    assert any("/if_true/" in name for name in diff.reshaped)
    (c,) = graphs(program(4, 3), shape=(4,))
    other = graph_diff(a, c)
    (inner,) = {name for name, *_ in other.changed} - {*other.reshaped} - {*a.names.values()}
    assert inner.split("/")[1] == "if_true"
    (outer,) = {name for name, *_ in other.changed} - {*other.reshaped} - {inner}
    assert inner.startswith(f"{outer}/")


def test_a_difference_in_a_body_is_seen() -> None:
    def branch(number):
        def f(x):
            return x * number if x.sum() > 0 else x

        return f

    a, b = graphs(branch(2), branch(3))
    assert "in if_true" in str(graph_diff(a, b))


def test_graph_diff_as_html_and_data_escapes_names() -> None:
    a, b = graphs(lambda x: x < 1, lambda x: x > 1)
    diff = graph_diff(a, b)
    assert "&lt;" in diff._repr_html_() or "&gt;" in diff._repr_html_()
    assert set(diff.to_dict()) == {
        "same", "changed", "reshaped", "added", "removed", "added_edges", "removed_edges",
    }  # fmt: skip


def test_long_graphs_are_compared_in_time() -> None:
    def chain(count):
        def f(x):
            for i in [*range(count)]:
                x = x + i if i % 2 else x * i
            return x

        return f

    a, b = graphs(chain(1500), chain(1501))
    assert len(graph_diff(a, b).added) == 1


def test_graphs_that_differ_in_errstate_alone_are_others() -> None:
    def reciprocal(x, how):
        with np.errstate(divide=how):
            return 1 / x

    assert verdict(reciprocal, [FLOATS, "ignore"], [FLOATS, "raise"])[0] == "different"
