"""A `%%tracefn` cell becomes an ordinary cell."""

from __future__ import annotations

import ast

import pytest
from tracefn.notebook.cell_syntax import BEGIN, WRAP, FunctionWrapper, replace_magic_line


def transformed(cell: str) -> str:
    return "".join(replace_magic_line(cell.splitlines(keepends=True)))


@pytest.mark.parametrize("cell", ["", "x = 1\n", "%%time\nx\n", "%%tracefn?\n", "%%tracefns\nx\n", "\n%%tracefn\n"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert transformed(cell) == cell


@pytest.mark.parametrize(
    ("line", "options"), [("%%tracefn", ""), ("%%tracefn --time  ", "--time"), ("%%tracefn\t'a", "'a")]
)
def test_the_first_line_becomes_a_call(line: str, options: str) -> None:
    assert transformed(f"{line}\nx\n") == f"{BEGIN}({options!r})\nx\n"


def test_no_line_moves() -> None:
    cell = "%%tracefn\n\ndef f(x):\n    return x\n"
    assert transformed(cell).splitlines()[1:] == cell.splitlines()[1:]


def test_another_cell_magic_below_takes_the_rest() -> None:
    rest = "get_ipython().run_cell_magic('time', '', 'x\\ny\\n')"
    assert transformed("%%tracefn\n\n%%time\nx\ny\n") == f"{BEGIN}('')\n\n{rest}\n"


def tree_of(body: str) -> ast.Module:
    tree = FunctionWrapper().visit(ast.parse(f"{BEGIN}('--time')\n{body}"))
    assert isinstance(tree, ast.Module)
    return tree


def told(tree: ast.Module) -> tuple[object, object]:
    """What the call of `begin` is told: the functions to wrap, and what was left alone."""
    statement = tree.body[0]
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    line, functions, left_alone = map(ast.literal_eval, statement.value.args)
    assert line == "--time"
    return functions, left_alone


def test_functions_at_the_top_level_are_wrapped() -> None:
    tree = tree_of("def f(x):\n    def inner(): pass\n    return x\nif True:\n    def g(): pass\n")
    assert told(tree) == (("f",), ())
    assert ast.unparse(tree).count(f"@{WRAP}") == 1
    function = tree.body[1]
    assert isinstance(function, ast.FunctionDef)
    assert function.decorator_list[0].lineno == function.lineno == 2


@pytest.mark.parametrize(
    ("definition", "name", "reason"),
    [
        ("@other\ndef f(): pass", "f", "decorator"),
        ("async def f(): pass", "f", "async"),
        ("def f():\n    for i in x:\n        yield i", "f", "generator"),
        ("def f():\n    return (yield)", "f", "generator"),
        ("class A:\n    def f(self): pass", "A", "class"),
    ],
)
def test_what_is_left_alone_is_told_with_the_reason(definition: str, name: str, reason: str) -> None:
    tree = tree_of(definition)
    functions, left_alone = told(tree)
    assert functions == ()
    ((told_name, told_reason),) = left_alone  # type: ignore[misc]
    assert told_name == name
    assert reason in told_reason
    assert WRAP not in ast.unparse(tree)


@pytest.mark.parametrize(
    "definition", ["class A:\n    x = 1", "class A:\n    def __init__(self): pass", "f = lambda: 1"]
)
def test_what_nobody_expects_to_be_traced_is_not_mentioned(definition: str) -> None:
    assert told(tree_of(definition)) == ((), ())


def test_an_inner_generator_does_not_make_the_function_one() -> None:
    tree = tree_of("def f(x):\n    def g():\n        yield 1\n    return [*g(), (lambda: (yield))]\n")
    assert told(tree) == (("f",), ())


def test_a_cell_without_the_magic_is_left_alone() -> None:
    source = "def f(x):\n    return x"
    assert ast.unparse(FunctionWrapper().visit(ast.parse(source))) == source
    assert ast.unparse(FunctionWrapper().visit(ast.parse(""))) == ""
