"""LLVM IR of the functions of a loop kernel: `run(frame)`, which Python calls, and their set-up around the loops.

A frame is an array of 64-bit words: the bits of each argument that is a scalar and the address of each that is an
array, the open lengths that the code needs, the address of each new array and of the kernel's own memory, and then room
for each result that is a scalar. `run` gives `LEFT` where NumPy must do the work from the start, `INTERRUPTED` where a
signal's handler raised, and otherwise which floating-point flags were raised. It gives the global lock back at its
first pause.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ....ir.graph import Graph, Node
from ...machine.float_flags import warned
from ..scalar.emitter import DType, llvm_type, memory_type
from ..scalar.module import Code
from .arrays import Array, is_array
from .checked import INT, Checking
from .nests.pending import Nests
from .scalars import Number

LEFT, INTERRUPTED = 1 << 16, 1 << 17


def function_code(
    e: Checking,
    graph: Graph,
    lengths: int,
    made: Sequence[Array],
    written: Collection[Node],
    results: Sequence[Number],
    nests: Nests,
) -> Code:
    """The code that `e` has collected as functions. Arguments are named `%a0`, open lengths `%n0`, new arrays `%m0`.
    `written` are the arguments that are written into."""
    loads: list[str] = []
    addresses: list[tuple[str, int, str]] = []
    for i, node in enumerate(graph.inputs):
        if is_array(node):
            addresses.append((f"%a{i}", i, "" if node in written else "readonly"))
        else:
            loads += _loaded(f"%a{i}", i, node.type.dtype)
    at = len(graph.inputs)
    for k in range(lengths):
        loads += _loaded(f"%n{k}", at + k, INT)
    at += lengths
    addresses += [(f"%m{k}", at + k, "noalias") for k in range(len(made))]
    at += len(made)
    addresses.append(("%room", at, "noalias"))
    at += 1
    stores = [line for k, value in enumerate(results) for line in _stored(f"%r{k}", at + k, value)]
    entry = [f"{n}.at = getelementptr i64, ptr %frame, i64 {w}\n{n} = load ptr, ptr {n}.at" for n, w, _ in addresses]
    parameters = ["ptr noalias %frame", "ptr noalias %state", *[f"ptr {kind} {n}" for n, _, kind in addresses]]
    arguments = ["ptr %frame", "ptr %state", *[f"ptr {n}" for n, _, _ in addresses]]
    # Writes into an argument are not undone here, so nothing can be done again.
    vectors = {k: width for k, (width, may_raise_more) in e.vectors.items() if not (written and may_raise_more)}
    lines = [
        f"define internal i32 @loops({', '.join(parameters)}) noinline nounwind {{",
        "entry:",
        *e.allocas,
        *loads,
        *[f"{name} = getelementptr i8, ptr %room, i64 {offset}" for name, offset in e.room],
        *e.lines,
        *stores,
        "ret i32 0",
        *e.undo,
        f"leave:\nret i32 {LEFT}",
        f"interrupted:\nret i32 {INTERRUPTED}\n}}",
        _PAUSE.format(warned=warned()),
        _RUN.format(
            warned=warned(),
            entry="\n".join(entry),
            arguments=", ".join(arguments),
            again="true" if vectors and not written else "false",
        ),
        '!0 = !{!"branch_weights", i32 1, i32 1000000}',
        '!1 = !{!"llvm.loop.vectorize.enable", i1 false}',
        *[_mark(k, vectors.get(k)) for k in range(2, 2 + e.loops)],
        *nests.text(2 + e.loops),
    ]
    return Code("\n".join(lines), frozenset(e.intrinsics) | _DECLARATIONS, frozenset(e.functions))


def _mark(number: int, width: int | None) -> str:
    """The metadata of a loop. LLVM vectorises little where each index has a bounds check."""
    if width is None:
        return f"!{number} = distinct !{{!{number}, !1}}"
    return f'!{number} = distinct !{{!{number}, !{{!"llvm.loop.vectorize.width", i32 {width}}}}}'


def _loaded(name: str, word: int, dtype: DType) -> list[str]:
    lines = [f"{name}.at = getelementptr i64, ptr %frame, i64 {word}"]
    if dtype.kind != "b":
        return [*lines, f"{name} = load {llvm_type(dtype)}, ptr {name}.at, align 8"]
    return [*lines, f"{name}.b = load i8, ptr {name}.at, align 8", f"{name} = icmp ne i8 {name}.b, 0"]


def _stored(name: str, word: int, value: Number) -> list[str]:
    stored, lines = value.name, []
    if value.dtype.kind == "b":
        stored, lines = f"{name}.b", [f"{name}.b = zext i1 {stored} to i8"]
    address = f"{name} = getelementptr i64, ptr %frame, i64 {word}"
    return [*lines, address, f"store {memory_type(value.dtype)} {stored}, ptr {name}, align 8"]


_DECLARATIONS = {
    "declare ptr @PyEval_SaveThread()",
    "declare void @PyEval_RestoreThread(ptr)",
    "declare i32 @PyErr_CheckSignals()",
}

# `%state` has Python's state of the thread where the global lock was released, and the flags that were raised
# before the last pause: handlers of signals may change the flags themselves; and whether vectors must not be used.
_PAUSE = """define internal i32 @pause(ptr %state) noinline cold {{
entry:
%flags.at = getelementptr i64, ptr %state, i64 1
%flags = call i32 @tf.raised_flags(i32 {warned})
%before = load i32, ptr %flags.at
%both = or i32 %flags, %before
store i32 %both, ptr %flags.at
%thread = load ptr, ptr %state
%held = icmp eq ptr %thread, null
br i1 %held, label %look, label %take
take:
call void @PyEval_RestoreThread(ptr %thread)
br label %look
look:
%raised = call i32 @PyErr_CheckSignals()
%again = call ptr @PyEval_SaveThread()
store ptr %again, ptr %state
call void @tf.clear_flags(i32 {warned})
ret i32 %raised
}}"""

_RUN = """define i32 @run(ptr %frame) nounwind {{
entry:
%state = alloca [3 x i64]
%careful.at = getelementptr i64, ptr %state, i64 2
store i64 0, ptr %careful.at
%flags.at = getelementptr i64, ptr %state, i64 1
store i32 0, ptr %flags.at
store ptr null, ptr %state
call void @tf.clear_flags(i32 {warned})
{entry}
br label %work
work:
%left = call i32 @loops({arguments})
%flags = call i32 @tf.raised_flags(i32 {warned})
%before = load i32, ptr %flags.at
%both = or i32 %flags, %before
%result = or i32 %both, %left
%flagged = icmp ne i32 %both, 0
%stayed = icmp eq i32 %left, 0
%careful = load i64, ptr %careful.at
%first = icmp eq i64 %careful, 0
%doubtful = and i1 %flagged, %stayed
%once = and i1 %doubtful, %first
%more = and i1 %once, {again}
br i1 %more, label %again, label %end
again:
store i64 1, ptr %careful.at
store i32 0, ptr %flags.at
call void @tf.clear_flags(i32 {warned})
br label %work
end:
%thread = load ptr, ptr %state
%held = icmp eq ptr %thread, null
br i1 %held, label %done, label %take
take:
call void @PyEval_RestoreThread(ptr %thread)
br label %done
done:
ret i32 %result
}}"""
