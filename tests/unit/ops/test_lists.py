"""Lists of arrays in graphs: what each op gives, and that programs, printed graphs and the reference agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from tracefn.errors import ControlFlowError, UnsupportedFunctionError
from tracefn.ir.evaluate import evaluate
from tracefn.ir.types import NOTHING, Kind, TensorType, list_of
from tracefn.ir.verify import verify
from tracefn.trace.active import current
from tracefn.trace.context import Trace
from tracefn.trace.values import lists


def trace() -> Trace:
    found = current()
    assert found is not None
    return found


def new(*values: Any) -> Any:
    return list(values) if current() is None else lists.new_list(trace(), values)


def change(values: Any, name: str, *arguments: Any) -> Any:
    return lists.change(trace(), values, name, *arguments)


def append(values: Any, value: Any) -> Any:
    return change(values, "list_append", value)


#: In Python: a call that raises is repeated without a trace.
ASKED = {"list_stack": np.stack, "list_get": list.__getitem__, "list_pop": list.pop}


def ask(values: Any, name: str, *arguments: Any) -> Any:
    return ASKED[name](values, *arguments) if current() is None else lists.ask(trace(), values, name, *arguments)


def as_array(values: Any) -> Any:
    return lists.as_array(trace(), values)


def check(function: Callable[..., Any], expected: Any, *args: Any) -> Any:
    """Program, printed graph and reference interpreter all give what is expected. Returns the graph."""
    traced = tracefn.function(function)
    assert_alike(traced(*args), expected)
    graph = traced.get_concrete_function(*args).graph
    verify(graph)
    many = isinstance(expected, tuple)
    outputs = expected if many else (expected,)
    assert_alike(evaluate(graph, args), outputs)
    namespace: dict[str, Any] = {}
    exec(str(graph), namespace)
    printed = [v for v in namespace.values() if callable(v)][-1](*args)
    assert_alike(printed, expected)
    graph.to_dot()
    return graph


X = np.arange(3.0)


def test_types_print_and_compare() -> None:
    element = TensorType(np.dtype(float), (3,))
    assert repr(list_of(element, 2)) == "list of 2 float64[3]"
    assert repr(list_of(TensorType(np.dtype(float), (), Kind.SCALAR), 2)) == "list of 2 float64"
    assert repr(list_of(TensorType(np.dtype(float), (), Kind.PYTHON), 2)) == "list of 2 float"
    assert repr(list_of(TensorType(NOTHING, ()), 0)) == "empty list"
    kinds = {list_of(TensorType(np.dtype(float), (), k), 2) for k in (Kind.ARRAY, Kind.SCALAR, Kind.PYTHON)}
    assert len(kinds) == 3
    assert list_of(element, 2).element == element


def test_a_list_is_made_changed_and_read() -> None:
    def f(x: Any) -> Any:
        values = append(new(x, x * 2), x + 1)
        values = change(values, "list_insert", 0, x - 1)
        values = change(values, "list_set", 1, np.zeros(3))
        values = change(values, "list_extend", new(x * 5, x * 6))
        values = change(values, "list_extend", np.stack([x, x]))
        copied = append(ask(values, "list_copy"), x)
        values, last = ask(values, "list_pop", -2)
        return values, last, copied, ask(values, "list_get", 2), ask(values, "list_len"), as_array(values)

    all_values = [X - 1, np.zeros(3), X * 2, X + 1, X * 5, X * 6, X, X]
    values = all_values[:6] + all_values[7:]
    graph = check(f, (values, X, [*all_values, X], X * 2, 7, np.array(values)), X)
    node = graph.to_json()["nodes"][-1]
    assert node["kind"] == "array"
    made = next(n for n in graph.to_json()["nodes"] if n["op"] == "list_append")
    assert (made["kind"], made["shape"], made["dtype"]) == ("list", [3, 3], "float64")
    assert ".append(" in made["call"]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack_and_concatenate(axis: int) -> None:
    both = [np.ones((2, 3)), np.zeros((2, 3))]
    check(lambda x, y: ask(new(x, y), "list_stack", axis), np.stack(both, axis), *both)
    check(lambda x, y: ask(new(x, y), "list_concatenate", axis), np.concatenate(both, axis), *both)


@pytest.mark.parametrize("kind", ["array", "scalar", "python"])
def test_elements_keep_what_holds_them(kind: str) -> None:
    def f(x: Any) -> Any:
        value = {"array": x, "scalar": x[0], "python": ask(new(x), "list_len")}[kind]
        values = new(value, value)
        return values, ask(values, "list_get", 0), as_array(values)

    value = {"array": X, "scalar": X[0], "python": 1}[kind]
    check(f, ([value, value], value, np.array([value, value])), X)


def test_a_loop_fills_a_list_that_began_empty() -> None:
    def f(x: Any, n: Any) -> Any:
        values = tracefn.fori_loop(0, n, lambda i, s: append(s, x * i), new())
        return values, as_array(values), ask(values, "list_len")

    for n in (0, 1, 4):
        rows = [X * i for i in range(n)]
        check(f, (rows, np.array(rows) if n else np.empty((0, 3)), n), X, np.int64(n))


def test_numbers_become_scalars_where_a_loop_adds_scalars() -> None:
    def f(x: Any) -> Any:
        last = lambda s: ask(s, "list_get", -1)  # noqa: E731
        (values,) = tracefn.while_loop(lambda s: last(s) < 5, lambda s: (append(s, last(s) + x),), (new(0.0),))
        return as_array(values)

    assert_alike(tracefn.function(f)(np.float64(2)), np.array([0.0, 2.0, 4.0, 6.0]))


def test_branches_leave_lists_of_different_lengths() -> None:
    def f(x: Any) -> Any:
        values = new(x)
        values = tracefn.cond(x.sum() > 0, lambda: append(append(values, x), x * 2), lambda: values)
        values = append(values, x)
        return values, as_array(values)

    for x, rows in ((X, [X, X, X * 2, X]), (-X, [-X, -X])):
        check(f, (rows, np.stack(rows)), x)


def test_elements_of_open_lengths() -> None:
    def f(x: Any) -> Any:
        values = append(new(x[x > 0]), x[x > 1])
        first = ask(values, "list_get", 0)
        return first * 2, ask(values, "list_concatenate", 0), values

    check(f, (X[1:] * 2, np.array([1.0, 2.0, 2.0]), [X[1:], X[2:]]), X)
    with pytest.raises(ValueError, match="same shape"):
        tracefn.function(lambda x: ask(new(x[x > 0], x[x > 1]), "list_stack", 0))(X)


def test_elements_are_no_shared_memory_that_eager_code_would_not_share() -> None:
    made = np.zeros(3)

    def f(x: Any) -> Any:
        return append(append(new(x * 1, x + 1), x + 1), np.zeros(3))

    traced = tracefn.function(f)
    x = X.copy()
    for _ in range(2):
        found = traced(x)
        assert_alike(found, [X, X + 1, X + 1, made])
        for value in found:
            value += 100
        assert np.array_equal(x, X)
        assert_alike(found[1], X + 101)


def test_buffers_in_a_list_are_not_written_into() -> None:
    x = np.arange(100_000.0)

    def f(x: Any) -> Any:
        y = x + 1
        values = new(y)
        z = y * 2
        values = append(values, z)
        w = z - 3
        values = change(values, "list_set", 0, w)
        v = w * w
        return as_array(values), v + 1

    w = (x + 1) * 2 - 3
    check(f, (np.stack([w, (x + 1) * 2]), w * w + 1), x)


def test_a_value_in_a_list_is_not_written_to_in_place() -> None:
    def f(x: Any) -> Any:
        y = x + 1
        values = new(y)
        y += 1
        return values

    with pytest.raises(tracefn.errors.InPlaceWriteError):
        tracefn.function(f)(X)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.sin(new(x)),
        lambda x: new(x) + 1,
        lambda x: new(x)[0],
        lambda x: np.stack([new(x), x]),
        lambda x: x + new(x),
    ],
)
def test_numpy_does_not_take_a_list(call: Callable[..., Any]) -> None:
    with pytest.raises(UnsupportedFunctionError, match="list of 1 float64"):
        tracefn.function(call)(X)


@pytest.mark.parametrize("value", ["text", None, np.zeros((2, 2)), np.zeros(3, np.float32), 1.0])
def test_elements_must_be_of_one_type(value: Any) -> None:
    with pytest.raises(ControlFlowError, match="list"):
        tracefn.function(lambda x: append(new(x), value))(X)


@pytest.mark.parametrize("op", ["list_get", "list_pop"])
def test_an_index_outside_is_pythons_error(op: str) -> None:
    traced = tracefn.function(lambda x, i: ask(new(x, x), op, i)[0])
    assert traced(X, np.int64(1)) is not None
    with pytest.raises(IndexError, match="out of range"):
        traced(X, np.int64(2))
    with pytest.raises(IndexError, match="list"):
        tracefn.function(lambda x: ask(new(), op, 0))(X)


def test_a_list_and_an_array_do_not_join() -> None:
    with pytest.raises(ControlFlowError, match="list of 1"):
        tracefn.function(lambda x: tracefn.cond(x.sum() > 0, lambda: new(x), lambda: x))(X)
