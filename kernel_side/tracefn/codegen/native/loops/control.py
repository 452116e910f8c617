"""Emits branches and loops: basic blocks, and variables in memory for the values that they carry."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

from ....ir.graph import Graph, Node
from ....ir.op import ITEM
from ....ir.template import SliceOf
from ....ir.types import Kind, python
from ....records import dataclass
from ...machine.processor import vector_bits
from ..scalar.emitter import llvm_type
from .arrays import Array, is_array
from .checked import INT, Unfit
from .interrupts import Rounds
from .marks import marks
from .results import Results
from .scalars import Number
from .value_ranges import Unproved
from .values import Value
from .versioning import Ahead
from .writes import Owners, items_of

STAGED = ("while_loop", "for_loop")

FEW = 16
"""Loops of fewer rounds are over before it is proved that nothing must be checked,"""
LONG = 100
"""and bodies of more operations are not written twice."""


@dataclass(frozen=True, slots=True)
class _Range:
    """A loop over a range: the first values of its variables, where they are kept, the values that no round changes,
    and for its index the variable that has it, where it begins, where it ends or pauses, and its step."""

    node: Node
    first: list[Value]
    variables: list[str | None]
    given: list[Value]
    index: str
    begun: str
    limit: str
    step: str


class Control(Results):
    """Emits branches and loops around bodies. The writer of the whole kernel says how a `body` is emitted."""

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

    def body(self, graph: Graph, given: Sequence[Value]) -> list[Value]:
        """The results of a body with these inputs."""
        raise NotImplementedError

    def run(self, node: Node) -> list[Value]:
        """The results of a call of a body."""
        body, operands = node.args
        return self.body(body.graph, self.operands(node, operands))

    def branches(self, node: Node) -> list[Value]:
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
            outputs = self.body(body.graph, given)
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
            if (node, k) in self.missing:  # all later code then sees the same as the next time
                first[k] = self.own(node, k)
        return self._current(node, first, variables)

    def while_loop(self, node: Node) -> list[Value]:
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
        (condition,) = self.body(test.graph, [*values, *given])
        assert isinstance(condition, Number)
        e.branch(e.is_true(condition.name, condition.dtype), inside, done)
        e.begin(inside)
        self._end_round(node, first, self.body(body.graph, [*values, *given]), variables)
        self._rounds.again(head, 1 + self.work - work)
        self.depth -= 1
        e.begin(done)
        return self._after(node, first, variables)

    def for_loop(self, node: Node) -> list[Value]:
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
        """A round of a loop over a range: the blocks are its head, its body and the code behind it. The results of
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
        outputs = self.body(loop.node.args[3].graph, [Number(i, python(int)), *values, *loop.given])
        self._end_round(loop.node, loop.first, outputs[: len(loop.first)], loop.variables)
        if e.ahead is None and loop.step not in ("1", "-1"):
            following = e.checked("add", INT, i, loop.step)
        else:
            following = e.do(f"add nsw i64 {i}, {loop.step}")
        e.put(f"store i64 {following}, ptr {loop.index}")
        return outputs

    def _unchecked(self, loop: _Range, checked: str, finished: str) -> None:
        """A version of a loop without bounds checks, and the condition before it that selects it. The form that
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

    def _has_arrays(self, graph: Graph) -> bool:
        """True if a graph works on more than elements of arrays. A branch works on the elements or arrays of its own
        graphs, unless it must copy an array that it gives."""
        inner = [b.graph for n in graph.nodes for b in n.bodies]
        items = {n: (n.inputs[0], n.args[1]) for n in graph.nodes if n.op is ITEM}
        given = {n for n, (branch, k) in items.items() if branch.bodies and (branch, k) not in self.apart}
        nodes = [n for n in graph.nodes if not n.is_leaf and n.container is None and n.op.name != "setitem"]
        slices = any(isinstance(i, SliceOf) for n in graph.nodes if n.op.name == "setitem" for i in items_of(n.args[2]))
        return slices or any(is_array(n) for n in nodes if n not in given) or any(map(self._has_arrays, inner))


def has_loops(graph: Graph) -> bool:
    """True if there are loops in a graph, or in bodies in it."""
    return any(n.op.name in STAGED or any(has_loops(b.graph) for b in n.bodies) for n in graph.nodes)
