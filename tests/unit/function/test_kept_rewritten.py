"""Rewritten code on disk: a process that traces a function anew takes over what an earlier one has rewritten of it."""

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import object_cache
from tracefn.function.kept import rewritten
from tracefn.runtime.worker import wait_until_built
from tracefn.trace.autograph.rewrite import convert

SOURCE = """
import numpy as np
def halve(x):
    return x / 2 if x.sum() > 0 else x
def f(x, n):
    for k in range(n):
        if x.sum() > k:
            x = x - 1
        else:
            x = halve(x) + k
    return x
"""
ARRAY = np.arange(3.0)


@pytest.fixture
def load(tmp_path, monkeypatch):
    """The function `f` of a module of a new process, whose file has another name each time."""
    monkeypatch.setenv("TRACEFN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(rewritten, "_new", [])
    count = 0

    def run(text=SOURCE):
        nonlocal count
        count += 1
        convert._converted.cache_clear()
        path = tmp_path / f"source{count}.py"
        path.write_text(text)
        names = {}
        exec(compile(text, str(path), "exec"), names)
        return names["f"]

    with tracefn.config.keep_traces():
        yield run


def called(f, n):
    """The result of a new function for a number of rounds, once all is kept."""
    result = tracefn.function(f, on_unsupported="error")(ARRAY, n)
    assert wait_until_built(60)
    np.testing.assert_array_equal(result, f(ARRAY, n))


def test_code_that_an_earlier_process_has_rewritten_is_taken_over(load, monkeypatch):
    called(load(), np.int64(3))
    f, rewrite, names = load(), convert._rewritten, []
    monkeypatch.setattr(convert, "_rewritten", lambda code: names.append(code.co_name) or rewrite(code))
    called(f, 4)
    assert names == ["halve"]  # which is short
    assert convert.converted_code(f.__code__).co_filename == f.__code__.co_filename


def test_its_lines_are_those_of_the_file(load):
    called(load(), 3)
    f = load()
    with tracefn.events.record() as seen:
        called(f, np.int64(4))
    (graph,) = [e.graph for e in seen if e.type == "graph.built"]
    sources = {n.source for n in graph.nodes if n.source is not None}
    assert {s.file for s in sources} == {f.__code__.co_filename}
    assert 6 in {s.line for s in sources}


@pytest.mark.parametrize(
    "old, new", [("x - 1", "x - 2"), ("x - 1", "x + 1"), ("\ndef f", "\n\ndef f"), ("range(n)", "range(n + 1)")]
)
def test_other_code_is_rewritten_anew(load, old, new):
    called(load(), 3)
    called(load(SOURCE.replace(old, new)), 4)


def test_a_file_with_something_else_is_an_event_and_no_more(load):
    f = load()
    called(f, 3)
    object_cache.store(rewritten._key(f.__code__), b"something else")
    with tracefn.events.record() as seen:
        called(load(), 4)
    assert [e.phase for e in seen if e.type == "error"] == ["cache"]


def test_short_code_is_not_kept(load):
    called(load("def f(x, n):\n    return x + n\n"), 3)
    assert rewritten.look_up(load("def f(x, n):\n    return x + n\n").__code__) is None
