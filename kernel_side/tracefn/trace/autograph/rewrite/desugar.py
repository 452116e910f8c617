"""Statements in simpler terms: `match` and `assert` become `if`, `super()` and private names are spelled out."""

from __future__ import annotations

import ast
from typing import Any

from .parts import FunctionParts
from .syntax import Names, assign, binds, blocks, helper, load, not_, placed


def spell_out(function: ast.FunctionDef, class_name: str) -> None:
    """Spells out private names in place. `class_name` is the class that the function is a method of."""
    if class_name := class_name.lstrip("_"):
        _Private(class_name).generic_visit(function)


def lower(function: ast.FunctionDef, parts: FunctionParts, names: Names) -> None:
    """Lowers a function in place."""
    if parts.own(ast.Assert, ast.Match, ast.NamedExpr, ast.Delete, ast.AnnAssign):
        function.body = _block(function.body, names)
    first = [*function.args.posonlyargs, *function.args.args][:1]
    if first and "super" in [n.id for n in parts.all(ast.Name)]:
        _Super(first[0].arg).visit(function)


def _block(body: list[ast.stmt], names: Names) -> list[ast.stmt]:
    out: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.While) and not statement.orelse and binds(statement.test):
            # assignments in the test belong to the round: `while True: if not test: break`
            leave = placed(ast.Break(), statement)
            stop = placed(ast.If(not_(statement.test), [leave], []), statement)
            statement.body, statement.test = [stop, *statement.body], placed(ast.Constant(True), statement)
        for owner, field in blocks(statement):
            setattr(owner, field, _block(getattr(owner, field), names))
        if isinstance(statement, ast.Assert):
            out.append(_assert(statement))
        elif isinstance(statement, ast.Match) and all(_is_simple(case.pattern) for case in statement.cases):
            out += _match(statement, names)
        elif isinstance(statement, ast.AnnAssign) and statement.value is None:  # which binds nothing
            out.append(placed(ast.Pass(), statement))
        else:
            if isinstance(statement, ast.Delete):  # of a variable that may not be set
                out += [placed(ast.Expr(load(t.id)), t) for t in statement.targets if isinstance(t, ast.Name)]
            out += [*_lifted_from(statement, names), statement]
    return out


def _lifted_from(statement: ast.stmt, names: Names) -> list[ast.stmt]:
    """Statements to stand before one whose value is `a and (b := c)`, say: names in a part that may not be
    evaluated are bound in a branch there."""
    field = "test" if isinstance(statement, ast.If) else "value"
    value = getattr(statement, field, None)
    if isinstance(statement, ast.While | ast.For) or not isinstance(value, ast.expr) or not binds(value):
        return []
    before: list[ast.stmt] = []
    setattr(statement, field, _lift(value, before, names, statement))
    return before


def _lift(value: ast.expr, before: list[ast.stmt], names: Names, at: ast.stmt) -> ast.expr:
    """The value of an expression whose parts are evaluated one by one in the statements `before`."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        value.operand = _lift(value.operand, before, names, at)
        return value
    if not isinstance(value, ast.BoolOp | ast.IfExp) or not binds(value):
        return value
    result = names.new("value")
    if isinstance(value, ast.IfExp):
        branches: list[list[ast.stmt]] = [[], []]
        for branch, part in zip(branches, (value.body, value.orelse), strict=True):
            branch.append(assign(result, _lift(part, branch, names, at), at))
        before.append(placed(ast.If(_lift(value.test, before, names, at), *branches), at))
        return load(result)
    first, *others = value.values
    before.append(assign(result, _lift(first, before, names, at), at))
    for part in others:
        inner: list[ast.stmt] = []
        inner.append(assign(result, _lift(part, inner, names, at), at))
        test = load(result) if isinstance(value.op, ast.And) else not_(load(result))
        before.append(placed(ast.If(test, inner, []), at))
    return load(result)


def _assert(node: ast.Assert) -> ast.stmt:
    error = ast.Call(load("AssertionError"), [node.msg] if node.msg else [], [])
    raising = placed(ast.Raise(placed(error, node), None), node)
    test = placed(ast.UnaryOp(ast.Not(), node.test), node)
    return placed(ast.If(test, [raising], []), node)


def _is_simple(pattern: ast.pattern) -> bool:
    """True for literals, classes without parts, alternatives of them, names and the wildcard: `==` or `isinstance`
    decides these."""
    if isinstance(pattern, ast.MatchOr):
        return all(_is_simple(p) for p in pattern.patterns)
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or _is_simple(pattern.pattern)
    if isinstance(pattern, ast.MatchClass):
        return not (pattern.patterns or pattern.kwd_patterns)
    return isinstance(pattern, ast.MatchValue | ast.MatchSingleton)


def _match(node: ast.Match, names: Names) -> list[ast.stmt]:
    """`if subject == 1: … elif subject == 2: …`"""
    subject = names.new("subject")
    chain: list[ast.stmt] = []
    for case in reversed(node.cases):
        test, bound = _test(case.pattern, subject), _bound(case.pattern)
        if case.guard is not None:
            guard = _Renamed(dict.fromkeys(bound, subject)).visit(case.guard)
            test = guard if test is None else ast.BoolOp(ast.And(), [test, guard])
        body = [*[assign(n, load(subject), case.pattern) for n in bound], *case.body]
        chain = body if test is None else [placed(ast.If(test, body, chain), case.pattern)]
    return [assign(subject, node.subject, node), *chain]


def _test(pattern: ast.pattern, subject: str) -> ast.expr | None:
    """The condition for a pattern to match. None for one that always does."""
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(load(subject), [ast.Eq()], [pattern.value])
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(load(subject), [ast.Is()], [ast.Constant(pattern.value)])
    if isinstance(pattern, ast.MatchClass):
        return helper("is_instance", load(subject), pattern.cls)
    if isinstance(pattern, ast.MatchOr):
        tests = [_test(p, subject) for p in pattern.patterns]
        return None if None in tests else ast.BoolOp(ast.Or(), [t for t in tests if t is not None])
    return _test(pattern.pattern, subject) if isinstance(pattern, ast.MatchAs) and pattern.pattern else None


def _bound(pattern: ast.pattern) -> list[str]:
    return [n.name for n in ast.walk(pattern) if isinstance(n, ast.MatchAs) and n.name]


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return placed(ast.Name(self._names.get(node.id, node.id), node.ctx), node)


class _Private(ast.NodeTransformer):
    """`__name` in a class is `_Class__name`: the compiler says so only where it sees the class."""

    def __init__(self, class_name: str) -> None:
        self._class = class_name

    def _mangled(self, name: str) -> str:
        return f"_{self._class}{name}" if name.startswith("__") and not name.endswith("__") else name

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in _PRIVATE.get(type(node), ()):
            name = getattr(node, field)
            if isinstance(name, str):
                setattr(node, field, self._mangled(name))
            elif name is not None:
                name[:] = map(self._mangled, name)
        return super().generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        """The function keeps its name, and the variable has another one."""
        self.generic_visit(node)
        return [node, *self._bound(node)]

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Names in its body are private to this class."""
        for parts in (node.bases, node.keywords, node.decorator_list):
            parts[:] = map(self.visit, parts)
        return [node, *self._bound(node)]

    def _bound(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[ast.stmt]:
        name = self._mangled(node.name)
        return [] if name == node.name else [assign(name, load(node.name), node)]


_PRIVATE: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Attribute: ("attr",), ast.Name: ("id",), ast.arg: ("arg",), ast.Global: ("names",), ast.Nonlocal: ("names",),
    ast.ExceptHandler: ("name",), ast.alias: ("asname",), ast.MatchAs: ("name",), ast.MatchStar: ("name",),
    ast.MatchMapping: ("rest",),
}  # fmt: skip
"""The parts of nodes that are names of variables or attributes."""


class _Super(ast.NodeTransformer):
    """`super()` finds its class and instance only in the method itself, and branches become functions of their own."""

    def __init__(self, instance: str) -> None:
        self._instance = instance

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            node.args = [placed(load(n), node) for n in ("__class__", self._instance)]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node
