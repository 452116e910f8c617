"""Turns expressions into calls of operators: conditions, comparisons, calls, attributes, items, comprehensions."""

from __future__ import annotations

import ast

from ...code.rewritten import HELPERS
from .pieces import (
    OF_CONTAINERS,
    as_condition,
    as_list,
    comparison,
    found,
    is_dotted,
    is_module,
    may_be_containers,
    operation,
    over,
    part,
    read_items,
    sized,
    summand,
)
from .stores import StoreRewriter
from .syntax import Names, assigned, binds, helper, index_value, load, placed, thunk, walk


class ExpressionRewriter(StoreRewriter):
    """Rewrites expressions. Of the `_local` variables, the `_bound` ones are bound by now. `uninitialised` are those
    that branches and loops share with the code around them, and that may not be bound before."""

    def __init__(self, names: Names, globals_: set[str], outer: set[str]) -> None:
        super().__init__(names, globals_, outer)
        self._local: set[str] = set()
        self._bound: set[str] = set()
        self.uninitialised: set[str] = set()

    def _inner(self, node: ast.AST, bound: set[str]) -> None:
        """Visits the nodes below one, where the names `bound` are bound too."""
        around, self._bound = self._bound, self._bound | bound
        self.generic_visit(node)
        self._bound = around

    def visit_Name(self, node: ast.Name) -> ast.AST:
        is_bound = node.id in self._bound or node.id not in self._local
        is_plain = is_bound and node.id not in self.observed and id(node) not in self.aliases
        if is_plain or type(node.ctx) is not ast.Load:
            return node
        value: ast.expr = node
        if not is_bound:
            self.uninitialised.add(node.id)
            value = placed(helper("defined", placed(load(node.id), node)), node)
        for name in self.wraps(node):
            value = placed(helper(name, value), node)
        return value

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._inner(node, {a.arg for a in walk(node.args) if type(a) is ast.arg})
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if binds(node):
            return node
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        operands = node.values
        if hasattr(node, "is_condition"):
            operands = [operands[0], *[placed(helper("truth", v), v) for v in operands[1:]]]
            name = "all_of" if name == "and_" else "any_of"
        return placed(helper(name, *[thunk(v) for v in operands]), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        return placed(helper("text", *map(part, node.values)), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        is_text = type(node.left) in (ast.JoinedStr, ast.Constant) and type(getattr(node.left, "value", "")) is str
        may_be = may_be_containers([node.left, node.right]) if type(node.op) in OF_CONTAINERS else (False, False)
        self.generic_visit(node)
        node.left, node.right = [summand(s) if m else s for s, m in zip((node.left, node.right), may_be, strict=True)]
        if isinstance(node.op, ast.Mod) and is_text:
            return placed(helper("percent", node.left, node.right), node)
        return operation(node.op, [node.left, node.right], node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if type(node.operand) is ast.Constant and type(node.op) is ast.USub:  # -1
            return node
        if isinstance(node.op, ast.Not):
            as_condition(node.operand)
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return placed(helper("not_", node.operand), node)
        return operation(node.op, [node.operand], node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        as_condition(node.test)
        self.generic_visit(node)
        if binds(node):
            return node
        return placed(helper("if_exp", node.test, thunk(node.body), thunk(node.orelse)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        has_hooks = any(type(op) in _FINDING for op in node.ops)
        operands = [node.left, *node.comparators]
        may_be = [False] * len(operands) if has_hooks else may_be_containers(operands)
        asked = [type(op) in (ast.In, ast.NotIn) for op in node.ops]
        node.left = self.visit(node.left)
        pairs_ = zip(asked, node.comparators, strict=True)
        node.comparators = [self.owner_of(c) if is_asked else self.visit(c) for is_asked, c in pairs_]
        sides = [found(s) if m else s for s, m in zip([node.left, *node.comparators], may_be, strict=True)]
        node.left, *node.comparators = sides
        if len(node.ops) == 1:
            return comparison(node.left, node.ops[0], node.comparators[0], node)
        if binds(node):
            return node
        # a < f() < c evaluates f() once: the middle values are bound to parameters
        middles = [self.names.new("middle") for _ in node.comparators[:-1]]
        operands = [node.left, *map(load, middles), node.comparators[-1]]
        pairs = [comparison(operands[i], op, operands[i + 1], node) for i, op in enumerate(node.ops)]
        call: ast.expr = helper("and_", *[thunk(p) for p in pairs])
        for middle, value in reversed(list(zip(middles, node.comparators[:-1], strict=True))):
            function = thunk(call)
            function.args.args = [ast.arg(middle)]
            call = ast.Call(function, [value], [])
        return placed(call, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.value.id == HELPERS
        ):
            self.generic_visit(node)
            return node
        if isinstance(function, ast.Name) and function.id in _TAKING_ALL and len(node.args) == 1:
            node.args = [as_list(node.args[0])]
        if sized(node, self.visit, self.observed):
            return node
        is_super = isinstance(function, ast.Name) and function.id == "super"
        if isinstance(function, ast.Attribute) and not is_module(function.value):
            node.func = helper("method", self.owner_of(function.value), ast.Constant(function.attr))
        elif not is_super:
            node.func = helper("callee", self.visit(function) if not is_dotted(function) else function)
        placed(node.func, function)
        node.args = [self.part_of(a) for a in node.args]
        for keyword in node.keywords:
            keyword.value = self.part_of(keyword.value)
            if keyword.arg is None:
                keyword.value = placed(helper("copied", keyword.value), keyword.value)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        unpacked = [v for k, v in zip(node.keys, node.values, strict=True) if k is None]
        node.values = [placed(helper("copied", v), v) if v in unpacked else v for v in node.values]
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        if isinstance(node.ctx, ast.Load):
            node.value = self.visit(node.value)
            node.value = placed(helper("elements_of", node.value), node.value)
        return node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        node.value = self.visit(node.value)
        node.value = placed(helper("drawn_from", node.value), node.value)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.ctx, ast.Load) or is_module(node.value):
            return node
        name = "tested" if hasattr(node, "is_condition") else "attribute"
        return placed(helper(name, self.visit(node.value), ast.Constant(node.attr)), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value, node.slice = self.owner_of(node.value), self.visit(node.slice)
        if not isinstance(node.ctx, ast.Load):
            return node
        name = "tested_item" if hasattr(node, "is_condition") else "item"
        return placed(helper(name, node.value, index_value(node.slice)), node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.target = self.visit(node.target)
        node.iter = self.part_of(node.iter)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        targets = assigned([ast.Expr(g.target) for g in node.generators])
        makes_functions = any(isinstance(n, ast.Lambda) for n in walk(node.elt))  # they share one variable
        for test in [test for g in node.generators for test in g.ifs]:
            as_condition(test)
        self._inner(node, targets)
        (first, *others) = node.generators
        if others or first.is_async or binds(node) or makes_functions:
            read_items(node)
            return node
        functions = [node.elt]
        if first.ifs:
            functions.append(
                first.ifs[0] if len(first.ifs) == 1 else helper("and_", *[thunk(test) for test in first.ifs])
            )
        calls = [over(first.target, f) for f in functions]
        return placed(helper("list_comp", first.iter, *calls), node)

    def _visit_comprehension(self, node: ast.AST) -> ast.AST:
        self._inner(node, assigned([ast.Expr(g.target) for g in node.generators]))  # type: ignore[attr-defined]
        read_items(node)
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension


_FINDING = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
"""Comparisons that have a hook of their own."""

_TAKING_ALL = {"sum", "list", "tuple", "min", "max", "sorted"}
"""Functions that take all that a generator expression gives before they do anything else, or as good as that."""
