"""Graphs as bytes: another process makes the same graph of them, and runs nothing to read them."""

import numpy as np
import pytest
import tracefn
from conformance.test_programs import FILES, load
from tracefn.ir import packed, serialise
from tracefn.ir.evaluate import evaluate


def graph_of(function, *args):
    return tracefn.function(function).get_concrete_function(*args).graph


def everything(x, n):
    words = np.strings.upper(np.array(["a", "bc"]))
    when = np.array(["2020-01-01"], "M8[D]") + np.timedelta64(1, "D")
    table = np.asfortranarray(np.arange(6.0).reshape(2, 3)) * np.float32(-0.0)
    total = 0.0
    for i in range(n):
        total = total + x[i, ::-1].sum() if x[i, 0] > 0 else total * -0.0
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    with np.errstate(divide="ignore"):
        ratio = 1 / x
    return {"words": words, "when": when, "r": ratio[..., None, 1:], "t": table + np.nan, "u": u, "total": total,
            "s": s, "l": x.astype(np.longlong)}  # fmt: skip


def same(graph):
    content = serialise.serialise(graph)
    found = serialise.deserialise(content)
    assert found.hash == graph.hash and serialise.serialise(found) == content
    assert [n.source for n in found.nodes] == [n.source for n in graph.nodes]
    return found


def test_what_templates_hold():
    spec = tracefn.TensorSpec((None, 3), np.float64)
    same(graph_of(everything, spec, tracefn.TensorSpec((), np.int64)))


@pytest.mark.parametrize("name", sorted(FILES)[::5])
def test_whole_programs(name):
    module = load(name)
    arguments = module.arguments(module.SIZES[0], np.random.default_rng(0))
    graph = tracefn.function(getattr(module, name)).get_concrete_function(*arguments).graph
    try:
        same(graph)
    except serialise.NotSerialisable as reason:
        assert "Checkpoint" in str(reason) or "an array with gaps" in str(reason) or "[('kind'" in str(reason)


def test_it_computes_the_same():
    weights = np.arange(4.0)
    graph = graph_of(lambda x: np.tanh(x * weights[::-1].copy()) @ np.eye(4), np.ones((2, 4)))
    given, captures = [np.ones((2, 4))], {n.args[0]: weights for n in graph.captures}
    for a, b in zip(evaluate(same(graph), given, captures), evaluate(graph, given, captures), strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


def test_functions_are_not_serialised():
    graph = graph_of(lambda x: np.apply_along_axis(lambda row: row.sum(), 0, x), np.ones((3, 3)))
    node = next(n for n in graph.nodes if not n.is_leaf)
    odd = tracefn.ir.graph.Node(node.op, node.inputs, (*node.args, print), node.kwargs, node.types)
    with pytest.raises(serialise.NotSerialisable):
        serialise.serialise(tracefn.ir.graph.Graph("f", (*node.inputs, odd), node.inputs, (odd,)))


@pytest.mark.parametrize("record", [["class", "eval"], ["class", "os:system"], ["enum", "numpy:dtype", "x"], ["?"]])
def test_nothing_else_is_looked_up(record):
    content = serialise.serialise(graph_of(lambda x: x.astype(np.float32) + 1, np.ones(3)))
    text, blobs = packed.unpack(content)
    text["graph"][1][1][2] = [record]
    with pytest.raises(serialise.NotSerialisable):
        serialise.deserialise(packed.pack(text, blobs))
    for wrong in (b"", content[:-1], content[:40], content + b"x", b"\xff" * 100):
        with pytest.raises(serialise.NotSerialisable):
            serialise.deserialise(wrong)
