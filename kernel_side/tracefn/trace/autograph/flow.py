"""Which variables a block reads before it has certainly bound them, and which are bound when it has run."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .syntax import OWN_SCOPE, assigned


class Flow:
    """Walks statements in order. `exposed` are the names that were read while they were not certainly bound."""

    def __init__(self, bound: set[str]) -> None:
        self.bound = bound
        self.exposed: set[str] = set()

    def block(self, statements: Sequence[ast.stmt]) -> Flow:
        for statement in statements:
            self.statement(statement)
        return self

    def _branch(self, statements: Sequence[ast.stmt]) -> set[str] | None:
        """What is bound after a block that may run. None after one that ends by raising."""
        inner = Flow(set(self.bound)).block(statements)
        self.exposed |= inner.exposed
        return None if statements and isinstance(statements[-1], ast.Raise) else inner.bound

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            self.read(node.test)
            ends = [e for e in (self._branch(node.body), self._branch(node.orelse)) if e is not None]
            if ends:
                self.bound = set.intersection(*ends)
        elif isinstance(node, ast.While):
            self.read(node.test)
            self._branch(node.body)
            self._branch(node.orelse)
        elif isinstance(node, ast.For):
            self.read(node.iter)
            inner = Flow(self.bound | assigned([ast.Expr(node.target)])).block(node.body)
            self.exposed |= inner.exposed
            self.read(node.target)
            self._branch(node.orelse)
        elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            before = set(self.bound)
            self._branch([*node.body, *node.orelse])  # type: ignore[attr-defined]
            for handler in node.handlers:  # type: ignore[attr-defined]
                self._branch([ast.Expr(handler.type or ast.Constant(None)), *handler.body])
            self.bound = before
            self.block(node.finalbody)  # type: ignore[attr-defined]
        elif isinstance(node, ast.With):
            for item in node.items:
                self.read(item.context_expr)
                if item.optional_vars is not None:
                    self.read(item.optional_vars)
                    self.bound |= assigned([ast.Expr(item.optional_vars)])
            self.block(node.body)
        elif isinstance(node, ast.Match):
            self.read(node.subject)
            for case in node.cases:
                inner = Flow(self.bound | assigned([ast.Match(ast.Constant(0), [case])])).block(case.body)
                self.exposed |= inner.exposed
                self.read(case.guard)
        else:
            self._simple(node)

    def _simple(self, node: ast.stmt) -> None:
        if isinstance(node, OWN_SCOPE):
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                    self._load(part.id)
        elif isinstance(node, ast.AugAssign):
            self.read(node.value)
            self.read(node.target)
            if isinstance(node.target, ast.Name):
                self._load(node.target.id)
        else:
            self.read(node)
        deleted = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
        self.bound |= assigned([node])
        self.bound -= deleted

    def read(self, node: ast.AST | None) -> None:
        """Takes what an expression (or the expressions of a simple statement) reads; those inside functions too."""
        for part in ast.walk(node) if node is not None else ():
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                self._load(part.id)
            elif isinstance(part, ast.Nonlocal):
                for name in part.names:
                    self._load(name)

    def _load(self, name: str) -> None:
        if name not in self.bound:
            self.exposed.add(name)


def loads(node: ast.AST) -> dict[str, int]:
    """How often each name is read below a node, functions inside it included."""
    found: dict[str, int] = {}
    for part in ast.walk(node):
        names = [part.id] if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) else []
        if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
            names = [part.target.id]
        if isinstance(part, ast.Nonlocal):
            names = part.names
        for name in names:
            found[name] = found.get(name, 0) + 1
    return found


def growing(function: ast.FunctionDef) -> set[str]:
    """The variables on which a method that changes a list is called inside a branch, loop or nested function."""
    found: set[str] = set()
    for statement in ast.walk(function):
        if isinstance(statement, ast.If | ast.For | ast.While | ast.FunctionDef) and statement is not function:
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute) and node.attr in _GROWS and isinstance(node.value, ast.Name):
                    found.add(node.value.id)
                elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                    found.add(node.target.id)
                elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                    found |= {node.value.id} if isinstance(node.value, ast.Name) else set()
    return found


_GROWS = {"append", "extend", "insert", "pop"}
