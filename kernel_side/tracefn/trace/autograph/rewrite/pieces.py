"""Small pieces of rewritten code: comparisons, parts of texts, comprehensions in steps, items as arguments."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

from ...code.rewritten import HELPERS
from ..augmented import NAMES
from .syntax import helper, load, placed, thunk


def caught_by(node: ast.Try | ast.TryStar) -> ast.expr:
    """The classes that the handlers of a `try` catch."""
    return ast.Tuple([copy.deepcopy(h.type) or load("BaseException") for h in node.handlers], ast.Load())


def sharing(shared: list[str], body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a function that shares variables with the code around it."""
    return [ast.Nonlocal(shared), *body] if shared and body else body


def as_condition(node: ast.AST) -> None:
    """Marks `and` and `or` in conditions: their operands may differ in type. Of attributes and items
    only the truth is asked."""
    if isinstance(node, ast.Attribute | ast.Name | ast.Subscript):
        node.is_condition = True  # type: ignore[union-attr]
    if isinstance(node, ast.BoolOp):
        node.is_condition = True  # type: ignore[attr-defined]
        for value in node.values:
            as_condition(value)


def sized(call: ast.Call, visit: Callable[[ast.expr], ast.expr], observed: set[str]) -> bool:
    """Rewrites the argument in `len(a.b)` and `len(a[b])`, and in `len(a)` of an outer variable whose uses are noted.
    False for other calls."""
    function, argument = call.func, call.args[0] if len(call.args) == 1 else None
    if not isinstance(function, ast.Name) or function.id != "len" or call.keywords:
        return False
    if isinstance(argument, ast.Name) and argument.id in observed:
        found = helper("sized_name", load("len"), argument)
    elif isinstance(argument, ast.Attribute) and not is_module(argument.value):
        found = helper("sized", load("len"), visit(argument.value), ast.Constant(argument.attr))
    elif isinstance(argument, ast.Subscript):
        item = visit(argument)
        assert isinstance(item, ast.Call)
        found = helper("sized_item", load("len"), *item.args)
    else:
        return False
    call.args = [placed(found, argument)]
    call.func = placed(helper("callee", visit(function)), function)
    return True


def comparison(left: ast.expr, op: ast.cmpop, right: ast.expr, place: ast.AST) -> ast.expr:
    if isinstance(op, ast.In):
        return placed(helper("in_", left, right), place)
    if isinstance(op, ast.NotIn):
        return placed(helper("not_", placed(helper("in_", left, right), place)), place)
    if isinstance(op, ast.Is):
        return placed(helper("is_", left, right), place)
    if isinstance(op, ast.IsNot):
        return placed(helper("not_", placed(helper("is_", left, right), place)), place)
    return operation(op, [left, right], placed(ast.Compare(left, [op], [right]), place))


def operation(op: ast.AST, operands: list[ast.expr], node: ast.expr) -> ast.expr:
    """An operator of values that may be objects of the user's; that of constants, and of lists of these, as it is."""
    if all(map(_has_no_objects, operands)):
        return node
    return placed(helper(NAMES[type(op).__name__], *operands), node)


OF_CONTAINERS = (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)
"""Operators of lists, dicts and sets."""


def may_be_containers(operands: list[ast.expr]) -> list[bool]:
    """Which operands may be containers with a name. None is beside a number or text."""
    kinds = [type(o) for o in operands]
    return [kind in _MAY_HAVE_A_NAME and ast.Constant not in kinds for kind in kinds]


def _has_no_objects(node: ast.expr) -> bool:
    """True for constants, list displays of constants, and what operators make of these."""
    return type(node) in (ast.Constant, ast.BinOp) or (type(node) is ast.List and all(map(_has_no_objects, node.elts)))


_MAY_HAVE_A_NAME = {ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.IfExp, ast.BoolOp}


def found(value: ast.expr) -> ast.expr:
    """The operand of a comparison, wrapped so that pending changes are made."""
    return placed(helper("settled", value), value)


def summand(value: ast.expr) -> ast.expr:
    """The operand of `+` and the like, wrapped so that items of a container are read at each call."""
    return placed(helper("summand", value), value)


def part(value: ast.expr) -> ast.expr:
    """A part of an f-string: a text, or a tuple of the value, the conversion and the spec."""
    if not isinstance(value, ast.FormattedValue):
        return value
    conversion = chr(value.conversion) if value.conversion >= 0 else ""
    parts = [value.value, ast.Constant(conversion), value.format_spec or ast.Constant("")]
    return placed(ast.Tuple(parts, ast.Load()), value)


def in_steps(generator: ast.comprehension) -> list[ast.comprehension]:
    """`for a, (b, c) in v` as `for item in v for a, part in [items_of(item)] for b, c in [items_of(part)]`."""
    if generator.is_async or not isinstance(generator.target, ast.Tuple | ast.List):
        return [generator]
    steps, waiting = [generator], [(generator.target, "item_0")]
    generator.target = ast.Name("item_0", ast.Store())
    tests, generator.ifs = generator.ifs, []
    while waiting:
        target, name = waiting.pop(0)
        found: list[ast.expr] = []
        for part in target.elts:
            if isinstance(part, ast.Tuple | ast.List):
                waiting.append((part, f"item_{len(steps) + len(waiting)}_"))
                part = ast.Name(waiting[-1][1], ast.Store())
            found.append(part)
        taken = ast.List([helper("elements_of", load(name))], ast.Load())
        steps.append(ast.comprehension(type(target)(found, ast.Store()), taken, [], 0))
    steps[-1].ifs = tests
    return steps


_MODULES = {"np", "numpy", "math", "cmath", "tracefn", HELPERS}


def is_module(node: ast.expr) -> bool:
    """True for `np` and `np.linalg`: reads of them need no guard."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in _MODULES


def is_dotted(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and is_module(node)


def over(target: ast.expr, value: ast.expr) -> ast.expr:
    """A function of one item: the value where the item is assigned to the target."""
    if isinstance(target, ast.Name):
        function = thunk(value)
        function.args.args = [ast.arg(target.id)]
        return function
    bound = in_steps(ast.comprehension(target, ast.Tuple([load("item")], ast.Load()), [], 0))
    function = thunk(ast.Subscript(ast.ListComp(value, bound), ast.Constant(0), ast.Load()))
    function.args.args = [ast.arg("item")]
    return function


def read_items(comprehension: Any) -> None:
    """Makes a comprehension read the items of containers from outside, also where it unpacks them."""
    for generator in comprehension.generators:
        if not generator.is_async:
            generator.iter = placed(helper("drawn_from", generator.iter), generator.iter)
    comprehension.generators = [part for g in comprehension.generators for part in in_steps(g)]


def as_list(value: ast.expr) -> ast.expr:
    """A generator expression as a list comprehension, which a loop in the graph can fill."""
    return placed(ast.ListComp(value.elt, value.generators), value) if isinstance(value, ast.GeneratorExp) else value
