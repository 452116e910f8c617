"""LLVM IR of a kernel of loops: branches and loops over scalars, elements of arrays, and slices.

The target of a write is a new array, or an argument of which a copy is kept, so that a kernel can be left at any point,
and NumPy does the work from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ....ir.dims import Dim
from ....ir.graph import Graph, Node
from ....ir.op import CONSTANT, DIM, ITEM
from ....ir.types import Kind
from ....records import dataclass
from ..scalar.module import Code
from .arrays import Array
from .checked import Unfit
from .control import Control
from .function import function_code
from .scalars import Number, emit
from .scatter import is_scatter
from .values import Value
from .writes import owners_of


@dataclass(frozen=True, eq=False)
class LoopCode:
    """The code of a kernel. `lengths` are the open lengths of its frame, `made` has dtypes and shapes of its new
    arrays, `kept` which of these keep the content of arguments that are `written` into, `room` the bytes of its own
    memory. `results` describe each output: the number of a "scalar" result, of a "made" array, or of
    an "argument". `is_exact`: results are NumPy's to the bit. `is_ordered`: results depend on the order in which NumPy
    goes over the elements of arguments."""

    code: Code
    lengths: tuple[Dim, ...]
    made: tuple[Node, ...]
    kept: tuple[bool, ...]
    written: frozenset[Node]
    room: int
    results: tuple[tuple[str, int], ...]
    is_exact: bool
    is_ordered: bool


def loop_code(graph: Graph, owned: Collection[Node] = (), fresh: Collection[Node] = ()) -> LoopCode:
    """The code of a graph. `owned` are the arguments that the caller sees changed, and `fresh`
    others that may be. Raises Unfit where it does something that is not computed natively."""
    apart: set[tuple[Node, int]] = set()
    unkept: set[Node] = set()  # arguments of which no copy is needed,
    noted: set[Node] = set()  # and those whose old elements are noted
    never: set[Node] = set()
    owners = owners_of(graph, owned, fresh)
    while True:
        writer = _Writer(graph, owners, apart, unkept, noted)
        try:
            code = writer.kernel()
        except Unfit as unfit:
            if not writer.missing:
                unfit.at = graph.nodes.index(writer.current) if writer.current is not None else None
                raise
        needless, notable = writer.needless(), writer.notable()
        never |= (unkept - needless) | (noted - notable)
        both = (unkept | needless) - never, (noted | (notable - needless)) - unkept - never
        if not writer.missing and both == (unkept, noted):
            return code
        apart |= writer.missing
        unkept, noted = both


class _Writer(Control):
    current: Node | None = None
    """The node of the graph itself that is emitted."""

    def kernel(self) -> LoopCode:
        self._nodes(self.graph)
        self.current = None
        if self.e.undo:
            self.e.leave_where_flagged()
        results: list[tuple[str, int]] = []
        scalars: list[Number] = []
        outputs = [self._result(n) for n in self.graph.outputs]
        for output in outputs:
            if isinstance(output, Number):
                results.append(("scalar", len(scalars)))
                scalars.append(output)
            elif output in self.arrays.made:
                results.append(("made", self.arrays.made.index(output)))
            else:
                results.append(("argument", self.graph.inputs.index(output.node)))
        made = tuple([a.node for a in self.arrays.made])
        written = {a.node for a in self.arrays.made if a.keeps} | set(self.unkept)
        code = function_code(self.e, self.graph, len(self.lengths), self.arrays.made, written, scalars, self.nests)
        kept = tuple([a.keeps for a in self.arrays.made])
        return LoopCode(
            code,
            tuple(self.lengths),
            made,
            kept,
            frozenset(written),
            self.arrays.room,
            tuple(results),
            self.is_exact and not code.functions,
            self.is_ordered,
        )

    def _result(self, node: Node) -> Value:
        """An output of the kernel: a number, an argument, or an array that Python has made."""
        found = self.value(node)
        if isinstance(found, Number):
            if found.type.kind is Kind.ARRAY:
                raise Unfit("a result is an array without axes")
            return found
        if found in self.arrays.made or found.node in self.graph.inputs and found is self.known[found.node]:
            return found
        if not found.is_dense or not found.memory.is_own:
            raise Unfit("a result is a view")
        made = self.arrays.new(node, found.lengths)
        self.copy_into(found, made)
        return made

    def _nodes(self, graph: Graph) -> None:
        self.graphs.append(graph)
        for node in graph.nodes:
            if graph is self.graph:
                self.current = node
            if node.op is CONSTANT and not node.type.shape and node not in self.known:
                self.known[node] = self.constant(node)
            elif not node.is_leaf or node.op is ITEM:
                self._node(node)
        self.flush()
        self.graphs.pop()

    def _node(self, node: Node) -> None:
        name = node.op.name
        if node.op.style == "control":
            self.flush()
        if node.op is ITEM:
            self.known[node] = self.item(node)
        elif node.op is DIM:
            self.known[node] = self.number(node.args[0], node)
        elif (control := _CONTROL.get(name)) is not None:
            self.several[node] = control(self, node)
        elif (write := _WRITES.get(name)) is not None or is_scatter(node):
            self.known[node] = (write or _Writer.write)(self, node)
        elif self.array_node(node):
            pass
        elif name == "getitem":
            self.known[node] = self._read(node)
        elif node.op.style == "control" or not node.op.pure:
            raise Unfit(f"{name} is not computed natively")
        else:
            self.known[node] = Number(emit(self.e, node, lambda item: self.number(item, node)), node.type)

    def body(self, graph: Graph, given: Sequence[Value]) -> list[Value]:
        """The results of a body with these inputs."""
        for node, value in zip(graph.inputs, given, strict=True):
            if not _same(value, node):
                raise Unfit(f"a {node.type!r} may be something else")
            self.known[node] = value
        self._nodes(graph)
        return [self.value(n) for n in graph.outputs]

    def _read(self, node: Node) -> Number:
        base, index = node.args
        array = self.array(base, node)
        self.settle(array, only_writes=True)
        return Number(self.arrays.read(array, self.indices(index, node)), node.type)


_CONTROL: dict[str, Callable[[_Writer, Node], list[Value]]] = {
    "call": _Writer.run,
    "kernel": _Writer.run,
    "cond": _Writer.branches,
    "switch": _Writer.branches,
    "while_loop": _Writer.while_loop,
    "for_loop": _Writer.for_loop,
}

_WRITES: dict[str, Callable[[_Writer, Node], Any]] = {
    "setitem": _Writer.write,
    "ufunc_into": _Writer.write,
    "call_into": _Writer.write,
}


def _same(value: Value, node: Node) -> bool:
    """True if a value is of the type that a body was traced for."""
    if isinstance(value, Array):
        kept = value.node.type
        return node.type.kind is Kind.ARRAY and (kept.dtype, kept.shape) == (node.type.dtype, node.type.shape)
    return (value.type.kind, value.dtype) == (node.type.kind, node.type.dtype)
