"""LLVM IR of one kernel: the loops over its elements, for operands that lie in memory one element after the other or in
any other way.

`run(frame)` computes a kernel. A frame is an array of 64-bit words. Where arguments are C-contiguous: the first index
of the first axis, the length of each axis, the address of each argument and then of each result, and the bits of each
scalar argument. For any memory: the length of each axis, for each operand and then each result its address and its
stride in bytes along each axis, and the bits of each scalar argument. It returns which floating-point flags were
raised, and with them `INTEGER_FAULT` where an integer was divided by zero and `OUT_OF_RANGE` where a function was given
a number that it is not made for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....ir.graph import Node
from ...machine.float_flags import underflow, warned
from ..fusion.search import FEW_STEPS, ordered, unsorted
from ..fusion.views import chain
from ..scalar.emitter import llvm_type, part
from ..scalar.module import Code
from .inner_loop import OUT_OF_RANGE, PARTS, InnerLoop
from .kernel import Moving


class KernelNest(InnerLoop):
    """Writes `run`: loops over all axes but the last call the loop over the last."""

    def code(self) -> Code:
        inner = self._inner()
        if self._has_parts():
            inner += self._packed()
        metadata = ["!0 = distinct !{!0, !1}", '!1 = !{!"llvm.loop.vectorize.enable", i1 false}']
        metadata += ["!2 = distinct !{!2, !3, !4, !5}", f'!3 = !{{!"llvm.loop.vectorize.width", i32 {self._width}}}']
        metadata += [f'!4 = !{{!"llvm.loop.interleave.count", i32 {self._interleaved()}}}']
        metadata += [f'!5 = !{{!"llvm.loop.vectorize.predicate.enable", i1 {str(self._has_masks()).lower()}}}']
        text = "\n".join([*inner, *self._run(), *metadata])
        return Code(text, frozenset(self.declarations), frozenset(self._element.functions))

    def _run(self) -> list[str]:
        self.lines = []
        put = self.lines.append
        word = 0

        def read(name: str, kind: str = "i64") -> str:
            nonlocal word
            put(f"%{name}.at = getelementptr i64, ptr %frame, i64 {word}")
            put(f"%{name} = load {kind}, ptr %{name}.at, align 8")
            word += 1
            return f"%{name}"

        bases: dict[Node, str] = {}
        start = "" if self.is_strided else read("start")
        lengths = [read(f"n{a}") for a in range(self.rank)]
        if self.is_strided:
            pointers, strides = [], []
            for k in range(len(self.values)):
                pointers.append(read(f"a{k}", "ptr"))
                strides.append([read(f"s{k}.{a}") for a in range(self.rank)])
        else:
            bases = {n: read(f"a{k}", "ptr") for k, n in enumerate((*self.kernel.arrays, *self.kernel.results))}
            self._read_more(read)
            strides = self._dense_strides(lengths)
            pointers = self._dense_pointers(bases, strides, start)
        scalars = []
        for i, node in enumerate(self.kernel.scalars):
            dtype = part(node.type.dtype)
            value = read(f"c{i}", "i64" if dtype.kind in "iub" else llvm_type(dtype))
            if dtype.kind == "b":
                put(f"%c{i}.b = icmp ne i64 {value}, 0")
                value = f"%c{i}.b"
            elif dtype.kind in "iu" and dtype.itemsize < 8:
                put(f"%c{i}.t = trunc i64 {value} to {llvm_type(dtype)}")
                value = f"%c{i}.t"
            scalars.append(f"{llvm_type(dtype)} {value}")
            if node.type.dtype.kind == "c":
                scalars.append(f"{llvm_type(dtype)} {read(f'c{i}i', llvm_type(dtype))}")
        scalars += [f"ptr {bases[n]}" for n in self.kernel.tables]
        probed = {f"@ordered{self.values.index(keys)}": keys for keys in self._keys_in_order()}
        for name, keys in probed.items():
            put(f"%is.{name[1:]} = call i1 {name}(ptr {pointers[self.values.index(keys)]}, i64 {lengths[0]})")
            put(f"br i1 %is.{name[1:]}, label %unsorted, label %go.{name[1:]}")
            put(f"go.{name[1:]}:")
        searched = {f"@unsorted{self.kernel.tables.index(s.table)}": s for s in self.kernel.searches.values()}
        for name, found in searched.items():
            put(f"%is.{name[1:]} = call i1 {name}(ptr {bases[found.table]})")
            put(f"br i1 %is.{name[1:]}, label %unsorted, label %go.{name[1:]}")
            put(f"go.{name[1:]}:")
        flags = self._element.may_flag
        kinds = warned() | underflow() if self.kernel.has_product else warned()
        if flags:
            put(f"call void @tf.clear_flags(i32 {kinds})")
        if self.is_strided:
            self._loops_of_two_kinds(lengths, pointers, strides, scalars)
        else:
            self._loops(0, lengths, pointers, strides, scalars, PARTS if self._has_parts() else "")
        result = "0"
        if self._has_faults:
            put("%faults = load i32, ptr %bad, align 4")
            result = "%faults"
        if flags:
            put(f"%flags = call i32 @tf.raised_flags(i32 {kinds})")
            put(f"%both = or i32 %flags, {result}")
            result = "%both"
        head = ["define i32 @run(ptr %frame) nounwind {", "entry:"]
        head += ["%bad = alloca i32, align 4", "store i32 0, ptr %bad, align 4"] if self._has_faults else []
        end = ["unsorted:", f"ret i32 {OUT_OF_RANGE}"] if searched or probed else []
        functions = [line for name, found in searched.items() for line in unsorted(name, found)]
        functions += [line for name, keys in probed.items() for line in ordered(name, keys)]
        return [*head, *self.allocas, *self.lines, f"ret i32 {result}", *end, "}", *functions]

    def _keys_in_order(self) -> list[Node]:
        """The arguments of which NumPy finds the numbers between those of a table sooner, if they are sorted."""
        kernel, found = self.kernel, self.kernel.searches.values()
        if self.is_strided or kernel.strides or len(kernel.axes) != 1 or kernel.has_functions:
            return []
        if len(kernel.steps) > FEW_STEPS or not all(s.heights is not None for s in found):
            return []
        return [s.keys for s in found if s.keys in kernel.graph.inputs]

    def _read_more(self, read: Callable[[str], str]) -> None:
        """Reads the other words that a dense frame has before the scalars."""

    @property
    def _has_faults(self) -> bool:
        return bool(self._element.integer_faults or self._element.out_of_range)

    def _dense_pointers(self, bases: dict[Node, str], strides: list[list[str]], start: str) -> list[str]:
        """The address of the first element of each operand and result."""
        found = []
        for k, node in enumerate(self.values):
            root = node.array if isinstance(node, Moving) else chain(node)[0]
            is_placed = self.kernel.is_static and self.kernel.shape and not isinstance(node, Moving)
            offset = self.kernel.places[node][0] if is_placed else 0
            first = strides[k][0] if strides[k] else "0"
            self.lines.append(f"%b{k} = getelementptr i8, ptr {bases[root]}, i64 {offset}")
            self.lines.append(f"%m{k} = mul i64 {start}, {first}")
            self.lines.append(f"%f{k} = getelementptr i8, ptr %b{k}, i64 %m{k}")
            found.append(f"%f{k}")
        return found

    def _dense_strides(self, lengths: list[str]) -> list[list[str]]:
        """For each operand and result its stride along each axis of the frame, where arguments are C-contiguous."""
        kernel = self.kernel
        if not kernel.axes:
            return [[] for _ in self.values]
        if kernel.is_static:
            all_ = [n.strides if isinstance(n, Moving) else kernel.places[n][1] for n in self.values]
            return [[str(strides[group[-1]]) for group in kernel.axes] for strides in all_]
        found = []
        for k, node in enumerate(self.values):
            size = str(node.type.dtype.itemsize)
            own = [kernel.spans(node, group[0]) for group in kernel.axes]
            strides = ["0"] * self.rank
            in_memory = sorted(range(self.rank), key=lambda g: kernel.axes[g])
            for place, axis in reversed(list(enumerate(in_memory))):
                if own[axis]:
                    strides[axis] = size
                    if any(own[a] for a in in_memory[:place]):
                        self.lines.append(f"%d{k}.{axis} = mul i64 {size}, {lengths[axis]}")
                        size = f"%d{k}.{axis}"
            found.append(strides)
        return found

    def _loops_of_two_kinds(self, lengths: Any, pointers: Any, strides: Any, scalars: list[str]) -> None:
        """Loops for elements that lie one after the other along the last axis, or are stretched along it, and loops for
        all others."""
        put = self.lines.append
        kernel, tests = self.kernel, []
        unit = [list(s) for s in strides]
        for k, node in enumerate(self.values):
            is_full = not kernel.shape or kernel.is_full(node.type, len(kernel.shape) - 1)
            unit[k][-1] = str(node.type.dtype.itemsize if is_full else 0)
            put(f"%u{k} = icmp eq i64 {strides[k][-1]}, {unit[k][-1]}")
            tests.append(f"%u{k}")
        both = tests[0]
        for k, test in enumerate(tests[1:]):
            put(f"%all{k} = and i1 {both}, {test}")
            both = f"%all{k}"
        put(f"br i1 {both}, label %unit, label %any")
        put("unit:")
        self._loops(0, lengths, pointers, unit, scalars)
        put("br label %ran")
        put("any:")
        self._loops(0, lengths, pointers, strides, scalars, PARTS)
        put("br label %ran")
        put("ran:")

    def _call_parts(self, lengths: list[str], pointers: list[str], strides: Any, scalars: list[str]) -> None:
        """Calls the loops over the last two axes."""
        arguments = [f"i64 {lengths[-2] if self.rank > 1 else 1}", f"i64 {lengths[-1]}"]
        for k, pointer in enumerate(pointers):
            outer = strides[k][-2] if self.rank > 1 else 0
            arguments += [f"ptr {pointer}", f"i64 {outer}", f"i64 {strides[k][-1]}"]
        self._call("@parts", [*arguments, *scalars], PARTS)

    def _call(self, function: str, arguments: list[str], kind: str) -> None:
        """Calls a function that reports an error."""
        put = self.lines.append
        put(f"%bad.now{kind} = call i32 {function}({', '.join(arguments)})")
        if self._has_faults:
            put(f"%bad.old{kind} = load i32, ptr %bad, align 4")
            put(f"%bad.or{kind} = or i32 %bad.old{kind}, %bad.now{kind}")
            put(f"store i32 %bad.or{kind}, ptr %bad, align 4")

    def _loops(
        self, axis: int, lengths: list[str], pointers: list[str], strides: Any, scalars: list[str], kind: str = ""
    ) -> None:
        put = self.lines.append
        if kind == PARTS and axis >= self.rank - 2:
            self._call_parts(lengths, pointers, strides, scalars)
            return
        if axis >= self.rank - 1:
            arguments = [f"i64 {lengths[-1] if lengths else 1}"]
            for k, pointer in enumerate(pointers):
                arguments += [f"ptr {pointer}", f"i64 {strides[k][-1] if strides and strides[k] else 0}"]
            self._call(self.callee, [*arguments, *scalars], kind)
            return
        here = f"{axis}{kind}"
        i, before = f"%i{here}", f"before{here}"
        put(f"br label %{before}")
        put(f"{before}:")
        put(f"%some{here} = icmp sgt i64 {lengths[axis]}, 0")
        put(f"br i1 %some{here}, label %loop{here}, label %after{here}")
        put(f"loop{here}:")
        put(f"{i} = phi i64 [ 0, %{before} ], [ {i}.next, %latch{here} ]")
        moved = []
        for k, pointer in enumerate(pointers):
            put(f"%o{k}.{here} = mul i64 {i}, {strides[k][axis]}")
            put(f"%q{k}.{here} = getelementptr i8, ptr {pointer}, i64 %o{k}.{here}")
            moved.append(f"%q{k}.{here}")
        self._loops(axis + 1, lengths, moved, strides, scalars, kind)
        put(f"br label %latch{here}")
        put(f"latch{here}:")
        put(f"{i}.next = add nuw nsw i64 {i}, 1")
        put(f"%more{here} = icmp slt i64 {i}.next, {lengths[axis]}")
        put(f"br i1 %more{here}, label %loop{here}, label %after{here}")
        put(f"after{here}:")
