"""A fix written into source: the argument of the decorator, and the casts at the calls.

The source is that of notebook cells as they are now, which need not be as they were when they ran. A change that cannot
be written is described for the user.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..events import locate
from ..function import Function
from ..function.decorator import function as decorator
from ..trace.code.compiled import parsed
from .advice import Fix

_MAGIC = re.compile(r"^(\s*)(?:([\w., ]+=)\s*)?[%!?].*$")

Edit = tuple[int, int, str]
"""Start and end in the source, and the text that comes there."""


def written(function: Function, fix: Fix, cells: Mapping[str, str]) -> dict[str, str]:
    """The new source of each cell that changes. `cells` maps the ids of a notebook's cells to their source.

    Raises ValueError where the fix cannot be written: it is no code, or its place is not in these cells.
    """
    if not fix.code or fix.kind == "outside":
        raise ValueError(f"This is no change of one line: {fix.text}.")
    sources = {cell: _Source(text, function) for cell, text in cells.items()}
    if fix.kind != "cast":
        _decorate(function, fix.code, sources)
    if fix.casts:
        _cast_all(function, fix.casts, sources)
    return {cell: source.edited() for cell, source in sources.items() if source.edits}


class _Source:
    """One cell: its tree, and the changes to it."""

    def __init__(self, text: str, function: Function) -> None:
        self.text = text
        self.edits: list[Edit] = []
        self._lines = text.splitlines(keepends=True)
        self._globals = getattr(function._wrapped.function, "__globals__", {})
        lines = text.splitlines()
        self.is_magic = bool(lines) and lines[0].startswith("%%tracefn")
        try:
            self.tree: ast.Module = parsed("\n".join(map(_without_magic, lines)))
        except SyntaxError:
            self.tree = ast.Module([], [])

    def offset(self, line: int, column: int) -> int:
        """Where a place of the tree is in the text; columns of trees count bytes."""
        before = self._lines[line - 1].encode()[:column].decode()
        return sum(map(len, self._lines[: line - 1])) + len(before)

    def insert(self, at: int, text: str) -> None:
        self.edits.append((at, at, self.in_its_names(text)))

    def replace(self, node: ast.expr, text: str) -> None:
        start, end = self.span(node)
        self.edits.append((start, end, self.in_its_names(text)))

    def span(self, node: Any) -> tuple[int, int]:
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def edited(self) -> str:
        """The text with all edits."""
        text = self.text
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def value(self, node: ast.AST) -> Any:
        """The value of a name, or of an attribute of one, in the notebook; None where that is not known."""
        if isinstance(node, ast.Name):
            return self._globals.get(node.id)
        if isinstance(node, ast.Attribute) and inspect.ismodule(module := self.value(node.value)):
            return getattr(module, node.attr, None)
        return None

    def in_its_names(self, code: str) -> str:
        """Code that says `np` and `tracefn`, with the names that the notebook has for them."""
        for name, module in (("np", np), ("tracefn", inspect.getmodule(decorator))):
            if not re.search(rf"\b{name}\.", code):
                continue
            package = (module.__name__ if module is not None else "").partition(".")[0]
            known = [n for n, v in list(self._globals.items()) if inspect.ismodule(v) and v.__name__ == package]
            if not known:
                raise ValueError(f"`{package}` has no name in the notebook: import it, then write the change again.")
            code = re.sub(rf"\b{name}\.", f"{name if name in known else known[0]}.", code)
        return code


def _without_magic(line: str) -> str:
    """A line that IPython alone understands, as a statement that does nothing."""
    match = _MAGIC.match(line)
    if match is None:
        return line
    indent, target = match.groups()
    return f"{indent}{target} 0" if target else f"{indent}pass"


def _decorate(function: Function, code: str, sources: Mapping[str, _Source]) -> None:
    """The argument of `tracefn.function`: at the `def`, or in the call that made the function."""
    place = None if (c := function._wrapped.code) is None else locate(c.co_filename, c.co_firstlineno)
    if place is None or place.cell is None or place.cell not in sources:
        file = "a file" if place is None else place.file
        raise ValueError(f"`{function.name}` is defined in {file}, not in a cell of this notebook: copy the change.")
    source = sources[place.cell]
    name = getattr(function._wrapped.function, "__name__", "")
    definitions = [n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    for definition in sorted(definitions, key=lambda n: abs(n.lineno - place.line)):
        for found in definition.decorator_list:
            called = found.func if isinstance(found, ast.Call) else found
            if source.value(called) is decorator:
                _add_argument(source, found, code)
                return
        if source.is_magic and not definition.decorator_list:
            start = source.offset(definition.lineno, definition.col_offset)
            source.insert(start, f"@tracefn.function({code})\n{' ' * definition.col_offset}")
            return
    makers = [
        (s, call)
        for s in sources.values()
        for call in _calls(s.tree)
        if s.value(call.func) is decorator and call.args and _makes(call.args[0], name, s is source, place.line)
    ]
    if len(makers) != 1:
        raise ValueError(f"`tracefn.function` of `{function.name}` is not found in its cell any more: copy the change.")
    _add_argument(*makers[0], code)


def _makes(argument: ast.expr, name: str, same_cell: bool, line: int) -> bool:
    if isinstance(argument, ast.Lambda):
        return same_cell and name == "<lambda>" and argument.lineno <= line <= (argument.end_lineno or line)
    return isinstance(argument, ast.Name) and argument.id == name


def _add_argument(source: _Source, node: ast.expr, code: str) -> None:
    """Adds a keyword argument to a call, in the place of one of its name; a bare decorator becomes a call."""
    _, end = source.span(node)
    if not isinstance(node, ast.Call):
        source.insert(end, f"({code})")
        return
    name, _, value = code.partition("=")
    for keyword in node.keywords:
        if keyword.arg == name:
            source.replace(keyword.value, value)
            return
    before = source.text[: end - 1].rstrip()
    more = "" if before.endswith(("(", ",")) else ", "
    source.insert(end - 1, f"{' ' if before.endswith(',') else more}{code}")


def _cast_all(function: Function, casts: Mapping[str, str], sources: Mapping[str, _Source]) -> None:
    """The casts in all calls of the function by its name."""
    inside = next((path for path in casts if not path.isidentifier()), None)
    if inside is not None:
        raise ValueError(f"`{inside}` is inside of an argument: copy the change.")
    found = False
    for source in sources.values():
        for call in _calls(source.tree):
            if source.value(call.func) is function:
                found = True
                for path, value in _passed(function, call):
                    if path in casts:
                        _cast(source, value, casts[path], path)
    if not found:
        raise ValueError(f"No call of `{function.name}` is in the cells of this notebook: copy the change.")


def _passed(function: Function, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The arguments of a call by the names of their parameters."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        raise ValueError(f"A call of `{function.name}` passes its arguments as `*` or `**`: copy the change.")
    parameters = function._parameters.parameters
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    yield from zip(positional, call.args, strict=False)
    yield from ((keyword.arg or "", keyword.value) for keyword in call.keywords)


def _cast(source: _Source, value: ast.expr, code: str, path: str) -> None:
    """`np.asarray(n)` with the expression that stands there in the place of `n`."""
    start, end = source.span(value)
    opening = code.removesuffix(f"{path})")
    if not source.text[start:end].startswith(source.in_its_names(opening)):
        source.insert(start, opening)
        source.edits.append((end, end, ")"))


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))
