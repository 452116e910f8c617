"""What the code calls the value of a choice, found in the function around it alone."""

import ast
import linecache
import sys

import pytest
from tracefn.trace.code import targets

SOURCE = '''
def chosen(a, at):
    text = """
to the left
"""
    value = (
        at() if a
        else None)
    parts, rest = (at(), text) if a else (2, 3)
    value = at(
) if a else None
    return value, parts, rest
'''


ONE_BLOCK = SOURCE.replace("\nto the left\n", "")
"""Without text that looks as if the function had ended."""


@pytest.mark.parametrize("source", [SOURCE, ONE_BLOCK])
def test_names_of_choices(source, monkeypatch):
    file = "<a file of choices>"
    monkeypatch.setitem(linecache.cache, file, (len(source), None, source.splitlines(True), file))
    namespace, names = {}, []
    exec(compile(source, file, "exec"), namespace)
    namespace["chosen"](True, lambda: names.append(targets.target_of(sys._getframe(1))))
    assert names == [("value",), ("parts", "rest"), ("value",)]


def test_of_a_long_file_one_function_is_parsed(monkeypatch):
    rest = "\n\ndef other(a):\n    return 1 if a else 2\n" * 200
    source, file = ONE_BLOCK + rest, "<a long file>"
    monkeypatch.setitem(linecache.cache, file, (len(source), None, source.splitlines(True), file))
    parsed, parse = [], ast.parse
    namespace, names = {}, []
    exec(compile(source, file, "exec"), namespace)
    monkeypatch.setattr(ast, "parse", lambda text: parsed.append(text) or parse(text))
    namespace["chosen"](True, lambda: names.append(targets.target_of(sys._getframe(1))))
    assert names[0] == ("value",)
    assert not any("other" in text for text in parsed)


@pytest.mark.parametrize(
    "source, names",
    [
        ("def f(a):\n    if a:\n        b = 1\n    else :\n        b = 2\n    return b\n", ()),
        ("def f(a):\n    if a:\n        b = 1\n    else: b = a if a else 2\n", ("b",)),
        ("def f(a):\n    b = 1 if a else\\\n 2\n", ("b",)),
        ("def f(a):\n    b = cond (a, g, h)\n", ("b",)),
    ],
)
def test_code_is_parsed_where_it_may_have_a_choice_for_a_value(source, names, monkeypatch):
    parsed, parse = [], ast.parse
    monkeypatch.setattr(ast, "parse", lambda text: parsed.append(text) or parse(text))
    found = targets._targets.__wrapped__(source)
    assert tuple(n for *_, each in found for n in each) == names
    assert bool(parsed) == bool(names)
