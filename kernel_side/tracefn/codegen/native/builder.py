"""Makes the nodes that take the place of one."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...ir.graph import Node
from ...ir.infer import infer
from ...ir.op import by_name
from ...ir.template import ListOf, Ref, SliceOf

ALL = SliceOf(None, None, None)


def like(node: Node, name: str, *operands: Any, **options: Any) -> Node:
    """A node of another op in the place of one. Operands are nodes and numbers."""
    op = by_name(name)
    inputs = tuple(dict.fromkeys(o for o in operands if isinstance(o, Node)))
    args = tuple([Ref(inputs.index(o)) if isinstance(o, Node) else o for o in operands])
    kwargs = tuple(options.items())
    types: Any = infer(op, tuple([n.type for n in inputs]), args, kwargs)
    return Node(op, inputs, args, kwargs, (types,), None, node.scope, node.source, node.errors)


class Steps:
    """The nodes that are made in the place of one, in order. Calling it makes one more: an op on nodes and numbers."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.nodes: list[Node] = []

    def in_silence(self) -> None:
        """Later steps report no floating-point errors: NumPy calls a library that checks for none."""
        self.node = dataclasses.replace(self.node, errors=(("all", "ignore"),))

    def __call__(self, name: str, *operands: Any, **options: Any) -> Node:
        return self._kept(like(self.node, name, *operands, **options))

    def joined(self, name: str, parts: list[Node], **options: Any) -> Node:
        """An op on a list of nodes."""
        inputs = tuple(dict.fromkeys(parts))
        args, kwargs = (ListOf(tuple([Ref(inputs.index(n)) for n in parts])),), tuple(options.items())
        op, node = by_name(name), self.node
        types: Any = infer(op, tuple([n.type for n in inputs]), args, kwargs)
        return self._kept(Node(op, inputs, args, kwargs, (types,), None, node.scope, node.source, node.errors))

    def along(self, source: Node, axis: int, start: int | None, stop: int | None) -> Node:
        """A slice of an array along one axis."""
        return self("getitem", source, (*(ALL,) * (axis % source.type.ndim), SliceOf(start, stop, None)))

    def _kept(self, node: Node) -> Node:
        self.nodes.append(node)
        return node
