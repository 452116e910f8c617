"""Small makers of syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeGuard, TypeVar

from ...code.rewritten import HELPERS, PART

Placed = TypeVar("Placed", bound=ast.AST)


class Names:
    """New names that are not `taken`. `results` are the variables with results of functions, `stops` those that
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
    known = other.__dict__
    if "lineno" in known:
        mine = node.__dict__
        mine["lineno"], mine["col_offset"] = known["lineno"], known["col_offset"]
        mine["end_lineno"], mine["end_col_offset"] = known.get("end_lineno"), known.get("end_col_offset")
    return node


def assign(name: str, value: ast.expr, place: ast.AST) -> ast.stmt:
    return placed(ast.Assign([ast.Name(name, ast.Store())], placed(value, place)), place)


def operator(name: str) -> ast.Attribute:
    """One of AutoGraph's operators."""
    return ast.Attribute(ast.Name(HELPERS, _LOAD), name, _LOAD)


def helper(name: str, *args: ast.expr) -> ast.Call:
    """A call of one of AutoGraph's operators."""
    return ast.Call(operator(name), [*args], [])


def thunk(value: ast.expr) -> ast.Lambda:
    """`lambda: value`, with a mark: it is no function of the user's."""
    mark = ast.arg(PART)
    arguments = ast.arguments(posonlyargs=[], args=[], vararg=mark, kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(arguments, value)


def not_(value: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), value)


def has_text(definition: ast.FunctionDef | ast.ClassDef) -> bool:
    """True for a function or class whose body begins with a docstring."""
    return ast.get_docstring(definition, clean=False) is not None


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
_SCOPES = frozenset(OWN_SCOPE)

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
        """The replacement of a node: another one, or a list of statements."""
        kind = type(node)
        method = self._methods.get(kind)
        if method is not None:
            return method(self, node)
        return self.generic_visit(node) if _FIELDS[kind] else node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """The node, with all below it visited."""
        known = node.__dict__
        for field in _FIELDS[type(node)]:
            value = known.get(field)
            if not value:  # None, or an empty list
                continue
            if type(value) is list:
                results = [None if v is None else self.visit(v) for v in value]
                value[:] = [r for result in results for r in (result if type(result) is list else (result,))]
            else:
                known[field] = self.visit(value)
        return node


def walk(tree: ast.AST, own: bool = False) -> list[ast.AST]:
    """A node and all below it, as `ast.walk` gives them, several times faster and without contexts and operators. With
    `own` without the nodes inside functions and classes."""
    found = [tree]
    passed_over = _SCOPES if own else ()
    for node in found:
        kind = type(node)
        fields = _FIELDS[kind]
        if not fields or kind in passed_over:
            continue
        known = node.__dict__
        for field in fields:
            value = known.get(field)
            if not value:  # None, or an empty list
                continue
            if type(value) is list:
                found += value if None not in value else [v for v in value if v is not None]
            else:
                found.append(value)
    return found


def walk_own(node: ast.AST) -> list[ast.AST]:
    """A node and those below it, without those inside functions and classes that it defines."""
    return walk(node, own=True)


def place(tree: ast.AST, line: int, column: int) -> None:
    """Gives nodes without a place that of the nodes around them. Calls of operators, which stand for statements of many
    lines, are on one line, for the compiler too."""
    kind, known = type(tree), tree.__dict__
    if "lineno" in known:
        line, column = known["lineno"], known["col_offset"]
        if known.get("end_lineno") is None:
            known["end_lineno"], known["end_col_offset"] = line, column
    elif "lineno" in kind._attributes:
        known["lineno"] = known["end_lineno"] = line
        known["col_offset"] = known["end_col_offset"] = column
    fields = _FIELDS[kind]
    if kind in _OPERATED and _is_helper(operated := known[_OPERATED[kind][0]]):
        here = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}
        operated.__dict__.update(here)
        operated.value.__dict__.update(here)
        fields = _OPERATED[kind][1:]
    for field in fields:
        value = known.get(field)
        if not value:  # None, or an empty list
            continue
        for item in value if type(value) is list else (value,):
            if type(item) not in _LEAVES:
                place(item, line, column)
            elif item is not None and (below := item.__dict__).get("end_lineno") is None:
                if "lineno" in below:
                    place(item, line, column)
                else:
                    below.update(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column)


def _is_helper(function: ast.expr) -> bool:
    """True for one of AutoGraph's operators."""
    if type(function) is not ast.Attribute:
        return False
    return type(function.value) is ast.Name and function.value.id == HELPERS


_OPERATED = {ast.Call: ("func", "args"), ast.Subscript: ("value", "slice")}
"""Kinds of nodes that an operator of AutoGraph's is in, with its field and that of what it is given."""

_LEAVES = {ast.Name, ast.Constant, type(None)}
"""The types of most of the nodes that have no other below them."""


def blocks(statement: ast.stmt) -> list[tuple[ast.AST, str]]:
    """The lists of statements inside a compound statement, as (the owner of the list, its field)."""
    fields = _BLOCKS.get(type(statement))
    if not fields:
        return []
    found: list[tuple[ast.AST, str]] = [(statement, f) for f in fields if f not in _PARTS]
    return found + [(part, "body") for f in fields if f in _PARTS for part in getattr(statement, f)]


_PARTS = ("handlers", "cases")
"""Fields of statements whose parts have blocks."""

_BLOCKS = {
    kind: tuple(f for f in ("body", "orelse", "finalbody", *_PARTS) if f in kind._fields)
    for kind in ast.stmt.__subclasses__()
    if kind not in _SCOPES
}
"""For each kind of statement the fields that are blocks, or hold them."""


def is_loop(statement: ast.AST) -> TypeGuard[ast.For | ast.While]:
    return type(statement) in _LOOPS


_LOOPS = (ast.For, ast.While)


def binds(node: ast.AST) -> bool:
    """True if there is `name := value` in an expression."""
    return any(type(n) is ast.NamedExpr for n in walk(node))


def assigned(statements: Sequence[ast.stmt]) -> set[str]:
    """The variables that statements bind, those of nested functions and comprehensions left out."""
    return set().union(*[bound_by(walk_own(statement)) for statement in statements])


def bound_by(nodes: list[ast.AST]) -> set[str]:
    """The variables that nodes of one scope bind."""
    kinds = set(map(type, nodes))
    own: set[int] = set()
    if ast.comprehension in kinds:
        own = {id(n) for c in nodes if type(c) is ast.comprehension for n in walk(c.target)}
    found = {n.id for n in nodes if type(n) is ast.Name and type(n.ctx) is not ast.Load and id(n) not in own}
    if not BINDING.keys().isdisjoint(kinds):
        found |= {name for n in nodes if type(n) in BINDING and (name := getattr(n, BINDING[type(n)]))}
    if ast.alias in kinds:
        found |= {(n.asname or n.name).split(".")[0] for n in nodes if type(n) is ast.alias}
    return found


BINDING = {
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
    """The index between brackets as an expression of its own. Slices are such between brackets alone."""
    parts = index.elts if type(index) is ast.Tuple else (index,)
    if ast.Slice not in map(type, parts):
        return index
    return placed(ast.Subscript(operator("key"), index, _LOAD), index)
