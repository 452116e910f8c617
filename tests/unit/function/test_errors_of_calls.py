"""Calls that raise, where what is unsupported is an error: the user's errors are eager code's, and leave its state."""

import functools
import json
import warnings

import numpy as np
import pytest
import scipy.linalg
import tracefn
from agreement import assert_all_agree
from tracefn.errors import ArgumentMismatchError, TensorConversionError, UnsupportedFunctionError


class Account:
    def __init__(self):
        self.balance, self.calls, self.log, self.held = np.zeros(2), 0, [], {}

    def at(self, x, i):
        self.calls += 1
        self.log.append(float(x.sum()))
        self.held[self.calls] = x[i]
        self.balance = self.balance + x
        return self.balance * 2

    def checked(self, x, i):
        self.log.append(i)
        self.balance = self.balance + x
        if x.sum() < i:
            raise ValueError(f"{x.sum()} is less than {i}")
        self.calls += 1
        return x

    def shaped(self, x, i):
        self.calls += 1
        self.balance = self.balance - 1
        return x @ np.ones((2, i))

    def of_a_library(self, x, i):
        self.log.append("before")
        try:
            return scipy.linalg.solve(np.diag(x), np.ones(2))
        except KeyError:
            return x
        finally:
            self.log.append("after")


def said(call, *args):
    try:
        return repr(call(*args))
    except Exception as error:
        assert error.__cause__ is None
        return repr(error)


CALLS = [(np.ones(2), 1), (np.ones(2), 5), (np.ones(2), 0), (np.zeros(2), 3), (np.zeros(3), 1), (np.ones(2), 1)]


@pytest.mark.parametrize("name", ["at", "checked", "shaped", "of_a_library"])
@pytest.mark.parametrize("number", [int, np.int64])
def test_a_call_that_raises_leaves_the_state_of_eager_code(name, number):
    method = getattr(Account, name)
    traced, mine, theirs = tracefn.function(method), Account(), Account()
    for x, i in CALLS:
        given = number(i) if name != "shaped" else i
        assert said(traced, mine, x.copy(), given) == said(method, theirs, x.copy(), given)
        assert repr(vars(mine)) == repr(vars(theirs))


@pytest.mark.parametrize("jit", ["off", "now"])
def test_a_call_that_raises_after_a_write_in_a_branch_leaves_it(jit):
    def swapped(z):
        if z.sum() > 0:
            v = np.abs(z)
            z, v = v, z
        np.add(z, z, out=z)
        z[1:] = np.abs(z)
        return z

    traced = tracefn.function(swapped, reduce_retracing=True, jit=jit)
    for sign in (-1.0, 1.0):
        for length in (4, 2, 3, 1):
            mine, theirs = (sign * np.arange(1.0, length + 1) for _ in range(2))
            assert said(traced, mine) == said(swapped, theirs)
            np.testing.assert_array_equal(mine, theirs)


def test_an_error_that_the_function_handles_has_no_trace():
    def solved(a, b):
        try:
            return scipy.linalg.solve(a, b)
        except np.linalg.LinAlgError:
            return b

    traced = tracefn.function(solved)
    with pytest.raises(UnsupportedFunctionError, match="a library raised LinAlgError inside of a `try`"):
        traced(np.zeros((2, 2)), np.ones(2))
    np.testing.assert_array_equal(traced(np.eye(2), np.ones(2)), np.ones(2))


def first(k, x, i):
    return x[i] * k


@pytest.mark.parametrize("choice", ["error", "eager"])
def test_a_partial_function_whose_first_run_raises(choice):
    traced = tracefn.function(functools.partial(first, 2), on_unsupported=choice)
    for i in (7, 1, 8):
        assert said(traced, np.ones(3), np.int64(i)) == said(first, 2, np.ones(3), np.int64(i))


def test_a_concrete_function_raises_as_the_function_does():
    account = Account()
    traced = tracefn.function(Account.at).get_concrete_function(account, np.ones(2), np.int64(0))
    traced(account, np.ones(2), np.int64(1))
    with pytest.raises(IndexError):
        traced(account, np.ones(2), np.int64(5))
    assert (account.calls, account.log, list(account.held)) == (2, [2.0, 2.0], [1])


def test_a_concrete_function_says_that_a_step_gave_another_type():
    concrete = tracefn.function(lambda x: json.loads(str(x[0]))).get_concrete_function(np.array(["10"]))
    assert concrete(np.array(["20"])) == 20
    with pytest.raises(ArgumentMismatchError, match=r"other circumstances: `json.loads` returned"):
        concrete(np.array(["[]"]))


def in_a_branch(x):
    if x.sum() > 2:
        return memoryview(x).nbytes
    return 0


def test_what_a_branch_meets_while_tracing_alone():
    x = np.full(2, 1.0)
    traced = tracefn.function(in_a_branch)
    assert traced(x) == 0
    with pytest.raises(TensorConversionError, match="takes no traced value"):
        traced(x * 2)
    falling = tracefn.function(in_a_branch, on_unsupported="eager")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert [falling(v) for v in (x, x * 2, x * 3)] == [0, 16, 16]
    assert [w.category for w in told] == [tracefn.errors.FallbackWarning]
    assert [f.calls for f in falling.fallbacks] == [2]


@pytest.mark.parametrize("choice", ["error", "eager"])
def test_numpy_warns_once_of_a_call_that_raises(choice):
    def late(x, i):
        y = np.log(x - 1) * np.float64(1e300) * x.sum()
        z = y[0] * np.float64(1e300) * 1e300
        return z / x[i]

    assert_all_agree(
        late, *[(np.full(2, v), np.int64(i)) for v, i in [(2.0, 0), (1.0, 5), (3.0, 0), (4.0, 5), (0.0, 1)]],
        on_unsupported=choice, jit="off",
    )  # fmt: skip


@pytest.mark.parametrize("jit", ["off", "now"])
def test_a_call_of_a_cached_trace_that_raises_is_told_of_once(jit: str) -> None:
    @tracefn.function
    def pick(x, i):
        y = np.tanh(x) * 2
        return y[i] + 1

    seen: list[tracefn.events.Event] = []
    with tracefn.config.jit(jit):
        pick(np.ones(3), np.int64(1))
        stop = tracefn.events.listen(seen.append)
        for i in (5, 6, 5):
            with pytest.raises(IndexError):
                pick(np.ones(3), np.int64(i))
        stop()
    (error,) = [e for e in seen if e.type == "error"]
    concrete = pick.concrete_functions[0]
    node = next(n for n in concrete.graph.nodes if n.op.name == "getitem")
    assert (error.signature, error.error, error.phase) == (concrete.signature_id, "IndexError", "call")
    assert error.node == concrete.graph.names[node]
    first = pick.python_function.__code__.co_firstlineno
    assert error.raised is not None and error.raised.line == first + 3


@pytest.mark.parametrize("jit", ["off", "now"])
def test_the_node_of_the_unrolled_round_that_raises_is_told_of(jit: str) -> None:
    @tracefn.function
    def picked(x, i):
        parts = [x[i + k] * k for k in (1, 2, 3)]
        return parts[0] + parts[1] + parts[2]

    seen: list[tracefn.events.Event] = []
    with tracefn.config.jit(jit):
        picked(np.ones(6), np.int64(1))
        stop = tracefn.events.listen(seen.append)
        with pytest.raises(IndexError):
            picked(np.ones(6), np.int64(4))
        stop()
    (error,) = [e for e in seen if e.type == "error"]
    graph = picked.concrete_functions[0].graph
    rounds = [graph.names[node] for node in graph.nodes if node.op.name == "getitem"]
    assert (len(rounds), error.node) == (3, rounds[1])
    assert error.note == "indexing of float64[6], int64"


def test_the_node_in_a_loop_that_raises_is_told_of() -> None:
    @tracefn.function
    def decayed(xs, w):
        h = np.zeros(2)
        for x in xs:
            h = np.tanh(w @ h + x)  # raises in the trace of the body, which no round may reach
        return h

    seen: list[tracefn.events.Event] = []
    stop = tracefn.events.listen(seen.append)
    with pytest.raises(ValueError, match="matmul"):
        decayed(np.ones((50, 2)), np.ones((2, 3)))
    stop()
    (error,) = [e for e in seen if e.type == "error"]
    assert error.note.startswith("matmul of float64[2, 3], ")
    graph = json.loads(json.dumps(decayed.concrete_functions[0].graph.to_json()))
    loop, body, name = error.node.split("/")
    (node,) = [node for node in graph["nodes"] if node["id"] == loop]
    assert {n["id"]: n["op"] for n in node["bodies"][body]["nodes"]}[name] == "raise_error"


def test_functions_inside_are_not_traced_for_a_call_that_raises():
    @tracefn.function(on_unsupported="eager")
    def item(x, i):
        return x[i] * 2

    @tracefn.function(on_unsupported="eager")
    def outer(x, i):
        return item(x, i) + item(x, i - 1)

    x, i = np.arange(3.0), np.array(2)
    assert outer(x, i) == 6.0
    for _ in range(2):
        with pytest.raises(IndexError):
            outer(x, np.array(3))
    assert (outer.tracing_count, item.tracing_count) == (1, 0)
    assert item(x, i) == 4.0 and item.tracing_count == 1
