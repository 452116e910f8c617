"""LLVM IR of the innermost loops over elements that do not lie one after the other in memory, or of which few do.

They are copied together, rows of few of them several at a time, and then computed as vectors: a mathematical function
takes ten times as long for one number alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....records import dataclass

PART = 512
"""So many elements are copied at a time: they stay in the first cache."""


@dataclass(frozen=True)
class Stream:
    """One of the arrays that the loops go along. One that `moves` is an address alone: its elements are elsewhere."""

    size: int
    is_result: bool = False
    moves: bool = False


def packed(name: str, callee: str, streams: Sequence[Stream], more: Sequence[str], step: int = 1) -> list[str]:
    """`name(number of rows, of columns, address and both strides of each array, more)`: calls the loop for elements
    that lie one after the other with as many rows as are a part, or with parts of a row. It is given multiples of
    `step` elements, a power of two: those that are no elements of the arrays repeat the first."""
    numbered = list(enumerate(streams))
    read = [(k, s) for k, s in numbered if not s.is_result and not s.moves]
    written = [(k, s) for k, s in numbered if s.is_result]
    places = [f"ptr %p{k}, i64 %u{k}, i64 %s{k}" for k, _ in numbered]
    lines = [line for size in sorted({s.size for _, s in read + written}) for line in copying(size)]
    parameters = ", ".join(["i64 %rows", "i64 %columns", *places, *more])
    lines += [f"define internal i32 {name}({parameters}) alwaysinline nounwind {{", "entry:"]
    lines += [f"%room{k} = alloca [{PART * stream.size} x i8], align 64" for k, stream in read + written]
    lines += ["%some.rows = icmp sgt i64 %rows, 0", "%some.columns = icmp sgt i64 %columns, 0"]
    lines += ["%some = and i1 %some.rows, %some.columns", "br i1 %some, label %begin, label %done", "begin:"]
    lines += _rows_of_part(step, len(read + written) < len(streams))
    for k, stream in read + written:
        lines += [f"%near.s{k} = icmp eq i64 %s{k}, {stream.size}", f"%row.u{k} = mul i64 %columns, {stream.size}"]
        lines += [f"%near.u{k} = icmp eq i64 %u{k}, %row.u{k}", f"%near.us{k} = and i1 %near.s{k}, %near.u{k}"]
        lines.append(f"%near{k} = select i1 %is.one, i1 %near.s{k}, i1 %near.us{k}")
    for k, _ in read:
        lines += [f"%same.s{k} = icmp eq i64 %s{k}, 0", f"%same.u{k} = icmp eq i64 %u{k}, 0"]
        lines += [f"%every{k} = select i1 %long, i1 %same.s{k}, i1 true", f"%far{k} = xor i1 %near{k}, true"]
        lines.append(f"%repeats{k} = and i1 %same.u{k}, %every{k}")
    lines += ["br label %part", "part:", "%row = phi i64 [ 0, %begin ], [ %row.next, %given ]"]
    lines += ["%column = phi i64 [ 0, %begin ], [ %column.next, %given ]"]
    lines += ["%was = phi i32 [ 0, %begin ], [ %is, %given ]"]
    lines += ["%rows.left = sub i64 %rows, %row", "%columns.left = sub i64 %columns, %column"]
    lines += _smaller("r", "%rows.left", "%most") + _smaller("c", "%columns.left", str(PART))
    lines += ["%is.later = icmp ne i64 %row, 0", "%is.rest = icmp ne i64 %column, 0", "%m = mul i64 %r, %c"]
    lines += [f"%m.over = add i64 %m, {step - 1}", f"%m.all = and i64 %m.over, {-step}"]
    lines += ["%m.fits = icmp eq i64 %m, %m.all", "%m.more = sub i64 %m.all, %m"]
    arguments = ["i64 %m.all"]
    for k, stream in numbered:
        lines += [f"%o{k} = mul i64 %row, %u{k}", f"%x{k} = mul i64 %column, %s{k}", f"%ox{k} = add i64 %o{k}, %x{k}"]
        lines.append(f"%q{k} = getelementptr i8, ptr %p{k}, i64 %ox{k}")
        if stream.moves:
            arguments.append(f"ptr %q{k}, i64 %s{k}")
            continue
        lines += [f"%here{k} = and i1 %near{k}, %m.fits", f"%packed{k} = mul i64 %c, {stream.size}"]
        lines.append(f"%t{k} = select i1 %here{k}, ptr %q{k}, ptr %room{k}")
        arguments.append(f"ptr %t{k}, i64 {stream.size}")
    for k, stream in read:
        lines += _read(k, stream)
    lines += [f"%now = call i32 {callee}({', '.join([*arguments, *more])})", "%is = or i32 %was, %now"]
    for k, stream in written:
        lines += [f"br i1 %here{k}, label %wrote{k}, label %back{k}", f"back{k}:"]
        lines.append(copied(stream.size, _room(k, stream), _place(k), "%r", "%c"))
        lines += [f"br label %wrote{k}", f"wrote{k}:"]
    lines += ["%column.end = add i64 %column, %c", "%is.end = icmp sge i64 %column.end, %columns"]
    lines += ["%column.next = select i1 %is.end, i64 0, i64 %column.end", "%row.end = add i64 %row, %r"]
    lines += ["%row.next = select i1 %is.end, i64 %row.end, i64 %row", "br label %given", "given:"]
    lines += ["%going = icmp slt i64 %row.next, %rows", "br i1 %going, label %part, label %done", "done:"]
    return [*lines, "%faults = phi i32 [ 0, %entry ], [ %is, %given ]", "ret i32 %faults", "}"]


def _rows_of_part(step: int, moves: bool) -> list[str]:
    """Names the number of rows that are a part: one where they are `long`, or where something moves along with them,
    and otherwise, if possible, as many as have a multiple of `step` elements."""
    lines = [f"%long = icmp sgt i64 %columns, {0 if moves else PART // 2}", "%single = icmp eq i64 %rows, 1"]
    lines += ["%is.one = or i1 %long, %single", f"%fit = sdiv i64 {PART}, %columns", "%minus = sub i64 0, %columns"]
    lines += ["%even = and i64 %columns, %minus", f"%need = udiv i64 {step}, %even", "%up = sub i64 0, %need"]
    lines += ["%fit.even = and i64 %fit, %up", "%is.odd = icmp eq i64 %fit.even, 0"]
    lines += ["%fit.now = select i1 %is.odd, i64 %fit, i64 %fit.even"]
    return [*lines, "%most = select i1 %long, i64 1, i64 %fit.now"]


def _read(k: int, stream: Stream) -> list[str]:
    """Copies elements of an array together, where it must be: elements that are the same for the next part are copied
    once."""
    lines = [f"%again{k} = and i1 %is.later, %repeats{k}", f"%along{k} = and i1 %is.rest, %same.s{k}"]
    lines += [f"%same{k} = or i1 %again{k}, %along{k}", f"%kept{k} = and i1 %same{k}, %far{k}"]
    lines += [f"%ready{k} = or i1 %here{k}, %kept{k}"]
    lines += [f"br i1 %ready{k}, label %read{k}, label %copy{k}", f"copy{k}:"]
    lines.append(copied(stream.size, _place(k), _room(k, stream), "%r", "%c"))
    lines += [f"br i1 %m.fits, label %read{k}, label %fill{k}", f"fill{k}:", f"%taken{k} = mul i64 %m, {stream.size}"]
    lines.append(f"%rest{k} = getelementptr i8, ptr %room{k}, i64 %taken{k}")
    lines.append(copied(stream.size, (f"%room{k}", "0", "0"), (f"%rest{k}", "0", str(stream.size)), "1", "%m.more"))
    return [*lines, f"br label %read{k}", f"read{k}:"]


def _smaller(name: str, one: str, other: str) -> list[str]:
    return [
        f"%{name}.test = icmp slt i64 {one}, {other}",
        f"%{name} = select i1 %{name}.test, i64 {one}, i64 {other}",
    ]


Place = tuple[str, str, str]
"""An address, the stride of rows and that of columns."""


def _place(k: int) -> Place:
    return f"%q{k}", f"%u{k}", f"%s{k}"


def _room(k: int, stream: Stream) -> Place:
    """Where the elements of an array are copied together."""
    return f"%room{k}", f"%packed{k}", str(stream.size)


def copied(size: int, source: Place, target: Place, rows: str, columns: str) -> str:
    """Copies elements, by `copying`."""
    ends = ", ".join([f"ptr {address}, i64 {outer}, i64 {inner}" for address, outer, inner in (source, target)])
    return f"call void @copy{size}({ends}, i64 {rows}, i64 {columns})"


def copying(size: int, mark: str = "!0") -> list[str]:
    """The function that copies rows of elements of a size."""
    kind, align = f"i{8 * size}", min(size, 8)
    ends = "ptr %from, i64 %from.u, i64 %from.s, ptr noalias %to, i64 %to.u, i64 %to.s"
    lines = [f"define internal void @copy{size}({ends}, i64 %rows, i64 %columns) alwaysinline {{", "entry:"]
    lines += ["br label %row", "row:", "%j = phi i64 [ 0, %entry ], [ %j.next, %last ]"]
    for end in ("from", "to"):
        lines += [f"%v.{end} = mul i64 %j, %{end}.u", f"%w.{end} = getelementptr i8, ptr %{end}, i64 %v.{end}"]
    lines += ["br label %loop", "loop:", "%i = phi i64 [ 0, %row ], [ %next, %loop ]"]
    for end in ("from", "to"):
        lines += [f"%o.{end} = mul i64 %i, %{end}.s", f"%p.{end} = getelementptr i8, ptr %w.{end}, i64 %o.{end}"]
    lines += [f"%x = load {kind}, ptr %p.from, align {align}", f"store {kind} %x, ptr %p.to, align {align}"]
    lines += ["%next = add nuw nsw i64 %i, 1", "%more = icmp slt i64 %next, %columns"]
    lines += [f"br i1 %more, label %loop, label %last, !llvm.loop {mark}", "last:"]
    lines += ["%j.next = add nuw nsw i64 %j, 1", "%more.rows = icmp slt i64 %j.next, %rows"]
    return [*lines, "br i1 %more.rows, label %row, label %done", "done:", "ret void", "}"]
