"""Traced functions that keep objects of a library, called by others: a trace that fails leaves the state as it was."""

import importlib
import warnings

import numpy as np
import pytest
import tracefn
from tracefn.trace.signature import Parameters

SOURCE = """
class Node:
    def __init__(self, text):
        self.text = text

class Interpreter:
    def parse(self, text):
        return Node(text)
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "interpreter_of_tests.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module("interpreter_of_tests")


def test_what_a_call_in_a_call_keeps_is_no_traced_object(library):
    traced = tracefn.function(on_unsupported="eager")

    class Expression:
        def __init__(self):
            self.interpreter, self.node = library.Interpreter(), None

        @traced
        def parse(self, text):
            self.node = self.interpreter.parse(text)

        @traced
        def value(self, x):
            if self.node is None:
                self.parse("2 * a")
            return x * 2

        @traced
        def outer(self, x):
            return self.value(x)

    expression = Expression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            np.testing.assert_array_equal(expression.outer(np.ones(2)), [2.0, 2.0])
            assert type(expression.node) is library.Node


def test_what_runs_in_the_place_of_a_failed_program_calls_functions_without_looking_them_up(monkeypatch):
    bound, bind = [], Parameters.bind
    monkeypatch.setattr(Parameters, "bind", lambda known, *given: bound.append(known.qualname) or bind(known, *given))
    traced = tracefn.function(on_unsupported="eager")

    class Item:
        def __init__(self, n):
            self.n = n

        @traced
        def value(self):
            return self.n

    @traced
    def total(x, i):
        return sum(Item(n).value() for n in range(5)) + x[i]

    assert total(np.arange(3.0), np.int64(1)) == 11.0
    bound.clear()
    with pytest.raises(IndexError):
        total(np.arange(3.0), np.int64(7))
    value = vars(Item)["value"]
    assert not any(name.endswith("value") for name in bound) and not value._instances
    assert Item(2).value() == 2 and bound[-1].endswith("value")
