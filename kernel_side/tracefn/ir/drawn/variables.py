"""The variables that the code assigns values to: `logits` for the `matmul` of `logits = h @ w`."""

from __future__ import annotations

import ast
import linecache
import re
from functools import lru_cache

import numpy as np

from ..graph import Graph, Node
from ..place import Source

MAX_LINES = 8
"""Statements over more lines than this are not read."""

#: A line that may begin an assignment to one variable or attribute.
_ASSIGNS = re.compile(r"\s*[^\W\d][\w.]*\s*(:[^=]+)?(\*\*|//|<<|>>|[-+*/@%&|^])?=(?!=)")

#: Names of ops, without their modules, that an operator of Python is recorded as.
_OPERATORS: dict[type[ast.AST], frozenset[str]] = {
    ast.Add: frozenset({"add"}),
    ast.Sub: frozenset({"subtract", "sub"}),
    ast.Mult: frozenset({"multiply", "mul"}),
    ast.Div: frozenset({"divide", "truediv"}),
    ast.FloorDiv: frozenset({"floor_divide", "floordiv"}),
    ast.Mod: frozenset({"remainder", "mod"}),
    ast.Pow: frozenset({"power", "pow", "square"}),
    ast.MatMult: frozenset({"matmul", "matvec", "vecmat", "vecdot"}),
    ast.BitAnd: frozenset({"bitwise_and", "logical_and", "and_"}),
    ast.BitOr: frozenset({"bitwise_or", "logical_or", "or_"}),
    ast.BitXor: frozenset({"bitwise_xor", "logical_xor", "xor"}),
    ast.LShift: frozenset({"left_shift", "lshift"}),
    ast.RShift: frozenset({"right_shift", "rshift"}),
    ast.USub: frozenset({"negative", "neg"}),
    ast.Invert: frozenset({"invert", "logical_not"}),
    ast.Lt: frozenset({"less", "lt"}),
    ast.LtE: frozenset({"less_equal", "le"}),
    ast.Gt: frozenset({"greater", "gt"}),
    ast.GtE: frozenset({"greater_equal", "ge"}),
    ast.Eq: frozenset({"equal", "eq"}),
    ast.NotEq: frozenset({"not_equal", "ne"}),
}
_ITEMS = frozenset({"getitem", "getitem_slice", "getitem_advanced", "getitem_mask"})


def variables_of(graph: Graph) -> dict[Node, str]:
    """The variables of a graph's nodes, without those of bodies. A line names the last node that it made in one call
    or round, if that is its outermost operation: the values of calls of the user's functions are made elsewhere."""
    found: dict[Node, str] | None = graph.found.get(variables_of)
    if found is None:
        last = {(node.scope, node.source): node for node in graph.nodes if node.source is not None}
        found = graph.found[variables_of] = {}
        for (_, source), node in last.items():
            variable, ops = assigned_at(source)
            if node.op.name.rpartition(".")[2] in ops:
                found[node] = variable
    return found


def assigned_at(source: Source) -> tuple[str, frozenset[str]]:
    """The variable that the statement which begins in a line is assigned to, and the ops that its value may be; empty
    where it is another statement."""
    lines = linecache.getlines(source.file)[source.line - 1 : source.line - 1 + MAX_LINES]
    return _assigned("".join(lines)) if lines and _ASSIGNS.match(lines[0]) else ("", frozenset())


@lru_cache(maxsize=4096)
def _assigned(text: str) -> tuple[str, frozenset[str]]:
    statement = _first_statement(text)
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            return ast.unparse(target), _ops_of(value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return ast.unparse(target), _ops_of(value)
        case ast.AugAssign(target=ast.Name() | ast.Attribute() as target, op=op):
            return ast.unparse(target), _OPERATORS.get(type(op), frozenset())
    return "", frozenset()


def _first_statement(text: str) -> ast.stmt | None:
    """The statement that begins in the first line, where it is the only one in its lines."""
    lines = text.lstrip().splitlines(keepends=True)
    for count in range(1, len(lines) + 1):
        try:
            body = ast.parse("".join(lines[:count])).body
        except (SyntaxError, ValueError):
            continue
        return body[0] if len(body) == 1 else None
    return None


def _ops_of(value: ast.expr) -> frozenset[str]:
    """The names of the ops that an expression's outermost operation may be recorded as."""
    match value:
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.Compare(ops=[op]):
            return _OPERATORS.get(type(op), frozenset())
        case ast.Subscript():
            return _ITEMS
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return frozenset({name, getattr(vars(np).get(name), "__name__", name)})
        case ast.Attribute(attr=name):
            return frozenset({"transpose" if name == "T" else name})
    return frozenset()
