"""Arrays from outside: their paths, their values at the end, and guards of their content and of shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...codegen import Program
from ...errors import UnsupportedFunctionError, message
from ...ir.graph import Graph, Node, constant_node
from ...ir.op import by_name
from ...ir.types import is_traceable, random_kind
from ...passes.rewrite import rewrite
from ...runtime.calls.memory_guards import MemoryGuard
from ...trace.active import current
from ...trace.body import is_entered
from ...trace.context import Trace
from ...trace.foreign import as_foreign, is_foreign_value
from ...trace.origin import where
from ...trace.recording.recorder import Recorder
from ...trace.state.captures import Captures
from ...trace.state.content import ContentGuard
from ...trace.state.paths import ArrayCapture, Path
from ...trace.tensor import Tensor
from ...trace.trace_parts.external_arrays import ExternalArrays, OutsideArray
from ...trace.values.random import as_tensor


def record_updates(trace: Trace) -> list[tuple[Tensor, Tensor]]:
    """Records that arrays from outside get the trace's writes into them. Gives the tensors of these, and of
    the arrays after that. That is so at the end of each call, and at no line."""
    trace.outside.check()
    trace.placed = None, "", trace.error_handling.now()
    try:
        return [
            (a.tensor, trace.record(by_name("update"), (Tensor(a.node, trace, owned=False), a.tensor), {}))
            for a in trace.outside.updates()
        ]
    finally:
        trace.placed = None


def settle_arrays(graph: Graph, trace: Recorder, captures: Captures) -> tuple[Graph, dict[str, Any]]:
    """Turns arrays that only the graph holds into constants; maps the path of each capture to where it is read from."""
    sources: dict[str, Any] = dict(captures.known_arrays().values()) | captures.number_paths
    replaced: dict[Node, Node] = {}
    arrays = trace.concrete_arrays()
    if not all(private for _, _, private in arrays):
        del arrays
        trace.journal.made.collect()  # finished parts of the trace may hold them
        arrays = trace.concrete_arrays()
    for node, array, private in arrays:
        if private or trace.value_now is not None:  # no later call reads it
            replaced[node] = constant_node(array, node.type, node.source)
        else:
            raise UnsupportedFunctionError(
                message(
                    "an array from outside is used, and how a later call finds it is not known",
                    where(node.source),
                    "Reach it by a name, an attribute or an item, or pass it as an argument.",
                )
            )
    if not replaced:
        return graph, sources
    return rewrite(graph, lambda n: replaced.get(n)), sources


def memory_guards(
    outside: ExternalArrays, inputs: tuple[Node, ...], leaves: list[int], captures: dict[str, Any]
) -> tuple[MemoryGuard, ...]:
    """Conditions on the arrays of a call: the same, apart, or contiguous."""
    asked = outside.asked or outside.different or outside.read_only
    if not (outside.writing or asked or outside.same or outside.views or outside.disjoint):
        return ()
    leaf_of = dict(zip(inputs, leaves, strict=True))

    def place(array: OutsideArray) -> Any:
        return leaf_of[array.node] if array.node in leaf_of else captures[array.node.args[0]]

    return (
        *[MemoryGuard("same", place(a), place(b)) for a, b in outside.same],
        *[MemoryGuard("distinct", place(a), place(b)) for a, b in outside.different],
        *[MemoryGuard("view", place(a), place(b), offset, b.array.strides) for a, b, offset in outside.views],
        *[MemoryGuard("disjoint", place(a), place(b)) for a, b in outside.disjoint],
        *[MemoryGuard("apart", place(a), place(b)) for a, b in outside.apart()],
        *[MemoryGuard("read-only", place(a)) for a in outside.read_only],
        *[MemoryGuard("aligned", place(a)) for a in outside.aligned],
        *[MemoryGuard("contiguous", place(a)) for a in outside.contiguous if outside.writing],
        *[MemoryGuard("strides", place(a), strides=a.array.strides) for a in outside.strided if outside.writing],
    )


def content_guards(
    captures: Captures, program: Program, trace: Trace, observed: set[int], has_hooks: bool
) -> tuple[ContentGuard, ...]:
    """Guards of the arrays that were reached and are no input of the program. The graph has values of those that code
    without hooks may have read; where all code `has_hooks`, it is known which it was given."""
    used = {n.args[0] for n in program.captures}
    symbolic = {id(c.array) for c in captures.arrays.values() if c.path.is_variable} | observed
    if has_hooks:
        symbolic |= {id(c.array) for c in captures.arrays.values()} - trace.unseen.arrays.keys()
    static = {id(array): saved for array, saved in trace.static_arrays}
    same = {other.key() for first, other in captures.twice() if captures.label(first) in used}
    found = []
    for capture in captures.arrays.values():
        if id(capture.array) in static:
            found.append(ContentGuard(capture.path, static[id(capture.array)]))
        elif id(capture.array) in trace.unseen.whole:
            found.append(ContentGuard(capture.path, capture.array))
        elif trace.unseen.happened and capture.path.key() in captures.read_by_special:
            found.append(ContentGuard(capture.path, capture.array, described=capture.described))
        elif captures.label(capture.path) not in used and capture.path.key() not in captures.only_written | same:
            described = (
                capture.described or id(capture.array) in symbolic or capture.path.container_of_numbers is not None
            )
            found.append(ContentGuard(capture.path, capture.array, described=described))
    return tuple(found)


def find_owners(trace: Recorder, captures: Captures, paths: Sequence[str], values: Sequence[Any]) -> None:
    """Lets the trace take up the arrays that arrays from outside are views of."""
    arguments = {id(v): Path(("argument", None, path)) for path, v in zip(paths, values, strict=True)}

    def add_owner(view: OutsideArray, owner: np.ndarray[Any, Any]) -> bool:
        path = captures.path_of(view.array) or arguments.get(id(view.array))
        if path is None:
            return False
        captures.add_array(ArrayCapture(path.then("attr", "base"), owner))
        trace.knows({id(owner): captures.known_arrays()[id(owner)]})
        trace.captured(owner)
        return True

    trace.outside.add_owner, trace.outside.is_entered = add_owner, is_entered
    trace.outside.in_body = lambda: current() is not trace


def captured(trace: Trace, array: Any) -> Any:
    """A captured array or random generator as a Tensor, or the array itself where it cannot be traced."""
    if random_kind(array) is not None:
        return as_tensor(trace, array)
    if is_foreign_value(array):
        return as_foreign(array)
    if type(array) is not np.ndarray or not is_traceable(array.dtype):
        return array
    return trace.captured(array)
