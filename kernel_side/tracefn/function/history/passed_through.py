"""The functions of the user's that a trace came through: those around the lines at which its nodes were made."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...ir.graph import Graph
from ...ir.place import Scope, Source
from ...trace.origin import is_library


class Lines(NamedTuple):
    """The lines of a function in its file, from its decorators on. `name` has those of classes before it."""

    name: str
    file: str
    first: int
    last: int

    def has(self, other: Lines | Source) -> bool:
        """True for a line in it, and for a function that is defined in it."""
        if isinstance(other, Source):
            return self.file == other.file and self.first <= other.line <= self.last
        return self.file == other.file and self.first <= other.first and other.last <= self.last

    @property
    def text(self) -> list[str]:
        """The lines as they stand in the file."""
        return [line.rstrip() for line in linecache.getlines(self.file)[self.first - 1 : self.last]]


def places_of(graph: Graph | None) -> Iterator[Source]:
    """Where the nodes of a graph and of the bodies in it were made, and the calls around them, outer ones first."""
    seen: Scope | str | None = None
    for node in graph.nodes if graph is not None else ():
        if node.scope is not seen:
            seen = node.scope
            yield from _sites(seen)
        if node.source is not None:
            yield node.source
        for body in node.bodies:
            yield from places_of(body.graph)


def _sites(scope: Scope | str | None) -> list[Source]:
    found = []
    while isinstance(scope, Scope):
        if (site := getattr(scope, "site", None)) is not None:
            found.append(site)
        scope = getattr(scope, "outer", None)
    return found[::-1]


def passed_through(places: Iterable[Source], own: Lines | None) -> list[Lines]:
    """The functions that the places are in, in their order, less `own` and those defined in it. A library's are left
    out, and so are places outside of any `def`."""
    functions: dict[str, list[Lines]] = {}
    found: dict[Lines, None] = {}
    for place in dict.fromkeys(places):
        if (own is not None and own.has(place)) or is_library(place.file):
            continue
        if place.file not in functions:
            functions[place.file] = _functions_in(place.file)
        around = [lines for lines in functions[place.file] if lines.has(place)]
        if around:
            found[max(around, key=lambda lines: lines.first)] = None
    return [lines for lines in found if not any(other is not lines and other.has(lines) for other in found)]


def _functions_in(file: str) -> list[Lines]:
    """All functions of a file; none of one that cannot be read."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return []
    return list(_below(tree, file, ""))


def _below(node: ast.AST, file: str, outer: str) -> Iterator[Lines]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}.{child.name}" if outer else child.name
            if not isinstance(child, ast.ClassDef):
                first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                yield Lines(name, file, first, child.end_lineno or child.lineno)
            yield from _below(child, file, name)
        else:
            yield from _below(child, file, outer)
