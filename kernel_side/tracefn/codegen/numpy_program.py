"""The NumPy program of a graph: straight-line Python source, one line a node, that tracebacks can show."""

from __future__ import annotations

import dataclasses
import itertools
import linecache
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..ir.graph import Graph, Node
from ..ir.op import CONSTANT
from ..ir.text import call_source, function_name, scalar_source
from ..ir.writer import Writer
from .buffers import Buffers
from .ownership import UPDATE, Ownership

_numbers = itertools.count(1)


@dataclasses.dataclass(frozen=True, eq=False)
class Program:
    """Source that computes a graph, and the function made from it.

    `function` takes the graph's inputs in order, then its captures in order, and returns one value, or a tuple where
    the graph has not exactly one output. `namespace(xp)` is what the source runs in with `xp` as its `np`.
    """

    name: str
    source: str
    file: str
    constants: dict[str, Any]
    captures: tuple[Node, ...]
    function: Callable[..., Any]

    def load(self, xp: Any) -> Callable[..., Any]:
        """The program's function with another module (cupy) in the place of NumPy. Constants move to its arrays."""
        constants = {n: xp.asarray(v) if isinstance(v, np.ndarray) else v for n, v in self.constants.items()}
        return _compile(self.name, self.source, self.file, {"np": xp, **constants})


def numpy_program(graph: Graph, name: str) -> Program:
    """The NumPy program of a graph. `name` names it in tracebacks: `f#3/1`."""
    return written(ProgramWriter(graph), name)


def written(writer: ProgramWriter, name: str) -> Program:
    """The program that a writer writes."""
    graph, source = writer.graph, writer.source()
    file = f"<tracefn program {name} ({next(_numbers)})>"
    function = _compile(function_name(graph.name), source, file, {"np": np, **writer.constants})
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    program = Program(function_name(graph.name), source, file, writer.constants, writer.captures, function)
    weakref.finalize(program, linecache.cache.pop, file, None)
    return program


def _compile(name: str, source: str, file: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    exec(compile(source, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function


def _nodes(graph: Graph) -> Iterator[Node]:
    """The nodes of a graph and of all bodies in it."""
    for node in graph.nodes:
        yield node
        for body in node.bodies:
            yield from _nodes(body.graph)


class ProgramWriter(Writer):
    """Writes the source of one program: dead arrays are deleted, or written into."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.captures = graph.captures
        self.constants: dict[str, Any] = {}
        self._reuse: dict[Node, Node] = {}
        self._dead: dict[Node, list[Node]] = {}
        self._owned = self.ownership(graph)
        self.enter(graph)

    def ownership(self, graph: Graph) -> Ownership | None:
        """Which writes go into arrays themselves. None where there are no writes."""
        return Ownership(graph) if any(n.op.style == "write" for n in _nodes(graph)) else None

    def enter(self, graph: Graph) -> None:
        self.constants |= {self.names[n]: n.args[0].value for n in graph.nodes if n.op is CONSTANT}
        buffers = Buffers(graph)
        self._reuse |= buffers.reuse
        self._dead |= buffers.dead_after

    def source(self) -> str:
        arguments = (*self.graph.inputs, *self.captures)
        body = [line for node in arguments for line in self.lengths(node)] + self.statements()
        outputs = [self.names[n] for n in self.graph.outputs]
        body.append("return " + (outputs[0] if len(outputs) == 1 else f"({', '.join(outputs)})"))
        parameters = ", ".join(self.names[n] for n in arguments)
        return "\n    ".join([f"def {function_name(self.graph.name)}({parameters}):", *body]) + "\n"

    def assignment(self, node: Node) -> str:
        reused = self._reuse.get(node)
        out = self.names[reused] if reused else ""
        line = f"{self.targets(node)} = {call_source(node, self.names, self.literal, out)}"
        return "; ".join([line, *self._deletions(node)])

    def special(self, node: Node, lines: Callable[[str, list[str]], list[str]]) -> list[str]:
        if self._owned is not None and node in self._owned.in_place:
            array = self.names[node.inputs[node.args[0].index]]
            return ["; ".join([*self.writing(node, array), f"{self.targets(node)} = {array}"]), *self._deletions(node)]
        if node.op is UPDATE and self._owned is not None:
            target, value = node.inputs
            if self._owned.group[target] is self._owned.group[value]:  # written into itself, perhaps not on every way
                names = self.names[value], self.names[target]
                return ["if {} is not {}: ".format(*names) + "; ".join(super().special(node, lines))]
        return super().special(node, lines) + self._deletions(node)

    def first_values(self, node: Node, state: Any) -> list[str]:
        copied = self._owned.copied.get(node, ()) if self._owned is not None else ()
        values = super().first_values(node, state)
        return [f"{v}.copy('K')" if i in copied else v for i, v in enumerate(values)]

    def control(self, node: Node) -> list[str]:
        return super().control(node) + self._deletions(node)

    def _deletions(self, node: Node) -> list[str]:
        dead = [self.names[n] for n in self._dead.get(node, ())]
        return [f"del {', '.join(dead)}"] if dead else []

    def literal(self, value: Any) -> str:
        """A name for a value without literal; NumPy scalars are bound once, not made at every call."""
        text = scalar_source(value) if isinstance(value, np.generic) else ""
        for name, known in self.constants.items():
            if known is value or (text and isinstance(known, np.generic) and scalar_source(known) == text):
                return name
        name = self._fresh("k")
        self.constants[name] = value
        return name
