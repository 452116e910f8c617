"""`%%tracefn` and `%tracefn` in a real kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from unit.notebook.real_kernel import Kernel, real_kernel


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with real_kernel() as kernel:
        kernel.run("%load_ext tracefn\nimport numpy as np\nimport tracefn\nfrom tracefn import events")
        assert kernel.reply["content"]["status"] == "ok", kernel.reply["content"]
        yield kernel


def of_type(messages: list[dict[str, Any]], *types: str) -> list[dict[str, Any]]:
    return [m["content"] for m in messages if m["msg_type"] in types]


def printed(messages: list[dict[str, Any]]) -> str:
    return "".join(content["text"] for content in of_type(messages, "stream"))


def summary(messages: list[dict[str, Any]]) -> str:
    """The text of the one summary among what a cell published."""
    shown = [c["data"] for c in of_type(messages, "display_data")]
    (data,) = [data for data in shown if data["text/plain"].startswith("tracefn")]
    assert data["text/html"].startswith('<div class="tracefn-output-summary"')
    text: str = data["text/plain"]
    return text


def result(messages: list[dict[str, Any]]) -> str:
    """What the cell's last expression showed."""
    (content,) = of_type(messages, "execute_result")
    text: str = content["data"]["text/plain"]
    return text


def test_functions_of_the_cell_are_traced_and_summarised(kernel: Kernel) -> None:
    out = kernel.run(
        """%%tracefn
def double(x):
    return x * 2

def twice(x):
    return double(double(x))

twice(np.ones(3)), twice(np.ones(3)), twice(np.ones(4))
len(twice.concrete_functions), type(double) is type(twice)
"""
    )
    assert result(out) == "(2, True)"
    lines = summary(out).splitlines()
    assert lines[0].startswith("tracefn: ")
    assert "retrace" in lines[0]
    twice = lines.index("twice")
    assert lines[twice + 1].startswith("  #1  ")
    assert lines[twice + 1].endswith(" nodes  2 calls  x: float64[3]")
    assert lines[twice + 2].endswith(" nodes  1 call   x: float64[4]")
    assert "(3,) → (4,)" in lines[twice + 3]


def test_the_summary_comes_last(kernel: Kernel) -> None:
    out = kernel.run("%%tracefn\ndef f(x):\n    return x + 1\nprint('printed')\nf(np.ones(2))")
    kinds = [m["msg_type"] for m in out if m["msg_type"] in ("stream", "execute_result", "display_data")]
    assert kinds == ["stream", "execute_result", "display_data"]


def test_a_later_cell_summarises_only_its_own_calls(kernel: Kernel) -> None:
    kernel.run("%%tracefn --quiet\ndef later(x):\n    return x + 1\nfor _ in range(5): later(np.ones(2))")
    lines = summary(kernel.run("%%tracefn\nlater(np.ones(2))")).splitlines()
    assert lines == [
        "tracefn: nothing traced · 1 call",
        "later",
        "  #1  traced before  1 call  x: float64[2]",
    ]


def test_quiet(kernel: Kernel) -> None:
    out = kernel.run("%%tracefn --quiet\ndef quiet(x):\n    return x + 1\nquiet(np.ones(2))")
    assert result(out) == "array([2., 2.])"
    assert of_type(out, "display_data") == []


def test_no_wrap(kernel: Kernel) -> None:
    out = kernel.run("%%tracefn --no-wrap\ndef plain(x):\n    return x + 1\nplain(np.ones(2)); type(plain).__name__")
    assert result(out) == "'function'"
    assert summary(out) == "tracefn: no traced function was called"


def test_only(kernel: Kernel) -> None:
    out = kernel.run(
        "%%tracefn --only one\ndef one(x):\n    return x + 1\ndef two(x):\n    return x\n"
        "[type(f).__name__ for f in (one, two)]"
    )
    assert result(out) == "['Function', 'function']"


def test_time(kernel: Kernel) -> None:
    code = "%%tracefn --time\ndef timed(x):\n    return np.tanh(x) * 2\ntimed(np.ones(4)), timed(np.ones(5))"
    out = kernel.run(code, timeout=120)
    (line,) = [line for line in summary(out).splitlines() if line.startswith("timed: ")]
    assert line.startswith("timed: eager ")
    assert " · graph " in line and any(word in line for word in ("faster", "slower", "as fast as"))
    code = "[e.signature for e in events.BUS.ledger.snapshot().events if e.type == 'timing.measured'][-1:] == "
    assert result(kernel.run(code + "[timed.concrete_functions[0].signature_id]")) == "True"


def test_time_shows_why_something_cannot_be_timed(kernel: Kernel) -> None:
    code = "%%tracefn --time\nimport time\ndef impure(x):\n    return x + time.perf_counter_ns()\n"
    out = kernel.run(code + "impure(np.ones(2));", timeout=120)
    assert "impure: not timed: " in summary(out)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--tme", "unknown option '--tme'"),
        ("--only nobody", "no such function at its top level; it defines f"),
        ("--only later_one", "left alone because it is an async function"),
        ("--no-wrap --only f", "give one of them"),
    ],
)
def test_a_bad_option_gives_one_clear_line_and_runs_nothing(kernel: Kernel, line: str, says: str) -> None:
    kernel.run("ran = False")
    out = kernel.run(f"%%tracefn {line}\ndef f(x): pass\nasync def later_one(): pass\nran = True")
    assert kernel.reply["content"]["status"] == "error"
    assert of_type(out, "error") == [] or "Traceback" not in "".join(of_type(out, "error")[0]["traceback"])
    text = printed(out) + "".join("".join(e["traceback"]) for e in of_type(out, "error"))
    assert says in text
    assert len(text.strip().splitlines()) == 1
    assert result(kernel.run("ran")) == "False"


@pytest.mark.parametrize("line", ["%%tracefn?", "%tracefn?"])
def test_help(kernel: Kernel, line: str) -> None:
    kernel.run(line)
    (page,) = kernel.reply["content"]["payload"]
    for option in ("--time", "--no-wrap", "--only NAME", "--quiet"):
        assert option in page["data"]["text/plain"]


def test_an_exception_surfaces_with_the_summary_of_what_was_traced_before(kernel: Kernel) -> None:
    code = "%%tracefn\ndef fine(x):\n    return x + 1\nfine(np.ones(2))\n1 / 0\nfine(np.ones(3))"
    out = kernel.run(code, cell_id="failing")
    assert kernel.reply["content"]["status"] == "error"
    (error,) = of_type(out, "error")
    assert error["ename"] == "ZeroDivisionError"
    assert "----> 5 1 / 0" in _without_colours("\n".join(error["traceback"]))
    assert summary(out).splitlines()[0].startswith("tracefn: 1 trace ·")


def test_an_exception_in_a_trace(kernel: Kernel) -> None:
    out = kernel.run("%%tracefn\ndef broken(x):\n    raise KeyError('no')\nbroken(np.ones(2))")
    (error,) = of_type(out, "error")
    assert error["ename"] == "KeyError"
    assert "raise KeyError('no')" in _without_colours("\n".join(error["traceback"]))
    assert "failed: KeyError" in summary(out)


def test_a_syntax_error_has_its_line(kernel: Kernel) -> None:
    out = kernel.run("%%tracefn\nx = 1\ndef f(:\n    pass")
    (error,) = of_type(out, "error")
    assert error["ename"] == "SyntaxError"
    assert "line 3" in _without_colours("\n".join(error["traceback"]))
    assert of_type(out, "display_data") == []


def test_lines_and_cell_are_those_of_the_notebook(kernel: Kernel) -> None:
    code = "\n\n%%tracefn\n\ndef placed(x):\n    y = x + 1\n    return y * 2\nplaced(np.ones(2));"
    kernel.run(code, cell_id="the-cell")
    count = kernel.reply["content"]["execution_count"]
    text = result(
        kernel.run(
            "e = [e for e in events.BUS.ledger.snapshot().events if e.type == 'trace.started'][-1]\n"
            "nodes = placed.concrete_functions[0].graph.to_json()['nodes']\n"
            "[(e.defined.cell, e.defined.cell_number, e.defined.line), (e.location.cell, e.location.line)], "
            "sorted({(n['cell'], n['cell_number'], n['line']) for n in nodes if n['op'] not in ('input', 'constant')})"
        )
    )
    placed = [("the-cell", count, 5), ("the-cell", 8)], [("the-cell", count, 6), ("the-cell", count, 7)]
    assert eval(text) == placed


def test_the_source_of_a_wrapped_function_is_found(kernel: Kernel) -> None:
    kernel.run("%%tracefn --quiet\n\ndef sourced(x):\n    # a comment\n    return x")
    text = result(kernel.run("import inspect; print(inspect.getsource(sourced.python_function)); sourced.__name__"))
    assert text == "'sourced'"
    assert "# a comment" in printed(kernel.run("print(inspect.getsource(sourced.python_function))"))


def test_other_syntax_of_ipython_works_in_the_cell(kernel: Kernel) -> None:
    out = kernel.run(
        """%%tracefn
here = %pwd
listing = !echo from the shell
!echo directly
def magical(x):
    return x + 1
%timeit -n1 -r1 -q magical(np.ones(2))
listing[0], bool(here)"""
    )
    assert result(out) == "('from the shell', True)"
    assert "directly" in printed(out)
    assert "magical" in summary(out)


def test_await_works_in_the_cell(kernel: Kernel) -> None:
    out = kernel.run(
        """%%tracefn
import asyncio
def awaited(x):
    return x + 1
async def later():
    await asyncio.sleep(0.01)
    return awaited(np.ones(2))
await later()"""
    )
    assert result(out) == "array([2., 2.])"
    text = summary(out)
    assert "awaited" in text.splitlines()
    assert "later was left alone: it is an async function." in text.splitlines()


def test_a_cell_that_is_interrupted_while_it_awaits(kernel: Kernel) -> None:
    code = """%%tracefn
import asyncio
def before(x):
    return x + 1
before(np.ones(2))
print('waiting')
for _ in range(1000):
    await asyncio.sleep(0.02)"""
    begin = len(kernel.messages)
    kernel.run(code, wait=False)
    kernel.read_until(lambda m: m["msg_type"] == "stream" and "waiting" in m["content"]["text"])
    kernel.manager.interrupt_kernel()
    kernel.read_until(lambda m: m["msg_type"] == "status" and m["content"]["execution_state"] == "idle")
    assert "before" in summary(kernel.messages[begin:]).splitlines()
    assert summary(kernel.run("%%tracefn\nbefore(np.ones(2))")).startswith("tracefn: nothing traced · 1 call")


def test_what_is_left_alone_is_noted_unless_it_is_traced_anyway(kernel: Kernel) -> None:
    out = kernel.run(
        """%%tracefn
import functools
@functools.cache
def cached(x): return x
@tracefn.function
def already(x): return x + 1
def generated():
    yield 1
class Model:
    def step(self, x): return x
class Plain:
    pass
already(np.ones(1)); cached(1), list(generated()), Model().step(2)"""
    )
    assert result(out) == "(1, [1], 2)"
    notes = [line for line in summary(out).splitlines() if "left alone" in line]
    assert [note.split()[0] for note in notes] == ["cached", "generated", "Model"]


def test_another_cell_magic_above_or_below(kernel: Kernel) -> None:
    out = kernel.run("%%time\n%%tracefn\ndef above(x):\n    return x + 1\nabove(np.ones(2))")
    assert "above" in summary(out).splitlines()
    out = kernel.run("%%tracefn\n%%capture captured\nprint('hidden')\nabove(np.ones(6))")
    assert printed(out) == ""
    assert "above" in summary(out).splitlines()


def test_an_empty_cell(kernel: Kernel) -> None:
    out = kernel.run("%%tracefn")
    assert kernel.reply["content"]["status"] == "ok"
    assert summary(out) == "tracefn: no traced function was called"
    assert of_type(out, "execute_result") == []


def test_functions_of_an_ordinary_cell_stay_plain(kernel: Kernel) -> None:
    assert result(kernel.run("def ordinary(x): return x\ntype(ordinary).__name__")) == "'function'"


@pytest.mark.parametrize(
    ("code", "value", "says"),
    [
        ("%tracefn ordinary_one(x, k=2)", "array([2., 2.])", "ordinary_one"),
        ("%tracefn np.tanh(x) * 0 + y", "array([3., 3.])", "expression"),
        ("%tracefn x.sum()", "np.float64(2.0)", "expression"),
        ("%tracefn ordinary_one({'a': x}['a'])", "array([1., 1.])", "ordinary_one"),
        ("%tracefn --time traced_one(x)", "array([2., 2.])", "traced_one"),
    ],
)
def test_a_line(kernel: Kernel, code: str, value: str, says: str) -> None:
    kernel.run("x, y = np.ones(2), 3\ndef ordinary_one(x, k=1): return x * k")
    kernel.run("traced_one = tracefn.function(lambda x: x * 2, name='traced_one')")
    out = kernel.run(code)
    assert kernel.reply["content"]["status"] == "ok", of_type(out, "error")
    assert result(out) == value
    assert says in summary(out).splitlines()
    assert result(kernel.run("type(ordinary_one).__name__")) == "'function'"


def test_a_line_can_be_assigned(kernel: Kernel) -> None:
    kernel.run("x = np.ones(2)\nvalue = %tracefn --quiet x + 1")
    assert result(kernel.run("value")) == "array([2., 2.])"


@pytest.mark.parametrize(
    ("code", "says"), [("%tracefn", "needs an expression"), ("%tracefn --only f", "unknown option")]
)
def test_a_bad_line_gives_one_clear_line(kernel: Kernel, code: str, says: str) -> None:
    out = kernel.run(code)
    text = printed(out) + "".join("".join(e["traceback"]) for e in of_type(out, "error"))
    assert says in text
    assert len(text.strip().splitlines()) == 1


def test_a_line_that_is_no_expression(kernel: Kernel) -> None:
    (error,) = of_type(kernel.run("%tracefn a = 1"), "error")
    assert error["ename"] == "SyntaxError"


def test_loading_twice_changes_nothing_and_unloading_removes_the_magics(kernel: Kernel) -> None:
    kernel.run("%reload_ext tracefn\n%reload_ext tracefn")
    out = kernel.run("%%tracefn\ndef again(x):\n    return x + 1\nagain(np.ones(2));")
    assert summary(out).splitlines()[0].startswith("tracefn: 1 trace ·")
    kernel.run("%unload_ext tracefn")
    out = kernel.run("%%tracefn\n1")
    assert "not found" in printed(out) + "".join("".join(e["traceback"]) for e in of_type(out, "error"))
    kernel.run("%load_ext tracefn")
    assert summary(kernel.run("%%tracefn\nagain(np.ones(2));")).splitlines()[0].startswith("tracefn: nothing traced")


def _without_colours(text: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", text)
