"""Imports NumPy's test modules with their calls, operators and indexing handed to `calls`, which traces them."""

from __future__ import annotations

import ast
import operator
import sys
import types
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

import numpy as np

from . import calls

TESTS = Path(np.__file__).parent

#: The names that rewritten modules know besides their own.
HOOKS: dict[str, Any] = {"__call__": calls.call, "__operator__": calls.operation, "__slice__": slice}

OPERATORS: dict[type[ast.AST], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
HOOKS |= {f"__{kind.__name__}__": function for kind, function in OPERATORS.items()} | {"__item__": operator.getitem}

#: What reads the frame that it is called from.
FRAME_READERS = {"super", "locals", "globals", "vars", "dir", "eval", "exec"}


class _Rewriter(ast.NodeTransformer):
    """`f(x)` → `__call__(f, x)`, `a + b` → `__operator__(operator.add, a, b)`, `a[i]` likewise."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in FRAME_READERS:
            return node
        return self._call(node, "__call__", [node.func, *node.args], node.keywords)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return self._operation(node, node.op, node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) or isinstance(node.operand, ast.Constant):
            return node
        return self._operation(node, node.op, node.operand)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in OPERATORS:
            return node
        return self._operation(node, node.ops[0], node.left, *node.comparators)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        index = node.slice
        if isinstance(index, ast.Tuple):
            index = ast.Tuple([self._slice(i) for i in index.elts], ast.Load())
        return self._call(node, "__operator__", [_name("__item__"), node.value, self._slice(index)])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return node

    def _slice(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Slice):
            return node
        parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        return self._call(node, "__slice__", parts)

    def _operation(self, node: ast.AST, op: ast.AST, *operands: ast.expr) -> ast.expr:
        return self._call(node, "__operator__", [_name(f"__{type(op).__name__}__"), *operands])

    def _call(
        self, node: ast.AST, hook: str, args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()
    ) -> ast.expr:
        return ast.copy_location(ast.Call(_name(hook), [*args], [*keywords]), node)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def rewritten(source: str | bytes, filename: str) -> types.CodeType:
    """The code of a module with its calls handed to `calls`."""
    tree = ast.fix_missing_locations(_Rewriter().visit(ast.parse(source, filename)))
    return compile(tree, filename, "exec", dont_inherit=True)


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> types.CodeType:
        return rewritten(self.get_data(self.path), self.path)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__dict__.update(HOOKS)
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if not fullname.rpartition(".")[2].startswith("test_"):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or not Path(spec.origin).is_relative_to(TESTS):
            return None
        spec.loader = _Loader(fullname, spec.origin)
        return spec


def install() -> None:
    """From here on NumPy's test modules are rewritten when they are imported."""
    sys.meta_path.insert(0, _Finder())
