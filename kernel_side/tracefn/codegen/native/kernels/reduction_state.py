"""The state of the reductions of a kernel under way, in memory and in registers, and how it is combined."""

from __future__ import annotations

from collections.abc import Mapping

from ....ir.graph import Node
from ..fusion.reduction import Field, fields
from ..scalar.emitter import Emitter, literal, llvm_type, memory_type
from ..scalar.folds import FOLDS
from ..scalar.rules import RULES
from .kernel import Kernel

Known = Mapping[Node, list[str]]
"""For each reduction a register for each of its fields."""


class State:
    """The fields of all reductions of a kernel: each an array in memory, numbered in order.

    Functions that name arrays take the text before the number: field 2 of `%lanes` is `%lanes2`.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.reduced = [n for n in kernel.results if n in kernel.reductions]
        self.fields: list[Field] = []
        self.of: dict[Node, range] = {}
        for node in self.reduced:
            own = fields(kernel.reductions[node], node.type.dtype)
            self.of[node] = range(len(self.fields), len(self.fields) + len(own))
            self.fields += own

    def parameters(self, *names: str) -> list[str]:
        return [f"ptr {name}{k}" for name in names for k in range(len(self.fields))]

    def allocas(self, name: str, count: int) -> list[str]:
        return [f"{name}{k} = alloca [{count} x {memory_type(f.dtype)}], align 64" for k, f in enumerate(self.fields)]

    def begin(self, name: str, count: int) -> list[str]:
        """Fills arrays with neutral elements."""
        lines = []
        for k, field in enumerate(self.fields):
            start = literal(field.start, field.dtype)
            each = f"{memory_type(field.dtype)} { {'true': '1', 'false': '0'}.get(start, start) }"
            vector = f"<{count} x {memory_type(field.dtype)}> <{', '.join([each] * count)}>"
            lines.append(f"store {vector}, ptr {name}{k}, align {field.dtype.itemsize}")
        return lines

    def from_(self, name: str, index: str, new: str) -> list[str]:
        """Names the parts of arrays from an index on."""
        return [
            f"{new}{k} = getelementptr {memory_type(f.dtype)}, ptr {name}{k}, i64 {index}"
            for k, f in enumerate(self.fields)
        ]

    def load(self, e: Emitter, name: str, index: str) -> dict[Node, list[str]]:
        return {node: self.load_one(e, node, name, index) for node in self.reduced}

    def load_one(self, e: Emitter, node: Node, name: str, index: str) -> list[str]:
        found = []
        for k in self.of[node]:
            dtype = self.fields[k].dtype
            value = e.do(f"load {memory_type(dtype)}, ptr {self._at(e, k, name, index)}, align {dtype.itemsize}")
            found.append(e.do(f"icmp ne i8 {value}, 0") if dtype.kind == "b" else value)
        return found

    def keep(self, e: Emitter, name: str, index: str, known: Known) -> None:
        for node in self.reduced:
            self.keep_one(e, node, name, index, known[node])

    def keep_one(self, e: Emitter, node: Node, name: str, index: str, known: list[str]) -> None:
        for k, value in zip(self.of[node], known, strict=True):
            dtype = self.fields[k].dtype
            value = e.do(f"zext i1 {value} to i8") if dtype.kind == "b" else value
            e.lines.append(
                f"store {memory_type(dtype)} {value}, ptr {self._at(e, k, name, index)}, align {dtype.itemsize}"
            )

    def _at(self, e: Emitter, k: int, name: str, index: str) -> str:
        return e.do(f"getelementptr {memory_type(self.fields[k].dtype)}, ptr {name}{k}, i64 {index}")

    def starts(self) -> dict[Node, list[str]]:
        found = [literal(f.start, f.dtype) for f in self.fields]
        return {node: [found[k] for k in own] for node, own in self.of.items()}

    def phis(self, names: str, values: Mapping[str, Known]) -> list[str]:
        """Registers with `names` that have the values of the block that was left: of each block its state."""
        lines = []
        for node, own in self.of.items():
            for place, k in enumerate(own):
                found = ", ".join(f"[ {known[node][place]}, %{block} ]" for block, known in values.items())
                lines.append(f"{names}{k} = phi {llvm_type(self.fields[k].dtype)} {found}")
        return lines

    def named(self, names: str) -> dict[Node, list[str]]:
        return {node: [f"{names}{k}" for k in own] for node, own in self.of.items()}

    def combine(self, e: Emitter, known: Known, new: Known) -> dict[Node, list[str]]:
        """The state of elements combined with that of later ones."""
        return {node: self.combine_one(e, node, known[node], new[node]) for node in self.reduced}

    def combine_one(self, e: Emitter, node: Node, known: list[str], new: list[str]) -> list[str]:
        rule, dtype = self.kernel.reductions[node].rule, self.fields[self.of[node][0]].dtype
        kind = llvm_type(dtype)
        if FOLDS[rule].gives_position:
            better = self._is_better(e, node, known[0], new[0])
            index = self.fields[self.of[node][1]].dtype
            return [e.select(better, dtype, new[0], known[0]), e.select(better, index, new[1], known[1])]
        if len(known) == 2:
            return [RULES[rule].emit(e, dtype, list(parts)) for parts in zip(known, new, strict=True)]
        if dtype.kind != "f" or rule not in ("maximum", "minimum"):
            return [RULES[rule].emit(e, dtype, [known[0], new[0]])]
        e.may_flag = True  # one instruction and another for a NaN, which stays once it is known
        better = e.do(f"fcmp {'ogt' if rule == 'maximum' else 'olt'} {kind} {new[0]}, {known[0]}")
        odd = e.do(f"fcmp uno {kind} {new[0]}, {new[0]}")
        return [e.select(odd, dtype, new[0], e.select(better, dtype, new[0], known[0]))]

    def _is_better(self, e: Emitter, node: Node, known: str, new: str) -> str:
        """Whether the position of an extremum is that of a new value: it is beyond the known one, or the first NaN."""
        dtype = self.fields[self.of[node][0]].dtype
        kind, test = llvm_type(dtype), {"argmax": "gt", "argmin": "lt"}[self.kernel.reductions[node].rule]
        if dtype.kind != "f":
            return e.do(f"icmp {'s' if dtype.kind == 'i' else 'u'}{test} {kind} {new}, {known}")
        beyond = e.do(f"fcmp u{test} {kind} {new}, {known}")
        return e.do(f"and i1 {beyond}, {e.do(f'fcmp ord {kind} {known}, {known}')}")
