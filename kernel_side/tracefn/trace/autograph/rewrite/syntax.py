"""Small makers of syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

from ...code.rewritten import HELPERS

Placed = TypeVar("Placed", bound=ast.AST)


class Names:
    """New names that are not `taken`. `results` are the variables that hold what a function returns, `stops` those that
    end its loops."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self.results: set[str] = set()
        self.stops: set[str] = set()

    def new(self, stem: str) -> str:
        name, count = stem, 0
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name


_LOAD = ast.Load()


def load(name: str) -> ast.Name:
    return ast.Name(name, _LOAD)


def placed(node: Placed, other: ast.AST) -> Placed:
    """A node at the place of another one: `ast.copy_location` in a third of its time."""
    mine, known = vars(node), vars(other)
    if "lineno" in known:
        mine["lineno"], mine["col_offset"] = known["lineno"], known["col_offset"]
        mine["end_lineno"], mine["end_col_offset"] = known.get("end_lineno"), known.get("end_col_offset")
    return node


def assign(name: str, value: ast.expr, place: ast.AST) -> ast.stmt:
    return placed(ast.Assign([ast.Name(name, ast.Store())], placed(value, place)), place)


def helper(name: str, *args: ast.expr) -> ast.Call:
    """A call of one of AutoGraph's operators."""
    return ast.Call(ast.Attribute(load(HELPERS), name, _LOAD), list(args), [])


def thunk(value: ast.expr) -> ast.Lambda:
    """`lambda: value`."""
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(arguments, value)


def not_(value: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), value)


def has_text(function: ast.FunctionDef) -> bool:
    """True for a function whose body begins with a docstring."""
    return ast.get_docstring(function, clean=False) is not None


def nested_function(name: str, body: list[ast.stmt], args: list[str], place: ast.AST) -> ast.FunctionDef:
    """`def name(args): body`, at the place of another node."""
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(a) for a in args], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    return _defined(ast.FunctionDef(name, arguments, body or [ast.Pass()], [], None), place)


def nested_class(name: str, body: list[ast.stmt], place: ast.AST) -> ast.ClassDef:
    """`class name: body`, at the place of another node."""
    return _defined(ast.ClassDef(name, [], [], body, []), place)


_Definition = TypeVar("_Definition", ast.FunctionDef, ast.ClassDef)


def _defined(made: _Definition, place: ast.AST) -> _Definition:
    made.type_params = []  # type: ignore[attr-defined]  # which Python 3.12 asks for
    return placed(made, place)


OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

_NO_NODES = {
    "ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "name", "asname", "module", "level", "conversion",
    "is_async", "simple", "rest", "kwd_attrs",
}  # fmt: skip
"""Fields that hold texts, numbers, contexts or operators."""

_PLAIN = {("value", ast.Constant), ("value", ast.MatchSingleton), ("names", ast.Global), ("names", ast.Nonlocal)}
"""Fields that hold nodes in other kinds of nodes, and texts or numbers in these."""

_FIELDS = {
    kind: ("name", *kind._fields[1:])  # the name of a type alias is a node
    if kind.__name__ == "TypeAlias"
    else tuple(f for f in kind._fields if f not in _NO_NODES and (f, kind) not in _PLAIN)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""For each kind of node the fields that hold nodes, None, or lists of both."""


class Transformer:
    """An `ast.NodeTransformer` in less time: contexts and operators are not visited, and no method removes a node."""

    _methods: ClassVar[dict[type, Callable[[Any, Any], Any]]] = {}

    def __init_subclass__(cls) -> None:
        names = [name for name in dir(cls) if name.startswith("visit_")]
        cls._methods = {getattr(ast, name.removeprefix("visit_")): getattr(cls, name) for name in names}

    def visit(self, node: ast.AST) -> Any:
        """What takes the place of a node: another one, or a list of statements."""
        method = self._methods.get(type(node))
        return self.generic_visit(node) if method is None else method(self, node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """The node, with all below it visited."""
        known = vars(node)
        for field in _FIELDS[type(node)]:
            value = known.get(field)
            if type(value) is list:
                results = [None if v is None else self.visit(v) for v in value]
                value[:] = [r for result in results for r in (result if type(result) is list else (result,))]
            elif value is not None:
                known[field] = self.visit(value)
        return node


def walk(tree: ast.AST, own: bool = False) -> list[ast.AST]:
    """A node and all below it, as `ast.walk` gives them, several times faster and without contexts and operators. With
    `own` without what is inside functions and classes."""
    found = [tree]
    for node in found:
        fields = _FIELDS[type(node)]
        if not fields or (own and isinstance(node, OWN_SCOPE)):
            continue
        known = vars(node)
        for field in fields:
            value = known.get(field)
            if type(value) is list:
                found += value if None not in value else [v for v in value if v is not None]
            elif value is not None:
                found.append(value)
    return found


def walk_own(node: ast.AST) -> list[ast.AST]:
    """A node and those below it, without what is inside functions and classes that it defines."""
    return walk(node, own=True)


def place(tree: ast.AST, line: int, column: int) -> None:
    """Gives nodes without a place that of what is around them. Calls of operators, which stand for statements of many
    lines, are on one line, for the compiler too."""
    kind, known = type(tree), vars(tree)
    if "lineno" in known:
        line, column = known["lineno"], known["col_offset"]
        if known.get("end_lineno") is None:
            known["end_lineno"], known["end_col_offset"] = line, column
    elif "lineno" in kind._attributes:
        known["lineno"] = known["end_lineno"] = line
        known["col_offset"] = known["end_col_offset"] = column
    if kind is ast.Attribute and type(known["value"]) is ast.Name and known["value"].id == HELPERS:
        known["end_lineno"], known["end_col_offset"] = line, column
    for field in _FIELDS[kind]:
        value = known.get(field)
        if value is None:
            continue
        for item in value if type(value) is list else (value,):
            if type(item) not in _LEAVES:
                place(item, line, column)
            elif item is not None and (below := item.__dict__).get("end_lineno") is None:
                if "lineno" in below:
                    place(item, line, column)
                else:
                    below.update(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column)


_LEAVES = {ast.Name, ast.Constant, type(None)}
"""What most of the nodes are that have no other below them."""


def blocks(statement: ast.stmt) -> Iterator[tuple[ast.AST, str]]:
    """The lists of statements inside a compound statement, as (what holds the list, its field)."""
    if isinstance(statement, OWN_SCOPE):
        return
    for field in ("body", "orelse", "finalbody"):
        if isinstance(getattr(statement, field, None), list):
            yield statement, field
    for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
        yield part, "body"


def is_loop(statement: ast.AST) -> bool:
    return isinstance(statement, ast.For | ast.While)


def binds(node: ast.AST) -> bool:
    """True if there is `name := value` in an expression."""
    return any(type(n) is ast.NamedExpr for n in walk(node))


def assigned(statements: Sequence[ast.stmt]) -> set[str]:
    """The variables that statements bind, those of nested functions and comprehensions left out."""
    return set().union(*[bound_by(walk_own(statement)) for statement in statements])


def bound_by(nodes: list[ast.AST]) -> set[str]:
    """The variables that nodes of one scope bind."""
    found: set[str] = set()
    own = {id(n) for c in nodes if type(c) is ast.comprehension for n in walk(c.target)}
    for node in nodes:
        if type(node) is ast.Name:
            if type(node.ctx) is not ast.Load and id(node) not in own:
                found.add(node.id)
        elif type(node) is ast.alias:
            found.add((node.asname or node.name).split(".")[0])
        elif type(node) in _BINDING and (name := getattr(node, _BINDING[type(node)])):
            found.add(name)
    return found


_BINDING = {
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}
"""Kinds of nodes that bind a name → the field that it is in."""


def index_value(index: ast.expr) -> ast.expr:
    """What stands between brackets as an expression of its own."""
    if isinstance(index, ast.Slice):
        parts = [p or ast.Constant(None) for p in (index.lower, index.upper, index.step)]
        return placed(helper("slice_", *parts), index)
    if isinstance(index, ast.Tuple):
        return placed(ast.Tuple([index_value(e) for e in index.elts], ast.Load()), index)
    return index
