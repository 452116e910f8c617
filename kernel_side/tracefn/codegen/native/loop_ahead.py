"""What the rounds of an innermost loop need not check: it is proved ahead of the loop, or noted on the way.

The checks of a round (is an index inside, does an integer fit) are ways out of the loop, and LLVM makes no vectors of a
loop that has any. From the range of the loop's index follow those of the integers that are computed with it: code ahead
of the loop computes them, and looks once whether all rounds are fine. What only the elements of arrays tell is noted in
the rounds and looked at behind the loop.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .emitter import DType, llvm_type

if TYPE_CHECKING:
    from .loop_emitter import Checking

LEAST, MOST = -(1 << 63), (1 << 63) - 1


class Unproved(Exception):
    """Why the rounds of a loop must check."""


@dataclasses.dataclass(frozen=True, slots=True)
class Range:
    """The least and the largest value that an integer may have in a round: registers or literals. `is_late`: they are
    known behind the loop."""

    low: str
    high: str
    is_late: bool = False


class Part:
    """Instructions ahead of a loop, or behind it. `bad` are the registers that say what is not as it must be."""

    def __init__(self, emitter: Checking) -> None:
        self.lines: list[str] = []
        self.bad: list[str] = []
        self._e = emitter
        self._known: dict[str, str] = {}

    def do(self, instruction: str) -> str:
        """The register that an instruction fills."""
        name = self._known.get(instruction)
        if name is None:
            name = self._known[instruction] = self._e.fresh()
            self.lines.append(f"{name} = {instruction}")
        return name

    def arithmetic(self, operation: str, a: str, b: str) -> str:
        """`add`, `sub` or `mul` of 64 bits. It is bad if the result has more."""
        if is_literal(a) and is_literal(b):
            x, y = int(a), int(b)
            found = {"add": x + y, "sub": x - y, "mul": x * y}[operation]
            if not LEAST <= found <= MOST:
                raise Unproved(f"{found} has more than 64 bits")
            return str(found)
        if b == {"add": "0", "sub": "0", "mul": "1"}[operation]:
            return a
        name = f"@llvm.s{operation}.with.overflow.i64"
        self._e.intrinsics.add(f"declare {{i64, i1}} {name}(i64, i64)")
        both = self.do(f"call {{i64, i1}} {name}(i64 {a}, i64 {b})")
        self.bad.append(self.do(f"extractvalue {{i64, i1}} {both}, 1"))
        return self.do(f"extractvalue {{i64, i1}} {both}, 0")

    def extremum(self, name: str, *values: str) -> str:
        """The `smin` or `smax` of integers."""
        literals = [int(v) for v in values if is_literal(v)]
        found = [str((min if name == "smin" else max)(literals))] if literals else []
        found += dict.fromkeys(v for v in values if not is_literal(v))
        self._e.intrinsics.add(f"declare i64 @llvm.{name}.i64(i64, i64)")
        result = found[0]
        for value in found[1:]:
            result = self.do(f"call i64 @llvm.{name}.i64(i64 {result}, i64 {value})")
        return result

    def require(self, test: str, a: str, b: str) -> None:
        """It is bad unless a comparison is true: `sge`, `sgt`, `sle` or `slt`."""
        if is_literal(a) and is_literal(b):
            x, y = int(a), int(b)
            if not {"sge": x >= y, "sgt": x > y, "sle": x <= y, "slt": x < y}[test]:
                raise Unproved(f"{a} is not {test} {b}")
            return
        self.bad.append(self.do(f"xor i1 {self.do(f'icmp {test} i64 {a}, {b}')}, true"))

    def any_bad(self) -> str:
        """The register that says whether anything is bad."""
        found = "false"
        for bad in dict.fromkeys(self.bad):
            found = bad if found == "false" else self.do(f"or i1 {found}, {bad}")
        return found


class Ahead:
    """Proves what the rounds of a loop need. `defined` are the instructions of the registers that differ from round to
    round, `stored` the values that variables of branches get. `flagged` is the variable that says behind the loop
    whether a round should have left the kernel. `is_straight`: rounds go from element to element, in `widths` of so many
    bytes, and what they compute is the same in any order."""

    def __init__(self, emitter: Checking, begun: str, limit: str, step: int, rounds: str) -> None:
        self.before, self.behind = Part(emitter), Part(emitter)
        self.defined: dict[str, str] = {}
        self.stored: dict[str, list[str]] = {}
        self.flagged: str | None = None
        self.writes = False
        self.is_straight = True
        self.widths: set[int] = set()
        self._e = emitter
        self._rounds = rounds
        last = self.before.do(f"{'sub' if step > 0 else 'add'} i64 {limit}, 1")
        self._index = Range(begun, last) if step > 0 else Range(last, begun)
        self._step = step
        self._ranges: dict[str, Range] = {}
        self._strides: dict[str, int | None] = {}
        self._states: dict[str, int] = {}  # the variables of the loop,
        self._starts: dict[int, list[str]] = {}  # what they may be set to,
        self._moves: dict[int, list[Range]] = {}  # and by how much each addition moves them

    # --- what is known of registers

    def is_index(self, register: str) -> None:
        """Tells that a register has the loop's index."""
        self._ranges[register] = self._index
        self._strides[register] = self._step

    def starts(self, which: int, dtype: DType, variable: str) -> str:
        """The register of what a variable of the loop has ahead of it."""
        start = self.before.do(f"load {llvm_type(dtype)}, ptr {variable}")
        self._starts[which] = [start]
        return start

    def is_state(self, register: str, which: int) -> None:
        """Tells that a register has a variable of the loop, as it is at the start of a round."""
        self._states[register] = which

    def range(self, value: str) -> Range:
        """The range of an integer of 64 bits. Raises Unproved where there is none."""
        if value not in self._ranges:
            self._ranges[value] = self._range(value)
        return self._ranges[value]

    def _range(self, value: str) -> Range:
        if value not in self.defined:
            return Range(value, value)
        if value in self._states:
            raise Unproved("what a variable of the loop may be")
        instruction = self.defined[value]
        if found := _LOAD.fullmatch(instruction):
            return self._loaded(value, found[1])
        if found := _WIDENED.fullmatch(instruction):
            bits = int(found[2])
            signed = found[1] == "sext"
            return Range(str(-(1 << bits - 1)) if signed else "0", str((1 << bits - signed) - 1))
        if found := _SELECT.fullmatch(instruction):
            return self._hull([self.range(found[1]), self.range(found[2])])
        if found := _EXTREMUM.fullmatch(instruction):
            a, b = self.range(found[2]), self.range(found[3])
            part = self._part(a, b)
            return self._made(part, part.extremum(found[1], a.low, b.low), part.extremum(found[1], a.high, b.high))
        if found := _BINARY.fullmatch(instruction):
            return self._binary(found[1], found[2], found[3])
        raise Unproved(f"what {instruction.partition(' ')[0]} gives")

    def _loaded(self, value: str, place: str) -> Range:
        if place in self.stored:
            return self._hull([self.range(v) for v in self.stored[place]])
        if not self.defined.get(place, "").startswith("getelementptr"):
            raise Unproved("what is in a variable")
        return self._noted(value)

    def _noted(self, value: str) -> Range:
        """The range of elements of an array, from all bits that any of them has: known behind the loop."""
        e = self._e
        bits = e.variable("i64")
        self.before.lines.append(f"store i64 0, ptr {bits}")
        sign, size, old, new = [e.fresh() for _ in range(4)]
        after = next(i for i in reversed(range(len(e.lines))) if e.lines[i].startswith(f"{value} = "))
        e.lines[after + 1 : after + 1] = [
            f"{sign} = ashr i64 {value}, 63",
            f"{size} = xor i64 {value}, {sign}",
            f"{old} = load i64, ptr {bits}",
            f"{new} = or i64 {old}, {size}",
            f"store i64 {new}, ptr {bits}",
        ]
        high = self.behind.do(f"load i64, ptr {bits}")
        return Range(self.behind.do(f"xor i64 {high}, -1"), high, is_late=True)

    def _binary(self, operation: str, left: str, right: str) -> Range:
        if operation in ("add", "sub", "mul"):
            return self._computed(operation, self.range(left), self.range(right))
        if operation == "and":
            mask, other = (left, right) if is_literal(left) else (right, left)
            if not is_literal(mask) or int(mask) < 0:
                raise Unproved("bits of an integer")
            a = self.range(other)
            part = self._part(a)
            some = part.do(f"or i64 {a.low}, {a.high}")
            none = part.do(f"icmp eq i64 {some}, 0")
            return self._made(part, "0", part.do(f"select i1 {none}, i64 0, i64 {mask}"))
        if not is_literal(right) or int(right) < 1:
            raise Unproved("a divisor or a shift that is not known")
        a = self.range(left)
        part = self._part(a)
        if operation == "srem":
            below = part.do(f"icmp slt i64 {a.low}, 0")
            least = part.do(f"select i1 {below}, i64 {1 - int(right)}, i64 0")
            return self._made(part, least, str(int(right) - 1))
        if operation in ("sdiv", "ashr"):
            ends = [part.do(f"{operation} i64 {end}, {right}") for end in (a.low, a.high)]
            return self._made(part, *ends)
        raise Unproved(f"what {operation} gives")

    def _computed(self, operation: str, a: Range, b: Range) -> Range:
        part = self._part(a, b)
        if operation == "add":
            ends = [part.arithmetic("add", a.low, b.low), part.arithmetic("add", a.high, b.high)]
        elif operation == "sub":
            ends = [part.arithmetic("sub", a.low, b.high), part.arithmetic("sub", a.high, b.low)]
        elif a.low == a.high and b.low == b.high:
            ends = [part.arithmetic("mul", a.low, b.low)] * 2
        else:
            all_four = [part.arithmetic("mul", x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
            ends = [part.extremum(name, *all_four) for name in ("smin", "smax")]
        return self._made(part, *ends)

    def _hull(self, ranges: Sequence[Range]) -> Range:
        part = self._part(*ranges)
        low = part.extremum("smin", *[r.low for r in ranges])
        return self._made(part, low, part.extremum("smax", *[r.high for r in ranges]))

    def _part(self, *ranges: Range) -> Part:
        return self.behind if any(r.is_late for r in ranges) else self.before

    def _made(self, part: Part, low: str, high: str) -> Range:
        return Range(low, high, part is self.behind)

    # --- what rounds do

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
        moved = self._moved(operation, left, right)
        result = e.do(f"{operation} {'' if moved else 'nsw '}i64 {left}, {right}")
        if not moved:
            self._ranges[result] = self._computed(operation, self.range(left), self.range(right))
        return result

    def _moved(self, operation: str, left: str, right: str) -> bool:
        """True if something is added to a variable of the loop, or to what became of it in this round."""
        ways = {"add": [(left, right), (right, left)], "sub": [(left, right)], "mul": []}
        for state, other in ways[operation]:
            if (which := self._state_of(state)) is not None and self._state_of(other) is None:
                self._moves.setdefault(which, []).append(self.range(other))
                return True
        return False

    def _state_of(self, value: str) -> int | None:
        """The variable of the loop of which a value came about by additions. None if it came about otherwise."""
        if value in self._states or value not in self.defined:
            return self._states.get(value)
        instruction = self.defined[value]
        if (found := _BINARY.fullmatch(instruction)) and found[1] in ("add", "sub"):
            which = self._state_of(found[2])
            return which if which is not None or found[1] == "sub" else self._state_of(found[3])
        choices: Sequence[str] = ()
        if found := _LOAD.fullmatch(instruction):
            choices = self.stored.get(found[1], ())
        elif found := _SELECT.fullmatch(instruction):
            choices = (found[1], found[2])
        states = {self._state_of(c) for c in choices} - {None}
        if len(states) != 1:
            return None
        (which,) = states
        assert which is not None
        for choice in choices:
            if self._state_of(choice) is None:
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

    def visits(self, indices: Sequence[str], is_dense: bool, dtype: DType, is_write: bool) -> None:
        """Notes how rounds go through an array."""
        self.writes |= is_write
        self.widths.add(dtype.itemsize)
        *outer, last = [self._stride(i) for i in indices]
        steps_on = last in (1, -1) and is_dense
        if any(outer) or None in outer or not (steps_on or (last == 0 and not is_write)):
            self.is_straight = False

    def _stride(self, value: str) -> int | None:
        """By how much a value grows from round to round, where that is always as much."""
        if value not in self._strides:
            self._strides[value] = self._stride_of(self.defined[value]) if value in self.defined else 0
        return self._strides[value]

    def _stride_of(self, instruction: str) -> int | None:
        found = _BINARY.fullmatch(instruction)
        if not found or found[1] not in ("add", "sub", "mul"):
            return None
        a, b = self._stride(found[2]), self._stride(found[3])
        if a is None or b is None:
            return None
        if found[1] == "mul":
            scaled = [s * int(v) for s, v in ((a, found[3]), (b, found[2])) if is_literal(v)]
            return scaled[0] if scaled else (0 if a == b == 0 else None)
        return a + b if found[1] == "add" else a - b

    # --- the end of a round

    def ends(self, which: int, value: str, dtype: DType) -> None:
        """Tells what a variable of the loop is after a round. Adds up how far it can have moved after all."""
        if self._states.get(value) == which:
            return
        if dtype.kind == "f":
            self.is_straight = False
        self.widths.add(dtype.itemsize)
        if which not in self._moves:
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


def is_literal(value: str) -> bool:
    return value.lstrip("-").isdigit()


_LOAD = re.compile(r"load i64, ptr (\S+)")
_WIDENED = re.compile(r"(sext|zext) i(\d+) \S+ to i64")
_SELECT = re.compile(r"select i1 \S+, i64 (\S+), i64 (\S+)")
_EXTREMUM = re.compile(r"call i64 @llvm\.(smin|smax)\.i64\(i64 (\S+), i64 (\S+)\)")
_BINARY = re.compile(r"(add|sub|mul|and|srem|sdiv|ashr)(?: nuw| nsw)* i64 (\S+), (\S+)")
_BEYOND = re.compile(r"icmp (sgt|slt) i64 (\S+), (-?\d+)")
