"""LLVM IR of a kernel of loops: branches and loops over scalars, elements of arrays, and slices.

What is written into is a new array, or an argument of which a copy is kept, so that a kernel can be left at any point,
and NumPy does the work from the start.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ....ir.dims import Dim
from ....ir.graph import Graph, Node
from ....ir.op import CONSTANT, DIM, ITEM
from ....ir.template import SliceOf
from ....ir.types import Kind, python
from ...machine.processor import vector_bits
from ..scalar.emitter import llvm_type
from ..scalar.module import Code
from .arrays import Array, is_array
from .checked import INT, Unfit
from .function import function_code
from .interrupts import Rounds
from .marks import marks
from .results import Results
from .scalars import Number, emit
from .scatter import is_scatter
from .value_ranges import Unproved
from .values import Value
from .versioning import Ahead
from .writes import Owners, items_of, owners_of

STAGED = ("while_loop", "for_loop")

FEW = 16
"""Loops of fewer rounds are over before it is proved that nothing must be checked,"""
LONG = 100
"""and bodies of more operations are not written twice."""


@dataclasses.dataclass(frozen=True, eq=False)
class LoopCode:
    """The code of a kernel. `lengths` are the open lengths of its frame, `made` tell dtypes and shapes of its new
    arrays, `kept` which of these keep the content of arguments that are `written` into, `room` the bytes of its own
    memory. `results` say for each output what it is: the number of a "scalar" result, of a "made" array, or of
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
    noted: set[Node] = set()  # and those where it is noted what their elements were
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


class _Writer(Results):
    def __init__(
        self,
        graph: Graph,
        owners: Owners,
        apart: Collection[tuple[Node, int]],
        unkept: Collection[Node],
        noted: Collection[Node],
    ) -> None:
        super().__init__(graph, owners, apart, unkept, noted)
        self._rounds = Rounds(self.e)
        self.current: Node | None = None  # of the graph itself

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

    def _call(self, node: Node) -> list[Value]:
        body, operands = node.args
        return self._body(body.graph, self.operands(node, operands))

    def _body(self, graph: Graph, given: Sequence[Value]) -> list[Value]:
        """The results of a body with these inputs."""
        for node, value in zip(graph.inputs, given, strict=True):
            if not _same(value, node):
                raise Unfit(f"a {node.type!r} may be something else")
            self.known[node] = value
        self._nodes(graph)
        return [self.value(n) for n in graph.outputs]

    def _branches(self, node: Node) -> list[Value]:
        e = self.e
        choice, *bodies, operands = node.args
        given = self.operands(node, operands)
        picked = self.number(choice, node)
        variables = [None if t.kind is Kind.ARRAY else e.variable(llvm_type(t.dtype)) for t in node.types]
        after, starts = e.block("joined"), [e.block("branch") for _ in bodies]
        if node.op.name == "cond":
            e.branch(e.is_true(picked.name, picked.dtype), *starts)
        else:
            if e.ahead is not None:
                raise Unproved("a switch")
            if picked.dtype.kind not in "iu":
                raise Unfit("a switch on something else than an integer")
            index = e.fitting(picked.name, picked.dtype, INT)
            count = len(bodies)
            cases = [f"i64 {k}, label %{start}" for i, start in enumerate(starts) for k in (i, i - count)]
            e.put(f"switch i64 {index}, label %{e.way_out} [{' '.join(cases)}]")
        arrays = {k: self.own(node, k) for k, t in enumerate(node.types) if (node, k) in self.apart}
        for start, body in zip(starts, bodies, strict=True):
            e.begin(start)
            outputs = self._body(body.graph, given)
            for k, (output, variable) in enumerate(zip(outputs, variables, strict=True)):
                if isinstance(output, Array):
                    if (node, k) in self.apart:
                        self.copy_to_own(output, arrays[k])
                    elif arrays.setdefault(k, output) is not output:
                        self.missing.add((node, k))
                else:
                    self._store(output, node.types[k], variable)
            e.jump(after)
        e.begin(after)
        for k in arrays:
            if (node, k) in self.missing:
                arrays[k] = self.own(node, k)
        return [arrays[k] if k in arrays else self._load(t, variables[k]) for k, t in enumerate(node.types)]

    def _store(self, value: Number, wanted: Any, variable: str | None) -> None:
        if variable is None or (value.type.kind, value.dtype) != (wanted.kind, wanted.dtype):
            raise Unfit(f"{value.type!r} where {wanted!r} was expected")
        self.e.put(f"store {llvm_type(value.dtype)} {value.name}, ptr {variable}")
        if self.e.ahead is not None:
            self.e.ahead.stored.setdefault(variable, []).append(value.name)

    def _load(self, wanted: Any, variable: str | None) -> Number:
        return Number(self.e.do(f"load {llvm_type(wanted.dtype)}, ptr {variable}"), wanted)

    def _start(self, node: Node, state: Any) -> tuple[list[Value], list[str | None]]:
        """The first values of a loop's variables, and where those that are scalars are kept."""
        first = self.operands(node, state)
        for k in self.written.get(node, ()):
            old = first[k]
            assert isinstance(old, Array)
            if k in self.taken.get(node, ()) or not old.memory.is_own:
                first[k] = self.copy_for_rounds(node, k, old)
        for k in range(len(first)):
            if (node, k) in self.apart:
                own, old = self.own(node, k), first[k]
                assert isinstance(old, Array)
                self.copy_into(old, own)
                first[k] = own
        variables: list[str | None] = []
        for value, wanted in zip(first, node.types, strict=True):
            variables.append(None if isinstance(value, Array) else self.e.variable(llvm_type(wanted.dtype)))
            if isinstance(value, Number):
                self._store(value, wanted, variables[-1])
        return first, variables

    def _current(self, node: Node, first: list[Value], variables: list[str | None]) -> list[Value]:
        return [
            v if isinstance(v, Array) else self._load(t, variable)
            for v, t, variable in zip(first, node.types, variables, strict=True)
        ]

    def _end_round(self, node: Node, first: list[Value], outputs: list[Any], variables: list[Any]) -> None:
        """Gives the variables of a loop their next values."""
        memories = [v.memory for v in first if isinstance(v, Array)]
        moved: list[tuple[Array, Array]] = []
        for k, (old, output, wanted, variable) in enumerate(zip(first, outputs, node.types, variables, strict=True)):
            if isinstance(output, Number):
                if self.e.ahead is None or not self.e.ahead.notes(k, output.name, output.dtype, variable):
                    self._store(output, wanted, variable)
            elif output is not old:
                if (node, k) not in self.apart:
                    self.missing.add((node, k))
                    continue
                if output.memory in memories:  # which the others change
                    output = self.copied(output)
                assert isinstance(old, Array)
                moved.append((output, old))
        for output, old in moved:
            self.copy_to_own(output, old)

    def _after(self, node: Node, first: list[Value], variables: list[str | None]) -> list[Value]:
        """The results of a loop."""
        for k in range(len(first)):
            if (node, k) in self.missing:  # all that follows then sees what it will see the next time
                first[k] = self.own(node, k)
        return self._current(node, first, variables)

    def _while(self, node: Node) -> list[Value]:
        e = self.e
        test, body, state, operands = node.args
        first, variables = self._start(node, state)
        given = self.operands(node, operands)
        head, inside, done = e.block("while"), e.block("body"), e.block("done")
        e.jump(head)
        self.depth += 1
        work = self.work
        e.begin(head)
        values = self._current(node, first, variables)
        (condition,) = self._body(test.graph, [*values, *given])
        assert isinstance(condition, Number)
        e.branch(e.is_true(condition.name, condition.dtype), inside, done)
        e.begin(inside)
        self._end_round(node, first, self._body(body.graph, [*values, *given]), variables)
        self._rounds.again(head, 1 + self.work - work)
        self.depth -= 1
        e.begin(done)
        return self._after(node, first, variables)

    def _for(self, node: Node) -> list[Value]:
        e = self.e
        *bounds, body, state, operands = node.args
        start, stop, step = [self.integer(b, node) for b in bounds]
        first, variables = self._start(node, state)
        given = self.operands(node, operands)
        index = e.variable("i64")
        e.put(f"store i64 {start}, ptr {index}")
        together = step in ("1", "-1") and not has_loops(body.graph) and not self._has_arrays(body.graph)
        if not step.lstrip("-").isdigit():
            e.leave_if(e.compare("eq", INT, step, "0"))
        elif step == "0":
            raise Unfit("a range without step")
        entry, head, inside, latch, done = [e.block(b) for b in ("enter", "for", "body", "latch", "done")]
        broken, finished = (e.block("broken"), e.block("finished")) if together else (done, done)
        e.jump(entry)
        self.depth += 1
        work = self.work
        e.begin(entry)
        begun = e.do(f"load i64, ptr {index}")
        limit = self._rounds.limit(begun, stop, step) if together else stop
        loop = _Range(node, first, variables, given, index, begun, limit, step)
        if together and len(body.graph.outputs) == len(first) and len(body.graph.nodes) <= LONG:
            self._unchecked(loop, head, finished)
        else:
            e.jump(head)
        outputs = self._round(loop, (head, inside, finished))
        for going in outputs[len(first) :]:
            assert isinstance(going, Number)
            e.branch(e.is_true(going.name, going.dtype), latch, broken)
        if len(outputs) == len(first):
            e.jump(latch)
        e.begin(latch)
        if together:
            e.put(f"br label %{head}, {e.loop()}")
        else:
            self._rounds.again(head, 1 + self.work - work)
        if together:
            e.begin(broken)
            self._rounds.count_from(begun, index, step)
            e.jump(done)
            e.begin(finished)
            resume, now = e.block("resume"), self._rounds.count_from(begun, index, step)
            e.branch(self._goes_on(now, stop, step), resume, done)
            e.begin(resume)
            self._rounds.again(entry)
        self.depth -= 1
        e.begin(done)
        return self._after(node, first, variables)

    def _round(self, loop: _Range, blocks: tuple[str, str, str]) -> list[Value]:
        """A round of a loop over a range: the blocks are its head, its body and what comes behind it. The results of
        its body."""
        e, (head, inside, behind) = self.e, blocks
        e.begin(head)
        i = e.do(f"load i64, ptr {loop.index}")
        e.branch(self._goes_on(i, loop.limit, loop.step), inside, behind)
        e.begin(inside)
        values = self._current(loop.node, loop.first, loop.variables)
        if e.ahead is not None:
            e.ahead.is_index(i)
            for k, value in enumerate(values):
                if isinstance(value, Number):
                    values[k] = dataclasses.replace(value, name=e.ahead.state(k, value.name))
        outputs = self._body(loop.node.args[3].graph, [Number(i, python(int)), *values, *loop.given])
        self._end_round(loop.node, loop.first, outputs[: len(loop.first)], loop.variables)
        if e.ahead is None and loop.step not in ("1", "-1"):
            following = e.checked("add", INT, i, loop.step)
        else:
            following = e.do(f"add nsw i64 {i}, {loop.step}")
        e.put(f"store i64 {following}, ptr {loop.index}")
        return outputs

    def _unchecked(self, loop: _Range, checked: str, finished: str) -> None:
        """A form of a loop whose rounds check nothing, and what tells ahead of it whether it will do. The form that
        checks begins at `checked`."""
        e, work, lines, allocas, depth = self.e, self.work, self.e.lines, len(self.e.allocas), len(self.graphs)
        proof, head, inside, behind, again = [e.block(b) for b in ("proof", "sure", "body", "behind", "again")]
        ends = (loop.limit, loop.begun) if loop.step == "1" else (loop.begun, loop.limit)
        rounds = e.do("sub i64 {}, {}".format(*ends))
        e.branch(e.compare("slt", INT, rounds, str(FEW)), checked, proof)
        ahead = e.ahead = Ahead(e, loop.begun, loop.limit, int(loop.step), rounds)
        numbers = {k: (loop.node.types[k].dtype, v) for k, v in enumerate(loop.variables) if v is not None}
        starts = {k: ahead.starts(k, dtype, variable) for k, (dtype, variable) in numbers.items()}
        ahead.marks = marks(loop.node)
        try:
            e.lines = []
            outputs = self._round(loop, (head, inside, behind))
            for k, output in enumerate(outputs):
                if isinstance(output, Number):
                    ahead.ends(k, output.name, output.dtype)
            ahead.ends_all(e.lines)
        except Unproved:
            e.lines = [*lines[:-1], f"br label %{checked}"]
            del e.allocas[allocas:]
            e.integer_faults, e.out_of_range = [], []
            return
        finally:
            e.ahead, self.work = None, work
            del self.graphs[depth:]  # those of bodies that were not written to their end
        e.put(f"br label %{head}, {e.loop()}")
        if ahead.is_straight:
            width = vector_bits() // (8 * max(ahead.widths, default=8))
            e.vectors[e.loops + 1] = width, ahead.may_raise_more(e.lines)
        rounds_of_it, e.lines = e.lines, lines
        restored = [f"store i64 {loop.begun}, ptr {loop.index}"]
        restored += [f"store {llvm_type(t)} {starts[k]}, ptr {variable}" for k, (t, variable) in numbers.items()]
        ahead.surround(rounds_of_it, restored, (proof, head, behind, again), checked, finished)

    def _goes_on(self, i: str, stop: str, step: str) -> str:
        e = self.e
        up, down = e.compare("slt", INT, i, stop), e.compare("sgt", INT, i, stop)
        if step.lstrip("-").isdigit():
            return up if int(step) > 0 else down
        return e.do(f"select i1 {e.compare('sgt', INT, step, '0')}, i1 {up}, i1 {down}")

    def _read(self, node: Node) -> Number:
        base, index = node.args
        array = self.array(base, node)
        self.settle(array, only_writes=True)
        return Number(self.arrays.read(array, self.indices(index, node)), node.type)

    def _has_arrays(self, graph: Graph) -> bool:
        """True if a graph works on more than elements of arrays. A branch works on what its own graphs work on, unless
        it must copy an array that it gives."""
        inner = [b.graph for n in graph.nodes for b in n.bodies]
        items = {n: (n.inputs[0], n.args[1]) for n in graph.nodes if n.op is ITEM}
        given = {n for n, (branch, k) in items.items() if branch.bodies and (branch, k) not in self.apart}
        nodes = [n for n in graph.nodes if not n.is_leaf and n.container is None and n.op.name != "setitem"]
        slices = any(isinstance(i, SliceOf) for n in graph.nodes if n.op.name == "setitem" for i in items_of(n.args[2]))
        return slices or any(is_array(n) for n in nodes if n not in given) or any(map(self._has_arrays, inner))


_CONTROL: dict[str, Callable[[_Writer, Node], list[Value]]] = {
    "call": _Writer._call,
    "kernel": _Writer._call,
    "cond": _Writer._branches,
    "switch": _Writer._branches,
    "while_loop": _Writer._while,
    "for_loop": _Writer._for,
}

_WRITES: dict[str, Callable[[_Writer, Node], Any]] = {
    "setitem": _Writer.write,
    "ufunc_into": _Writer.write,
    "call_into": _Writer.write,
}


@dataclasses.dataclass(frozen=True, slots=True)
class _Range:
    """A loop over a range: the first values of its variables, where they are kept, what is the same in all rounds, and
    for its index the variable that has it, where it begins, where it ends or pauses, and its step."""

    node: Node
    first: list[Value]
    variables: list[str | None]
    given: list[Value]
    index: str
    begun: str
    limit: str
    step: str


def has_loops(graph: Graph) -> bool:
    """True if there are loops in a graph, or in bodies in it."""
    return any(n.op.name in STAGED or any(has_loops(b.graph) for b in n.bodies) for n in graph.nodes)


def _same(value: Value, node: Node) -> bool:
    """True if a value is what a body was traced for."""
    if isinstance(value, Array):
        kept = value.node.type
        return node.type.kind is Kind.ARRAY and (kept.dtype, kept.shape) == (node.type.dtype, node.type.shape)
    return (value.type.kind, value.dtype) == (node.type.kind, node.type.dtype)
