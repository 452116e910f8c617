"""The variables that nodes are assigned to: `ir/drawn/variables.py`."""

from __future__ import annotations

import linecache
import warnings

import numpy as np
import pytest
import tracefn
from tracefn import events
from tracefn.ir.drawn.variables import variables_of


def outside(x):
    return np.exp(x)


class Sums:
    total = 0.0


def sum_of_product(x):
    h = x @ x
    self = Sums()
    self.total = h.sum()
    y: float = np.abs(self.total)
    y /= 2
    spread = np.where(
        h > 0,
        h,
        y,
    )
    first = spread.T[0]
    return first + 1


def named_elsewhere(x):
    y = outside(x + 1)
    z = y if x is None else x * 2
    a, b = x + 3, x + 4
    c = x - 1; d = x - 2  # fmt: skip  # noqa: E702
    return y + z + a + b + c + d


def each_round(x):
    parts = []
    for i in range(3):
        part = x * i
        parts.append(part - 1)
    return parts


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            sum_of_product,
            [
                ("matmul", "h"),
                ("sum", "self.total"),
                ("absolute", "y"),
                ("operator.truediv", "y"),
                ("where", "spread"),
                ("getitem", "first"),
            ],
        ),
        (named_elsewhere, []),
        (each_round, [("multiply", "part")] * 3),
    ],
)
def test_variables_of_lines(function, expected):
    graph = tracefn.function(function).get_concrete_function(np.ones((3, 3))).traced_graph
    variables = variables_of(graph)
    assert [(node.op.name, variables[node]) for node in graph if node in variables] == expected
    assert [n["variable"] for n in graph.to_json()["nodes"] if n["variable"]] == [name for _, name in expected]
    assert [n["variable"] for n in graph.part_json(0, 100)["nodes"] if "variable" in n] == [n for _, n in expected]


def in_words(x):
    text = str(x.sum())
    return text


def test_a_name_of_python_is_not_asked_of_numpy():
    """NumPy warns of `np.str`."""
    graph = tracefn.function(in_words).get_concrete_function(np.ones(3)).traced_graph
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(variables_of(graph).values()) == ["text"]


def test_another_variable_is_another_drawing():
    """A graph is sent once for each hash: a cell may be edited in nothing but a name."""

    def drawn(name):
        file = f"<{name}>"
        source = f"def f(x):\n    {name} = x + 1\n    return {name} * 2\n"
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        namespace = {}
        exec(compile(source, file, "exec"), namespace)
        events.CELLS.register_cell(file, events.Cell("one"))
        return tracefn.function(namespace["f"]).get_concrete_function(np.ones(3)).graph

    assert drawn("a").hash == drawn("b").hash
    assert drawn("a").drawn_hash == drawn("a").drawn_hash != drawn("b").drawn_hash


def test_results_know_their_places():
    def f(x):
        y = x * 2
        return y, [x.sum(), y], {"mean": {"of": -y}}, 3

    concrete = tracefn.function(f).get_concrete_function(np.ones(3))
    assert concrete.graph.to_json()["results"] == ["result[0]", "result[1][0]", "result[2]['mean']['of']"]
    assert concrete.traced_graph.part_json(0, 1)["results"] == concrete.graph.to_json()["results"]
