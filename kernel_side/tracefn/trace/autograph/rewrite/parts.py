"""The nodes of a function by kind, found in one walk before anything is rewritten."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import Any

from .syntax import OWN_SCOPE, walk, walk_own


class FunctionParts:
    """The nodes of a function. Its `own` are those outside of the functions and classes that it defines."""

    def __init__(self, function: ast.FunctionDef) -> None:
        own = [n for s in function.body for n in walk_own(s)]
        self._own = _by_kind(own)
        self._scopes = self.own(*OWN_SCOPE)
        inner = [n for scope in self._scopes for n in walk(scope)[1:]]
        self._others = _by_kind([*walk(function.args), *inner])

    def own(self, *kinds: type[ast.AST]) -> list[Any]:
        return _of_kinds(self._own, kinds)

    def all(self, *kinds: type[ast.AST]) -> list[Any]:
        return _of_kinds(self._own, kinds) + _of_kinds(self._others, kinds)

    def names(self) -> set[str]:
        """The names of variables, parameters, functions and classes."""
        found = {n.id for n in self.all(ast.Name)} | {a.arg for a in self.all(ast.arg)}
        return found | {d.name for d in self.all(ast.FunctionDef, ast.ClassDef)}

    def captured(self) -> set[str]:
        """The variables that functions, classes and generators in it read or set, which may be at any later time."""
        found: set[str] = {name for n in self._others.get(ast.Nonlocal, ()) for name in n.names}  # type: ignore[attr-defined]
        for scope in [*self._scopes, *self.own(ast.GeneratorExp)]:
            names = [n for n in walk(scope) if type(n) is ast.Name]
            own = {a.arg for a in walk(scope.args) if type(a) is ast.arg} if hasattr(scope, "args") else set()
            if isinstance(scope, ast.GeneratorExp):
                own = {n.id for n in names if type(n.ctx) is ast.Store}
            found |= {n.id for n in names if type(n.ctx) is ast.Load} - own
        return found

    def rebound(self, arguments: ast.arguments) -> set[str]:
        """The parameters that are given another value, other than by `op=`."""
        parameters = {a.arg for a in walk(arguments) if type(a) is ast.arg}
        augmented = {id(n.target) for n in self.own(ast.AugAssign)}
        stored = {n.id for n in self.own(ast.Name) if type(n.ctx) is ast.Store and id(n) not in augmented}
        return parameters & stored

    def growing(self) -> set[str]:
        """The variables that are changed as lists are: by append, `heappush`, `+=`, or items that are set."""
        grown = [n.value for n in self.all(ast.Attribute) if n.attr in _GROWS]
        grown += [n.target for n in self.all(ast.AugAssign)]
        grown += [n.value for n in self.all(ast.Subscript) if type(n.ctx) is not ast.Load]
        grown += [n.args[0] for n in self.all(ast.Call) if n.args and _name_of(n.func) in _OF_HEAPS]
        return {n.id for n in grown if type(n) is ast.Name}

    def changing(self) -> set[str]:
        """The variables that are changed as deques, sets and dicts are."""
        changed = [n.value for n in self.all(ast.Attribute) if n.attr in _CHANGES]
        changed += [n.value for n in self.all(ast.Subscript) if type(n.ctx) is not ast.Load]
        return {n.id for n in changed if type(n) is ast.Name}

    def observed_outside(self, arguments: ast.arguments) -> set[str]:
        """The outer variables of which attributes or items are used: they may be containers, of which parts are read
        or changed."""
        used = {n.value.id for n in self.all(ast.Attribute, ast.Subscript) if type(n.value) is ast.Name}
        return used - self.bound(arguments)

    def bound(self, arguments: ast.arguments) -> set[str]:
        """The parameters and local variables."""
        own = {a.arg for a in walk(arguments) if type(a) is ast.arg}
        own |= {n.id for n in self.own(ast.Name) if type(n.ctx) is not ast.Load}
        own |= {d.name for d in self.own(ast.FunctionDef, ast.ClassDef)}
        return own - {name for n in self.all(ast.Global, ast.Nonlocal) for name in n.names}

    def writes(self) -> bool:
        """True if it has statements that may write into arrays."""
        return (
            any(type(n.ctx) is ast.Store for n in self.all(ast.Subscript))
            or bool(self.all(ast.AugAssign))
            or any(n.arg == "out" for n in self.all(ast.keyword))
            or any(n.attr in _WRITES for n in self.all(ast.Attribute))
        )

    def written_into(self) -> list[ast.expr]:
        """The items and arrays that its own statements write into: `x[i] = …`, `out=x`, `x.fill(0)`, `copyto(x, y)`."""
        found = [n for n in self.own(ast.Subscript) if type(n.ctx) is ast.Store]
        found += [n.value for n in self.own(ast.keyword) if n.arg == "out"]
        called = [(n.func.attr, n) for n in self.own(ast.Call) if type(n.func) is ast.Attribute]
        found += [n.func.value for name, n in called if name in _WRITING_METHODS]
        return found + [n.args[0] for name, n in called if name in _WRITING_FUNCTIONS and n.args]


def _name_of(function: ast.expr) -> str:
    return function.attr if type(function) is ast.Attribute else getattr(function, "id", "")


_OF_HEAPS = set("heapify heappop heappush heappushpop heapreplace".split())
_CHANGES = set("append appendleft pop popleft add discard remove setdefault popitem".split())
_GROWS = {"append", "extend", "insert", "pop", "remove"}

_WRITES = set("at copyto fill fill_diagonal partition place put put_along_axis putmask shuffle sort".split())


_WRITING_METHODS = set("fill partition put sort".split())
_WRITING_FUNCTIONS = set("at copyto fill_diagonal place put_along_axis putmask shuffle".split())


def _by_kind(nodes: list[ast.AST]) -> dict[type, list[ast.AST]]:
    found: dict[type, list[ast.AST]] = defaultdict(list)
    for node in nodes:
        found[type(node)].append(node)
    return found


def _of_kinds(nodes: dict[type, list[ast.AST]], kinds: tuple[type[ast.AST], ...]) -> list[Any]:
    if len(kinds) == 1:
        return nodes.get(kinds[0], [])
    return [n for kind in kinds for n in nodes.get(kind, ())]
