"""Which nodes become one kernel, and that the graph with kernels is a graph as any other."""

import copy
import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest
import sizes
import tracefn
from tracefn.codegen.native.fusion import regions
from tracefn.codegen.native.fusion.regions import KERNEL
from tracefn.codegen.native.pipeline import steps, with_kernels
from tracefn.errors import TracefnError
from tracefn.ir.evaluate import evaluate
from tracefn.ir.verify import verify

PROGRAMS = sorted((Path(__file__).parents[3] / "conformance" / "programs").glob("[a-z]*.py"))


def graph_of(function, *args):
    return tracefn.function(function, jit="off").get_concrete_function(*args).graph


def kernels(graph):
    return [n for n in graph.nodes if n.op is KERNEL]


X = np.arange(4.0)


@pytest.mark.parametrize("path", PROGRAMS[:: sizes.of(3, 1)], ids=lambda p: p.stem)
def test_whole_programs_stay_graphs(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, "arguments"):
        pytest.skip("no program")
    arguments = module.arguments(module.SIZES[0], np.random.default_rng(0))
    f = tracefn.function(getattr(module, path.stem), jit="off")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            f(*copy.deepcopy(arguments))
        except TracefnError:
            pytest.skip("refused")
    for concrete in f.concrete_functions:
        for precise in (False, True):
            graph = concrete.graph
            for _, run in steps(precise):
                before = str(graph)
                result = verify(run(graph))
                assert str(graph) == before
                graph = result


def test_a_chain_is_one_kernel():
    graph = with_kernels(graph_of(lambda x, y: np.sqrt(x) * y + x - abs(y), X, X))
    (kernel,) = kernels(graph)
    assert [n.op.name for n in kernel.args[0].graph.nodes if not n.is_leaf] == [
        "sqrt", "multiply", "add", "absolute", "subtract"
    ]  # fmt: skip
    wanted = np.sqrt(X) * X + X - abs(X)
    np.testing.assert_array_equal(evaluate(verify(graph), [X, X])[0], wanted)


def test_what_must_run_between_parts_a_chain():
    def f(x):
        y = x * 2 + 1
        z = np.sort(y) * 3 + y
        return z - y

    graph = with_kernels(graph_of(f, X))
    assert [n.op.name for n in graph.nodes if not n.is_leaf and n.op.name != "item"] == ["kernel", "sort", "kernel"]
    np.testing.assert_array_equal(evaluate(verify(graph), [X])[0], f(X))


def test_groups_that_need_each_other_stay_apart():
    def f(x, y):
        a = x * 2 + 1
        b = y * 2 + 1
        c = np.sort(a) + b
        d = np.sort(b) + a
        return c * 2, d * 2

    graph = with_kernels(graph_of(f, X, X[:2].repeat(2)))
    for got, wanted in zip(evaluate(verify(graph), [X, X[:2].repeat(2)]), f(X, X[:2].repeat(2)), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_regions_that_need_each_other_are_an_error_and_no_endless_loop():
    def f(x):
        a = np.tanh(x)
        b = np.exp(a)
        return a + b

    graph = graph_of(f, X)
    a, b, c = (n for n in graph.nodes if n.op.elementwise)
    with pytest.raises(AssertionError, match="need each other"):
        regions.Outlining(graph, [[a, c], [b]], set()).graph()


def drawn_at_once(x, rng):
    a = rng.random(4) + x * 2
    b = rng.random(4) * a + 1
    return a - b, b * 2


def drawn_for_elements(x, rng):
    for _ in range(3):
        i = rng.choice(2, p=np.full(2, 0.5))
        j = rng.integers(4)
        x = x + x[i] * x[j]
    return x, x * 2


@pytest.mark.parametrize("f", [drawn_at_once, drawn_for_elements])
def test_random_draws_keep_their_order(f):
    graph = with_kernels(graph_of(f, X, np.random.default_rng(0)))
    got = evaluate(verify(graph), [X, np.random.default_rng(0)])
    for a, b in zip(got, f(X, np.random.default_rng(0)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_one_operation_alone_is_left_to_numpy():
    assert not kernels(with_kernels(graph_of(lambda x: np.sort(x * 2) + 1, X)))


def test_neighbours_that_read_one_array_are_one_kernel():
    assert len(kernels(with_kernels(graph_of(lambda x, y: (x + 1, x * 2, y - x), X, X)))) == 1


def test_the_graph_with_kernels_prints_and_runs():
    graph = with_kernels(graph_of(lambda x: x[1:] * 2 + x[:-1], X))
    names = {}
    exec(str(graph), names)
    function = next(v for k, v in names.items() if callable(v) and k != "np")
    np.testing.assert_array_equal(function(X), X[1:] * 2 + X[:-1])


def test_stages_show_every_pass_and_the_kernels():
    f = tracefn.function(lambda x: np.sqrt(x * 1) + abs(x) - np.sort(x))
    concrete = f.get_concrete_function(X)
    stages = concrete.stages()
    native = ["NumPy program", *[name for name, _ in steps()], "native program", "LLVM"]
    assert [s.name for s in stages] == ["traced", *[p.name for p in concrete.passes], *native]
    assert [s.nodes for s in stages[: -len(native)]] == [concrete.nodes_before, *[p.after for p in concrete.passes]]
    texts = {s.name: s.text for s in stages}
    assert "# one kernel:" in texts["kernels"] and "kernel" in texts["native program"]
    assert texts["NumPy program"] == concrete.program and "; del " in concrete.program
    assert "define" in texts["LLVM"] and "@run" in texts["LLVM"]
    assert str(stages).splitlines()[0].split() == ["traced", str(concrete.nodes_before), "nodes"]
    for stage in stages:
        np.testing.assert_array_equal(evaluate(stage.graph, [X])[0], np.sqrt(X * 1) + abs(X) - np.sort(X))


def test_llvm_is_not_left_to_choose_the_width_of_vectors():
    """Where it chooses, an assertion of its cost models can end the process."""
    from tracefn.runtime.native_program import NativeProgram

    graph = graph_of(lambda x, y: (x + y).astype(np.int32) * 2 + (x > y), X, X)
    for kernel in NativeProgram(graph, "f").kernels:
        loops = [line for line in kernel.text.splitlines() if "label %loop," in line and "br i1 %more," in line]
        assert loops and all("!llvm.loop !2" in line for line in loops)
        assert "llvm.loop.vectorize.width" in kernel.text


def test_bodies_of_branches_and_loops_get_kernels_too():
    def f(x, n):
        for k in range(n):
            x = np.sort(x, axis=0) * x.var() + 1 - x[k % 2]
        return x

    x, n = np.arange(6.0).reshape(2, 3) / 5, np.int64(3)
    graph = graph_of(f, x, n)
    for _, run in steps():
        graph = verify(run(graph))
    (loop,) = [n for n in graph.nodes if n.bodies]
    bodies = [body.graph for body in loop.bodies]
    assert any(map(kernels, bodies)) and not any(n.op.name == "var" for body in bodies for n in body.nodes)
    np.testing.assert_allclose(evaluate(graph, [x, n])[0], f(x, n))


def test_what_nobody_reads_is_no_kernel():
    def f(x, y):
        z = x.copy()
        z[x < y] = y[x < y] * 2
        return np.sqrt(x) * 2 + y

    graph = verify(with_kernels(graph_of(f, X, X[::-1])))
    assert len(kernels(graph)) == 1
    np.testing.assert_array_equal(evaluate(graph, [X, X[::-1]])[0], f(X, X[::-1]))
    g = tracefn.function(f, jit="now")
    np.testing.assert_array_equal(g(X, X[::-1]), f(X, X[::-1]))
    assert g.concrete_functions[0].plan == "native"


def test_operations_on_single_numbers_are_a_kernel():
    def f(x, a):
        return np.sqrt(x.mean() / 3), np.exp(a / 2) + 1

    x, a = np.arange(50.0), np.float64(3.0)
    traced = tracefn.function(f, jit="now")
    np.testing.assert_allclose(traced(x, a), f(x, a), rtol=1e-15)
    assert traced.concrete_functions[0].plan == "native"


def test_long_unrolled_programs_are_several_kernels(monkeypatch):
    def f(x, v, rounds):
        for _ in range(rounds):
            v = v - 0.01 * np.sin(x)
            x = x + 0.01 * v
        return x, v

    asked = []
    joined = regions.is_bounded
    monkeypatch.setattr(regions, "is_bounded", lambda a, b, at: asked.append(len(a) + len(b)) or joined(a, b, at))
    made = {}
    for rounds in (50, 200):
        unrolled = tracefn.function(f, autograph=False, jit="off").get_concrete_function(X, X, rounds).graph
        graph = verify(with_kernels(unrolled))
        sizes = [len(n.args[0].graph.nodes) for n in kernels(graph)]
        assert len(sizes) <= 1 + 5 * rounds // 100 and max(sizes) <= regions.MOST_NODES + 16
        made[rounds] = sum(size for size in asked if size <= regions.MOST_NODES)
        asked.clear()
    assert 0 < made[200] < 5 * made[50]  # so building is linear
    np.testing.assert_allclose(evaluate(graph, [X, X])[0], f(X, X, 200)[0])
