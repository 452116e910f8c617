"""Puts a branch or loop into the graph: the bodies as graphs, the node, and the Tensors of its results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...ir.graph import Node, item_node
from ...ir.op import by_name
from ...ir.template import Body, Ref, freeze
from ...ir.types import TensorType
from ..body import BodyTrace
from ..code.targets import target_of
from ..context import Trace
from ..origin import user_frame, user_source
from ..state.place import Place
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt


def bodies_of(traced: list[tuple[BodyTrace, list[Node]]], results: Sequence[str] = ()) -> tuple[list[Body], list[Node]]:
    """The bodies as graphs with these outputs, and the values around them that they use, which all of them take.
    `results` are the names in the code of the first outputs."""
    for body, _ in traced:
        body.parent.options |= body.options
    outer = list(dict.fromkeys([n for body, _ in traced for n in body.lifted]))

    def names(outputs: list[Node]) -> tuple[str, ...]:
        return (*results, *[""] * (len(outputs) - len(results))) if any(results) else ()

    return [Body(body.name, body.graph(outputs, outer), names(outputs)) for body, outputs in traced], outer


def record(
    trace: Trace, op_name: str, args: list[Any], types: list[TensorType], owned: Sequence[bool] = ()
) -> Iterator[Tensor]:
    """Adds the node and its items; the Tensors of its results in order. `owned` are those that share no memory with
    anything around."""
    inputs: list[Node] = []

    def leaf(value: Any) -> Any:
        node = trace.node_of(value) if type(value) is Tensor else value
        if isinstance(node, SymbolicInt):
            return node.dim
        if not isinstance(node, Node):
            return value
        if node not in inputs:
            inputs.append(node)
        return Ref(inputs.index(node))

    template = tuple([freeze(a, leaf) for a in args])
    placed = trace.root.placed
    source, errors = (user_source(3), trace.error_handling.now()) if placed is None else (placed[0], placed[2])
    node = Node(by_name(op_name), tuple(inputs), template, (), tuple(types), tuple, trace.scope, source, errors)
    trace.nodes.append(node)
    items = [item_node(node, i) for i in range(len(types))]
    trace.nodes += items
    own = owned or [False] * len(items)
    return iter([Tensor(item, trace, owned=o) for item, o in zip(items, own, strict=True)])


def name_of(key: Any, path: str) -> str:
    """The name in the code of a value that a branch leaves under `key`: a variable, a place, or a part of one at
    `path`. The value of an expression has the name that it is assigned to, if it is."""
    if key in VALUES and path.startswith(key):
        return _assigned(path.removeprefix(key))
    is_variable = type(key) is str and key.isidentifier() and key != "which"
    return path if is_variable or isinstance(key, Place) else ""


VALUES = ("result", "the value")
"""The keys of the value of a function that is given to `cond`, and of an expression."""


def _assigned(part: str) -> str:
    """The name that a value, or the part of it that is found by `[1]` and the like, is assigned to."""
    names = target_of(user_frame(3))
    if len(names) < 2:
        return names[0] + part if names else ""
    taken = re.match(r"\[(\d+)\]", part)
    is_one = taken is not None and int(taken[1]) < len(names)
    return names[int(taken[1])] + part[taken.end() :] if taken and is_one else ""
