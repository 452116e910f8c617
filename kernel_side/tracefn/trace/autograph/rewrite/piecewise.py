"""Generator functions: reads, calls and writes are rewritten; branches and loops stay, as a `yield` cannot move into
another function."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .parts import FunctionParts
from .syntax import assigned, helper, placed, walk_own

Block = Callable[[list[ast.stmt]], list[ast.stmt]]
_YIELDS = (ast.Yield, ast.YieldFrom)


def is_piecewise(parts: FunctionParts) -> bool:
    """True for the parts of a generator function."""
    return bool(parts.own(*_YIELDS))


def what_stays(parts: FunctionParts) -> str:
    """Why a generator function cannot be rewritten, in words; '' where it can."""
    for block in parts.own(ast.Try, ast.TryStar):
        if block.handlers and any(isinstance(n, _YIELDS) for s in block.body for n in walk_own(s)):
            return "it is a generator that catches exceptions raised at its `yield`"
    of_statements = [s.value for s in parts.own(ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)]
    if any(all(y is not v for v in of_statements) for y in parts.own(*_YIELDS)):
        return "it is a generator that waits in the middle of an expression"
    targets = [loop.target for loop in parts.own(ast.For)]
    declared = {n for d in parts.own(ast.Global, ast.Nonlocal) for n in d.names}
    if any(isinstance(n, ast.Attribute | ast.Subscript) for t in targets for n in ast.walk(t)) or (
        assigned([ast.Expr(t) for t in targets]) & declared
    ):
        return "it is a generator whose loops go over more than variables"
    return ""


def as_written(node: ast.If | ast.While | ast.For, visit: Callable[[Any], Any], block: Block) -> ast.stmt:
    """A branch or loop in its original form, with rewritten parts."""
    if isinstance(node, ast.For):
        node.iter = placed(helper("drawn_from", visit(node.iter)), node.iter)
        node.target = visit(node.target)
    else:
        node.test = placed(helper("truth", visit(node.test)), node.test)
    node.body, node.orelse = block(node.body), block(node.orelse)
    return node
