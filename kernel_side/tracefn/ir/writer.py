"""Graphs as Python statements: one line a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import printing
from .coalescing import same_objects
from .dims import Dim
from .graph import RESERVED, Graph, Node, dimension_symbols, name_nodes, numbered
from .op import CAPTURE, CONSTANT, ITEM, LEAVES, by_name
from .template import Body, ListOf, Ref, dtype_source, source
from .text import (
    argument_sources,
    call_source,
    constant_source,
    function_name,
    keyword_sources,
    scalar_source,
    view_source,
)


class Writer:
    """Writes the statements that compute a graph.

    A subclass says how one node is assigned (`assignment`) and how a value without literal is named (`literal`).
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names = _by_object(graph, dict(graph.names))
        self.parts = _parts(graph)
        self.symbols = graph.used_symbols if graph.type_symbols else frozenset()
        self.bound = graph.symbols
        self.taken = {*self.names.values(), *graph.type_symbols, *RESERVED}
        self._counts: Counter[str] = Counter()
        self._errors: tuple[tuple[str, Any], ...] = ()

    def statements(self, graph: Graph | None = None) -> list[str]:
        """The lines that compute the nodes of the graph, or of one of its bodies, without leaves."""
        around = self._errors
        blocks: list[tuple[tuple[tuple[str, Any], ...], list[str]]] = [(around, [])]
        for node in (self.graph if graph is None else graph).nodes:
            if node.op in LEAVES:
                continue
            self._errors = node.errors or (blocks[-1][0] if node.op is ITEM else around)
            if self._errors != blocks[-1][0]:
                blocks.append((self._errors, []))
            blocks[-1][1].extend([*self.lines_of(node), *self.lengths(node)])
        self._errors = around
        return [line for errors, lines in blocks for line in self._under(errors, lines)]

    def _under(self, errors: tuple[tuple[str, Any], ...], lines: list[str]) -> list[str]:
        """The lines, in a block that sets the handling of floating-point errors where it is not set yet."""
        if errors == self._errors or not lines:
            return lines
        settings = [f"{k}={v!r}" if isinstance(v, str) else f"{k}={self.literal(v)}" for k, v in errors]
        return [f"with np.errstate({', '.join(settings)}):", *_indented(lines)]

    def lines_of(self, node: Node) -> list[str]:
        """The lines that compute one node."""
        if node.op.style == "control":
            return self.control(node)
        if node.op.lines is not None:
            return self.special(node, node.op.lines)
        return [] if node.op is ITEM else [self.assignment(node)]

    def control(self, node: Node) -> list[str]:
        """The lines of a branch or loop."""
        writers: dict[str, Callable[[Node], list[str]]] = {
            "call": self._call,
            "kernel": self._call,
            "recompute": self._call,
            "with_derivative": self._values,
            "cond": self._cond,
            "switch": self._switch,
            "while_loop": self._while,
            "for_loop": self._for,
            "for_each": self._for_each,
            "scan": self._scan,
        }
        return writers[node.op.name](node)

    def _call(self, node: Node) -> list[str]:
        body, operands = node.args
        inner, outputs = self._body(body.graph, self._of(node, operands))
        results = _tuple(self.items(node))
        return [*inner, *([f"{results} = {_tuple(outputs)}"] if results else [])]

    def _values(self, node: Node) -> list[str]:
        return [f"{_tuple(self.items(node))} = {_tuple(self._of(node, node.args[0]))}"]

    def _cond(self, node: Node) -> list[str]:
        pred, if_true, if_false, operands = node.args
        branches = [(f"if {self._of(node, pred)}:", if_true), ("else:", if_false)]
        return self._branches(node, branches, self._of(node, operands))

    def _switch(self, node: Node) -> list[str]:
        index, *bodies, operands = node.args
        name, count = self._of(node, index), len(bodies)
        heads = [f"{'elif' if i else 'if'} {name} in ({i}, {i - count}):" for i in range(count)]
        lines = self._branches(node, list(zip(heads, bodies, strict=True)), self._of(node, operands))
        error = f'raise IndexError(f"switch: index {{{name}}} is outside of its {count} branches")'
        return [*lines, "else:", *_indented([error])]

    def _branches(self, node: Node, branches: list[tuple[str, Body]], given: list[str]) -> list[str]:
        results = self.items(node)
        lines = []
        for head, body in branches:
            inner, outputs = self._body(body.graph, given, results=results)
            inner += _assigned(results, outputs)
            if inner or head != "else:":
                lines += [head, *_indented(inner or ["pass"])]
        return lines

    def _while(self, node: Node) -> list[str]:
        test, body, state, operands = node.args
        variables, lines = self._state(node, state)
        given = [*variables, *self._of(node, operands)]
        inner, (condition,) = self._body(test.graph, given, len(variables))
        lines.append("while True:")
        lines += _indented([*inner, f"if not {condition}: break"])
        first = self.before_round(node, state, variables)
        inner, outputs = self._body(body.graph, given, len(variables), variables)
        return lines + _indented([*first, *inner, *_assigned(variables, outputs)] or ["pass"])

    def _for(self, node: Node) -> list[str]:
        start, stop, step, body, state, operands = node.args
        variables, lines = self._state(node, state)
        index = self._fresh("i")
        first = self.before_round(node, state, variables)
        given = [index, *variables, *self._of(node, operands)]
        inner, outputs = self._body(body.graph, given, 1 + len(variables), variables)
        lines.append(self.rounds(node, index, self._of(node, [start, stop, step])))
        return lines + _indented([*first, *inner, *_end_of_round(variables, outputs)] or ["pass"])

    def rounds(self, node: Node, index: str, bounds: list[str]) -> str:
        """The head of a loop over a range, whose body is written."""
        return f"for {index} in range({', '.join(bounds)}):"

    def _for_each(self, node: Node) -> list[str]:
        elements, body, state, operands = node.args
        variables, lines = self._state(node, state)
        outer = self._of(node, operands)
        items = [self._fresh("e") for _ in range(len(body.graph.inputs) - len(variables) - len(outer))]
        first = self.before_round(node, state, variables)
        given = [*items, *variables, *outer]
        inner, outputs = self._body(body.graph, given, len(items) + len(variables), variables)
        lines.append(f"for {_tuple(items) or '_'} in {self.literal(elements)}:")
        return lines + _indented([*first, *inner, *_end_of_round(variables, outputs)] or ["pass"])

    def _scan(self, node: Node) -> list[str]:
        """Results are written into an array row by row, several times faster than stacking a list of them. They are
        stacked where only the rows tell their shape."""
        body, state, xs, ys, operands = node.args
        variables, lines = self._state(node, state)
        arrays, rows = self._of(node, xs), [self._fresh("x") for _ in xs.items]
        given = [*variables, *rows, *self._of(node, operands)]
        inner, outputs = self._body(body.graph, given, len(variables), variables)
        count, after = len(variables), []
        index = self._fresh("i") if any(None not in shape for _, shape in ys.items) else ""
        results = zip(self.items(node, unused="")[count:], outputs[count:], ys.items, strict=True)
        for name, y, (dtype, shape) in results:
            if name and None in shape:
                lines.append(f"{name} = []")
                inner.append(f"{name}.append({y})")
                empty = source((0, *[n or 0 for n in shape]), lambda i: i.text())
                stacked = f"np.ascontiguousarray(np.stack({name}))"
                after.append(f"{name} = {stacked} if {name} else np.empty({empty}, {dtype_source(dtype)})")
            elif name:
                sizes = ", ".join([f"len({arrays[0]})", *self._of(node, list(shape))])
                lines.append(f"{name} = np.empty(({sizes}{'' if shape else ','}), {dtype_source(dtype)})")
                inner.append(f"{name}[{index}] = {y}")
        inner += _assigned(variables, outputs[:count])
        row = rows[0] if len(rows) == 1 else f"({_tuple(rows)})"
        each = arrays[0] if len(rows) == 1 else f"zip({_tuple(arrays)}, strict=True)"
        head = f"for {index}, {row} in enumerate({each}):" if index else f"for {row} in {each}:"
        return [*lines, head, *_indented(inner or ["pass"]), *after]

    def _state(self, node: Node, state: Any) -> tuple[list[str], list[str]]:
        """The names of a loop's variables, and the line that gives them their first values."""
        variables = [name or self._fresh("s") for name in self.items(node, unused="")[: len(state.items)]]
        return variables, _assigned(variables, self._of(node, state))

    def before_round(self, node: Node, state: Any, variables: list[str]) -> list[str]:
        """The lines with which each round of a loop begins."""
        return []

    def _body(
        self, graph: Graph, given: list[str], variables: int = 0, results: Sequence[str] = ()
    ) -> tuple[list[str], list[str]]:
        """The lines of a body whose inputs have the given names, and the names of its outputs.

        Its first inputs are as many `variables` of a loop: their lengths may differ in each round. Its first outputs
        become the `results`.
        """
        known = dict(zip(graph.inputs, given, strict=True))
        known |= self.coalesced(graph, known, results)
        self.names |= _by_object(graph, name_nodes(graph, known, self.taken, self._counts))
        self.parts |= _parts(graph)
        around, self.bound = self.bound, self.bound | graph.symbols
        self.enter(graph)
        lengths = [
            f"{symbol} = {node.type.length_source(self.names[node], axis)}"
            for symbol, (node, axis) in graph.symbols.items()
            if node in graph.inputs[:variables] and symbol in self.symbols and Dim.symbol(symbol).depends_on_values
        ]
        statements = self.statements(graph)
        self.bound = around
        return lengths + statements, [self.names[n] for n in graph.outputs]

    def enter(self, graph: Graph) -> None:
        """Notes each body before it is written."""

    def coalesced(self, graph: Graph, known: Mapping[Node, str], results: Sequence[str]) -> Mapping[Node, str]:
        """The nodes of a body that have the names of its results. None: in a text to be read each value has its own."""
        return {}

    def _of(self, node: Node, item: Any) -> Any:
        """The source of an argument of a control node, or of each of a list of them."""
        if isinstance(item, list | ListOf):
            return [self._of(node, i) for i in (item if isinstance(item, list) else item.items)]
        return source(item, lambda i: self.names[node.inputs[i.index]] if isinstance(i, Ref) else i.text())

    def _fresh(self, prefix: str) -> str:
        return numbered(prefix, self.taken, self._counts)

    def assignment(self, node: Node) -> str:
        return f"{self.targets(node)} = {call_source(node, self.names, self.literal)}"

    def special(self, node: Node, lines: Callable[[str, list[str]], list[str]]) -> list[str]:
        """The lines of an op that is no expression."""
        if node.op.style == "write":
            target = self.targets(node)
            array = self.names[node.inputs[node.args[0].index]]
            return [f"{target} = {array}.copy('K')", *self.writing(node, target)]
        arguments = argument_sources(node, self.names, self.literal) + keyword_sources(node, self.names, self.literal)
        if node.op.name == "update":  # which is the array itself
            self.names[node] = self.names[node.inputs[0]]
        if node.op.changes:
            others = [] if node.container is None else self.items(node)[1:]
            return lines(_tuple(others) if any(name != "_" for name in others) else "", arguments)
        return lines(self.targets(node), arguments)

    def writing(self, node: Node, array: str) -> list[str]:
        """The lines of a node's write into the array of this name."""
        assert node.op.lines is not None
        if node.op.name == "call_into":
            _, _, name, args = node.args
            call = Node(by_name(name), node.inputs, args, node.kwargs, node.types)
            if call.op.style == "operator":
                operands = argument_sources(call, self.names, self.literal)
                arguments = [f"np.{name}({', '.join(operands)})"]
            else:
                arguments = [call_source(call, self.names, self.literal)]
        else:
            arguments = argument_sources(node, self.names, self.literal)[2:]
            arguments += keyword_sources(node, self.names, self.literal)
        return node.op.lines(view_source(node, array, self.names, self.literal), arguments)

    def literal(self, value: Any) -> str:
        return scalar_source(value)

    def targets(self, node: Node) -> str:
        """The left side of a node's assignment: its name, or the names of its outputs."""
        if node.container is None:
            return self.names[node]
        parts = self.items(node)
        return ", ".join(parts) + ("," if len(parts) == 1 else "")

    def items(self, node: Node, unused: str = "_") -> list[str]:
        """The names of a node's several outputs; `unused` for those that nothing reads."""
        picked = {n.args[1]: self.names[n] for n in self.parts.get(node, ())}
        return [picked.get(i, unused) for i in range(len(node.types))]

    def lengths(self, node: Node) -> list[str]:
        """Lines that read the symbolic lengths which this node is the first to have."""
        found = dimension_symbols(node) & self.symbols if self.symbols else ()
        if not found:
            return []
        name = self.names[node]
        bound = [(s, self.bound.get(s, _UNBOUND)) for s in found]  # a graph may have as many of these as nodes
        axes = sorted((axis, s) for s, (first, axis) in bound if first is node)
        return [f"{s} = {node.type.length_source(name, axis)}" for axis, s in axes]


_UNBOUND: tuple[Node | None, int] = (None, 0)


def _parts(graph: Graph) -> dict[Node, list[Node]]:
    """For each node with several outputs the nodes that pick them."""
    found: dict[Node, list[Node]] = {}
    for node in graph.nodes if ITEM in graph.ops else ():
        if node.op is ITEM:
            found.setdefault(node.inputs[0], []).append(node)
    return found


def _end_of_round(variables: list[str], outputs: list[str]) -> list[str]:
    """The values that a round of a loop leaves; one output more than there are variables says whether the loop goes
    on."""
    lines = _assigned(variables, outputs[: len(variables)])
    lines += [f"if not {going}: break" for going in outputs[len(variables) :]]
    return lines


def _assigned(variables: list[str], values: list[str]) -> list[str]:
    """The line that gives the variables of a loop, or the results of a branch, their values, but for those that have
    them, and those that nothing reads."""
    changed = [(name, value) for name, value in zip(variables, values, strict=True) if name not in (value, "_")]
    return [f"{_tuple([n for n, _ in changed])} = {_tuple([v for _, v in changed])}"] if changed else []


def _by_object(graph: Graph, names: dict[Node, str]) -> dict[Node, str]:
    """The names, with one for each object."""
    return names | {node: names[first] for node, first in same_objects(graph).items()}


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _tuple(names: list[str]) -> str:
    return ", ".join(names)


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
        self._constants: list[str] = []
        self._objects: dict[int, str] = {}

    def text(self) -> str:
        self.enter(self.graph)
        body = [line for node in self.graph.nodes if node.is_leaf for line in self.lengths(node)]
        statements = self.statements()
        body += self._constants + statements
        outputs = ", ".join(self.names[n] for n in self.graph.outputs)
        body.append(f"return {outputs}" if outputs else "return ()")
        positional = [f'{self.names[n]}: "{n.type!r}"' for n in self.graph.inputs]
        parameters = ", ".join(positional + (["*", *self._keywords] if self._keywords else []))
        lines = "\n    ".join(body)
        imports = "import math\n\nimport numpy as np" if "math." in lines else "import numpy as np"
        return f"{imports}\n\n\ndef {function_name(self.graph.name)}({parameters}):\n    {lines}\n"

    def enter(self, graph: Graph) -> None:
        for node in graph.nodes:
            text = constant_source(node) if node.op is CONSTANT else ""
            if text:
                self._constants.append(f"{self.names[node]} = {text}")
            elif node.op in (CAPTURE, CONSTANT):
                self._keywords.append(f'{self.names[node]}: "{node.type!r}"')

    def control(self, node: Node) -> list[str]:
        if node.op.name == "kernel":
            return ["# one kernel:", *super().control(node)]
        head, *lines = super().control(node) or ["pass"]
        return [f"{head}  # line {node.source.line}" if node.source else head, *lines]

    def special(self, node: Node, lines: Callable[[str, list[str]], list[str]]) -> list[str]:
        head, *rest = super().special(node, lines)
        return [f"{head}  # line {node.source.line}" if node.source else head, *rest]

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


printing.graph_text = graph_text
