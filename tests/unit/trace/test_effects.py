"""Effects in graphs: prints, errors and calls of Python functions happen as often, and in the order, as eagerly."""

from __future__ import annotations

import collections
import dataclasses
import json
import shutil
import typing

import numpy as np
import pytest
import tracefn
from tracefn import TensorSpec
from tracefn.errors import PyFunctionResultError, UnsupportedFunctionError
from tracefn.ir.evaluate import evaluate
from tracefn.ir.op import by_name
from tracefn.ir.template import Field, TextOf
from tracefn.ir.verify import verify
from tracefn.trace.active import current

X = np.array([1.0, 2.0])
PAIR = TensorSpec((2,), np.float64)


def raise_(error, *args):
    """Raises at run time in a trace, at once outside of one."""
    trace = current()
    if trace is None:
        raise error(*["".join(str(getattr(p, "value", p)) for p in a.parts) if type(a) is TextOf else a for a in args])
    trace.record(by_name("raise_error"), (error, *args), {})


def loops(x, n):
    tracefn.print("start", x, [x, {"n": n}], sep="|", end=".\n")

    def round_(i, s):
        tracefn.print("round", i, s)
        return tracefn.cond(s > 2, lambda: (tracefn.print("large"), s + 1)[1], lambda: s + 2)

    total = tracefn.fori_loop(0, n, round_, x)
    tracefn.cond(total > 0, lambda: tracefn.print("positive"), lambda: tracefn.print("negative"))
    tracefn.fori_loop(0, n, lambda i, s: (tracefn.print("only", i), s)[1], ())
    tracefn.switch(n, [lambda: tracefn.print("none"), lambda: tracefn.print("one"), lambda: tracefn.print("two")])
    (last,) = tracefn.while_loop(
        lambda v: (tracefn.print("test", v), v < 3)[1], lambda v: (tracefn.print("step"), (v + 1,))[1], (x,)
    )
    rows = tracefn.map_fn(lambda v: (tracefn.print("row", v), v * 2)[1], np.arange(3.0))
    return total, last, rows


@pytest.mark.parametrize(("x", "n"), [(0.0, 2), (5.0, 1), (-9.0, 0)])
def test_prints_are_those_of_eager_calls(capsys, x, n):
    args = (np.float64(x), np.int64(n))
    expected = loops(*args), capsys.readouterr().out
    traced = tracefn.function(loops)
    for _ in range(2):  # the call that traces prints as often as the others
        found = traced(*args)
        np.testing.assert_equal((found, capsys.readouterr().out), expected)
    assert traced.tracing_count == 1


@pytest.mark.parametrize(("x", "n"), [(0.0, 2), (5.0, 1)])
def test_the_interpreter_and_the_printed_graph_print_the_same(capsys, x, n):
    args = (np.float64(x), np.int64(n))
    expected = loops(*args), capsys.readouterr().out
    concrete = tracefn.function(loops).get_concrete_function(*args)
    capsys.readouterr()
    for graph in (concrete.graph, concrete.traced_graph):
        captures = {n.args[0]: np.arange(3.0) for n in graph.captures}
        np.testing.assert_equal((evaluate(verify(graph), args, captures), capsys.readouterr().out), expected)
    namespace: dict = {}
    exec(str(concrete.graph), namespace)
    np.testing.assert_equal((namespace["loops"](*args), capsys.readouterr().out), expected)


def test_graphs_with_effects_can_be_shown():
    graph = tracefn.function(loops).get_concrete_function(np.float64(1), np.int64(2)).graph
    calls = [node["call"] for node in json.loads(json.dumps(graph.to_json()))["nodes"]]
    assert "print('start', x, [x, {'n': n}], sep='|', end='.\\n')" in calls
    assert '"print' in graph.to_dot()
    assert graph.hash == tracefn.function(loops).get_concrete_function(np.float64(1), np.int64(2)).graph.hash
    if shutil.which("dot"):
        assert "print" in graph.to_svg()


def test_texts_are_formatted_at_run_time(capsys):
    @tracefn.function
    def f(x, width):
        text = ("{x} is '", Field(x, "", TextOf((Field(width), ".2f"))), "' ", Field(x, "r", ">20"), Field([x, "s"]))
        tracefn.print(TextOf(text))

    for x, width in ((np.float64(1.5), np.int64(8)), (np.float64(-2), np.int64(5))):
        f(x, width)
        assert capsys.readouterr().out == f"{{x}} is '{x:{width}.2f}' {x!r:>20}{[x, 's']}\n"
    assert f.tracing_count == 1


class Point(typing.NamedTuple):
    x: object
    y: object


@dataclasses.dataclass
class Box:
    corner: Point
    name: str = "box"


def test_structures_print_as_themselves(capsys):
    def f(x):
        tracefn.print(Box(Point(x, 1)), collections.OrderedDict(a=[x]), (x,), sep="; ")

    f(X)
    expected = capsys.readouterr().out
    assert "Box(corner=Point(x=array([1., 2.]), y=1)" in expected
    traced = tracefn.function(f)
    for _ in range(2):
        traced(X)
        assert capsys.readouterr().out == expected


class Broken(Exception):
    pass


@pytest.mark.parametrize("error", [ValueError, Broken])
def test_errors_are_raised_in_the_branch_taken(error):
    @tracefn.function
    def f(x):
        def bad():
            raise_(error, TextOf(("x is ", Field(x.sum()))), 7)
            return x

        return tracefn.cond(x.sum() > 3, bad, lambda: x + 1)

    np.testing.assert_array_equal(f(np.ones(2)), [2, 2])
    with pytest.raises(error) as caught:
        f(np.full(2, 4.0))
    assert caught.value.args == ("x is 8.0", 7)
    assert f.tracing_count == 1


def test_python_functions_run_once_for_each_execution():
    seen = []

    def host(x):
        seen.append(x)
        return x * 2

    @tracefn.function
    def f(x):
        y = np.exp(x)  # large enough to be overwritten, were it not given away
        z = tracefn.py_function(host, [y], TensorSpec((4096,), np.float64))
        tracefn.py_function(host, [y + 1], None)
        return np.sqrt(y) + z

    x = np.zeros(4096)
    for k in (1, 2):
        np.testing.assert_array_equal(f(x), np.full(4096, 3.0))
        assert len(seen) == 2 * k
    assert [s[0] for s in seen] == [1, 2, 1, 2]
    assert f.tracing_count == 1


def test_stateless_calls_are_left_out_where_nothing_uses_them():
    calls = []

    def f(x, stateful):
        tracefn.numpy_function(lambda v: calls.append(1) or v, [x], np.float64, stateful=stateful)
        return x

    traced = tracefn.function(f)
    traced(np.float64(1), False)
    assert not calls
    traced(np.float64(1), True)
    assert calls


WEIGHTS = np.array([1.0, 2.0])


def test_python_functions_see_the_real_globals():
    def helper(x):
        return x + WEIGHTS

    @tracefn.function
    def f(x):
        def inner(v):
            for _ in range(2):
                v = v * WEIGHTS
            return v if v[0] > 0 else -v

        if x.sum() > 0:  # rewritten by AutoGraph, and with it the function defined here
            y = tracefn.py_function(inner, [x], PAIR)
        else:
            y = tracefn.py_function(helper, [x], PAIR)
        return y

    np.testing.assert_array_equal(f(np.ones(2)), [1, 4])
    np.testing.assert_array_equal(f(-np.ones(2)), [0, 1])
    WEIGHTS[0] = 3
    np.testing.assert_array_equal(f(np.ones(2)), [9, 4])
    WEIGHTS[0] = 1


def test_a_python_function_may_not_read_traced_variables():
    @tracefn.function
    def f(x):
        y = x + 1
        return tracefn.py_function(lambda v: v + y, [x], PAIR)

    with pytest.raises(UnsupportedFunctionError, match=r"reads `y` around it[\s\S]*inp=\[\.\.\., y\]"):
        f(np.ones(2))


RESULTS = [
    (lambda x: 1, np.float64, np.float64(1)),
    (lambda x: True, bool, np.True_),
    (lambda x: "abc", "U3", np.str_("abc")),
    (lambda x: [1.0, 2.0], PAIR, np.array([1.0, 2.0])),
    (lambda x: (x, x.sum()), [PAIR, float], [np.ones(2), np.float64(2)]),
    (lambda x: {"a": x[:1]}, {"a": TensorSpec((None,))}, {"a": np.ones(1)}),
    (lambda x: None, [], []),
    (lambda x: 5, None, None),
]
WRONG = [
    (lambda x: 1.5, np.int64, "returned float64 as its result, and Tout says int64"),
    (lambda x: True, np.int64, "bool"),
    (lambda x: x, np.float64, r"float64\[2\]"),
    (lambda x: np.float32(1), np.float64, "float32"),
    (lambda x: x[:1], PAIR, r"returned float64\[1\] as its result, and Tout says float64\[2\]"),
    (lambda x: (x, x.astype(np.float32)), [PAIR, PAIR], r"float32\[2\] as its result\[1\]"),
    (lambda x: (x,), [PAIR, PAIR], "a list of 2"),
    (lambda x: {"b": x}, {"a": PAIR}, "a dict of 1"),
    (lambda x: None, np.float64, "object"),
]


def _traced_and_eager(func, declared):
    def call(x):
        return tracefn.py_function(func, [x], declared)

    return [call, tracefn.function(call)]


@pytest.mark.parametrize(("func", "declared", "expected"), RESULTS)
def test_results_have_the_declared_type(func, declared, expected):
    for call in _traced_and_eager(func, declared):
        found = call(np.ones(2))
        np.testing.assert_equal(found, expected)
        assert type(found) is type(expected)


@pytest.mark.parametrize(("func", "declared", "text"), WRONG)
def test_other_results_are_refused(func, declared, text):
    for call in _traced_and_eager(func, declared):
        with pytest.raises(PyFunctionResultError, match=text) as caught:
            call(np.ones(2))
        assert "<lambda>" in str(caught.value)
        assert "test_effects.py line" in str(caught.value)


def test_errors_of_python_functions_come_out_unchanged():
    error = Broken("as it was")

    def fail(x):
        raise error

    for call in _traced_and_eager(fail, PAIR):
        with pytest.raises(Broken) as caught:
            call(np.ones(2))
        assert caught.value is error


def test_arguments_of_python_functions_are_read_only():
    def write(x):
        x[0] = 5

    for call in _traced_and_eager(write, None):
        with pytest.raises(ValueError, match="read-only"):
            call(np.ones(2))


def test_arguments_come_as_a_list():
    with pytest.raises(TypeError, match=r"inp=\[x\]"):
        tracefn.py_function(np.sin, np.ones(2), PAIR)
    with pytest.raises(TypeError, match="Tout holds None"):
        tracefn.py_function(np.sin, [np.ones(2)], [None])


def test_open_lengths_of_results():
    @tracefn.function
    def f(x):
        found = tracefn.py_function(np.flatnonzero, [x > 1], TensorSpec((None,), np.int64))
        return found * 2, np.zeros_like(found)

    np.testing.assert_equal(f(np.array([1.0, 2, 3])), (np.array([2, 4]), np.array([0, 0])))
    np.testing.assert_equal(f(np.array([1.0, 2, 0])), (np.array([2]), np.array([0])))


def test_a_print_of_traced_values_in_a_branch_is_that_of_calls(capsys):
    @tracefn.function
    def f(x):
        if x.sum() > 2:
            print("large", x, f"{x[0]:.2f}", sep=": ", flush=True)
        else:
            print([x[0], 1], end=";")
        return x

    for first in (0, 3, 4):
        f(np.array([first, 0.0]))
    assert capsys.readouterr().out == "[np.float64(0.0), 1];large: [3. 0.]: 3.00\nlarge: [4. 0.]: 4.00\n"
