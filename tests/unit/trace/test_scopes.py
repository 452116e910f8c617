"""The calls and rounds in which nodes are made: each of the user's calls is a scope of its own."""

import re

import numpy as np
import pytest
import tracefn
from tracefn import nn, optimize
from tracefn.events.cells import CELLS, Cell

X = np.arange(6.0).reshape(2, 3)


def scopes(function, *args, **options):
    """The scopes of the computed nodes of a traced function, in program order, each once where neighbours share it."""
    traced = tracefn.function(function, jit="off", **options)
    traced(*args)
    found = [str(n.scope) for n in traced.concrete_functions[-1].graph if not n.is_leaf]
    return [s for s, before in zip(found, [None, *found], strict=False) if s != before]


def relu(x):
    return np.maximum(x, 0)


def scaled(x):  # nothing to rewrite, two nodes
    return 2 * x + 1


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return softmax(self.forward(x)) + 1

    def forward(self, x):
        return x @ self.w


def test_calls_of_functions_and_methods():
    layer = Layer(np.ones((3, 3)))
    inner = "Layer.__call__"
    assert scopes(lambda x: layer(relu(x)) * 2, X) == [
        "relu", f"{inner}/Layer.forward", f"{inner}/softmax", inner, "",
    ]  # fmt: skip


@pytest.mark.parametrize("function", [relu, scaled, softmax])
def test_calls_of_one_function_are_apart(function):
    def twice(x):
        x = function(x)
        x = x + 1
        return function(x)

    name = function.__name__
    assert scopes(twice, X) == [name, "", f"{name}#2"]
    if function is not relu:
        assert scopes(lambda x: function(function(x)), X) == [name, f"{name}#2"]


def test_rounds_of_unrolled_loops():
    def looped(x):
        for _ in [1, 2]:
            x = relu(x)
        k = 0
        while k < 2:
            x = x + 1
            k += 1
        return sum([x * i for i in [3, 2]])

    line = looped.__code__.co_firstlineno
    loop, other, made = f"for line {line + 1}", f"while line {line + 4}", f"comprehension line {line + 7}"
    found = scopes(looped, X)
    assert found[:4] == [f"{loop}/round/relu", f"{loop}/round#2/relu", f"{other}/round", f"{other}/round#2"]
    assert found[4:6] == [f"{made}/round", f"{made}/round#2"]


def test_lines_of_loops_are_those_of_the_cell(monkeypatch):
    def looped(x):
        for _ in [1, 2]:
            x = x + 1
        return x

    monkeypatch.setitem(CELLS._cells, __file__, Cell("a", 1, line_offset=2))
    assert scopes(looped, X)[0] == f"for line {looped.__code__.co_firstlineno + 3}/round"


def test_a_round_ends_with_what_breaks_it():
    def looped(x):
        for i in [1, 2, 3]:
            if i == 2:
                break
            x = x + i
        return x * 2

    assert scopes(looped, X)[-1] == ""


def test_an_error_ends_calls():
    def fails(x):
        x = x + 1
        raise ValueError

    def catches(x):
        try:
            x = fails(x)
        except ValueError:
            x = x * 2
        return relu(x)

    assert scopes(catches, X)[-2:] == ["", "relu"]


def test_calls_in_branches_and_bodies():
    def branches(x):
        if x.sum() > 0:
            x = relu(softmax(x))
        return x * 2

    traced = tracefn.function(branches, jit="off")
    traced(X)
    (node,) = [n for n in traced.concrete_functions[0].graph if n.bodies]
    inside = [str(n.scope) for n in node.bodies[0].graph if not n.is_leaf]
    assert node.scope == "" and list(dict.fromkeys(inside))[:2] == ["if_true/softmax", "if_true/relu"]


def test_decorated_functions_are_one_scope():
    inner = tracefn.function(softmax)
    assert scopes(lambda x: inner(inner(x)) + 1, X)[-1] == ""
    traced = tracefn.function(lambda x: inner(inner(x)) + 1)
    traced(X)
    assert {str(n.scope) for n in traced.concrete_functions[0].graph} == {"", "softmax", "softmax#2"}


def test_recursion_and_nested_functions():
    def down(x, n):
        return x if n == 0 else down(x + 1, n - 1) * 2

    def outer(x):
        def nested(x):
            """Documented."""
            return softmax(x)

        assert nested.__doc__ == "Documented."
        return nested(x)

    assert scopes(down, X, 2) == ["", "down", ""]
    assert scopes(outer, X) == ["nested/softmax"]


def test_sites_say_where_a_call_stands():
    def site(x):
        y = x + 1
        return relu(y)

    traced = tracefn.function(site)
    traced(X)
    (node,) = [n for n in traced.concrete_functions[0].graph if n.scope == "relu"]
    assert node.scope.site.line == site.__code__.co_firstlineno + 2 and node.scope.outer == ""
    assert node.source.line == relu.__code__.co_firstlineno + 1


def test_a_function_that_only_calls_others():
    def twice(x):
        return scaled(x), scaled(-x)

    assert scopes(twice, X) == ["scaled", "", "scaled#2"]
    assert scopes(twice, X, autograph=False) == ["scaled", "", "scaled#2"]
    assert scopes(lambda x: (relu(x), relu(x + 1)), X, autograph=False) == ["relu", "", "relu#2"]


def test_code_that_is_not_rewritten():
    kept = tracefn.autograph.do_not_convert(softmax_kept)
    assert scopes(lambda x: kept(x) + kept(-x), X) == ["softmax_kept", "", "softmax_kept#2", ""]
    assert scopes(softmax, X, autograph=False) == [""]


def softmax_kept(x):
    e = np.exp(x)
    return e / e.sum()


def dense(w, x):
    return nn.relu(x @ w)


def mean_square(w, x):
    h = x
    for each in w:
        h = dense(each, h)
    return nn.mse_loss(h, x)


def test_the_way_back_mirrors_the_calls():
    def step(w, x):
        gradients = tracefn.grad(mean_square)(w, x)
        return optimize.apply_updates(w, optimize.sgd(0.1).update(gradients, optimize.SgdState(0, None))[0])

    layers = ["mean_square/for line/round/dense", "mean_square/for line/round#2/dense"]
    first, second = [[layer, f"{layer}/nn.relu"] for layer in layers]
    forward = [*first, *second, "mean_square/nn.mse_loss"]
    found = [re.sub(r"for line \d+", "for line", s) for s in scopes(step, [np.ones((3, 3)), np.eye(3)], X)]
    assert found == [
        *forward, *[f"backward pass/{s}" for s in reversed(forward)], "optimize.sgd.update", "optimize.apply_updates",
    ]  # fmt: skip


def test_steps_of_the_way_back_say_what_they_are_of():
    def looped(w, n):
        x = w
        for _ in range(n):
            x = np.tanh(x * w)
        return x.sum()

    traced = tracefn.function(lambda w, n: tracefn.grad(looped)(w, n), jit="off")
    traced(X, np.int64(3))
    graph = traced.concrete_functions[-1].graph.to_json()
    [walk] = [n for n in graph["nodes"] if n["op"] == "for_loop" and "back_of" in n]
    assert (walk["scope"], walk["back_of"]) == ("backward pass/looped", {"scope": "looped", "op": "for_loop"})
    steps = walk["bodies"]["body backwards"]["nodes"]
    assert {n["back_of"]["op"] for n in steps if "back_of" in n} >= {"tanh", "multiply"}
    assert {n["scope"] for n in steps if n.get("back_of", {}).get("op") == "tanh"} == {
        "backward pass/looped/body backwards"
    }


def test_two_calls_of_one_of_tracefns_functions_are_apart():
    assert scopes(lambda x: nn.softmax(nn.softmax(x)), X) == ["nn.softmax", "nn.softmax#2"]
    assert scopes(nn.softmax, X) == [""]
