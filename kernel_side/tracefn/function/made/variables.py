"""The Variables that a trace reads: the way to them, and the guards of those that are passed."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Sequence
from typing import Any

from ...codegen import Program
from ...ir.graph import Graph, Node
from ...ir.op import ITEM, by_name
from ...runtime.calls.writes import Assignment
from ...trace.state.content import ContentGuard
from ...trace.state.paths import Path
from ...trace.variables.variable import Variable

PYTHON = frozenset({by_name("py_function"), by_name("foreign"), by_name("foreign_pure")})


def variable_paths(read: Sequence[tuple[str, Any]], paths: Sequence[str], values: Sequence[Any]) -> dict[str, Path]:
    """Name of a capture → where a call finds the value: by the arguments `paths` where the variable is passed."""
    found = {}
    for name, variable in read:
        path = next((p for p, v in zip(paths, values, strict=True) if v is variable), None)
        root = ("object", variable, name) if path is None else ("argument", None, path)
        found[name] = Path(root, (("attr", "_value"),))
    return found


def open_shapes(read: Sequence[tuple[str, Any]], paths: dict[str, Any], program: Program) -> list[ContentGuard]:
    """Guards of the shapes of variables that may change them, and that are no input of the program."""
    used = {n.args[0] for n in program.captures}
    found = [(paths[name], v) for name, v in read if None in v._shape and name not in used]
    return [ContentGuard(path, v._known_value(), described=True) for path, v in found]


def aliases(values: Sequence[Any], used: Sequence[Any], reached: Sequence[Any]) -> tuple[tuple[int, Any, bool], ...]:
    """The condition on each Variable that is passed: that it is, or is not, one which the function has otherwise.

    `used` are all variables of the trace, `reached` those that it read outside the arguments.
    """
    passed = {id(v): (i, v) for i, v in reversed(list(enumerate(values))) if isinstance(v, Variable)}
    others = [v for v in used if id(v) not in passed]
    met = {id(v) for v in reached}
    return tuple(
        [(i, weakref.ref(v), True) for i, v in passed.values() if id(v) in met]
        + [
            (i, weakref.ref(other), False)
            for i, v in passed.values()
            for other in others
            if other.dtype == v.dtype and other._shape == v._shape
        ]
    )


def with_fresh(assignments: Sequence[Assignment], graph: Graph) -> tuple[Assignment, ...]:
    """The assignments with `is_fresh` for those whose array a ufunc of the program makes for nothing else to keep."""
    if not assignments:
        return ()
    users = graph.users()

    def is_fresh(node: Node) -> bool:
        readers = users[node]
        return (
            (node.op.elementwise or node.op.style == "write")
            and graph.outputs.count(node) == 1
            and not any(n.op.view or n.op is ITEM or n.op.style in ("control", "effect", "list") for n in readers)
        )

    return tuple([dataclasses.replace(a, is_fresh=is_fresh(graph.outputs[a.output])) for a in assignments])


def calls_python(graph: Graph) -> bool:
    """True where a program runs the user's Python code."""
    return not PYTHON.isdisjoint(graph.ops) or any(calls_python(body.graph) for body in graph.bodies)
