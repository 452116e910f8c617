"""Calls with other lengths share a program where it is the one that would be written for them."""

import numpy as np
import pytest
import tracefn
from tracefn.codegen import have_one_program, numpy_program
from tracefn.passes import optimize


def last(f, *args):
    """The trace of a call, after its result was compared with NumPy's."""
    result = f(*args)
    expected = f.python_function(*args)
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == expected.dtype
    return f.concrete_functions[-1]


def chain(x, w):
    h = np.tanh(x * w + 1.0)
    return np.sqrt(np.exp(-h) / 2 + np.float32(3)).sum(axis=0)


def ones(*shapes):
    return [np.ones(shape) for shape in shapes]


CASES = {
    "chain": (chain, ones(3, 3), ones(4, 4), True),
    "rows and columns": (lambda x, y: x * y, ones((3, 4), 4), ones((5, 2), 2), True),
    "two outputs": (lambda x: np.divmod(x, 2)[1] + 1, ones(3), ones(4), True),
    "an index": (lambda x: x[1:] - x[:-1], ones(3), ones(4), True),
    "a keyword": (lambda x: x.max(axis=0, keepdims=True), ones((3, 2)), ones((4, 2)), True),
    "another keyword": (lambda x: x.max(axis=0, keepdims=len(x) == 3), ones((3, 2)), ones((4, 2)), False),
    "dead code": (lambda x: (x * 2, x + 1)[1], ones(3), ones(4), True),
    "dead code that may raise": (lambda x: (x.reshape(2, -1), x + 1)[1], ones(4), ones(6), True),
    "an index that may be wrong": (lambda x, i: (np.take(x, i), x + 1)[1], [np.ones(3), 2], [np.ones(4), 2], True),
    "what is simplified": (lambda x: abs(abs(x)) * 1, ones(3), ones(4), True),
    "a constant": (lambda x: np.arange(2.0) * 2 + x[:2], ones(3), ones(4), False),
    "a length of 1": (lambda x, y: x * y, ones((3, 4), (3, 4)), ones((3, 1), (3, 1)), False),
    "a length of 0": (lambda x: x + 1, ones(3), ones(0), False),
    "lengths that were equal": (lambda x, y: x + y[:1], ones(3, 3), ones(3, 4), False),
    "lengths that were not": (lambda x, y: x + y[:1], ones(3, 4), ones(5, 5), False),
    "worth an out": (lambda x: (x + 1) * 2, ones(3), ones(5000), False),
    "a dtype": (lambda x: x + 1, ones(3), [np.ones(4, np.float32)], False),
    "a rank": (lambda x: np.sum(x * 1.5), ones(3), ones((4, 2)), False),
    "a number": (lambda x: x + x.shape[0], ones(3), ones(4), False),
    "the sign of zero": (lambda x: x + (0.0 if len(x) == 3 else -0.0), ones(3), ones(4), False),
    "the type of a number": (lambda x: x * (2 if len(x) == 3 else 2.0), ones(3), ones(4), False),
    "another op": (lambda x: np.sin(x) if len(x) == 3 else np.cos(x), ones(3), ones(4), False),
    "another input": (lambda x, y: x - y if len(x) == 3 else y - x, ones(3, 3), ones(4, 4), False),
    "an axis": (lambda x: x.sum(axis=len(x) - 2), ones((2, 2)), ones((3, 3)), False),
    "another result": (lambda x, y: x + 1 if len(x) == 3 else y + 1, ones(3, 3), ones(4, 4), False),
    "a write": (lambda x: np.add(x, 1, out=x.copy()), ones(3), ones(4), False),
}
if hasattr(np, "unstack"):  # since NumPy 2.1
    CASES["several results"] = (lambda x: np.unstack(x)[0] + 1, ones((3, 2)), ones((3, 4)), True)
    CASES["more results"] = (lambda x: np.unstack(x)[0] + 1, ones((3, 2)), ones((4, 2)), False)


@pytest.mark.parametrize("name", CASES)
def test_programs_are_shared_where_they_are_the_same(name: str) -> None:
    function, first, second, shares = CASES[name]
    f = tracefn.function(function)
    one, other = last(f, *first), last(f, *second)
    assert have_one_program(other.graph, one.graph) is shares
    passed, counts = optimize(other.traced_graph)
    assert str(passed) == str(other.graph)
    assert [(c.name, c.before, c.after) for c in counts] == [(c.name, c.before, c.after) for c in other.passes]
    written = numpy_program(other.graph, "f", other._built.module)
    shown = other._built.program
    assert (shown.source, shown.sources) == (written.source, written.sources)
    assert shown.function.__code__.co_code == written.function.__code__.co_code
    assert [*shown.function.__code__.co_lines()] == [*written.function.__code__.co_lines()]


def test_shared_programs_have_files_of_their_own() -> None:
    f = tracefn.function(lambda x: 1 // x)
    one, other = last(f, np.ones(2, int)), last(f, np.ones(3, int))
    assert one._built.program.source is other._built.program.source
    assert one._built.program.file != other._built.program.file == other._built.program.code.co_filename


def test_lines_that_differ_do_not_share() -> None:
    def f(x):
        if len(x) == 2:
            return x + 1
        return x + 1

    traced = tracefn.function(f)
    one, other = last(traced, np.ones(2)), last(traced, np.ones(3))
    assert one.program == other.program
    assert one._built.program.sources != other._built.program.sources
