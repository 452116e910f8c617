"""What is left of a trace that failed: in events, the line that raised and the graph up to there; nothing in memory."""

import contextlib
import gc
import types
import weakref

import numpy as np
import pytest
import tracefn
from tracefn.events import BUS, Error, GraphBuilt

W = np.ones((4, 4))


def in_round(x, n):
    y = np.tanh(x) * 2
    for _ in range(n):
        y = y + np.exp(x)
        y = y @ W  # raises
    return y


def by_itself(x, n):
    y = np.tanh(x)
    if n:
        raise KeyError("n")  # raises
    return y


def fails(function, *args, **options):
    """The last `graph.built` and `error` events of a traced function whose call raises."""
    f = tracefn.function(function, **options)
    with pytest.raises((ValueError, KeyError)):
        f(*args)
    events = [e for e in BUS.ledger.snapshot().events if e.function == f.function_id]
    return [e for e in events if isinstance(e, GraphBuilt)][-1], [e for e in events if isinstance(e, Error)][-1]


def line_of(function):
    with open(__file__) as file:
        lines = file.readlines()
    start = function.__code__.co_firstlineno
    return next(n for n in range(start, len(lines)) if "# raises" in lines[n - 1])


@pytest.mark.parametrize("on_unsupported", ["eager", "error"])
@pytest.mark.parametrize("function", [in_round, by_itself])
def test_the_error_names_the_line_that_raised(function, on_unsupported):
    _, error = fails(function, np.ones(3), 2, on_unsupported=on_unsupported)
    assert (error.raised.file, error.raised.line) == (__file__, line_of(function))
    assert error.location.file == __file__ and error.location.line != error.raised.line


def test_the_graph_comes_as_far_as_the_call_that_raised():
    built, error = fails(in_round, np.ones(3), 2)
    data = built.graph.to_json()
    assert [node["op"] for node in data["nodes"]] == ["input", "capture", "tanh", "multiply", "exp", "add", "matmul"]
    assert data["outputs"] == []
    failed = data["nodes"][-1]
    assert (failed["id"], failed["line"], failed["kind"]) == (built.raised, error.raised.line, "nothing")
    assert built.to_json()["raised"] == failed["id"]


def test_values_in_a_body_are_those_around_it():
    """The loop under way is part of the graph: what it takes from around is one node."""

    def scanned(x):
        def step(carry, row):
            return carry + np.exp(row) @ W, row

        return tracefn.scan(step, np.zeros(3), x)

    built, _ = fails(scanned, np.ones((5, 3)), on_unsupported="error")
    ops = [node.op.name for node in built.graph]
    assert ops[-1] == "matmul" and "exp" in ops
    assert [n.args[0] for n in built.graph if n.op.name == "capture"] == ["global W"]


def test_an_error_of_the_code_itself_marks_no_node():
    built, _ = fails(by_itself, np.ones(3), 2)
    assert built.raised is None
    assert [node.op.name for node in built.graph] == ["input", "tanh"]


def test_the_next_trace_takes_the_place_of_a_graph_that_failed():
    f = tracefn.function(in_round)
    for n in (2, 3):
        with pytest.raises(ValueError, match="matmul"):
            f(np.ones(3), n)
    f(np.ones(4), 1)
    events = BUS.ledger.snapshot().events
    built = [e for e in events if isinstance(e, GraphBuilt) and e.function == f.function_id]
    assert [e.graph is not None for e in built] == [False, False, True]
    assert len({e.graph_hash for e in built}) == 2  # the first two are alike


def test_an_error_that_is_handled_leaves_no_mark():
    def handled(x):
        try:
            return x @ W
        except ValueError:
            return x * 2

    f = tracefn.function(handled)
    np.testing.assert_array_equal(f(np.ones(3)), np.full(3, 2.0))
    assert [
        e.raised for e in BUS.ledger.snapshot().events if isinstance(e, GraphBuilt) and e.function == f.function_id
    ] == [None]


def test_a_tensor_of_a_loop_that_is_kept_after_its_trace_says_what_it_is():
    kept = []

    @tracefn.function(on_unsupported="eager")
    def f(x):
        while x.sum() < 9:
            x = x + 1
            keep(x)
        return x

    @tracefn.autograph.do_not_convert
    def keep(x):
        kept.append(x)

    f(np.ones(3))
    for tensor in kept:
        with contextlib.suppress(tracefn.errors.TracefnError, ValueError):
            bool(tensor)


class Held:
    pass


def test_nothing_is_held_after_a_refusal(falls_back):
    """The variables of the caller go at its end, without a collection of garbage, though the error has its frame."""
    alive = weakref.WeakSet()

    @tracefn.function
    def refused(x):
        x.setflags(write=True)
        return x

    def caller(shape):
        held = Held()
        alive.add(held)
        return refused(np.ones(shape))

    gc.disable()
    try:
        for shape in (2, (2, 2)):
            caller(shape)
            assert not len(alive)
    finally:
        gc.enable()


def test_an_error_between_a_body_and_its_end_undoes_the_changes_of_the_body():
    kept = types.SimpleNamespace(n=1)

    @tracefn.function(on_unsupported="eager")
    def rounds(x, held):
        for _ in range(int(x[0])):
            kept.n += 2
            held.setdefault("itself", held)
        return x

    with pytest.warns(tracefn.errors.FallbackWarning):
        rounds(np.array([3.0]), {})
    assert type(kept.n) is int
    assert kept.n == 7
