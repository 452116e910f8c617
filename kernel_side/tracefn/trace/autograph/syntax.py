"""Small makers of syntax trees."""

from __future__ import annotations

import ast

HELPERS = "tracefn_autograph"
"""The name under which rewritten functions reach the operators."""

RETURN_VALUE = "the return value"
"""What operators are told as the name of the variable that holds what a function returns."""


class Names:
    """New names that do not occur in a function. `results` are the variables that hold what it returns."""

    def __init__(self, tree: ast.AST) -> None:
        self._taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        self._taken |= {a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)}
        self.results: set[str] = set()

    def new(self, stem: str) -> str:
        name, count = stem, 0
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def assign(name: str, value: ast.expr, place: ast.AST) -> ast.stmt:
    return ast.fix_missing_locations(
        ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], ast.copy_location(value, place)), place)
    )


def helper(name: str, *args: ast.expr) -> ast.Call:
    """A call of one of AutoGraph's operators."""
    return ast.Call(ast.Attribute(load(HELPERS), name, ast.Load()), list(args), [])


def thunk(value: ast.expr) -> ast.Lambda:
    """`lambda: value`."""
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(arguments, value)


def not_(value: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), value)


def nested_function(name: str, body: list[ast.stmt], args: list[str], place: ast.AST) -> ast.FunctionDef:
    """`def name(args): body`, at the place of another node."""
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(a) for a in args], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    made = ast.FunctionDef(name, arguments, body or [ast.Pass()], [], None)
    made.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(made, place)
