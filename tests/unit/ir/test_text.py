"""Graphs print as Python that runs, as DOT, SVG and JSON."""

import dataclasses
import json
import linecache
import re

import numpy as np
import pytest
import tracefn
from tracefn.errors import GraphvizMissingError, VerificationError
from tracefn.ir.evaluate import evaluate
from tracefn.ir.graph import Graph, constant_node
from tracefn.ir.types import type_of
from tracefn.ir.verify import verify

OUTER = np.arange(3.0)


def branch(x):
    return np.tanh(x) * 2


inner = tracefn.function(branch, name="inner")

PROGRAMS = [
    (lambda x: x + 1, [np.ones(3)]),
    (lambda x: inner(x) @ x.T, [np.ones((2, 3))]),
    (lambda x: x * OUTER + np.arange(3.0) * 3, [np.ones(3)]),
    (lambda x: (x[1:, None], x[..., ::-1], x[[0, 1]], x[x > 0], x[-1]), [np.arange(3.0)]),
    (lambda x: np.split(x, 3)[1] + np.linalg.svd(np.ones((2, 2)) * x[0])[1][0], [np.arange(3.0)]),
    (lambda x: (x.astype("f4"), x.astype(">i2"), x**-1, (-2) ** x, -x, ~(x > 1), 1 - x), [np.arange(1.0, 4)]),
    (lambda x: np.concatenate([x, x * np.float32(3)], axis=0).reshape(2, -1), [np.ones(3, "f4")]),
    (lambda x: np.pad(x, ((1, 2),), constant_values=5), [np.ones(3)]),
    (lambda x: np.add(x[0], x[1]) + (x[0] + x[1]), [np.ones(3)]),
    (lambda x: (np.max(x, initial=np.inf), np.full_like(x, np.nan), x + np.float64("nan")), [np.ones(3)]),
    (lambda x: np.strings.upper(x) + "z", [np.array(["a", "bc"])]),
    (
        lambda x: np.where(x > np.datetime64("2020-01-02"), x, np.datetime64("2021")),
        [np.array(["2020-01-01"], "M8[D]")],
    ),
    (lambda x: np.einsum("ij,kj->ik", x, x), [np.ones((2, 3))]),
    (lambda x: (x % OUTER, x % x, x[0] % x[1], OUTER % x, np.fmod(x, x), -x, ~(x > OUTER)), [np.arange(1.0, 4)]),
]


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_printed_graph_runs(function, args):
    concrete = tracefn.function(function, name="f").get_concrete_function(*args)
    for graph in (concrete.graph, concrete.traced_graph):
        namespace = {}
        exec(str(graph), namespace)
        keywords = {graph.names[n]: OUTER for n in graph.captures}
        got = namespace["f"](*args, **keywords)
        wanted = evaluate(verify(graph), args, {n.args[0]: OUTER for n in graph.captures})
        for a, b in zip(got if len(graph.outputs) > 1 else (got,), wanted, strict=True):
            np.testing.assert_array_equal(a, b)
            assert np.asarray(a).dtype == np.asarray(b).dtype


def test_printed_graph_with_symbolic_lengths_runs():
    def eager(x):
        return x.reshape(x.shape[0] * 2, -1), x / x.shape[0], x[: x.shape[0] // 2]

    f = tracefn.function(eager, input_signature=[tracefn.TensorSpec((None, 4), float)], name="f")
    namespace = {}
    exec(str(f.get_concrete_function().graph), namespace)
    x = np.ones((3, 4))
    for a, b in zip(namespace["f"](x), eager(x), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_json_is_complete(function, args):
    graph = tracefn.function(function, name="f").get_concrete_function(*args).graph
    data = json.loads(json.dumps(graph.to_json()))
    ids = [n["id"] for n in data["nodes"]]
    assert len(set(ids)) == len(ids) == len(graph)
    assert set(data["inputs"]) | set(data["outputs"]) <= set(ids)
    seen = set()
    for node in data["nodes"]:
        assert set(node["inputs"]) <= seen
        seen.add(node["id"])
        if node["op"] not in ("input", "capture", "constant"):
            assert node["line"] and node["file"].endswith("test_text.py")
    assert data["hash"] == graph.drawn_hash
    parts = [json.loads(json.dumps(graph.part_json(first, 3))) for first in range(0, len(graph), 3)]
    assert [part["left"] for part in parts] == [max(0, len(graph) - 3 - 3 * i) for i in range(len(parts))]
    assert [_spelled_out(node, part) for part in parts for node in part["nodes"]] == data["nodes"]
    sites = {text: _place(part, site) for part in parts for text, site in part["scopes"] if site is not None}
    assert sites == data["sites"]


def _spelled_out(node, part):
    """A node of a part as it is in the whole form."""
    own = {"attrs": {}, "bodies": {}, "flow": None, "variable": ""} | node
    place = _place(part, own.pop("at", None))
    types = dict(zip(("dtype", "shape", "kind"), part["types"][own.pop("type")], strict=True))
    return own | types | place | {"scope": part["scopes"][own["scope"]][0]}


def _place(part, at):
    names = ("file", "line", "cell", "cell_number")
    return dict.fromkeys(names) if at is None else dict(zip(names, part["places"][at], strict=True))


def test_hash_of_an_array_of_one_element_again_and_again_reads_that():
    def hash_of(array):
        node = constant_node(array, type_of(array))
        return Graph("f", (node,), (), (node,)).hash

    many = np.broadcast_to(1.0, (1 << 20, 1 << 20))  # whose content has no place in memory
    assert hash_of(many) == hash_of(many)
    assert len({hash_of(np.broadcast_to(v, 3)) for v in (1.0, 2.0)} | {hash_of(np.ones(3))}) == 3


def test_hash_tells_graphs_apart():
    def graph(function, *args):
        return tracefn.function(function).get_concrete_function(*args).graph

    x = np.ones(3)
    assert graph(lambda x: x + np.arange(3.0), x).hash == graph(lambda x: x + np.arange(3.0), x).hash
    assert graph(lambda x: x + np.arange(3.0), x).hash != graph(lambda x: x - np.arange(3.0), x).hash
    assert graph(lambda x: x * 2, x).hash == graph(lambda x: x * 2, x).hash
    different = [lambda x: x * 3, lambda x: x * 2.0, lambda x: x + 2, lambda x: (x * 2, x), lambda x: x * np.float64(2)]
    hashes = {graph(f, x).hash for f in different} | {
        graph(lambda x: x * 2, x).hash,
        graph(lambda x: x * 2, x[:2]).hash,
    }
    assert len(hashes) == len(different) + 2


MOVED = """\
def inner(x):
    return np.tanh(x)
def f(x):
    y = inner(x)
    return y * 2
"""


def test_drawn_hash_tells_apart_what_stands_elsewhere(monkeypatch):
    def drawn(source, path="model.py"):
        names = {"np": np}
        monkeypatch.setitem(linecache.cache, path, (len(source), None, source.splitlines(True), path))
        exec(compile(source, path, "exec"), names)
        graph = tracefn.function(names["f"]).get_concrete_function(np.ones(3)).graph
        return graph.hash, graph.drawn_hash

    moved = [
        "\n" + MOVED,
        MOVED.replace("    return y", "\n    return y").replace("def f", "\ndef f"),
        MOVED.replace("inner", "other"),
        MOVED.replace(" f(", " g(") + "f = g\n",
    ]
    every = [drawn(source) for source in (MOVED, MOVED, *moved)] + [drawn(MOVED, "other.py")]
    assert len({plain for plain, _ in every}) == 1
    assert every[0] == every[1] and len({hash for _, hash in every}) == len(every) - 1


def test_dot_and_svg(monkeypatch):
    graph = tracefn.function(lambda x: inner(x) + OUTER, name="f").get_concrete_function(np.ones(3)).graph
    dot = graph.to_dot()
    assert 'subgraph "cluster inner"' in dot and "tanh" in dot and "float64[3]" in dot and "global OUTER" in dot
    import shutil

    if shutil.which("dot"):
        svg = graph.to_svg()
        assert svg.count("<g ") > 5 and "tanh" in svg
        assert set(graph._repr_mimebundle_()) == {"text/plain", "image/svg+xml"}
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(GraphvizMissingError, match="to_dot"):
        graph.to_svg()
    assert set(graph._repr_mimebundle_()) == {"text/plain"}


def test_dot_has_the_names_of_the_code():
    def program(x):
        total = x.sum()
        y = x - 1 if total > 3 else np.cos(total) + x
        while total > 1:
            total = total / 2
            y = y + total
        return y, {"total": total}

    dot = tracefn.function(program).get_concrete_function(np.ones(3)).graph.to_dot()
    heads = re.findall(r'label="([^"\\]*)', dot)
    assert {
        "total = sum",
        "total = truediv",
        "y = add",
        "y",
        "total",
        "cond",
        "result[0]",
        "result[1]['total']",
    } <= set(heads)
    assert not re.search(r"outer_\d+\\n|operator|outputs", dot)


def test_bodies_are_clusters_wired_to_what_they_take():
    def program(n, xs):
        def rows():
            return tracefn.scan(lambda c, x: (c + x, inner(c)), 0.0, xs)[1].sum()

        return tracefn.switch(n, [rows, lambda: tracefn.fori_loop(0, n, lambda i, s: s * 2, xs[0])])

    graph = tracefn.function(program).get_concrete_function(np.int64(1), np.ones(3)).graph
    dot = graph.to_dot()
    node = graph.names[next(n for n in graph if n.bodies)]
    (scan,) = (f"{node}/branch_0/v{i}" for i in range(9) if f'"{node}/branch_0/v{i}" [label="scan' in dot)
    for cluster in (f"{node}/branch_0/", f"{node}/branch_1/", f"{scan}/body/"):
        assert f'subgraph "cluster {cluster}"' in dot
    assert 'subgraph "cluster ' + scan + '/body/branch_0/rows/body/inner" {\n' in dot
    ids = set(re.findall(r'^ *"([^"]*)" \[', dot, re.M)) | {"out0"}
    edges = re.findall(r'^  "([^"]*)" -> "?([^" ]*)"?(?: \[(.*)\])?;$', dot, re.M)
    assert {end for edge in edges for end in edge[:2]} <= ids
    assert ("n", node, 'label="int64"') in edges
    assert ("n", f"{node}/branch_1/n", 'label="int64" style=dashed') in edges
    assert ("xs", f"{node}/branch_0/xs", 'label="float64[3]" style=dashed') in edges
    assert (f"{node}/branch_0/xs", f"{scan}/body/x", 'label="float64" style=dashed') in edges
    assert (f"{node}/branch_0/xs", scan, 'label="float64[3]"') not in edges
    assert f"{node}/branch_0/n" not in ids, "an input that the branch does not read is not drawn"
    assert [edge[0] for edge in edges if edge[1] == scan and "dashed" in edge[2]]
    import shutil

    if shutil.which("dot"):
        assert graph.to_svg().count('class="cluster"') == dot.count("subgraph")


def test_labels_are_quoted():
    f = tracefn.function(lambda d: d['"<img onerror=alert(1)>\\'] + 1, name='a"b')
    graph = f.get_concrete_function({'"<img onerror=alert(1)>\\': np.ones(1)}).graph
    import shutil

    if shutil.which("dot"):
        assert "<img" not in graph.to_svg()


def test_graphs_are_frozen_and_nodes_say_where_they_were_made():
    graph = tracefn.function(lambda x: inner(x) + 1).get_concrete_function(np.ones(3)).graph
    tanh = next(n for n in graph if n.op.name == "tanh")
    assert tanh.scope == "inner" and tanh.source.line == branch.__code__.co_firstlineno + 1
    assert tanh.dtype == np.float64 and tanh.shape == (3,)
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.nodes = ()


def test_verifier_finds_broken_graphs():
    graph = tracefn.function(lambda x: x + 1).get_concrete_function(np.ones(3)).graph
    x, add = graph.nodes
    wrong = dataclasses.replace(add, types=x.types[:0] + (dataclasses.replace(x.type, shape=(4,)),))
    for broken in (
        Graph("f", (add, x), (x,), (add,)),
        Graph("f", (x, x, add), (x,), (add,)),
        Graph("f", (x, wrong), (x,), (wrong,)),
        Graph("f", (x,), (x,), (add,)),
        Graph("f", (x, add), (add,), (add,)),
    ):
        with pytest.raises(VerificationError):
            verify(broken)
