"""Turns control flow into calls of operators: branches and loop bodies become functions over their variables."""

from __future__ import annotations

import ast

from ..captures.resolve import MUTATORS
from .jumps import lower_jumps, walk_own
from .syntax import RETURN_VALUE, Names, assign, helper, load, nested_function, thunk


class UnsupportedSyntax(Exception):
    """A construct that is not rewritten; the function runs as it is."""


def rewrite_function(function: ast.FunctionDef) -> None:
    """Rewrites a function in place."""
    if any(
        isinstance(n, ast.Yield | ast.YieldFrom | ast.Await | ast.Nonlocal) for s in function.body for n in walk_own(s)
    ):
        raise UnsupportedSyntax("generators, coroutines and nonlocal variables")
    names = Names(function)
    lower_jumps(function, names)
    parameters = [a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)]
    declared = {n for s in function.body for d in walk_own(s) if isinstance(d, ast.Global) for n in d.names}
    rewriter = _Rewriter(names, declared)
    body = [s for statement in function.body for s in rewriter.statement(statement)]
    undefined = [n for n in sorted(rewriter.changed) if n not in parameters]
    place = function.body[0]
    function.body = [assign(n, helper("undefined", ast.Constant(n)), place) for n in undefined] + body
    ast.fix_missing_locations(function)


def assigned(statements: list[ast.stmt]) -> set[str]:
    """The variables that statements bind, those of nested functions left out."""
    found: set[str] = set()
    for statement in statements:
        for node in walk_own(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                found.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= {(a.asname or a.name).split(".")[0] for a in node.names}
        for child in ast.walk(statement):
            if isinstance(child, ast.FunctionDef) and child is statement:
                found.add(child.name)
    return found


def _is_effect(node: ast.AST, declared: set[str]) -> bool:
    """True for what changes more than variables: items, attributes, globals, lists; and for `raise`."""
    if isinstance(node, ast.Raise | ast.Delete | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        stores = [n for t in targets for n in ast.walk(t) if isinstance(getattr(n, "ctx", None), ast.Store)]
        return any(isinstance(n, ast.Attribute | ast.Subscript) or getattr(n, "id", "") in declared for n in stores)
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in MUTATORS
    )


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


class _Rewriter(ast.NodeTransformer):
    def __init__(self, names: Names, declared: set[str]) -> None:
        self._names = names
        self._declared = declared
        self.changed: set[str] = set()

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        result = self.visit(node)
        return result if isinstance(result, list) else [result]

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [s for statement in body for s in self.statement(statement)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        rewrite_function(node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    # --- expressions

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(n, ast.NamedExpr) for v in node.values for n in ast.walk(v)):
            return node
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(helper(name, *[thunk(v) for v in node.values]), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(helper("not_", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
            return node
        return ast.copy_location(helper("if_exp", node.test, thunk(node.body), thunk(node.orelse)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 or any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
            return node
        # a < f() < c evaluates f() once: the middle values are bound to parameters
        middles = [self._names.new("middle") for _ in node.comparators[:-1]]
        operands = [node.left, *map(load, middles), node.comparators[-1]]
        pairs = [ast.Compare(operands[i], [op], [operands[i + 1]]) for i, op in enumerate(node.ops)]
        call: ast.expr = helper("and_", *[thunk(p) for p in pairs])
        for middle, value in reversed(list(zip(middles, node.comparators[:-1], strict=True))):
            function = thunk(call)
            function.args.args = [ast.arg(middle)]
            call = ast.Call(function, [value], [])
        return ast.copy_location(call, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        named = isinstance(node.func, ast.Name) and node.func.id != "super"
        if named or (isinstance(node.func, ast.Attribute) and not _is_super(node.func.value)):
            node.func = ast.copy_location(helper("callee", node.func), node)
        return node

    # --- statements

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        value = helper("augmented", ast.Constant(type(node.op).__name__), load(node.target.id), node.value)
        return assign(node.target.id, ast.copy_location(value, node), node)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        changed = self._changed([*node.body, *node.orelse])
        effect = self._effect([*node.body, *node.orelse])
        test = self.visit(node.test)
        out, state = self._state(changed, node)
        body, orelse = self._names.new("if_true"), self._names.new("if_false")
        out.append(self._function(body, self._block(node.body), changed, node))
        out.append(self._function(orelse, self._block(node.orelse), changed, node.orelse[0] if node.orelse else node))
        call = helper("if_stmt", test, load(body), load(orelse), *state, self._name_list(changed), effect)
        out.append(ast.copy_location(ast.Expr(call), node))
        return out

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        changed = self._changed([*node.body, ast.copy_location(ast.Expr(node.test), node)])
        flags = getattr(node, "stop_flags", [])
        effect = self._effect(node.body)
        test = self.visit(node.test)
        out, state = self._state(changed, node)
        if flags:
            test = helper("and_", *[thunk(self.visit(ast.UnaryOp(ast.Not(), load(f)))) for f in flags], thunk(test))
        check, body = self._names.new("loop_test"), self._names.new("loop_body")
        returned = ast.copy_location(ast.Return(test), node.test)
        out.append(self._function(check, [returned], changed, node))
        out.append(self._function(body, self._block(node.body), changed, node.body[0]))
        call = helper("while_stmt", load(check), load(body), *state, self._name_list(changed), effect)
        out.append(ast.copy_location(ast.Expr(call), node))
        return out

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        targets = assigned([ast.copy_location(ast.Assign([node.target], ast.Constant(None)), node)])
        changed = sorted(set(self._changed(node.body)) | (targets - self._declared))
        self.changed |= set(changed)
        flags = getattr(node, "stop_flags", [])
        effect = self._effect(node.body)
        iterable = self.visit(node.iter)
        out, state = self._state(changed, node)
        item, body, check = (self._names.new(n) for n in ("item", "loop_body", "loop_test"))
        first = ast.copy_location(ast.Assign([node.target], load(item)), node)
        out.append(self._function(body, [first, *self._block(node.body)], changed, node.body[0], [item]))
        stop: ast.expr = ast.Constant(None)
        if flags:
            test = helper("and_", *[thunk(self.visit(ast.UnaryOp(ast.Not(), load(f)))) for f in flags])
            out.append(nested_function(check, [ast.copy_location(ast.Return(test), node)], [], node))
            stop = load(check)
        call = helper("for_stmt", iterable, stop, load(body), *state, self._name_list(changed), effect)
        out.append(ast.copy_location(ast.Expr(call), node))
        return out

    def _effect(self, body: list[ast.stmt]) -> ast.expr:
        """The first thing in a block that a graph cannot hold, as text; '' where there is none."""
        for statement in body:
            for node in walk_own(statement):
                if _is_effect(node, self._declared):
                    return ast.Constant(f"`{ast.unparse(node).splitlines()[0]}` in line {node.lineno}")  # type: ignore[attr-defined]
        return ast.Constant("")

    def _changed(self, body: list[ast.stmt]) -> list[str]:
        changed = sorted(assigned(body) - self._declared)
        self.changed |= set(changed)
        return changed

    def _state(self, changed: list[str], place: ast.stmt) -> tuple[list[ast.stmt], list[ast.expr]]:
        """Functions that read and write the variables, and their names."""
        reader, writer, values = (self._names.new(n) for n in ("get_state", "set_state", "values"))
        read = [ast.Return(ast.Tuple([load(n) for n in changed], ast.Load()))]
        write: list[ast.stmt] = []
        if changed:
            targets = ast.Tuple([ast.Name(n, ast.Store()) for n in changed], ast.Store())
            write = [ast.Nonlocal(changed), ast.Assign([targets], load(values))]
        made: list[ast.stmt] = [
            nested_function(reader, list(read), [], place),
            nested_function(writer, write, [values], place),
        ]
        return made, [load(reader), load(writer)]

    def _function(
        self, name: str, body: list[ast.stmt], changed: list[str], place: ast.AST, args: list[str] | None = None
    ) -> ast.stmt:
        declaration: list[ast.stmt] = [ast.Nonlocal(changed)] if changed else []
        return nested_function(name, [*declaration, *body], args or [], place)

    def _name_list(self, changed: list[str]) -> ast.expr:
        shown = [RETURN_VALUE if n in self._names.results else n for n in changed]
        return ast.Tuple([ast.Constant(n) for n in shown], ast.Load())
