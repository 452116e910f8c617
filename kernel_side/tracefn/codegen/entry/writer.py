"""Writes LLVM IR that looks at Python's objects, instruction by instruction."""

from __future__ import annotations

from collections.abc import Sequence

from ..machine import abi


class EntryWriter:
    """Lines of a function of machine code that Python calls. `self` is a tuple of the objects that it uses."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def do(self, instruction: str) -> str:
        """The name of an instruction's value."""
        self._count += 1
        self.lines.append(f"%e{self._count} = {instruction}")
        return f"%e{self._count}"

    def label(self) -> str:
        """A new name for a block."""
        self._count += 1
        return f"b{self._count}"

    def check(self, test: str, otherwise: str) -> None:
        """Goes on where a test holds."""
        holds, then = self.do(test), self.label()
        self.lines += [f"br i1 {holds}, label %{then}, label %{otherwise}", f"{then}:"]

    def at(self, pointer: str, offset: int) -> str:
        return self.do(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def read(self, kind: str, pointer: str, offset: int) -> str:
        return self.do(f"load {kind}, ptr {self.at(pointer, offset)}, align {8 if kind in ('ptr', 'i64') else 1}")

    def store(self, kind: str, value: str, pointer: str, offset: int) -> None:
        self.lines.append(f"store {kind} {value}, ptr {self.at(pointer, offset)}, align 8")

    def call(self, function: str, *arguments: str) -> None:
        """Calls a function that gives nothing, or nothing that is of use."""
        self.lines.append(f"call {function}({', '.join(arguments)})")

    def owned(self, place: int) -> str:
        """An object of `self`."""
        return self.read("ptr", "%self", abi.tuple_items() + 8 * place)

    def type_of(self, value: str) -> str:
        return self.read("ptr", value, abi.TYPE)

    def length_of(self, array: str, axis: int) -> str:
        return self.read("i64", self.read("ptr", array, abi.DIMS), 8 * axis)

    def product(self, lengths: Sequence[str]) -> str:
        total = lengths[0] if lengths else "1"
        for length in lengths[1:]:
            total = self.do(f"mul i64 {total}, {length}")
        return total
