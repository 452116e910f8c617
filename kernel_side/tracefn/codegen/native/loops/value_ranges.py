"""Ranges of the integers in the rounds of a loop, computed ahead of it or behind it.

From the range of the loop's index follow those of the integers that are computed with it, instruction by instruction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from ....records import dataclass

LEAST, MOST = -(1 << 63), (1 << 63) - 1


class Unproved(Exception):
    """Why the rounds of a loop must check."""


class BlockEmitter(Protocol):
    """An emitter of instructions in basic blocks: `checked.Checking`, which has such proofs made."""

    lines: list[str]
    intrinsics: set[str]

    def fresh(self) -> str: ...
    def do(self, instruction: str) -> str: ...
    def put(self, instruction: str) -> None: ...
    def begin(self, block: str) -> None: ...
    def jump(self, block: str) -> None: ...
    def branch(self, condition: str, yes: str, no: str) -> None: ...
    def variable(self, kind: str) -> str: ...
    def leave_if(self, condition: str) -> None: ...
    def is_careful(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the largest value that an integer may have in a round: registers or literals. `is_late`: they are
    known behind the loop."""

    low: str
    high: str
    is_late: bool = False


class Part:
    """Instructions ahead of a loop, or behind it. `bad` are the registers of the conditions that must not hold."""

    def __init__(self, emitter: BlockEmitter) -> None:
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
        if is_known(a) and is_known(b):
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
        literals = [int(v) for v in values if is_known(v)]
        found = [str((min if name == "smin" else max)(literals))] if literals else []
        found += dict.fromkeys(v for v in values if not is_known(v))
        self._e.intrinsics.add(f"declare i64 @llvm.{name}.i64(i64, i64)")
        result = found[0]
        for value in found[1:]:
            result = self.do(f"call i64 @llvm.{name}.i64(i64 {result}, i64 {value})")
        return result

    def require(self, test: str, a: str, b: str) -> None:
        """It is bad unless a comparison is true: `sge`, `sgt`, `sle` or `slt`."""
        if is_known(a) and is_known(b):
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


class Ranges:
    """`defined` are the instructions of the registers that differ from round to round, `stored` the values that
    variables of branches get, `states` the registers that have variables of the loop."""

    def __init__(self, emitter: BlockEmitter) -> None:
        self.before, self.behind = Part(emitter), Part(emitter)
        self.defined: dict[str, str] = {}
        self.stored: dict[str, list[str]] = {}
        self.states: dict[str, int] = {}
        self._e = emitter
        self._ranges: dict[str, Range] = {}

    def range(self, value: str) -> Range:
        """The range of an integer of 64 bits. Raises Unproved where there is none."""
        if value not in self._ranges:
            self._ranges[value] = self._range(value)
        return self._ranges[value]

    def _range(self, value: str) -> Range:
        if value not in self.defined:
            return Range(value, value)
        if value in self.states:
            raise Unproved("what a variable of the loop may be")
        instruction = self.defined[value]
        if found := LOAD.fullmatch(instruction):
            return self._loaded(value, found[1])
        if found := _WIDENED.fullmatch(instruction):
            bits = int(found[2])
            signed = found[1] == "sext"
            return Range(str(-(1 << bits - 1)) if signed else "0", str((1 << bits - signed) - 1))
        if found := SELECT.fullmatch(instruction):
            return self._hull([self.range(found[1]), self.range(found[2])])
        if found := _EXTREMUM.fullmatch(instruction):
            a, b = self.range(found[2]), self.range(found[3])
            part = self._part(a, b)
            return self._made(part, part.extremum(found[1], a.low, b.low), part.extremum(found[1], a.high, b.high))
        if found := BINARY.fullmatch(instruction):
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
            mask, other = (left, right) if is_known(left) else (right, left)
            if not is_known(mask) or int(mask) < 0:
                raise Unproved("bits of an integer")
            a = self.range(other)
            part = self._part(a)
            some = part.do(f"or i64 {a.low}, {a.high}")
            none = part.do(f"icmp eq i64 {some}, 0")
            return self._made(part, "0", part.do(f"select i1 {none}, i64 0, i64 {mask}"))
        if not is_known(right) or int(right) < 1:
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


def is_known(value: str) -> bool:
    return value.lstrip("-").isdigit()


LOAD = re.compile(r"load i64, ptr (\S+)")
SELECT = re.compile(r"select i1 \S+, i64 (\S+), i64 (\S+)")
BINARY = re.compile(r"(add|sub|mul|and|srem|sdiv|ashr)(?: nuw| nsw)* i64 (\S+), (\S+)")
_WIDENED = re.compile(r"(sext|zext) i(\d+) \S+ to i64")
_EXTREMUM = re.compile(r"call i64 @llvm\.(smin|smax)\.i64\(i64 (\S+), i64 (\S+)\)")
