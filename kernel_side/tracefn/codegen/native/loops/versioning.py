"""Checks that the rounds of an innermost loop can leave out: proved ahead of the loop, or noted on the way.

The checks of a round (is an index inside, does an integer fit) are ways out of the loop, and LLVM makes no vectors of a
loop that has any. Here code ahead of the loop looks once whether all rounds are fine, by the ranges of their integers.
Conditions on the elements of arrays are noted in the rounds and checked after the loop.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

from ..scalar.emitter import DType, llvm_type
from .value_ranges import BINARY, LOAD, SELECT, BlockEmitter, Range, Ranges, Unproved, is_known


class Ahead(Ranges):
    """Proves the preconditions of a loop before it runs. `flagged` is the variable that says after the loop whether a
    round should have left the kernel. `is_straight`: LLVM can vectorise the loop. Its rounds access consecutive
    elements, of `widths` bytes, and can be reordered. `marks` maps variables to the one number that rounds set them to;
    other rounds leave them unchanged."""

    def __init__(self, emitter: BlockEmitter, begun: str, limit: str, step: int, rounds: str) -> None:
        super().__init__(emitter)
        self.flagged: str | None = None
        self.writes = False
        self.is_straight = True
        self.widths: set[int] = set()
        self.marks: dict[int, int] = {}
        self._rounds = rounds
        last = self.before.do(f"{'sub' if step > 0 else 'add'} i64 {limit}, 1")
        self._index = Range(begun, last) if step > 0 else Range(last, begun)
        self._step = step
        self._strides: dict[str, int | None] = {}
        self._seen: dict[Hashable, list[tuple[tuple[str, ...], bool]]] = {}
        self._starts: dict[int, list[str]] = {}  # the values that the variables of the loop may be set to,
        self._moves: dict[int, list[Range]] = {}  # and by how much each addition moves them

    # --- facts about registers

    def is_index(self, register: str) -> None:
        """Tells that a register has the loop's index."""
        self._ranges[register] = self._index
        self._strides[register] = self._step

    def starts(self, which: int, dtype: DType, variable: str) -> str:
        """The register of the value that a variable of the loop has ahead of it."""
        start = self.before.do(f"load {llvm_type(dtype)}, ptr {variable}")
        self._starts[which] = [start]
        return start

    def state(self, which: int, register: str) -> str:
        """The register of a variable of the loop at the start of a round. `register` has the value read from it."""
        if which in self.marks:
            return _unlike(self.marks[which])
        self.states[register] = which
        return register

    # --- effects of rounds

    def leave_if(self, condition: str) -> None:
        """Proves that a condition is false in all rounds, or notes where it is true."""
        instruction = self.defined.get(condition)
        if instruction is None:
            if condition != "false":
                self.before.bad.append(condition)
            return
        if found := _BEYOND.fullmatch(instruction):
            try:
                known = self.range(found[2])
            except Unproved:
                pass
            else:
                if found[1] == "sgt":
                    self._part(known).require("sle", known.high, found[3])
                else:
                    self._part(known).require("sge", known.low, found[3])
                return
        e = self._e
        if self.flagged is None:
            self.flagged = e.variable("i1")
            self.before.lines.append(f"store i1 false, ptr {self.flagged}")
        before = e.do(f"load i1, ptr {self.flagged}")
        e.put(f"store i1 {e.do(f'or i1 {before}, {condition}')}, ptr {self.flagged}")

    def checked(self, operation: str, dtype: DType, left: str, right: str) -> str:
        """`add`, `sub` or `mul` of integers, which have room for the result."""
        e, kind = self._e, llvm_type(dtype)
        if dtype.itemsize < 8:
            wider = "sext" if dtype.kind == "i" else "zext"
            a, b = [e.do(f"{wider} {kind} {x} to i64") for x in (left, right)]
            wide = e.do(f"{operation} i64 {a}, {b}")
            narrow = e.do(f"trunc i64 {wide} to {kind}")
            self.leave_if(e.do(f"icmp ne i64 {e.do(f'{wider} {kind} {narrow} to i64')}, {wide}"))
            return narrow
        if dtype.kind == "u":
            raise Unproved("integers without sign")
        if self._moved(operation, left, right):
            return e.do(f"{operation} i64 {left}, {right}")
        known = self._computed(operation, self.range(left), self.range(right))
        result = e.do(f"{operation} {'' if known.is_late else 'nsw '}i64 {left}, {right}")
        self._ranges[result] = known
        return result

    def _moved(self, operation: str, left: str, right: str) -> bool:
        """True if something is added to a variable of the loop, or to its value in this round."""
        ways = {"add": [(left, right), (right, left)], "sub": [(left, right)], "mul": []}
        for state, other in ways[operation]:
            if (which := self._state_of(state)) is not None and self._state_of(other) is None:
                self._moves.setdefault(which, []).append(self.range(other))
                return True
        return False

    def _state_of(self, value: str) -> int | None:
        """The variable of the loop of which a value came about by additions. None if it came about otherwise."""
        if value in self.states or value not in self.defined:
            return self.states.get(value)
        instruction = self.defined[value]
        if (found := BINARY.fullmatch(instruction)) and found[1] in ("add", "sub"):
            which = self._state_of(found[2])
            return which if which is not None or found[1] == "sub" else self._state_of(found[3])
        choices: Sequence[str] = ()
        if found := LOAD.fullmatch(instruction):
            choices = self.stored.get(found[1], ())
        elif found := SELECT.fullmatch(instruction):
            choices = (found[1], found[2])
        states = {self._state_of(c) for c in choices} - {None}
        if len(states) != 1:
            return None
        (which,) = states
        assert which is not None
        for choice in choices:
            if self._state_of(choice) is None:
                self.is_straight = False
                known = self.range(choice)
                if known.is_late:
                    raise Unproved("what a variable of the loop is set to")
                self._starts[which] += [known.low, known.high]
        return which

    def fit_divisor(self, divisor: str) -> bool:
        """True if an integer of 64 bits is known to be larger than 0 in all rounds."""
        try:
            known = self.range(divisor)
        except Unproved:
            return False
        if known.is_late:
            return False
        self.before.require("sge", known.low, "1")
        return True

    def index(self, index: str, length: str) -> str:
        """An index from 0 on, which is inside in all rounds."""
        part = self.before
        if index not in self.defined:
            negative = part.do(f"icmp slt i64 {index}, 0")
            index = part.do(f"select i1 {negative}, i64 {part.do(f'add i64 {index}, {length}')}, i64 {index}")
            part.bad.append(part.do(f"icmp uge i64 {index}, {length}"))
            return index
        known = self.range(index)
        if known.is_late:
            raise Unproved("an index that is an element")
        part.require("sge", known.low, "0")
        part.require("slt", known.high, length)
        return index

    def visits(
        self, memory: Hashable, address: str, itemsize: int, indices: Sequence[str], is_dense: bool, is_write: bool
    ) -> None:
        """Notes how rounds go through an array. Loops are vectorised where no round writes elements that another one
        needs."""
        self.writes |= is_write
        self.widths.add(itemsize)
        *outer, last = [self._stride(i) for i in indices]
        steps_on = last in (1, -1) and is_dense
        if any(outer) or None in outer or not (steps_on or (last == 0 and not is_write)):
            self.is_straight = False
        seen = self._seen.setdefault(memory, [])
        place = (address, *indices)
        if any((is_write or wrote) and place != other for other, wrote in seen):
            self.is_straight = False
        seen.append((place, is_write))

    def _stride(self, value: str) -> int | None:
        """By how much a value grows from round to round, where that is always as much."""
        if value not in self._strides:
            self._strides[value] = self._stride_of(self.defined[value]) if value in self.defined else 0
        return self._strides[value]

    def _stride_of(self, instruction: str) -> int | None:
        found = BINARY.fullmatch(instruction)
        if not found or found[1] not in ("add", "sub", "mul"):
            return None
        a, b = self._stride(found[2]), self._stride(found[3])
        if a is None or b is None:
            return None
        if found[1] == "mul":
            scaled = [s * int(v) for s, v in ((a, found[3]), (b, found[2])) if is_known(v)]
            return scaled[0] if scaled else (0 if a == b == 0 else None)
        return a + b if found[1] == "add" else a - b

    # --- the end of a round

    def notes(self, which: int, value: str, dtype: DType, variable: str) -> bool:
        """True for a mark. Notes whether the round has set it; it is set behind the loop."""
        if which not in self.marks:
            return False
        e, kind, number = self._e, llvm_type(dtype), self.marks[which]
        bits = e.variable(kind)
        self.before.lines.append(f"store {kind} 0, ptr {bits}")
        changed, before = e.do(f"xor {kind} {value}, {_unlike(number)}"), e.do(f"load {kind}, ptr {bits}")
        e.put(f"store {kind} {e.do(f'or {kind} {before}, {changed}')}, ptr {bits}")
        part, (start,) = self.behind, self._starts[which]
        is_set = part.do(f"icmp ne {kind} {part.do(f'load {kind}, ptr {bits}')}, 0")
        after = part.do(f"select i1 {is_set}, {kind} {number}, {kind} {start}")
        part.lines.append(f"store {kind} {after}, ptr {variable}")
        return True

    def ends(self, which: int, value: str, dtype: DType) -> None:
        """Notes the value of a variable of the loop after a round. Adds up how far it can have moved after all."""
        if self.states.get(value) == which:
            return
        self.widths.add(dtype.itemsize)
        if which in self.marks:
            return
        if which not in self._moves:
            self.is_straight = False
            return
        if self._state_of(value) != which:
            raise Unproved("what a variable of the loop becomes")
        moves = self._moves[which]
        part = self._part(*moves)
        reach = "0"
        for move in moves:
            size = part.extremum("smax", move.high, part.arithmetic("sub", "0", move.low))
            reach = part.arithmetic("add", reach, size)
        reach = part.arithmetic("mul", reach, self._rounds)
        starts = self._starts[which]
        part.arithmetic("add", part.extremum("smax", *starts), reach)
        part.arithmetic("sub", part.extremum("smin", *starts), reach)

    def ends_all(self, lines: Sequence[str]) -> None:
        """Looks whether sums are needed for nothing but the sums of the next rounds: LLVM then adds in any order."""
        try:
            sums = {r for r in self.defined if self._state_of(r) is not None}
        except Unproved:
            self.is_straight = False
            return
        for line in lines:
            name, is_assignment, _ = line.partition(" = ")
            needed = name not in sums if is_assignment else line.rpartition(" ")[2] not in self.stored
            if needed and sums.intersection(_REGISTER.findall(line)):
                self.is_straight = False

    def may_raise_more(self, rounds: Sequence[str]) -> bool:
        """True if vectors of the rounds may raise flags that no round raises: where NaNs are compared, and where floats
        are computed in a branch, which vectors compute in any case."""
        operations = [found[1] for line in rounds if (found := _OPERATION.search(line))]
        branches = sum(line.startswith("br i1") for line in rounds) > 1  # one is the loop's own
        return "fcmp" in operations or (branches and any(o in _FLOATING for o in operations))

    # --- around the rounds

    def surround(
        self,
        rounds: Sequence[str],
        restored: Sequence[str],
        blocks: tuple[str, str, str, str],
        checked: str,
        finished: str,
    ) -> None:
        """Emits the loop: the proof ahead of it, its rounds, and the checks behind it. The blocks are those
        of the proof, of the loop's head, of the code behind it, and of the way back to the form that is `checked`: the
        instructions `restored` give the variables their old values."""
        e, (proof, head, behind, again) = self._e, blocks
        e.begin(proof)
        if self.is_straight:
            self.before.bad.append(e.is_careful())
        bad = self.before.any_bad()
        e.lines += self.before.lines
        e.branch(bad, checked, head)
        e.lines += rounds
        e.begin(behind)
        if self.flagged is not None:
            e.leave_if(e.do(f"load i1, ptr {self.flagged}"))
        bad = self.behind.any_bad()
        e.lines += self.behind.lines
        if self.writes:
            e.leave_if(bad)
            e.jump(finished)
            return
        e.branch(bad, again, finished)
        e.begin(again)
        e.lines += restored
        e.jump(checked)


def _unlike(number: int) -> str:
    """The placeholder of a mark that no round has set."""
    return "1" if number == 0 else "0"


_OPERATION = re.compile(r" = (\w+)")
_FLOATING = {"fadd", "fsub", "fmul", "fdiv", "frem", "fptosi", "fptoui", "fptrunc", "call"}
_REGISTER = re.compile(r"%[\w.]+")
_BEYOND = re.compile(r"icmp (sgt|slt) i64 (\S+), (-?\d+)")
