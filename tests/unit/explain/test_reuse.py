"""Functions of the same source: a cell that is run again keeps its traces, and what is made anew each time is named."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi

CELL = """
import numpy as np, tracefn

def helper(x):
    return x + 1

@tracefn.function
def f(x, n=2):
    return helper(x) * n
"""


def run(source: str, names: dict | None = None) -> dict:
    names = {"__name__": "cell"} if names is None else names
    exec(compile(source, f"<cell {hash(source)}>", "exec"), names)
    return names


@pytest.mark.parametrize("jit", ["off", "now"])
def test_a_cell_that_is_run_again_keeps_its_traces(jit: str) -> None:
    with tracefn.config.jit(jit):
        names = run(CELL)
        for _ in range(3):
            np.testing.assert_array_equal(names["f"](np.ones(2)), [4, 4])
        run(CELL, names)
        with tracefn.events.record() as events:
            for _ in range(3):
                np.testing.assert_array_equal(names["f"](np.ones(2)), [4, 4])
    assert [e.type for e in events] == ["calls"]
    assert names["f"].tracing_count == 1
    assert names["f"].concrete_functions[0].plan == ("numpy" if jit == "off" or abi.unavailable() else "native")


def test_the_fast_path_goes_by_the_new_helper() -> None:
    names = run(CELL)
    names["f"](np.ones(2))
    run(CELL, names)
    f = names["f"]
    f(np.ones(2))
    f(np.ones(2))
    slow = []
    f._call_slowly = lambda args, kwargs: slow.append(args)
    f(np.ones(2))
    assert slow == []


def test_another_cell_may_have_changed_around_it() -> None:
    names = run(CELL)
    names["f"](np.ones(2))
    run("# a comment\n\n" + CELL + "\ny = 1\n", names)
    names["f"](np.ones(2))
    assert names["f"].tracing_count == 1


def test_a_changed_helper_retraces() -> None:
    names = run(CELL)
    names["f"](np.ones(2))
    run(CELL.replace("x + 1", "x + 2"), names)
    np.testing.assert_array_equal(names["f"](np.ones(2)), [6, 6])
    (cause,) = names["f"].explain().causes
    assert (cause.path, cause.kind) == ("global helper", "captured")


def test_a_changed_function_a_changed_default_and_changed_options_start_anew() -> None:
    for old, new, result in (
        ("* n", "+ n", 6),
        ("n=2", "n=3", 12),
        ("tracefn.function", "tracefn.function(reduce_retracing=True)", 8),
    ):
        names = run(CELL)
        assert names["f"](np.full(2, 3.0))[0] == 8
        run(CELL.replace(old, new), names)
        assert names["f"].tracing_count == 0
        assert names["f"](np.full(2, 3.0))[0] == result


def test_reuse_can_be_switched_off() -> None:
    names = run(CELL)
    names["f"](np.ones(2))
    with tracefn.config.reuse_traces(False):
        run(CELL, names)
    assert names["f"].tracing_count == 0


def test_functions_with_closures_and_inner_functions_are_their_own() -> None:
    def make(k):
        @tracefn.function
        def inner(x):
            return x * k

        return inner

    two, three = make(2), make(3)
    assert (two(np.ones(1))[0], three(np.ones(1))[0]) == (2, 3)
    assert (two.tracing_count, three.tracing_count) == (1, 1)


CLOSURE = """
def make(c):
    def inner(x): return x * c
    def change(new):
        nonlocal c
        c = new
    return inner, change

inner, change = make({})

def f(x): return inner(x) + 1
"""


@pytest.mark.parametrize("jit", ["off", "now"])
@pytest.mark.parametrize("first, then", [("3", "7"), ("np.float64(3)", "np.float64(7)"), ("ROW", "ROW + 4")])
def test_a_closure_made_anew_has_variables_of_its_own(jit: str, first: str, then: str) -> None:
    names = run(CLOSURE.format(first), {"np": np, "ROW": np.full(2, 3.0)})
    f = tracefn.function(names["f"], jit=jit)
    f(np.ones(2))
    names["inner"], names["change"] = eval(f"make({first})", names)
    for _ in range(2):
        np.testing.assert_array_equal(f(np.ones(2)), [4, 4])
    assert f.tracing_count == 1 or "float64" in first
    names["change"](eval(then, names))
    for _ in range(2):
        np.testing.assert_array_equal(f(np.ones(2)), [8, 8])


def test_a_lambda_made_in_a_loop_at_the_top_level_keeps_its_traces() -> None:
    names = run("import tracefn\nfor i in range(4):\n    f = tracefn.function(lambda x: x + 1)\n    f(i * 1.0 != i)\n")
    assert names["f"].tracing_count == 1


def test_two_traced_functions_of_one_python_function_are_two() -> None:
    names = run(
        "import tracefn\ndef f(x):\n    return x\nplain = f\nf = tracefn.function(f)\nf(1)\ng = tracefn.function(plain)"
    )
    assert (names["f"].tracing_count, names["g"].tracing_count) == (1, 0)


def test_two_lambdas_of_one_text_in_two_lines_are_two_functions() -> None:
    names = run("import tracefn\nf = tracefn.function(lambda x: x)\ng = tracefn.function(lambda x: x)\nf(1)\n")
    assert (names["f"].tracing_count, names["g"].tracing_count) == (1, 0)


def test_a_fresh_lambda_each_call_is_named_with_its_line() -> None:
    f = tracefn.function(lambda x, g: g(x))
    for _ in range(3):
        f(np.ones(2), lambda x: x + 1)
    (cause,) = f.explain().causes
    assert cause.kind == "identity"
    assert "g: `<lambda>` was made anew (" in cause.text and "test_reuse.py line " in cause.text
    assert f.explain().fix.kind == "hoist"


def test_each_argument_is_relaxed_for_itself() -> None:
    f = tracefn.function(lambda x, n: x * n, reduce_retracing=True)
    for rows, n in ((2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3)):
        np.testing.assert_array_equal(f(np.ones(rows), n), np.ones(rows) * n)
    assert [c.signature.text for c in f.concrete_functions] == [
        "x: float64[2], n: 1 (int)",
        "x: float64[None], n: 1 (int)",
        "x: float64[None], n: 2 (int)",
        "x: float64[None], n: 3 (int)",
    ]
    assert [c.path for c in f.explain(4).relaxed] == ["x"]
    assert [c.kind for c in f.explain(4).causes] == ["value"]
