"""Branches and loops that stay in the graph: the eager answer, one trace, and errors that name what does not fit."""

import gc
import linecache
import tracemalloc
import weakref

import numpy as np
import pytest
import tracefn
from agreement import assert_alike
from tracefn import cond, fori_loop, map_fn, scan, switch, while_loop
from tracefn.errors import ControlFlowError
from tracefn.ir.evaluate import evaluate
from tracefn.ir.verify import verify

W = np.eye(2) * 2


PROGRAMS = {
    "cond": (lambda x: cond(x.sum() > 0, lambda: (x * 2, 1), lambda: (-x, 2)), [[np.ones(2)], [-np.ones(2)]]),
    "cond operands": (lambda x, y: cond(x > y, np.add, np.subtract, x, y), [[2.0, 1.0], [1.0, 2.0]]),
    "cond structure": (
        lambda x: cond(np.any(x > 1), lambda: {"a": x, "b": [x + 1, "s"]}, lambda: {"a": x * 0, "b": [x, "s"]}),
        [[np.zeros(3)], [np.arange(3.0)]],
    ),
    "cond outer values": (lambda x: (lambda y: cond(y.sum() > 3, lambda: y + x, lambda: y - x))(x * 2), [[np.ones(3)]]),
    "cond captured": (lambda x: cond(x[0, 0] > 0, lambda: x @ W, lambda: W), [[np.ones((2, 2))], [np.zeros((2, 2))]]),
    "nested cond": (
        lambda x: cond(x > 0, lambda: cond(x > 10, lambda: x * 3, lambda: x * 2), lambda: -x),
        [[-1.0], [5.0], [50.0]],
    ),
    "while": (lambda x: while_loop(lambda x, n: x > 1, lambda x, n: (x / 2, n + 1), (x, 0)), [[10.0], [3.0], [0.5]]),
    "while array": (
        lambda x: while_loop(lambda x: np.sum(x) > 1, lambda x: (np.tanh(x),), (x,)),
        [[np.ones(3)], [np.zeros(3)]],
    ),
    "while one value": (
        lambda n: while_loop(lambda n: n < 100, lambda n: n * 2, (n,)),
        [[np.int64(3)], [np.int64(200)]],
    ),
    "collatz": (
        lambda n: while_loop(
            lambda n, k: n != 1, lambda n, k: (cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), k + 1), (n, 0)
        )[1],
        [[np.int64(7)], [np.int64(27)], [np.int64(1)]],
    ),
    "for traced": (
        lambda x, n: fori_loop(0, n, lambda i, s: s * x + i, x * 0),
        [[2.0, np.int64(3)], [2.0, np.int64(0)]],
    ),
    "for python": (lambda x: fori_loop(0, 100, lambda i, s: s + x * i, np.zeros_like(x)), [[np.ones(3)]]),
    "for step": (lambda x: fori_loop(10, 0, lambda i, s: (s[0] + i, s[1] * x), (0, x), step=-3), [[np.arange(3.0)]]),
    "for of for": (
        lambda x: fori_loop(0, 3, lambda i, s: fori_loop(0, i, lambda j, t: t + x * j, s), x),
        [[np.arange(3.0)]],
    ),
    "swap": (
        lambda x, y: while_loop(lambda a, b: a.sum() > b.sum(), lambda a, b: (b, a), (x, y)),
        [[np.ones(2), np.zeros(2)]],
    ),
    "constant body": (lambda x: fori_loop(0, 3, lambda i, s: np.arange(3.0), x), [[np.ones(3)]]),
    "state kept": (
        lambda x: while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x), (np.int64(0), x))[1],
        [[np.ones(3)]],
    ),
    "switch": (
        lambda n, x: switch(n, [lambda: (x, 1), lambda: (x * 2, 2), lambda: (-x, 3)]),
        [[np.int64(n), np.arange(3.0)] for n in (0, 1, 2, -1, -2, -3)],
    ),
    "switch operands": (
        lambda n, x, y: switch(n, [np.add, np.subtract, np.maximum], x, y),
        [[np.array(n, np.uint8), np.ones(2), np.arange(2.0)] for n in (0, 1, 2)],
    ),
    "switch of one": (lambda n, x: switch(n, [lambda: x + 1]), [[np.int8(0), 1.0], [np.int8(-1), 1.0]]),
    "switch captured": (
        lambda n, x: switch(n, [lambda: x @ W, lambda: W, lambda: x]),
        [[np.int64(n), np.ones((2, 2))] for n in (0, 1, 2)],
    ),
    "switch in switch": (
        lambda n, m: switch(n, [lambda: switch(m, [lambda: n, lambda: m]), lambda: n + m]),
        [[np.int64(n), np.int64(m)] for n in (0, 1) for m in (0, 1)],
    ),
    "switch in a loop": (
        lambda x: fori_loop(0, 6, lambda i, s: switch(i % 3, [lambda: s + x, lambda: s * 2, lambda: s - 1]), x),
        [[np.arange(2.0)]],
    ),
    "scan": (lambda xs: scan(lambda c, x: (c + x, c * x), 0, xs), [[np.arange(4.0)]]),
    "scan rows": (lambda xs: scan(lambda c, x: (c * x, np.tanh(c)), xs[0], xs), [[np.arange(6.0).reshape(3, 2)]]),
    "scan structures": (
        lambda a, b: scan(
            lambda c, x: ({"n": c["n"] + 1, "s": c["s"] + x["a"]}, [x["b"], (x["a"] > 1, None)]),
            {"n": 0, "s": np.float32(0)},
            {"a": a, "b": b},
        ),
        [[np.arange(3, dtype=np.float32), np.eye(3, 2)]],
    ),
    "scan without results": (lambda xs: scan(lambda c, x: (np.maximum(c, x), None), -np.inf, xs), [[np.arange(3.0)]]),
    "scan unused": (lambda xs: scan(lambda c, x: (c + x, x), 0.0, xs)[0], [[np.arange(3.0)]]),
    "scan old carry": (lambda xs: scan(lambda c, x: ((c[1], c[0] + x), c), (0.0, 1.0), xs), [[np.arange(5.0)]]),
    "scan captured": (lambda xs: scan(lambda c, x: (W @ c, W * x), np.ones(2), xs), [[np.arange(3.0)]]),
    "scan strings": (lambda xs: scan(lambda c, x: (c, np.strings.add(x, "!")), 0, xs)[1], [[np.array(["ab", "c"])]]),
    "scan widens": (lambda xs: scan(lambda c, x: (c + x.sum(), c), 0, xs), [[np.ones((3, 2), np.float32)]]),
    "scan numbers": (lambda xs: scan(lambda c, x: (c, (1, 2.5, True)), 0, xs)[1], [[np.ones(3)]]),
    "scan found lengths": (
        lambda xs: scan(lambda c, x: (c + 1, np.nonzero(x)[0]), 0, xs),
        [[np.eye(3)], [np.ones((3, 3))]],
    ),
    "scan layout": (lambda xs: scan(lambda c, x: (c, x.T), 0, xs)[1].sum(axis=(0, 1)), [[np.ones((3, 300, 7)) / 3]]),
    "scan of scan": (
        lambda xs: scan(lambda c, x: scan(lambda d, y: (d + y, d * y), c, x), 0.0, xs),
        [[np.arange(6.0).reshape(2, 3)]],
    ),
    "scan in cond": (
        lambda x: cond(x.sum() > 3, lambda: scan(lambda c, r: (c + r, c), 0.0, x)[1], lambda: x),
        [[np.arange(4.0)], [np.zeros(4)]],
    ),
    "cond in scan": (
        lambda x: scan(lambda c, r: cond(r > c, lambda: (r, c), lambda: (c, r)), 0.0, x),
        [[np.array([1.0, -1.0, 3.0, 2.0])]],
    ),
    "scan in while": (
        lambda x: while_loop(lambda x: x.sum() < 50, lambda x: (scan(lambda c, r: (c + r, c + r), 0.0, x)[1],), (x,)),
        [[np.ones(4)]],
    ),
    "map": (lambda x: map_fn(lambda r: {"a": r.sum(), "b": r[::-1]}, x), [[np.arange(6).reshape(2, 3)]]),
    "map of two": (lambda x, y: map_fn(lambda p: p[0] @ p[1] + W, (x, y)), [[np.ones((3, 2, 2)), np.ones((3, 2, 2))]]),
    "map of no rows": (
        lambda x: map_fn(lambda r: (np.float32(2) * r, r.sum() > 0, 1, r[r > 0]), x),
        [[np.ones((0, 2))]],
    ),
    "scan of no rows": (lambda x: scan(lambda c, r: (c + r.sum(), (c, r)), 0, x), [[np.ones((0, 2), np.float32)]]),
    "map over a growing state": (
        lambda x, n: fori_loop(0, n, lambda i, s: np.concatenate([s, map_fn(lambda v: s * v, x).sum(0)[:1]]), x),
        [[np.ones(2), np.int64(3)]],
    ),
    "length of a growing state": (
        lambda x, n: fori_loop(0, n, lambda i, s: np.concatenate([s.reshape(s.shape[0] // 2, 2).ravel(), x]), x),
        [[np.ones(2), np.int64(3)]],
    ),
    "growing within growing": (
        lambda x, n: fori_loop(
            0,
            n,
            lambda i, s: np.concatenate(
                [fori_loop(0, 2, lambda j, t: np.concatenate([t, x]), s).reshape(s.shape[0] // 2 + 2, 2).ravel(), s]
            ),
            x,
        ),
        [[np.ones(2), np.int64(2)]],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_eager_with_one_trace(name):
    eager, calls = PROGRAMS[name]
    calls = [[np.float64(a) if type(a) is float else a for a in call] for call in calls]
    f = tracefn.function(eager, name="f")
    for _ in range(2):
        for call in calls:
            assert_alike(f(*call), eager(*call))
    assert f.tracing_count == 1
    concrete = f.concrete_functions[0]
    for graph in (concrete.graph, concrete.traced_graph):
        outputs = evaluate(verify(graph), calls[0], {"global W": W})
        namespace = {}
        exec(str(graph), namespace)
        printed = namespace["f"](*calls[0], **{graph.names[n]: W for n in graph.captures})
        for a, b in zip(printed if len(outputs) > 1 else (printed,), outputs, strict=True):
            np.testing.assert_array_equal(a, b)


def test_plain_python_outside_a_trace():
    assert cond(True, lambda: 1, lambda: 2) == 1
    assert while_loop(lambda n: n < 5, lambda n: (n + 1,), (0,)) == (5,)
    assert fori_loop(0, 4, lambda i, s: s + i, 0) == 6
    assert switch(-1, [lambda: 1, lambda: 2]) == 2
    assert_alike(scan(lambda c, x: (c + x, c), 0, np.arange(3)), (np.int64(3), np.array([0, 0, 1])))
    assert_alike(map_fn(lambda x: x + 1, np.arange(3)), np.arange(1, 4))


def test_a_switch_without_such_a_branch():
    def program(n, x):
        return switch(n, [lambda: x, lambda: -x])

    f = tracefn.function(program)
    assert f(np.int64(1), 2.0) == -2.0
    graph = f.concrete_functions[0].graph
    for n in (2, -3, 1 << 40):
        for run in (program, f, lambda n, x: evaluate(graph, [n])):
            with pytest.raises(IndexError, match=f"switch: index {n} is outside of its 2 branches"):
                run(np.int64(n), 2.0)
    with pytest.raises(IndexError, match="0 branches"):
        switch(0, [])
    with pytest.raises(TypeError, match="integer"):
        switch(1.0, [lambda: 1, lambda: 2])


def test_a_python_index_is_decided_while_tracing():
    f = tracefn.function(lambda x, n: switch(n, [lambda: x + 1, lambda: np.sum(x)]))
    assert f(np.float64(1), -1) == 1 and f(np.float64(1), 0) == 2
    assert not any(n.bodies for c in f.concrete_functions for n in c.graph)


def test_open_lengths_are_scanned():
    def program(xs, ys):
        return scan(lambda c, x: (c + x[0] @ x[1], (x[0][0], x[1] * 2)), np.zeros((2, 2)), (xs, ys))

    specs = [tracefn.TensorSpec((None, 2, None), float), tracefn.TensorSpec((None, None, 2), float)]
    f = tracefn.function(program, input_signature=specs)
    for n, m in ((3, 4), (1, 2), (0, 3)):
        xs, ys = np.arange(n * 2.0 * m).reshape(n, 2, m), np.ones((n, m, 2))
        assert_alike(f(xs, ys), program(xs, ys))
    assert f.tracing_count == 1
    for run in (program, f):
        with pytest.raises(ControlFlowError, match=r"leading lengths of `xs` differ: 1 in `xs\[0\]`, 2 in `xs\[1\]`"):
            run(np.ones((1, 2, 2)), np.ones((2, 2, 2)))


def test_lengths_that_values_decide_are_scanned():
    def program(x, y):
        return map_fn(lambda v: v[0] + v[1] * x, (x[x > 0], y[y > 0]))

    f = tracefn.function(program)
    for x in (np.arange(4.0), -np.arange(4.0)):
        assert_alike(f(x, x), program(x, x))
    assert f.tracing_count == 1
    for run in (program, f):
        with pytest.raises(ControlFlowError, match="leading lengths"):
            run(np.arange(4.0), -np.arange(4.0))


def test_rows_that_differ_in_shape():
    def program(x):
        return map_fn(lambda v: np.nonzero(v)[0], x)

    f = tracefn.function(program)
    for run in (program, f):
        with pytest.raises(ValueError, match="same shape"):
            run(np.tri(3))


def test_a_number_that_a_scan_turns_into_an_array():
    rows = np.ones((3, 2), np.float32)
    for y, fails in ((lambda c, x: c + x, False), (lambda c, x: c, True)):

        def program(xs, y=y):
            return scan(lambda c, x: (c + x, y(c, x)), 0, xs)

        f = tracefn.function(program)
        if not fails:
            assert_alike(f(rows), program(rows))
            continue
        for run in (program, f):
            with pytest.raises(ValueError, match="same shape"):
                run(rows)


def test_a_scan_of_no_rows_has_no_length_where_values_decide_it():
    def program(x):
        return map_fn(lambda v: np.nonzero(v)[0], x)

    for run in (program, tracefn.function(program)):
        assert_alike(run(np.zeros((0, 3))), np.zeros((0, 0), np.int64))


def test_captured_arrays_are_read_at_every_call_of_a_scan():
    captured = np.zeros(2)
    f = tracefn.function(lambda xs: map_fn(lambda x: x + captured, xs))
    np.testing.assert_array_equal(f(np.ones(3)), np.ones((3, 2)))
    captured += 1
    np.testing.assert_array_equal(f(np.ones(3)), np.full((3, 2), 2.0))
    assert f.tracing_count == 1


def test_bodies_keep_nothing_alive():
    class Holder:
        def __init__(self):
            self.w = np.ones(3)

        @tracefn.function
        def __call__(self, n, xs):
            return switch(n, [lambda: map_fn(lambda x: x * self.w, xs), lambda: scan(self.step, 0.0, xs)[1]])

        def step(self, carry, x):
            return carry + x, carry * self.w

    holder = Holder()
    assert holder(np.int64(1), np.ones(2)).shape == (2, 3)
    arrays = [weakref.ref(holder.w), weakref.ref(holder)]
    del holder
    gc.collect()
    assert [ref() for ref in arrays] == [None, None]


def test_a_python_condition_is_decided_while_tracing():
    f = tracefn.function(lambda x, flag: cond(flag, lambda: x + 1, lambda: x - 1))
    assert f(np.float64(1), True) == 2 and f(np.float64(1), False) == 0
    assert f.tracing_count == 2
    assert not any(n.bodies for c in f.concrete_functions for n in c.graph)


def test_weak_numbers_take_the_dtype_of_the_body():
    f = tracefn.function(lambda x, n: fori_loop(0, n, lambda i, s: s + x, 0))
    result = f(np.float32(1.5), np.int64(3))
    assert result == 4.5 and result.dtype == np.float32
    g = tracefn.function(lambda x: cond(x > 0, lambda: x, lambda: 0))
    assert g(np.float32(-1)).dtype == np.float32
    h = tracefn.function(lambda n, x: switch(n, [lambda: 0, lambda: x, lambda: 2.5]))
    assert_alike([h(np.int64(n), np.float32(3)) for n in (0, 1, 2)], [np.float32(v) for v in (0, 3, 2.5)])


def test_lengths_may_differ():
    f = tracefn.function(lambda x: cond(x.sum() > 0, lambda: x[1:], lambda: x[:1]) + 1)
    for x in (np.ones(4), -np.ones(4)):
        np.testing.assert_array_equal(f(x), (x[1:] if x.sum() > 0 else x[:1]) + 1)
    g = tracefn.function(lambda x, n: fori_loop(0, n, lambda i, s: np.concatenate([s, x]), x), input_signature=None)
    for n in (0, 1, 3):
        np.testing.assert_array_equal(g(np.arange(2.0), np.int64(n)), np.tile(np.arange(2.0), n + 1))
    assert g.tracing_count == 1


def test_open_lengths_are_known_in_bodies():
    f = tracefn.function(
        lambda x: cond(x.sum() > 0, lambda: x.reshape(x.shape[0] * 2) / x.shape[0], lambda: x.reshape(-1)),
        input_signature=[tracefn.TensorSpec((None, 2), float)],
    )
    for n in (1, 3):
        np.testing.assert_array_equal(f(np.ones((n, 2))), np.ones(2 * n) / n)
        np.testing.assert_array_equal(f(-np.ones((n, 2))), -np.ones(2 * n))
    assert f.tracing_count == 1


@pytest.mark.parametrize(
    ("program", "match"),
    [
        (
            lambda x: cond(x.sum() > 0, lambda: x, lambda: x.astype("f4")),
            r"`result`: float64\[3\] in `if_true`, float32\[3\] in",
        ),
        (lambda x: cond(x.sum() > 0, lambda: x, lambda: x.sum()), r"`result`"),
        (lambda x: cond(x.sum() > 0, lambda: (x, x), lambda: x), "different structures"),
        (
            lambda x: fori_loop(0, x.size, lambda i, s: s.astype("f4"), x),
            r"changes `state`: float64\[3\] → float32\[3\]",
        ),
        (lambda x: fori_loop(0, 3, lambda i, s: (s, s), x), "structure"),
        (lambda x: while_loop(lambda a, b: a.sum() > 0, lambda a, b: (a, {2}), (x, {1})), "no array or number"),
        (lambda x: switch(x, [lambda: x]), r"index of a switch is no single integer: float64\[3\]"),
        (lambda x: switch(x[0] > 0, [lambda: x, lambda: x]), "index of a switch is no single integer: bool"),
        (lambda x: switch(np.argmax(x), []), "no branches"),
        (
            lambda x: switch(np.argmax(x), [lambda: x, lambda: x, lambda: x > 0]),
            r"float64\[3\] in `branch_1`, bool\[3\] in `branch_2`",
        ),
        (
            lambda x: switch(np.argmax(x), [lambda: x, lambda: x, lambda: [x]]),
            r"float64\[3\] in `branch_1`, list of 1 in",
        ),
        (
            lambda x: switch(np.argmax(x), [lambda: {1}, lambda: {1}, lambda: {2}]),
            r"\{1\} in `branch_1`, \{2\} in `branch_2`",
        ),
        (lambda x: scan(lambda c, v: c + v, 0, x), r"must return \(carry, y\)"),
        (lambda x: scan(lambda c, v: (c + x, v), np.float32(0), x), r"changes `carry`: float32 → float64\[3\]"),
        (lambda x: scan(lambda c, v: ((c, c), v), 0, x), "a single value → tuple of 2"),
        (lambda x: scan(lambda c, v: (c, v), 0, x.sum()), "`xs` has no leading axis to scan: float64"),
        (lambda x: scan(lambda c, v: (c, v), 0, [1, 2]), r"`xs\[0\]` has no leading axis to scan: int"),
        (lambda x: map_fn(lambda v: v, ()), "no array to scan"),
        (lambda x: map_fn(lambda v: v, (x, "s")), r"`xs\[1\]` has no leading axis to scan: 's'"),
        (lambda x: map_fn(lambda v: v[0], (x, x[1:])), r"3 in `xs\[0\]`, 2 in `xs\[1\]`"),
    ],
)
def test_what_does_not_fit_is_named(program, match):
    f = tracefn.function(program)
    with pytest.raises(ControlFlowError, match=match):
        f(np.ones(3))
    assert f.concrete_functions == []
    assert tracefn.trace.active.current() is None


@pytest.mark.parametrize(
    ("program", "match"),
    [
        (lambda: scan(lambda c, v: c, 0, np.ones(2)), r"must return \(carry, y\)"),
        (lambda: map_fn(lambda v: v, 3.0), "`xs` has no leading axis"),
        (lambda: map_fn(lambda v: v[0], (np.ones(2), np.ones(3))), r"2 in `xs\[0\]`, 3 in `xs\[1\]`"),
        (lambda: map_fn(lambda v: (v, v) if v else v, np.arange(2)), "two rows of a scan give different structures"),
        (lambda: map_fn(lambda v: "a" if v else "b", np.arange(2)), "two rows of a scan differ in `y`.*'b' and 'a'"),
    ],
)
def test_what_does_not_fit_is_named_outside_a_trace(program, match):
    with pytest.raises(ControlFlowError, match=match):
        program()


def test_a_value_that_a_body_keeps_is_there_where_it_ran():
    kept = []
    f = tracefn.function(lambda x: cond(x > 0, lambda: kept.append(x * 2) or x, lambda: x) + kept[0])
    with pytest.raises(IndexError):
        f(np.float64(-1))
    assert kept == []
    assert f(np.float64(1)) == 3
    assert kept == [2]


def test_an_outer_value_is_written_in_a_body():
    def program(x):
        y = x * 2

        def write():
            nonlocal y
            y += 1
            return y

        return cond(x.sum() > 0, write, lambda: y), y

    f = tracefn.function(program)
    for x in (np.ones(2), -np.ones(2)):
        np.testing.assert_array_equal(f(x), program(x))
    assert f.tracing_count == 1


def test_buffers_are_not_reused_while_a_branch_may_return_them():
    def program(x):
        y = x * 2
        z = cond(x[0] > 0, lambda: y, lambda: x)
        return z, np.exp(y)

    f = tracefn.function(program)
    x = np.linspace(0.5, 1, 1 << 14)
    for _ in range(2):
        z, e = f(x)
        np.testing.assert_array_equal(z, x * 2)
        np.testing.assert_array_equal(e, np.exp(x * 2))


def test_bodies_are_optimised_and_counted():
    concrete = tracefn.function(
        lambda x: cond(x.sum() > 0, lambda: np.sin(x) * 1 + np.sin(x), lambda: x)
    ).get_concrete_function(np.ones(3))
    assert concrete.nodes_before - concrete.nodes_after == 3  # `* 1`, a sine, and what stands for the sum in the other
    assert concrete.program.count("np.sin") == 1


def test_branches_that_make_arrays_take_no_memory_while_they_are_traced():
    def program(x):
        return cond(x[0] > 0, lambda: x + 1, lambda: x - 1)

    x = np.ones(1 << 20)
    tracefn.function(program, jit="off").get_concrete_function(x[:2])
    tracemalloc.start()
    try:
        concrete = tracefn.function(program, jit="off").get_concrete_function(x)
        assert tracemalloc.get_traced_memory()[1] < x.nbytes
    finally:
        tracemalloc.stop()
    assert "np.array" not in concrete.program
    np.testing.assert_array_equal(concrete(x), x + 1)


def test_json_holds_the_bodies():
    graph = tracefn.function(PROGRAMS["collatz"][0]).get_concrete_function(np.int64(7)).graph
    loop = next(n for n in graph.to_json()["nodes"] if n["op"] == "while_loop")
    assert set(loop["bodies"]) == {"test", "body"}
    assert any(n["op"] == "cond" for n in loop["bodies"]["body"]["nodes"])
    names = [n["id"] for n in loop["bodies"]["body"]["nodes"] if n["op"] == "input"]
    assert sorted(loop["bodies"]["body"]["inputs"]) == sorted(names)
    assert loop["flow"]["carried"] == {"test": [0, 0], "body": [0, len(names)]} and loop["flow"]["rounds"] == ""


@pytest.mark.parametrize(
    ("bounds", "rounds"), [("400", "400"), ("2, 500, 3", "166"), ("n", "range(n)"), ("1, n", "range(1, n)")]
)
def test_json_says_how_often_a_loop_runs_and_what_goes_round(bounds, rounds):
    source = f"def f(x, y, n):\n    for i in range({bounds}):\n        x = x * y + i\n    return x"
    linecache.cache["<rounds>"] = (len(source), None, [line + "\n" for line in source.split("\n")], "<rounds>")
    namespace = {}
    exec(compile(source, "<rounds>", "exec"), namespace)
    graph = tracefn.function(namespace["f"]).get_concrete_function(np.ones(3), np.ones(3), np.int64(5)).graph
    (loop,) = [n for n in graph.to_json()["nodes"] if n["op"] == "for_loop"]
    assert loop["flow"]["rounds"] == rounds and loop["flow"]["carried"] == {"body": [1, 1]}
    body = loop["bodies"]["body"]
    assert [n["attrs"]["path"] for n in body["nodes"] if n["id"] == body["inputs"][1]] == ["x"]
    assert loop["flow"]["feeds"]["body"][:2] == [None, "x"]


def test_json_says_what_the_code_calls_results_of_branches():
    def f(x):
        for _ in range(100):
            if x.sum() > 0:
                x, scale = x * 2, x.max()
            else:
                scale = x.min()
            x = x * scale
        return x if x.sum() > 1 else -x

    data = tracefn.function(f).get_concrete_function(np.ones(3)).graph.to_json()
    loop, choice = [n for n in data["nodes"] if n["bodies"]]
    (branch,) = [n for n in loop["bodies"]["body"]["nodes"] if n["op"] == "cond"]
    assert sorted(branch["flow"]["results"]) == ["scale", "x"]
    assert not any(choice["flow"]["results"])


def test_values_of_choices_have_the_names_that_they_are_assigned_to():
    def f(x, n):
        y = x * 2 if x.sum() > 0 else -x
        a, b = tracefn.cond(x.sum() > 1, lambda: (x, [x + 1]), lambda: (x - 1, [x]))
        pair = tracefn.switch(
            n, [lambda: (y + 1, y), lambda: (y - 1, x)]
        )  # fmt: skip
        return y, a, b, pair, np.abs(x if x[0] > 0 else y)

    data = tracefn.function(f).get_concrete_function(np.ones(3), np.int64(1)).graph.to_json()
    found = [n["flow"]["results"] for n in data["nodes"] if n["bodies"]]
    assert found == [["y"], ["a", "b[0]"], ["pair[0]", "pair[1]"], []]


def test_json_says_where_calls_stand():
    def inner(x):
        return np.tanh(x) * 2

    def outer(x):
        y = inner(x)
        if x.sum() > 0:
            y = inner(y)
        return y

    data = tracefn.function(outer).get_concrete_function(np.ones(3)).graph.to_json()
    first = outer.__code__.co_firstlineno
    assert {scope: place["line"] for scope, place in data["sites"].items()} == {"inner": first + 1}
    (cond_node,) = [n for n in data["nodes"] if n["op"] == "cond"]
    sites = {scope: place["line"] for scope, place in cond_node["bodies"]["if_true"]["sites"].items()}
    assert sites["if_true/inner"] == first + 3


def test_json_holds_every_branch_and_the_body_of_a_scan():
    for name, bodies in (("switch", {"branch_0", "branch_1", "branch_2"}), ("scan", {"body"})):
        program, calls = PROGRAMS[name]
        graph = tracefn.function(program).get_concrete_function(*calls[0]).graph
        assert [set(n["bodies"]) for n in graph.to_json()["nodes"] if n["op"] == name] == [bodies]
