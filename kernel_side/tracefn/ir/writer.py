"""Graphs as Python statements: one line a node."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dims import Dim
from .graph import Graph, Node, dimension_symbols
from .op import CAPTURE, CONSTANT, ITEM
from .template import leaves
from .text import call_source, constant_source, function_name, scalar_source


class Writer:
    """Writes the statements that compute a graph.

    A subclass says how one node is assigned (`assignment`) and how a value without literal is named (`literal`).
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names = graph.names
        self.users = graph.users()
        self.symbols = used_symbols(graph)

    def statements(self) -> list[str]:
        """The lines that compute the nodes, without leaves."""
        lines: list[str] = []
        for node in self.graph.nodes:
            if not node.is_leaf and node.op is not ITEM:
                lines.append(self.assignment(node))
            if not node.is_leaf:
                lines += self.lengths(node)
        return lines

    def assignment(self, node: Node) -> str:
        return f"{self.targets(node)} = {call_source(node, self.names, self.literal)}"

    def literal(self, value: Any) -> str:
        return scalar_source(value)

    def targets(self, node: Node) -> str:
        """The left side of a node's assignment: its name, or the names of its outputs."""
        if node.container is None:
            return self.names[node]
        picked = {n.args[1]: self.names[n] for n in self.users[node] if n.op is ITEM}
        parts = [picked.get(i, "_") for i in range(len(node.types))]
        return ", ".join(parts) + ("," if len(parts) == 1 else "")

    def lengths(self, node: Node) -> list[str]:
        """Lines that read the symbolic lengths which this node is the first to have."""
        if not self.symbols or not dimension_symbols(node):
            return []
        bound = self.graph.symbols
        name = self.names[node]
        return [f"{s} = {name}.shape[{axis}]" for s, (n, axis) in bound.items() if n is node and s in self.symbols]


def used_symbols(graph: Graph) -> set[str]:
    """The symbolic dimensions that the program itself needs: those inside call templates."""
    items = [item for n in graph.nodes for item in leaves((n.args, tuple([v for _, v in n.kwargs])))]
    return {symbol for item in items if isinstance(item, Dim) for symbol in item.symbols()}


def graph_text(graph: Graph) -> str:
    """The graph as a Python function that computes it: `exec` it and call it.

    Arguments come first; captured arrays and large constants are keyword arguments.
    """
    return _Printer(graph).text()


class _Printer(Writer):
    """Prints types and lines of the user's code beside the statements."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._keywords: list[str] = []
        self._objects: dict[int, str] = {}

    def text(self) -> str:
        constants = []
        for node in self.graph.nodes:
            source = constant_source(node) if node.op is CONSTANT else ""
            if source:
                constants.append(f"{self.names[node]} = {source}")
            elif node.op in (CAPTURE, CONSTANT):
                self._keywords.append(f'{self.names[node]}: "{node.type!r}"')
        body = [line for node in self.graph.nodes if node.is_leaf for line in self.lengths(node)]
        body += constants + self.statements()
        outputs = ", ".join(self.names[n] for n in self.graph.outputs)
        body.append(f"return {outputs}" if outputs else "return ()")
        positional = [f'{self.names[n]}: "{n.type!r}"' for n in self.graph.inputs]
        parameters = ", ".join(positional + (["*", *self._keywords] if self._keywords else []))
        lines = "\n    ".join(body)
        return f"import numpy as np\n\n\ndef {function_name(self.graph.name)}({parameters}):\n    {lines}\n"

    def assignment(self, node: Node) -> str:
        types = ", ".join(map(repr, node.types))
        return f"{super().assignment(node)}  # {types}" + (f", line {node.source.line}" if node.source else "")

    def literal(self, value: Any) -> str:
        if isinstance(value, np.generic):
            return scalar_source(value)
        name = self._objects.setdefault(id(value), f"object_{len(self._objects)}")
        if name not in self._keywords:
            self._keywords.append(name)
        return name
