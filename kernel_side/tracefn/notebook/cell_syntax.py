"""How a `%%tracefn` cell becomes an ordinary cell: line 1 turns into a call, and its functions get a decorator.

A cell magic would get the rest of the cell as text and have to run it itself. As an ordinary cell it is run by IPython:
`await`, other magics, the display of the last expression, tracebacks and line numbers are as in any cell.
"""

from __future__ import annotations

import ast
import re

BEGIN = "get_ipython().tracefn_cells.begin"
WRAP = "get_ipython().tracefn_cells.wrap"
_MAGIC_LINE = re.compile(r"%%tracefn(?:[ \t]+(?P<options>.*))?$")


def replace_magic_line(lines: list[str]) -> list[str]:
    """An IPython input transformation: a first line `%%tracefn …` becomes the call of `begin`.

    >>> replace_magic_line(["%%tracefn --time\\n", "f(x)\\n"])
    ["get_ipython().tracefn_cells.begin('--time')\\n", 'f(x)\\n']
    """
    match = _MAGIC_LINE.match(lines[0].rstrip()) if lines else None
    if match is None:
        return lines
    rest = lines[1:]
    first = next((n for n, line in enumerate(rest) if line.strip()), None)
    if first is not None and rest[first].startswith("%%"):
        # Another cell magic below: it takes the rest of the cell, as it would at the top of one.
        from IPython.core.inputtransformer2 import cell_magic

        rest = rest[:first] + cell_magic(rest[first:])
    return [f"{BEGIN}({match['options'] or ''!r})\n", *rest]


class FunctionWrapper:
    """An IPython AST transformation: decorates the functions at the top level of a cell that calls `begin` first.

    The call of `begin` is given their names, and which definitions were left alone, with the reason.
    """

    def visit(self, node: ast.AST) -> ast.AST:
        """The tree of the cell, changed in place."""
        if isinstance(node, ast.Module) and node.body:
            begin = _call_of_begin(node.body[0])
            if begin is not None:
                self._wrap_all(node, begin)
        return node

    def _wrap_all(self, module: ast.Module, begin: ast.Call) -> None:
        wrapped: list[str] = []
        left_alone: list[tuple[str, str]] = []
        for statement in module.body:
            reason = _reason_to_leave_alone(statement)
            if reason is not None:
                left_alone.append(reason)
            elif isinstance(statement, ast.FunctionDef):
                wrapped.append(statement.name)
                decorator = ast.parse(WRAP, mode="eval").body
                for part in ast.walk(decorator):
                    # The function's first line, as the code object has it, stays that of its `def`.
                    ast.copy_location(part, statement)
                statement.decorator_list = [decorator]
        for value in (tuple(wrapped), tuple(left_alone)):
            begin.args.append(ast.copy_location(ast.parse(repr(value), mode="eval").body, begin))
        ast.fix_missing_locations(begin)


def _call_of_begin(statement: ast.stmt) -> ast.Call | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        if ast.unparse(statement.value.func) == BEGIN:
            return statement.value
    return None


def _reason_to_leave_alone(statement: ast.stmt) -> tuple[str, str] | None:
    """The name and the reason, where a definition is one that someone may expect to be traced, and is not."""
    if isinstance(statement, ast.AsyncFunctionDef):
        return statement.name, "it is an async function"
    if isinstance(statement, ast.ClassDef) and any(_is_public_method(part) for part in statement.body):
        return statement.name, "it is a class; put @tracefn.function on the methods to trace"
    if isinstance(statement, ast.FunctionDef):
        if statement.decorator_list:
            return statement.name, "it already has a decorator"
        if _is_generator(statement):
            return statement.name, "it is a generator function"
    return None


def _is_public_method(part: ast.stmt) -> bool:
    return isinstance(part, ast.FunctionDef) and not part.name.startswith("_") and not part.decorator_list


def _is_generator(function: ast.FunctionDef) -> bool:
    """Whether the function itself yields; its inner functions do not matter."""
    inner: list[ast.AST] = list(function.body)
    while inner:
        node = inner.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            inner.extend(ast.iter_child_nodes(node))
    return False
