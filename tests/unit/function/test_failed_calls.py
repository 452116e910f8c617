"""Traced functions that keep objects of a library, called by others: a trace that fails leaves the state as it was."""

import importlib
import warnings

import numpy as np
import pytest
import tracefn

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
