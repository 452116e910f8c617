"""Functions of machine code that work on a block of elements: mathematical functions, and copies.

Loops over a block go over whole groups of elements, so that vectors leave no rest: `%to` is the index of the last
element of the last group. Each function is compiled once, for all kernels.
"""

from __future__ import annotations

import functools

from ...machine.engine import shared
from ...machine.processor import has_fma, vector_bits
from ..scalar.emitter import DType, llvm_type
from ..scalar.functions import LIMITED, definitions, symbol
from .inner_loop import OUT_OF_RANGE

SIDE_BY_SIDE = 4
"""So many vectors a function computes side by side."""

LARGEST = 512
"""No block has more elements."""

MARK, SEPARATE = 10, 11
"""The mark of loops over a block, and that of their loads and stores: their rounds have nothing to do with one
another."""


def marks(width: int, together: int) -> list[str]:
    """The metadata that loops over a block are marked with: how wide their vectors are, and how many of these they
    compute side by side."""
    lines = [f"!{MARK} = distinct !{{!{MARK}, !12, !13, !14, !15}}", f"!{SEPARATE} = distinct !{{}}"]
    lines += [f'!12 = !{{!"llvm.loop.parallel_accesses", !{SEPARATE}}}', '!13 = !{!"llvm.loop.unroll.disable"}']
    lines.append(f'!14 = !{{!"llvm.loop.vectorize.width", i32 {width}}}')
    return [*lines, f'!15 = !{{!"llvm.loop.interleave.count", i32 {together}}}']


def group(dtype: DType) -> int:
    """So many elements a function computes side by side."""
    return SIDE_BY_SIDE * vector_bits() // (8 * dtype.itemsize)


def to_last(last: str, group: int) -> list[str]:
    """Names the index of the last element of the last group, given that of the last element. LLVM learns that there are
    whole groups, and no more elements than a block has."""
    return [f"%to.last = and i64 {last}, {LARGEST - 1}", f"%to = or i64 %to.last, {group - 1}"]


@functools.cache
def function_loop(name: str, dtype: DType, count: int) -> str:
    """The symbol of a function of a block: it takes the addresses of its operands and of its result, and the last
    element. Where it is not made for all numbers, it returns the fault."""
    bits, kind, align = dtype.itemsize * 8, llvm_type(dtype), f"align {dtype.itemsize}, !llvm.access.group !{SEPARATE}"
    parameters = ", ".join([*[f"ptr %x{k}" for k in range(count)], "ptr %y", "i64 %last"])
    lines = [f"define {'i32' if name in LIMITED else 'void'} @{name}({parameters}) nounwind {{", "entry:"]
    lines += [*to_last("%last", group(dtype)), "br label %loop", "loop:"]
    lines.append("%i = phi i64 [ 0, %entry ], [ %i.next, %loop ]")
    if name in LIMITED:
        lines.append("%was = phi i32 [ 0, %entry ], [ %is, %loop ]")
    for k in range(count):
        lines.append(f"%x{k}.at = getelementptr {kind}, ptr %x{k}, i64 %i")
        lines.append(f"%v{k} = load {kind}, ptr %x{k}.at, {align}")
    values = ", ".join(f"{kind} %v{k}" for k in range(count))
    lines += [f"%v = call {kind} {symbol(name, bits)}({values})", f"%y.at = getelementptr {kind}, ptr %y, i64 %i"]
    lines.append(f"store {kind} %v, ptr %y.at, {align}")
    if name in LIMITED:
        lines.append(f"%within = call i1 {symbol(f'{name}.in_range', bits)}({values})")
        lines += [f"%now = select i1 %within, i32 0, i32 {OUT_OF_RANGE}", "%is = or i32 %was, %now"]
    lines += ["%i.next = add nuw nsw i64 %i, 1", "%done = icmp eq i64 %i, %to"]
    lines += [f"br i1 %done, label %end, label %loop, !llvm.loop !{MARK}", "end:"]
    lines += ["ret i32 %is" if name in LIMITED else "ret void", "}"]
    text, declarations = definitions({(name, bits)}, has_fma())
    found = "\n".join([*sorted(declarations), text, *lines, *marks(vector_bits() // bits, SIDE_BY_SIDE)])
    return shared(found, name)


@functools.cache
def copy(name: str, size: int) -> str:
    """The symbol of a function that copies elements of `size` bytes. It takes the address of a room and that of a
    place with some stride, the stride, the last element, and the last one of whole groups.

    `taken` returns where a block of an operand is, in whole groups: at its place, or in the room that it copies it to.
    `given` returns where that of a result is to be, and `kept` copies it from there to its place. An operand is
    padded to whole groups with copies of its first element: they raise no flag that is not due.
    """
    kind, width = f"i{8 * size}", vector_bits() // (8 * max(size, 4))
    parameters = "(ptr noalias %room, ptr %there, i64 %stride, i64 %last, i64 %wanted)"
    is_there = [f"%unit = icmp eq i64 %stride, {size}", "%whole = icmp eq i64 %last, %wanted"]
    is_there += ["%is.there = and i1 %unit, %whole"]
    lines = [f"define ptr @taken{parameters} nounwind {{", "entry:", *is_there]
    lines += ["br i1 %is.there, label %same, label %first", "same:", "ret ptr %there", "first:"]
    lines += [f"%value = load {kind}, ptr %there, align {size}", *to_last("%wanted", width)]
    lines += ["br label %fill", "fill:", "%f = phi i64 [ 0, %first ], [ %f.next, %fill ]"]
    lines.append(f"%f.at = getelementptr {kind}, ptr %room, i64 %f")
    lines.append(f"store {kind} %value, ptr %f.at, align {size}, !llvm.access.group !{SEPARATE}")
    lines += ["%f.next = add nuw nsw i64 %f, 1", "%f.done = icmp eq i64 %f, %to"]
    lines += [f"br i1 %f.done, label %filled, label %fill, !llvm.loop !{MARK}", "filled:"]
    lines += ["%is.one = icmp eq i64 %stride, 0", "br i1 %is.one, label %end, label %copy", "copy:"]
    lines += [*_copied(size, "%there", "%stride", "%room", str(size)), "end:", "ret ptr %room", "}"]
    lines += [f"define ptr @given{parameters} nounwind {{", *is_there]
    lines += ["%place = select i1 %is.there, ptr %there, ptr %room", "ret ptr %place", "}"]
    lines += [f"define void @kept{parameters.replace('noalias ', '')} nounwind {{"]
    lines += ["%same = icmp eq ptr %room, %there", "br i1 %same, label %end, label %copy", "copy:"]
    lines += [f"%unit = icmp eq i64 %stride, {size}"]
    lines += [*_copied(size, "%room", str(size), "%there", "%stride"), "end:", "ret void", "}"]
    return shared("\n".join([*lines, *marks(width, 1)]), name)


def _copied(size: int, source: str, source_stride: str, target: str, target_stride: str) -> list[str]:
    """Copies elements up to the last one, at strides that are equal where `%unit` is set."""
    kind = f"i{8 * size}"
    lines = ["br i1 %unit, label %plain, label %gaps", "plain:", f"%bytes.less = mul i64 %last, {size}"]
    lines.append(f"%bytes = add i64 %bytes.less, {size}")
    lines.append(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 %bytes, i1 false)")
    lines += ["br label %end", "gaps:", "br label %each", "each:", "%i = phi i64 [ 0, %gaps ], [ %i.next, %each ]"]
    lines += [f"%i.from = mul i64 %i, {source_stride}", f"%i.source = getelementptr i8, ptr {source}, i64 %i.from"]
    lines += [f"%i.to = mul i64 %i, {target_stride}", f"%i.target = getelementptr i8, ptr {target}, i64 %i.to"]
    lines += [f"%v = load {kind}, ptr %i.source, align {size}", f"store {kind} %v, ptr %i.target, align {size}"]
    lines += ["%i.next = add nuw nsw i64 %i, 1", "%i.more = icmp slt i64 %i, %last"]
    return [*lines, "br i1 %i.more, label %each, label %end"]
