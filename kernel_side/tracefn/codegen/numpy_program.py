"""The NumPy program of a graph: straight-line Python source, one line a node, that tracebacks can show."""

from __future__ import annotations

import builtins
import collections
import functools
import itertools
import linecache
import types
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..ir.coalescing import coalesced
from ..ir.graph import Graph, Node
from ..ir.op import CONSTANT
from ..ir.own_modules import own_math, own_numpy
from ..ir.place import Source
from ..ir.text import argument_sources, call_source, function_name, scalar_source
from ..ir.writer import Writer
from ..ops import containers, list_heaps
from ..records import dataclass
from .buffers import POWER, Buffers
from .iteration import needs_number, rows_taken
from .lines import at_users_lines
from .methods import method_source
from .ownership import UPDATE, Ownership

_numbers = itertools.count(1)
_gone: collections.deque[str] = collections.deque()
"""Files of programs that are no more. Their sources go with the next program that is made: taken out of `linecache` by
the garbage collector, at any moment, they would be missed by code that is just iterating over it."""

_MARK = "\0"
_GLOBALS = {"__builtins__": builtins, "math": own_math, "heaps": list_heaps, "containers": containers}
"""The globals of programs. Builtins as `exec` adds them: code in Cython looks it up."""


@dataclass(frozen=True, eq=False)
class Program:
    """Source that computes a graph, and the function made from it.

    `function` takes the graph's inputs in order, then its captures in order, and returns one value, or a tuple where
    the graph has not exactly one output. `sources` has the lines of the user's code that its lines were made from;
    where there are any, the function is at those.
    """

    name: str
    source: str
    file: str
    constants: dict[str, Any]
    captures: tuple[Node, ...]
    sources: Mapping[int, Source]
    function: types.FunctionType

    @functools.cached_property
    def code(self) -> types.CodeType:
        """Its code at the lines of `source`."""
        return _compiled(self.source, tuple(self.sources.items()))[0].replace(co_filename=self.file)

    def load(self, xp: Any) -> Callable[..., Any]:
        """The program's function with another module (cupy) in the place of NumPy. Constants move to its arrays."""
        constants = {n: xp.asarray(v) if isinstance(v, np.ndarray) else v for n, v in self.constants.items()}
        return types.FunctionType(self.function.__code__, {**_GLOBALS, "np": xp, **constants})


def numpy_program(
    graph: Graph, name: str, module: Mapping[str, Any] | None = None, owned: Iterable[Node] = ()
) -> Program:
    """The NumPy program of a graph. `name` names it in tracebacks: `f#3/1`. Warnings count as those of `module`, the
    globals of the user's function. It may write into those of its inputs that are `owned`."""
    return written(ProgramWriter(graph, owned), name, module)


def written(writer: ProgramWriter, name: str, module: Mapping[str, Any] | None = None) -> Program:
    """The program that a writer writes."""
    source = writer.source()
    return program(source, writer.sources, writer.constants, writer.graph, name, module)


def program(
    source: str,
    sources: dict[int, Source],
    constants: dict[str, Any],
    graph: Graph,
    name: str,
    module: Mapping[str, Any] | None = None,
) -> Program:
    """The program of a graph that has this source."""
    code, users = _compiled(source, tuple(sources.items()))
    return program_of(users or code, source, sources, constants, graph.name, graph.captures, name, module)


def program_like(earlier: Program, graph: Graph, name: str, module: Mapping[str, Any] | None = None) -> Program:
    """The program of a graph that has one program with an earlier one (`same_program`)."""
    code, constants = earlier.function.__code__, earlier.constants
    return program_of(code, earlier.source, earlier.sources, constants, graph.name, graph.captures, name, module)


def program_of(
    code: types.CodeType,
    source: str,
    sources: Mapping[int, Source],
    constants: dict[str, Any],
    graph_name: str,
    captures: tuple[Node, ...],
    name: str,
    module: Mapping[str, Any] | None,
) -> Program:
    """The program of compiled source. `code` is at the lines of the user's code, where `sources` has some."""
    file = f"<tracefn program {name} ({next(_numbers)})>"
    namespace = {**_GLOBALS, **_warnings_of(module or {}), "np": own_numpy, **constants}
    function = types.FunctionType(code if sources else code.replace(co_filename=file), namespace)
    while _gone:
        linecache.cache.pop(_gone.popleft(), None)
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    made = Program(function_name(graph_name), source, file, constants, captures, sources, function)
    weakref.finalize(made, _gone.append, file)
    return made


@functools.lru_cache(maxsize=256)
def _compiled(source: str, lines: tuple[tuple[int, Source], ...]) -> tuple[types.CodeType, types.CodeType | None]:
    """The code of a program, at its own lines and at those of the user's code, if it has some. Graphs that differ in
    lengths or dtypes alone often have the same program."""
    code = next(c for c in compile(source, "<tracefn program>", "exec").co_consts if isinstance(c, types.CodeType))
    return code, at_users_lines(code, dict(lines)) if lines else None


def _warnings_of(module: Mapping[str, Any]) -> dict[str, Any]:
    """The globals of a module that Python's warnings look up: its name, and the warnings shown already."""
    return {name: module[name] for name in ("__name__", "__warningregistry__") if name in module}


def _writes(graph: Graph) -> bool:
    """True if a graph, or a body in it, writes into arrays."""
    return "write" in graph.styles or any(_writes(body.graph) for body in graph.bodies)


class ProgramWriter(Writer):
    """Writes the source of one program: dead arrays are deleted, or written into."""

    def __init__(self, graph: Graph, owned: Iterable[Node] = ()) -> None:
        super().__init__(graph)
        self.captures = graph.captures
        self.constants: dict[str, Any] = {}
        self.nodes: dict[int, Node] = {}
        self._marked: list[Node] = []
        self._reuse: dict[Node, Node] = {}
        self._dead: dict[Node, list[Node]] = {}
        self._taken: dict[Node, Node] = {}  # rows of arrays that loops give their bodies
        self._borrowed: set[Node] = set()  # known by the name of an argument, or of a variable around the body
        self._owned = self.ownership(graph, owned)
        self.enter(graph)

    def ownership(self, graph: Graph, owned: Iterable[Node]) -> Ownership | None:
        """Which writes go into arrays themselves. None where there are no writes."""
        return Ownership(graph, owned) if _writes(graph) else None

    def enter(self, graph: Graph) -> None:
        if CONSTANT in graph.ops:
            self.constants |= {self.names[n]: n.args[0].value for n in graph.nodes if n.op is CONSTANT}
        buffers = Buffers(graph)
        self._reuse |= buffers.reuse
        self._dead |= buffers.dead_after

    def coalesced(self, graph: Graph, known: Mapping[Node, str], results: Sequence[str]) -> Mapping[Node, str]:
        return coalesced(graph, known, results, self._taken)

    def source(self) -> str:
        """The source. `nodes` then has the nodes of its lines."""
        arguments = (*self.graph.inputs, *self.captures)
        body = [line for node in arguments for line in self.lengths(node)] + self.statements()
        outputs = [self.names[n] for n in self.graph.outputs]
        body.append("return " + (outputs[0] if len(outputs) == 1 else f"({', '.join(outputs)})"))
        parameters = ", ".join(self.names[n] for n in arguments)
        lines = [f"def {function_name(self.graph.name)}({parameters}):"]
        for number, line in enumerate(body, 2):
            text, _, mark = line.partition(_MARK)
            lines.append(text)
            if mark:
                self.nodes[number] = self._marked[int(mark)]
        return "\n    ".join(lines) + "\n"

    @property
    def sources(self) -> dict[int, Source]:
        """Where in the user's code the nodes of the lines were made."""
        return {line: node.source for line, node in self.nodes.items() if node.source is not None}

    def lines_of(self, node: Node) -> list[str]:
        """The lines of a node, each with a mark that says of which."""
        if node in self._taken:
            return []
        if node.op.name == "for_loop":
            self._taken |= rows_taken(node)
        mark = f"{_MARK}{len(self._marked)}"
        self._marked.append(node)
        return [line if _MARK in line else line + mark for line in super().lines_of(node)]

    def rounds(self, node: Node, index: str, bounds: list[str]) -> str:
        """Over the rows of arrays where the body reads these."""
        taken = rows_taken(node)
        if not taken:
            return super().rounds(node, index, bounds)
        rows, arrays = [self.names[n] for n in taken], [self.names[n] for n in taken.values()]
        row, each = ", ".join(rows), arrays[0] if len(rows) == 1 else f"zip({', '.join(arrays)})"
        if needs_number(node.args[3], taken):
            return f"for {index}, {row if len(rows) == 1 else f'({row})'} in enumerate({each}):"
        return f"for {row} in {each}:"

    def assignment(self, node: Node) -> str:
        reused = self._reuse.get(node)
        out = self.names[reused] if reused else ""
        if out and node.op is POWER:  # NumPy has no function with an `out=` that has the same bits
            power = argument_sources(node, self.names, self.literal)[1]
            return "; ".join([f"{out} **= {power}", f"{self.targets(node)} = {out}", *self._deletions(node)])
        call = method_source(node, self.names, self.literal) or call_source(node, self.names, self.literal, out)
        line = f"{self.targets(node)} = {call}"
        return "; ".join([line, *self._deletions(node)])

    def special(self, node: Node, lines: Callable[[str, list[str]], list[str]]) -> list[str]:
        if self._owned is not None and node in self._owned.in_place:
            base = node.inputs[node.args[0].index]
            written = self.writing(node, self.names[base])
            self.names[node] = self.names[base]  # which is dead
            if base.is_leaf or base in self._borrowed:
                self._borrowed.add(node)
            return ["; ".join(written), *self._deletions(node)]
        if node.op is UPDATE and self._owned is not None:
            target, value = node.inputs
            names = self.names[value], self.names[target]
            self.names[node] = self.names[target]
            self._borrowed.add(node)
            if names[0] == names[1]:
                return []
            group = self._owned.group  # nothing is known of arrays inside of bodies
            if group.get(target, value) is group.get(value, target):  # written into itself, perhaps not on every way
                return ["if {} is not {}: ".format(*names) + "; ".join(super().special(node, lines))]
        return super().special(node, lines) + self._deletions(node)

    def before_round(self, node: Node, state: Any, variables: list[str]) -> list[str]:
        """Copies targets of writes that must stay, in the first round: without a round, an array from before the loop
        is the one after it."""
        copied = sorted(self._owned.copied.get(node, ())) if self._owned is not None else []
        first = self._of(node, state)
        return [f"if {variables[i]} is {first[i]}: {variables[i]} = {variables[i]}.copy('K')" for i in copied]

    def control(self, node: Node) -> list[str]:
        return super().control(node) + self._deletions(node)

    def _deletions(self, node: Node) -> list[str]:
        if (last := self._dead.get(node)) is None:
            return []
        names, kept = self.names, self.names.get(node)
        dead = [names[n] for n in last if n not in self._borrowed and names[n] != kept]
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
