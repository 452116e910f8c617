"""Bodies of classes that a function defines: their expressions stay as they are, as names in them are the class's."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from .syntax import bound_by, has_text, helper, placed, walk_own

_READING = (ast.Attribute, ast.Subscript, ast.Call, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def refuse_reads(node: ast.ClassDef, variables: set[str]) -> None:
    """Puts a refusal at the start of a body that may read state: the class would keep that of the traced call. The
    `variables` of the function around it have their values of each call."""
    own = variables | bound_by([inner for statement in node.body for inner in walk_own(statement)])
    if any(_reads(inner, own) for value in _evaluated(node) for inner in ast.walk(value)):
        node.body.insert(has_text(node), placed(ast.Expr(helper("class_body", ast.Constant(node.name))), node.body[0]))


def _evaluated(node: ast.ClassDef) -> Iterator[ast.AST]:
    """The parts of a body that run where the class is made, but for annotations and names of decorators."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from statement.args.defaults
            yield from filter(None, statement.args.kw_defaults)
            yield from [d for d in statement.decorator_list if isinstance(d, ast.Call)]
        elif isinstance(statement, ast.ClassDef):
            yield from _evaluated(statement)
        elif not isinstance(statement, ast.AnnAssign):
            yield statement
        elif statement.value is not None:
            yield statement.value


def _reads(node: ast.AST, own: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load) and node.id not in own and not hasattr(builtins, node.id)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.List | ast.Tuple | ast.Dict | ast.Constant):
        return False
    return isinstance(node, _READING)
